"""What sessions and trainings said is in no file any more when they are forgotten; nor is an atom's id in a session."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from substrate.errors import NotFound
from substrate.forget import forget as module
from substrate.kv.lmdb.transactions import Writing
from substrate.log.copies.check import check_store
from substrate.log.tables import EPISODES, SESSIONS
from substrate.memory import Memory
from substrate.store import OpenStore
from substrate.text.terms import query_terms
from substrate.views.catalogue import CHECKS, VIEWS
from tests.forget.canary import made_up
from tests.leftovers import traces_of
from tests.stories import NAMES, rows_of

A, B, C, D, *_ = NAMES
CANARY = made_up(21)


@pytest.fixture
def lettered(reopen: Callable[..., Memory]) -> Memory:
    memory = reopen(actor="ann", background=False)
    memory.checkpoint([*(f"{name} = {name}" for name in NAMES), "v1.domain.shop = all of it"], actor="bob")
    return memory


def terms_of(text: str) -> list[bytes]:
    """As episodes keep them."""
    return [blake2b(term.term.encode(), digest_size=8).digest() for term in query_terms(text)]


def left_in(memory: Memory, table: str, sought: bytes) -> bool:
    return any(sought in key + row for key, row in rows_of(memory, (table,))[table])


def live(memory: Memory) -> None:
    with memory.session(f"about {CANARY}", name="secret") as session:
        session.access(A)
        memory._client.recorder.flush()
        session.access(B)


def observed(memory: Memory) -> None:
    memory.observe([A, B], objective=f"about {CANARY}", session="secret")


def trained(memory: Memory) -> None:
    with memory.session(f"about {CANARY}", name="secret", observe=False) as session:
        session.train([A, B], 3)


def waiting(memory: Memory) -> None:
    memory.session(f"about {CANARY}", name="secret").access(A)


WAYS = [live, observed, trained, waiting]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("by", [{"session": "secret"}, {"actor": "ann"}, {"objective": f"about {CANARY}"}])
def test_nothing_is_left_of_what_a_session_was_for(
    lettered: Memory, tmp_path: Path, way: Callable[[Memory], None], by: dict[str, str]
) -> None:
    lettered.observe([C, D], objective="about something else", session="harmless")
    way(lettered)
    forgot = lettered.forget(**by)
    assert forgot.compacted
    assert forgot.sessions + forgot.trainings >= 1
    assert traces_of(CANARY, tmp_path) == []
    for term in terms_of(CANARY):
        assert not left_in(lettered, EPISODES, term)
    if "session" in by:
        assert [one.name for one in lettered.predict(C, k=1)] == [D]
    lettered.checkpoint(["v1.fact.later = x"])
    lettered.export(tmp_path / "lines", full=True)
    lettered.backup(tmp_path / "backup")
    lettered.close()
    assert traces_of(CANARY, tmp_path) == []
    assert check_store(tmp_path / "store", home=tmp_path / "home", views=VIEWS, checks=CHECKS).damage is None


def test_to_forget_it_once_more_finds_nothing(lettered: Memory) -> None:
    observed(lettered)
    lettered.forget(session="secret")
    with pytest.raises(NotFound):
        lettered.forget(session="secret")


def test_a_dry_run_counts_sessions_and_trainings_and_writes_nothing(lettered: Memory) -> None:
    live(lettered)
    observed(lettered)
    trained(lettered)
    before = rows_of(lettered, (SESSIONS, EPISODES, "entries"))
    counted = lettered.forget(session="secret", dry_run=True)
    assert (counted.sessions, counted.trainings) == (3, 1)  # the one was written in two parts
    assert rows_of(lettered, (SESSIONS, EPISODES, "entries")) == before
    forgot = lettered.forget(session="secret")
    assert (forgot.sessions, forgot.trainings) == (counted.sessions, counted.trainings)


@pytest.mark.parametrize("name", [B, "v1.domain.shop"])
@pytest.mark.parametrize("by", ["name", "seqs"])
def test_the_id_of_a_forgotten_atom_is_in_no_row_of_sessions(lettered: Memory, name: str, by: str) -> None:
    with lettered.session("of the shop", domain="shop"):
        for accessed in (A, B, C, B):
            lettered.access(accessed)
            lettered._client.recorder.flush()
    lettered.observe([B, A], domain="shop")
    atom = lettered.list(name)[0]
    spellings = UUID(atom.id).bytes, UUID(atom.id).hex.encode(), atom.id.encode()
    assert any(left_in(lettered, SESSIONS, spelled) for spelled in spellings)
    given: dict[str, Any] = {"names": name} if by == "name" else {"seqs": range(atom.seq, atom.seq + 1)}
    lettered.forget(**given)
    for spelled in spellings:
        assert not left_in(lettered, SESSIONS, spelled)
    assert [one.name for one in lettered.predict(B if name != B else A, floor=0, k=1)] == [A if name != B else C]


# -- broken twins ------------------------------------------------------------------------------------------------------


def test_a_forget_that_leaves_the_rows_of_sessions_is_caught(
    lettered: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    observed(lettered)
    delete = Writing.delete

    def careless(self: Writing, where: str, key: bytes) -> object:
        return None if where == SESSIONS else delete(self, where, key)

    monkeypatch.setattr(Writing, "delete", careless)
    lettered.forget(session="secret")
    assert traces_of(CANARY, tmp_path) != []


def test_a_forget_that_makes_no_holes_is_caught(lettered: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    lettered.observe([A, B, C])
    subject = UUID(lettered.list(B)[0].id).bytes
    monkeypatch.setattr(module, "session_row", lambda _: dict(rows_of(lettered, (SESSIONS,))[SESSIONS]).popitem()[1])
    lettered.forget(B)
    assert left_in(lettered, SESSIONS, subject)


def test_a_forget_that_does_not_write_down_what_waits_is_caught(
    lettered: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    observed(lettered)
    waiting(lettered)
    monkeypatch.setattr(OpenStore, "write_down", lambda _: None)
    lettered.forget(session="secret")
    lettered.close()
    assert traces_of(CANARY, tmp_path) != []
