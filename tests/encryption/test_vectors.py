"""Unlocked atoms are found by meaning, by vectors that are in memory alone. With the real model."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from substrate import memory as memory_verbs
from substrate.embed import background
from substrate.embed.embedder import Embedder
from substrate.embed.query import Meaning, QueryVector
from substrate.encryption import vectors as unlocked_vectors
from substrate.log.log import Log
from substrate.log.tables import VECTORS
from substrate.memory import Memory, open_memory
from tests.encryption.canaries import PASSPHRASE
from tests.scale import PATIENCE_S

RASH = {"name": "v1.fact.allergy", "value": "Penicillin gives me a rash"}
OTHERS = ["v1.fact.weather = April brings rain to the coast", "v1.fact.invoice = Invoices are due within thirty days"]
QUESTION = "antibiotics that the skin does not tolerate"
"""No word of it is in the atom."""


def member(name: str) -> dict[str, str]:
    return {"source": name, "type": "member_of", "target": "v1.domain.health"}


@pytest.fixture
def health(tmp_path: Path, cache: Path) -> Iterator[Memory]:
    del cache
    with open_memory(tmp_path / "store", home=tmp_path / "home", background=False) as memory:
        memory.checkpoint(["v1.domain.health = private", *OTHERS])
        memory.encrypt("health", PASSPHRASE)
        memory.checkpoint([RASH], edges=[member(RASH["name"])])
        memory._store.follower.index(None)
        yield memory


def is_near(memory: Memory, wait: float = 0) -> bool:
    """Whether search knows that the atom is near the question in meaning."""
    return any(hit.likeness > 0.3 for hit in memory.search(QUESTION, wait=wait) if hit.name == RASH["name"])


def rows(memory: Memory) -> dict[int, bytes]:
    return memory._store.unlocked_vectors._rows


def test_an_unlocked_atom_is_found_by_meaning_as_an_open_one_is(health: Memory, tmp_path: Path) -> None:
    assert (is_near(health), health.search(QUESTION).lag) == (False, 1), "by words, and it says so"
    health.index()
    found = health.search(QUESTION)
    assert found.lag == 0
    with open_memory(tmp_path / "open", home=tmp_path / "home", background=False) as plain:
        plain.checkpoint(["v1.domain.health = private", *OTHERS])
        plain.checkpoint([RASH], edges=[member(RASH["name"])])
        plain.index()
        twin = plain.search(QUESTION)
    assert [(hit.name, hit.likeness) for hit in found] == [(hit.name, hit.likeness) for hit in twin]
    assert is_near(health)


def test_no_vector_of_it_is_in_any_file_and_lock_drops_it(health: Memory, tmp_path: Path) -> None:
    health.index()
    assert is_near(health)
    with health._store.log.snapshot() as transaction:
        stored = [row for _, row in transaction.scan(VECTORS)]
    held = [row for row in rows(health).values() if row]
    assert len(held) == 1
    files = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert any(stored[0] in data for data in files), "the same look finds what is stored"
    assert not any(held[0][:32] in data for data in files)
    health.lock("health")
    assert not rows(health)
    assert not is_near(health)
    health.unlock("health", PASSPHRASE)
    assert health.search(QUESTION).lag == 1


def test_what_is_saved_later_is_embedded_and_what_is_forgotten_is_dropped(health: Memory) -> None:
    health.index()
    later = "v1.fact.nuts"
    health.checkpoint([f"{later} = Hazelnuts make my throat swell"], edges=[member(later)])
    assert health.search(QUESTION).lag > 0
    health.index()
    assert (is_near(health), health.search(QUESTION).lag) == (True, 0)
    count = len(rows(health))
    health.forget(RASH["name"])
    assert RASH["name"] not in {hit.name for hit in health.search(QUESTION)}
    assert len(rows(health)) == count - 1


def test_vectors_come_in_the_background_after_unlock(health: Memory, tmp_path: Path) -> None:
    health.close()
    with open_memory(tmp_path / "store", home=tmp_path / "home") as memory:
        memory.unlock("health", PASSPHRASE)
        assert is_near(memory, PATIENCE_S)


def test_a_lock_while_it_embeds_leaves_nothing_behind(health: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = health._store.unlocked_vectors
    embedder = vectors._embedder

    def locking(model: object) -> object:
        found = embedder(model)  # type: ignore[arg-type]
        health.lock("health")
        return found

    monkeypatch.setattr(vectors, "_embedder", locking)
    health.index()
    assert not rows(health)


def test_what_is_forgotten_while_it_embeds_takes_no_place_of_what_is_saved(
    health: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors = health._store.unlocked_vectors
    embedder = vectors._embedder
    sooner, later = "v1.fact.milk", "v1.fact.nuts"
    health.index()  # from here on a search is by meaning
    health.checkpoint([f"{sooner} = Milk makes me cough"], edges=[member(sooner)])

    def changing(model: object) -> object:
        monkeypatch.undo()
        health.checkpoint([f"{later} = Hazelnuts make my throat swell"], edges=[member(later)])
        health.forget(sooner)
        assert health.search(QUESTION).lag > 0
        return embedder(model)  # type: ignore[arg-type]

    monkeypatch.setattr(vectors, "_embedder", changing)
    health.index()
    assert rows(health).keys() == health._store.unlocked.seqs()
    assert any(hit.likeness > 0 for hit in health.search("allergic to a snack") if hit.name == later)


def test_vectors_of_a_forgotten_domain_are_dropped(health: Memory) -> None:
    health.index()
    assert rows(health)
    health.forget(RASH["name"])
    health.forget("v1.domain.health")
    health.search(QUESTION)
    assert not rows(health)


def test_closing_does_not_wait_for_a_window(health: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    health.close()
    monkeypatch.setattr(background, "QUIET_S", 0.0)
    begun, never, stopped = threading.Event(), threading.Event(), threading.Event()

    def endless(_: Embedder, __: list[str], progress: Callable[[int, int], None]) -> list[object]:
        while True:
            begun.set()
            never.wait(0.01)
            try:
                progress(0, 1)
            except background.Stopped:
                stopped.set()
                raise

    monkeypatch.setattr(Embedder, "embed_pieces", endless)
    with open_memory(tmp_path / "store", home=tmp_path / "home") as memory:
        memory.unlock("health", PASSPHRASE)
        assert begun.wait(PATIENCE_S)
    assert stopped.is_set()


def test_a_window_has_a_bound_of_characters(health: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unlocked_vectors, "_WINDOW_CHARACTERS", 100)
    names = [f"v1.fact.long{number}" for number in range(4)]
    health.checkpoint([{"name": name, "value": "x " * 60} for name in names], edges=list(map(member, names)))
    real, counts = Embedder.embed_pieces, []

    def counting(self: Embedder, texts: list[str], progress: Callable[[int, int], None]) -> object:
        counts.append(len(texts))
        return real(self, texts, progress)

    monkeypatch.setattr(Embedder, "embed_pieces", counting)
    health._store.unlocked_vectors.catch_up()
    assert counts == [1] * 5
    assert rows(health).keys() == health._store.unlocked.seqs()


def test_a_search_waits_once_for_all_that_it_needs(health: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []

    class Clock:
        now = 0.0

        @classmethod
        def monotonic(cls) -> float:
            return cls.now

    def takes_4_s(seconds: float) -> None:
        waited.append(seconds)
        Clock.now += 4

    embed = Meaning.embed

    def asked(self: Meaning, text: str, log: Log, wait_s: float = 0, *, guess: bool = False) -> QueryVector:
        del guess
        waited.append(wait_s)
        return embed(self, text, log)

    monkeypatch.setattr(memory_verbs, "time", Clock)
    monkeypatch.setattr(health._store.follower, "wait", takes_4_s)
    monkeypatch.setattr(health._store.unlocked_vectors, "wait", takes_4_s)
    monkeypatch.setattr(Meaning, "embed", asked)
    health.search(QUESTION, wait=10)
    assert waited == [10, 6, 2]
