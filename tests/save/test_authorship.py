"""Who wrote an atom: what is all of one surface, and what is never taken for it."""

from __future__ import annotations

from uuid import UUID

import numpy as np
import pytest

from substrate.memory import Memory
from substrate.save.authorship import written_by
from substrate.values.actors import surface_actor, surface_of

NAME = "v1.note.tea"


@pytest.mark.parametrize(
    ("actor", "surface"),
    [
        (surface_actor("atoms", "claude-code"), "atoms"),
        ("mcp:toy:a:b", "toy"),
        ("mcp:toy:", "toy"),
        ("mcp::x", None),
        ("mcp:toy", None),
        ("mcp", None),
        ("ada", None),
        ("not-mcp:toy:x", None),
        ("", None),
        (None, None),
    ],
)
def test_the_surface_is_a_part_of_the_actor_and_people_have_none(actor: str | None, surface: str | None) -> None:
    assert surface_of(actor) == surface


def agent(memory: Memory, surface: str = "toy", session: str = "s1") -> Memory:
    return memory.client(surface_actor(surface, "tester"), session)


def is_of_toy(memory: Memory, name: str = NAME) -> bool:
    """As two ways say that must agree: each version read, and the column that follows the store."""
    subject, fading = _id_of(memory, name), memory._store.fading
    with memory._store.read() as snapshot:
        own = written_by(snapshot, "toy", [subject]) == [subject]
        documents = fading._index.documents(snapshot.transaction)
        last = np.flatnonzero(documents.last() & documents.of_atoms([subject]))
        assert (fading.authors.written_by(snapshot, documents, "toy", last).tolist() == last.tolist()) is own
        return own


def _id_of(memory: Memory, name: str) -> bytes:
    return UUID(next(version.atom.id for version in memory.history(name) if version.atom)).bytes


def test_what_a_surface_wrote_and_changed_is_its_own(memory: Memory) -> None:
    toy = agent(memory)
    toy.checkpoint([f"{NAME} = green"])
    assert is_of_toy(memory)
    agent(memory, session="s2").checkpoint([f"{NAME} = black"])
    assert is_of_toy(memory)
    toy.checkpoint(tombstones=[NAME])
    assert is_of_toy(memory)
    assert toy._client.surface == "toy"
    assert memory._client.surface is None


@pytest.mark.parametrize("other", ["person", "atoms", "nobody"])
@pytest.mark.parametrize("order", ["before", "after", "between", "tombstone", "confirmed"])
def test_what_anybody_else_has_a_part_in_is_not(memory: Memory, other: str, order: str) -> None:
    toy = agent(memory)
    another = {"person": memory.client("ada"), "atoms": agent(memory, "atoms"), "nobody": memory}[other]
    steps = {
        "before": [(another, "a"), (toy, "b")],
        "after": [(toy, "a"), (another, "b")],
        "between": [(toy, "a"), (another, "b"), (toy, "c")],
        "tombstone": [(toy, "a"), (another, None), (toy, "b")],
        "confirmed": [(toy, "a"), (another, "a")],
    }[order]
    for who, value in steps:
        if value is None:
            who.checkpoint(tombstones=[NAME])
        else:
            who.checkpoint([f"{NAME} = {value}"])
    assert not is_of_toy(memory)


def test_what_was_forgotten_in_part_or_never_was_is_not(memory: Memory) -> None:
    toy = agent(memory)
    toy.checkpoint([f"{NAME} = green"])
    seq = memory.history(NAME)[0].seq
    toy.checkpoint([f"{NAME} = black"])
    assert is_of_toy(memory)
    memory.forget(seqs=range(seq, seq + 1))
    assert not is_of_toy(memory)
    with memory._store.read() as snapshot:
        assert written_by(snapshot, "toy", [bytes(16)]) == []


def test_few_surfaces_are_remembered_at_once(memory: Memory) -> None:
    agent(memory).checkpoint([f"{NAME} = green"])
    for number in range(9):
        memory.sweep(surface=f"surface{number}", dry_run=True)
    assert is_of_toy(memory)
    assert len(memory._store.fading.authors._known) <= 4


def test_of_many_those_of_the_surface_are_told_in_their_order(memory: Memory) -> None:
    toy = agent(memory)
    names = [f"v1.note.n{number}" for number in range(6)]
    for number, name in enumerate(names):
        (memory if number % 3 == 1 else toy).checkpoint([f"{name} = {number}"])
    ids = [_id_of(memory, name) for name in reversed(names)]
    with memory._store.read() as snapshot:
        own = written_by(snapshot, "toy", ids)
    assert own == [one for one, name in zip(ids, reversed(names), strict=True) if name not in (names[1], names[4])]
