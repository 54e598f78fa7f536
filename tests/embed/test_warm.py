"""Warm: what the verbs need is loaded before they are called, and nothing else happens."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from substrate.embed.load import State
from substrate.errors import Busy
from substrate.memory import Memory
from substrate.views.models import model_searched
from tests.embed.embedded import ATOMS, Reopen
from tests.scale import PATIENCE_S

VERBS = """
import json, sys
import substrate
path, home, warm = sys.argv[1:]
memory = substrate.open(path, home=home, read_only=True, model="none")
if warm == "warm":
    memory.warm()
before = set(sys.modules)
memory.search("who takes the payments")
memory.bootstrap("take payments")
memory.predict(objective="take payments")
print(json.dumps(sorted(set(sys.modules) - before)))
"""


@pytest.fixture
def tiny(made: Path, cache: Path) -> Path:
    assert cache.exists()
    return made / "models" / "tiny-mean"


def loaded_late(memory: Memory, home: Path, how: str) -> list[str]:
    """The modules that the first calls of a fresh process load."""
    command = [sys.executable, "-c", VERBS, str(memory._store.log.path), str(home), how]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    late: list[str] = json.loads(done.stdout)
    return late


def test_after_it_the_verbs_load_nothing_more(reopen: Reopen, home: Path) -> None:
    memory = reopen(model="none")
    memory.checkpoint(ATOMS)
    assert loaded_late(memory, home, "warm") == []
    assert "numpy" in loaded_late(memory, home, "cold")  # the broken twin: without it they do


def test_it_waits_for_the_model(reopen: Reopen, tiny: Path) -> None:
    with reopen(model=tiny, background=False) as memory:
        memory.checkpoint(ATOMS)
        memory.index()
    memory = reopen(model=tiny, background=False)
    memory.warm()
    with memory._store.log.snapshot() as transaction:
        model = model_searched(transaction)
    assert memory._store.models.of(model).status.state is State.READY
    assert memory.search("payment").meaning == ""


def test_it_neither_counts_as_an_access_nor_begins_a_session(reopen: Reopen) -> None:
    memory = reopen(model="none", background=False)
    memory.checkpoint(ATOMS)
    memory.access("v1.fact.pet")
    before = memory._client.recorder.current()
    memory.warm()
    assert memory._client.recorder.current() is before
    assert memory.predict().context == ("v1.fact.pet",)
    assert memory.head().head.size == 4


def closed(memory: Memory, _: pytest.MonkeyPatch) -> None:
    memory.close()


def without_its_model(memory: Memory, _: pytest.MonkeyPatch) -> None:
    memory._store.models.spec = "no-such-model"


def empty(_: Memory, __: pytest.MonkeyPatch) -> None:
    pass


def busy(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise Busy("someone else")

    monkeypatch.setattr(memory._store.index, "objective", refuse)
    monkeypatch.setattr(memory._store.index, "query", refuse)


@pytest.mark.parametrize("spoilt", [closed, without_its_model, empty, busy])
def test_what_cannot_be_loaded_is_left_to_who_needs_it(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, spoilt: Callable[[Memory, pytest.MonkeyPatch], None]
) -> None:
    spoilt(memory, monkeypatch)
    memory.warm()


def test_it_can_be_called_while_others_search(reopen: Reopen) -> None:
    memory = reopen(model="none")
    memory.checkpoint(ATOMS)
    failures: list[BaseException] = []

    def run(work: Callable[[], object]) -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - told below
            failures.append(error)

    works = [memory.warm, lambda: memory.search("dog"), memory.client("ann").warm, lambda: memory.bootstrap("dog")]
    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert not failures
    assert not any(thread.is_alive() for thread in threads)
