"""A store folder that was copied, and the copy written to: the original is read, and never lies about being the latest.

`cp -r` is what people do. What must hold after it: every verb that reads answers; nothing is written, learnt, signed or
proven as current by the one that is behind; every face says which copy is ahead, and what it prints can be pasted.
"""

from __future__ import annotations

import io
import json
import logging
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import substrate
from substrate import BehindWarning, Memory, Verifier
from substrate.cli.dispatch import RUNS
from substrate.errors import Forgotten, ProofInvalid, RolledBack
from substrate.log.copies.behind import Remembered
from substrate.log.keys.highwater import HighWater
from substrate.views.words import WordView
from tests.cli.run import PROGRAM, Commands
from tests.scale import PATIENCE_S

A, B, GONE = "v1.fact.provider", "v1.fact.currency", "v1.fact.private"
ODD = "it's a $(touch PWNED) store"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SUBSTRATE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SUBSTRATE_MODEL", "none")
    monkeypatch.delenv("SUBSTRATE_STORE", raising=False)
    return tmp_path


@pytest.fixture
def original(here: Path) -> Path:
    """A store of which a copy, beside it, has gone on: there the provider is another one."""
    path = here / "store"
    with substrate.open(path) as memory:
        memory.checkpoint([f"{A} = Stripe", f"{B} = EUR", f"{GONE} = a secret"])
        memory.checkpoint(edges=[{"source": A, "type": "depends_on", "target": B}])
        memory.train([A, B])
        memory.forget(GONE)
    shutil.copytree(path, here / "copy")
    with substrate.open(here / "copy") as memory:
        memory.checkpoint([f"{A} = Adyen"])
    return path


@contextmanager
def opened(path: Path, match: str = "is behind", **options: Any) -> Iterator[Memory]:
    """A store that is behind, open; the warning is the opening's."""
    with pytest.warns(BehindWarning, match=match):
        memory = substrate.open(path, **options)
    with memory:
        yield memory


@pytest.fixture
def behind(original: Path) -> Iterator[Memory]:
    with opened(original) as memory:
        yield memory


def contents(path: Path) -> dict[str, bytes]:
    """All that a store holds: not its lock files, in which readers have a place."""
    return {str(file): file.read_bytes() for file in sorted(path.rglob("*.mdb")) if file.name == "data.mdb"}


# -- reading -----------------------------------------------------------------------------------------------------------

READS: dict[str, Callable[[Memory], object]] = {
    "list": lambda memory: memory.list(),
    "access": lambda memory: memory.access(A).value == "Stripe",
    "search": lambda memory: memory.search("provider"),
    "which": lambda memory: memory.which(A),
    "recent": lambda memory: memory.recent(),
    "edges": lambda memory: memory.edges(A),
    "history": lambda memory: memory.history(A),
    "context": lambda memory: memory.context(A),
    "path": lambda memory: memory.path(A, A).found,
    "predict": lambda memory: memory.predict(),
    "bootstrap": lambda memory: memory.bootstrap("pay").atoms,
    "session": lambda memory: memory.session("pay"),
    "stats": lambda memory: memory.stats().atoms == 2,
    "heads": lambda memory: memory.heads(),
    "growth": lambda memory: memory.growth(),
    "head": lambda memory: memory.head(),
    "pin": lambda memory: memory.pin(),
    "export": lambda memory: memory.export(io.StringIO()),
    "forget, counted": lambda memory: memory.forget(A, dry_run=True).atoms == 1,
}


def test_every_verb_that_reads_answers_and_nothing_is_written_or_learnt(
    original: Path, caplog: pytest.LogCaptureFixture
) -> None:
    before = contents(original)
    with caplog.at_level(logging.WARNING), opened(original) as memory:
        for verb, read in READS.items():
            assert read(memory), verb
        with memory.session("pay the bill"):
            memory.access(A)
            memory.access(B)
        assert memory.stats().sessions == 0
        memory.backup(original.parent / "backup")
    assert caplog.text == ""
    assert contents(original) == before


def test_it_says_so_wherever_python_looks(behind: Memory, here: Path) -> None:
    said = behind.behind
    assert said is not None
    assert (said.ahead, said.is_there, said.forked) == (str(here / "copy"), True, False)
    assert said.known_size == said.size + 1
    assert behind.stats().behind == said
    assert "behind" in repr(behind)
    shutil.rmtree(here / "copy")
    assert "which is gone" in str(behind.behind)


def test_it_can_come_to_be_behind_while_it_is_open(here: Path, caplog: pytest.LogCaptureFixture) -> None:
    with substrate.open(here / "store") as memory:
        memory.checkpoint([f"{A} = Stripe"])
        shutil.copytree(here / "store", here / "copy")
        with memory.session("pay"):
            memory.access(A)
            with substrate.open(here / "copy") as copy:
                copy.checkpoint([f"{A} = Adyen"])
        assert memory.access(A).value == "Stripe"
        assert memory.behind is not None
        with pytest.raises(RolledBack):
            memory.prove(A)
    assert caplog.text == ""  # what waited to be learnt is dropped, not complained about


def test_an_older_view_is_replayed_in_memory_and_not_upgraded(original: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = contents(original)
    monkeypatch.setattr(WordView, "version", WordView.version + 1)
    with opened(original) as memory:
        assert memory.search("provider").items[0].name == A
    assert contents(original) == before


# -- writing -----------------------------------------------------------------------------------------------------------

WRITES: dict[str, Callable[[Memory], object]] = {
    "checkpoint": lambda memory: memory.checkpoint(["v1.fact.new = 1"]),
    "checkpoint, confirmed": lambda memory: memory.checkpoint([f"{A} = Stripe"]),
    "import": lambda memory: memory.import_lines(io.StringIO('{"kind":"put","name":"v1.fact.n","value":"1"}\n')),
    "train": lambda memory: memory.train([A, B]),
    "observe": lambda memory: memory.observe([A, B]),
    "watch": lambda memory: memory.watch(on=False),
    "forget": lambda memory: memory.forget(A),
    "rotate_key": lambda memory: memory.rotate_key(),
    "compact": lambda memory: memory.compact(),
    "rebuild": lambda memory: memory.rebuild(),
    "rebuild from outside": lambda memory: substrate.rebuild(str(memory.to_dict()["store"])),
}


def test_whatever_writes_is_refused_with_what_to_type(behind: Memory, original: Path) -> None:
    before = contents(original)
    for verb, write in WRITES.items():
        with pytest.raises(RolledBack, match="To go on from this one") as caught:
            write(behind)
        assert str(behind.behind) in str(caught.value), verb
    assert contents(original) == before


def test_vectors_are_not_kept_up_by_a_store_that_is_behind(original: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUBSTRATE_MODEL", "all-MiniLM-L6-v2")
    with opened(original, background=False) as memory, pytest.raises(RolledBack):  # before any model is loaded
        memory.index()


# -- proving -----------------------------------------------------------------------------------------------------------


def proves_nothing_current(memory: Memory) -> None:
    for prove in (
        lambda: memory.prove(A),
        lambda: memory.prove("v1.fact.absent"),
        lambda: memory.prove(GONE),
        lambda: memory.access(A, proof=True),
    ):
        with pytest.raises(RolledBack):
            prove()
    with pytest.raises(Forgotten) as caught:
        memory.access(GONE)
    assert caught.value.proof is None


def test_what_is_current_tombstoned_forgotten_or_absent_is_not_proven(behind: Memory) -> None:
    proves_nothing_current(behind)


def test_a_store_that_does_not_look_at_its_mark_passes_an_old_value_off_as_current(
    original: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The broken twin: its proof is believed by all who hold the key."""
    monkeypatch.setattr(Remembered, "behind", lambda *_: None)
    with substrate.open(original, read_only=True) as memory:
        bundle = memory.prove(A).to_json()
        verdict = Verifier(key=str(memory.key())).verify(bundle, name=A, claim="current")
        assert json.loads(verdict.body or b"")["value"] == "Stripe"
        with pytest.raises(pytest.fail.Exception):
            proves_nothing_current(memory)


def test_what_was_recorded_is_proven_still_and_names_its_head(behind: Memory, here: Path) -> None:
    size, key = behind.head().head.size, str(behind.key())
    early = behind.pin(1)
    for bundle in (
        behind.prove_entry(1),
        behind.prove_extended(early),
        behind.access(A, as_of=1, proof=True).proof,
    ):
        assert bundle is not None
        assert Verifier(key=key).verify(bundle.to_json()).head.size == size
    # An auditor who has seen the newer copy is not taken in: the older head does not lead to the pin.
    with substrate.open(here / "copy", read_only=True) as copy:
        newer = copy.pin()
    with pytest.raises(ProofInvalid):
        Verifier(pin=str(newer)).verify(behind.prove_entry(1).to_json())
    with pytest.raises(RolledBack):
        behind.check_pin(newer)


# -- forks -------------------------------------------------------------------------------------------------------------


def forked(here: Path, entries: int) -> tuple[Path, Path]:
    """Two copies of one store that both went on, each beside a home of its own: the second by so many entries."""
    with substrate.open(here / "store", home=here / "home") as memory:
        memory.checkpoint([f"{A} = Stripe"])
    shutil.copytree(here / "store", here / "elsewhere" / "store")
    shutil.copytree(here / "home", here / "elsewhere" / "home")
    with substrate.open(here / "store", home=here / "home") as memory:
        memory.checkpoint([f"{A} = Adyen"])
    with substrate.open(here / "elsewhere" / "store", home=here / "elsewhere" / "home") as memory:
        for number in range(entries):
            memory.checkpoint([f"{A} = Mollie {number}"])
    return here / "store", here / "elsewhere" / "store"


@pytest.mark.parametrize("entries", [1, 3])
def test_of_two_histories_the_one_that_is_not_remembered_is_read_and_proves_nothing(here: Path, entries: int) -> None:
    remembered, other = forked(here, entries)
    with opened(other, "forked", home=here / "home") as memory:
        said = memory.behind
        assert said is not None
        assert said.forked
        assert (said.size, said.known_size) == (2 + entries, 3)
        assert said.ahead == str(remembered)
        assert memory.access(A).value.startswith("Mollie")
        pin = memory.pin(2)
        for refused in (
            lambda: memory.checkpoint(["v1.fact.b = 1"]),
            lambda: memory.prove(A),
            lambda: memory.prove_entry(2),
            lambda: memory.prove_extended(pin),
            lambda: memory.access(A, as_of=2, proof=True),
        ):
            with pytest.raises(RolledBack, match="forked"):
                refused()
    with substrate.open(remembered) as memory:
        assert memory.behind is None
        memory.checkpoint(["v1.fact.b = 1"])


def test_if_only_the_map_differs_the_message_says_so(here: Path) -> None:
    with substrate.open(here / "store") as memory:
        memory.checkpoint([f"{A} = Stripe"])
    path = next((here / "home").glob("keys/*/high-water"))
    mark = HighWater(path).read()
    assert mark is not None
    path.unlink()
    HighWater(path).raise_to(replace(mark, map_root=bytes(32)))
    with opened(here / "store", "at size 2 its map of names differs from the one that was signed") as memory:
        assert " root " not in str(memory.behind)


# -- the mark ----------------------------------------------------------------------------------------------------------


def test_a_mark_of_an_earlier_version_has_no_place_and_is_as_good(original: Path, here: Path) -> None:
    mark = next((here / "home").glob("keys/*/high-water"))
    mark.write_bytes(re.sub(rb"store [^\n]*\n", lambda line: b"\n" * len(line[0]), mark.read_bytes()))
    with opened(original, f"last in {here / 'copy'}"):
        pass  # it is known by where the store was opened for writing last
    (mark.parent / "store").unlink()
    with opened(original, "in another copy"):
        pass


def test_a_mark_that_cannot_be_written_is_an_error_on_writing_and_none_on_reading(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with substrate.open(here / "store") as memory:
        memory.checkpoint([f"{A} = Stripe"])
    real = os.open

    def guarded(path: Any, flags: int, *more: Any, **options: Any) -> int:
        if str(path).endswith("high-water") and flags & os.O_RDWR:
            raise PermissionError(13, "Permission denied")
        return real(path, flags, *more, **options)

    with monkeypatch.context() as read_only:
        read_only.setattr(os, "open", guarded)
        with substrate.open(here / "store") as memory:
            with pytest.raises(substrate.errors.Denied, match="nothing was written, since the high-water mark cannot"):
                memory.checkpoint([f"{A} = Adyen"])
            assert memory.access(A).value == "Stripe"
    with substrate.open(here / "store") as memory:
        memory.checkpoint([f"{A} = Adyen"])


# -- the command line --------------------------------------------------------------------------------------------------

READING = {
    "access": [A],
    "list": [],
    "edges": [A],
    "history": [A],
    "diff": ["1"],
    "search": ["provider"],
    "which": [A],
    "context": [A],
    "path": [A, B],
    "entities": [],
    "proposed": [],
    "pending": [],
    "stale": [],
    "tier": [],
    "model": [],
    "predict": [],
    "bootstrap": ["pay"],
    "watch": [],
    "conflicts": [],
    "fading": [],
    "groups": [],
    "tending": [],
    "prune": [],
    "due": [],
    "sweep": [],
    "head": [],
    "pin": [],
    "key": [],
    "stats": [],
    "export": [],
    "backup": ["backup"],
}
REFUSED = {
    "checkpoint": ["v1.fact.new = 1"],
    "remember": ["we moved to Adyen in May"],
    "rename": [A, "v1.fact.newer"],
    "replace": [A, "v1.fact.newer", "Adyen"],
    "ingest": ["page.md"],
    "import": ["lines"],
    "observe": [A, B],
    "train": [A, B],
    "touch": [A],
    "prove": [A],
    "forget": [A, "--yes"],
    "tend": [],
    "rebuild": [],
    "compact": [],
}
APART = {"associate", "document", "edit", "extract", "index", "resolve", "verify", "fsck", "restore"}
APART |= {"mcp", "mcp-config", "surfaces", "completion", "undo", "cues", "hook", "hooks", "transcript"}
APART |= {"encrypt", "unlock", "vet", "relate", "compare", "token", "quota", "promote", "merge"}
"""Verbs that need more than this store holds, or none at all, or have tests of their own."""


def test_every_verb_of_the_command_line_reads_with_a_line_on_standard_error_or_refuses(
    original: Path, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert READING.keys() | REFUSED.keys() | APART == RUNS.keys()
    (here / "lines").write_text('{"kind":"put","name":"v1.fact.n","value":"1"}\n', encoding="utf-8")
    (here / "page.md").write_text("# A page\n", encoding="utf-8")
    run = Commands(here, monkeypatch)
    for verb, words in READING.items():
        ran = run(verb, *words, "--store", str(original), "--quiet")
        assert ran.code == 0, (verb, ran.err)
        assert ran.err.count("is behind") == 1, (verb, ran.err)
        assert ran.err.count("\n") == 1
    for verb, words in REFUSED.items():
        ran = run(verb, *words, "--store", str(original))
        assert ran.code == 11, (verb, ran.err)
        assert ran.err.count("is behind") == 1, (verb, ran.err)


def test_an_error_that_does_not_say_it_comes_with_the_line(
    original: Path, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Commands(here, monkeypatch)
    run.ok("pin", "-o", "newer.pin", "--store", "copy")
    for words, code in ((["pin", "--check", "newer.pin"], 11), (["access", "v1.fact.absent"], 4)):
        ran = run(*words, "--store", str(original))
        assert (ran.code, ran.err.count("substrate restore")) == (code, 1)


def test_fsck_says_the_same_and_sends_nobody_to_a_rebuild_that_is_refused(
    original: Path, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Commands(here, monkeypatch)
    ran = run("fsck", "--store", str(original))
    assert ran.code == 11
    assert "substrate restore" in ran.out
    assert str(here / "copy") in ran.out
    assert "rebuild" not in ran.out + ran.err


def test_the_printed_command_mends_it_in_a_shell_whatever_the_folder_is_called(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Commands(here, monkeypatch)
    run.ok("checkpoint", f"{A} = Stripe", "--store", ODD)
    shutil.copytree(ODD, "copy")
    run.ok("checkpoint", f"{A} = Adyen", "--store", "copy")
    Path(f"{ODD}-restored").mkdir()  # what is taken is not offered
    said = run("checkpoint", f"{A} = Mollie", "--store", ODD).err
    command = said.rpartition("type: ")[2]
    path = f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(
        ["bash", "-c", command], check=True, capture_output=True, timeout=PATIENCE_S, env={**os.environ, "PATH": path}
    )
    mended = f"{ODD}-restored-2"
    ran = run.ok("checkpoint", f"{A} = Mollie", "--store", mended)
    assert ran.err == ""
    assert run.ok("access", A, "--store", mended).out.strip() == "Mollie"
    assert run.ok("access", A, "--store", "copy").out.strip() == "Adyen"
    assert not Path("PWNED").exists()


def test_where_the_keys_lie_elsewhere_the_command_says_so(original: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = os.environ["SUBSTRATE_HOME"]
    monkeypatch.setenv("SUBSTRATE_HOME", "/somewhere/else")
    with opened(original, home=home) as memory:
        assert memory.behind is not None
        assert memory.behind.command.startswith(f"SUBSTRATE_HOME={home} substrate restore ")
