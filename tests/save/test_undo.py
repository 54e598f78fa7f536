"""The verb undo: the last checkpoint is taken back by another one, and nothing is erased."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from substrate.errors import Denied, InputError, NotFound
from substrate.memory import Memory
from substrate.policy import Policy

TIMES = ("2018-01-01", "2020-06-01", "2022-06-01", "2999-01-01")
UNCOMPARED = ("seq", "recorded_at", "confirmed_at", "actor", "session")


def state(memory: Memory) -> tuple[Any, ...]:
    """All that is in use: atoms and edges, without when and by whom it was said; and what held at several times."""
    atoms = [atom.to_dict() for atom in memory.list(superseded=True, limit=1000)]
    edges = {edge.id: edge.to_dict() for atom in atoms for edge in memory.edges(str(atom["name"]))}
    told = [[{k: v for k, v in one.items() if k not in UNCOMPARED} for one in some] for some in (atoms, edges.values())]
    return told[0], sorted(told[1], key=lambda edge: str(edge["id"])), [held(memory, at) for at in TIMES]


def held(memory: Memory, at: str) -> list[tuple[str, str]]:
    """What held in the world at a time."""
    return [(atom.name, atom.value) for atom in memory.list(superseded=True, valid_at=at, limit=1000)]


@pytest.fixture
def filled(memory: Memory) -> Memory:
    memory.checkpoint(
        [{"name": "v1.fact.a", "value": "one", "tags": ["t"], "confidence": 0.0, "attrs": {"x": 1}}, "v1.fact.b = two"],
        edges=[{"source": "v1.fact.a", "type": "depends_on", "target": "v1.fact.b", "confidence": 0.5}],
        origin="user",
    )
    return memory


def test_an_undo_takes_back_atoms_tombstones_and_edges_and_a_second_one_does_it_again(filled: Memory) -> None:
    before = state(filled)
    filled.checkpoint(
        [{"name": "v1.fact.a", "value": "one", "tags": [], "source": "mail"}, "v1.fact.new = three"],
        tombstones=["v1.fact.b"],
        edges=[
            {"source": "v1.fact.new", "type": "references", "target": "v1.fact.a"},
            {"source": "v1.fact.a", "type": "depends_on", "target": "v1.fact.b", "confidence": 0.9, "cited": "x"},
        ],
    )
    after, size = state(filled), filled.head().head.size
    told = filled.undo(dry_run=True)
    assert (told.seqs, filled.head().head.size) == (None, size)
    undone = filled.undo()
    assert (undone.tombstoned, undone.restored, undone.revived) == (("v1.fact.new",), ("v1.fact.a",), ("v1.fact.b",))
    assert undone.unedged == ("v1.fact.new references v1.fact.a",)
    assert undone.edges == ("v1.fact.a depends_on v1.fact.b",)
    assert state(filled) == before
    assert filled.access("v1.fact.new", as_of=size - 1).value == "three"
    filled.undo()
    assert state(filled) == after
    filled.undo()
    assert state(filled) == before


def test_a_rename_is_undone_and_done_again(filled: Memory) -> None:
    before = state(filled)
    filled.rename("v1.fact.a", "v1.fact.c")
    after = state(filled)
    filled.undo()
    assert state(filled) == before
    filled.undo()
    assert state(filled) == after
    assert filled.access("v1.fact.a").name == "v1.fact.c"


def test_what_was_taken_back_never_held_be_it_listed_or_searched(memory: Memory) -> None:
    memory.checkpoint(["v1.fact.v = old truth", {"name": "v1.fact.w", "value": "early truth", "valid_from": TIMES[1]}])
    memory.checkpoint([{"name": "v1.fact.w", "value": "late truth", "valid_from": TIMES[2]}])

    def answers() -> list[object]:
        found = [sorted((hit.name, hit.value) for hit in memory.search("truth", valid_at=at)) for at in TIMES]
        return [found, *(held(memory, at) for at in TIMES)]

    before = answers()
    for mistake in (
        {"name": "v1.fact.typo", "value": "no truth"},
        {"name": "v1.fact.v", "value": "false truth", "valid_from": TIMES[0]},
        {"name": "v1.fact.w", "value": "late truth", "valid_from": TIMES[0]},
    ):
        memory.checkpoint([mistake])
        after = answers()
        assert after != before
        for expected in (before, after, before):
            memory.undo()
            assert answers() == expected
    memory.rename("v1.fact.w", "v1.fact.x")
    memory.undo()
    assert answers() == before
    memory.checkpoint([{"name": "v1.fact.v", "value": "old truth", "tags": ["again"]}])  # this took nothing back
    assert answers() == before


def test_an_agent_takes_back_no_part_of_what_it_may_not_see(memory: Memory) -> None:
    member = {"source": "v1.fact.x", "type": "member_of", "target": "v1.domain.health"}
    memory.checkpoint(["v1.domain.health = Health", "v1.fact.x = one", "v1.fact.pub = public"], edges=[member])
    memory.set_tier("health", "sensitive")
    agent = memory.client("bot", policy=Policy())
    memory.checkpoint(["v1.fact.x = two", "v1.fact.pub = changed"])
    for dry_run in (True, False):
        with pytest.raises(Denied, match=r"may not undo the last checkpoint. Nothing was changed"):
            agent.undo(dry_run=dry_run)
    assert (memory.access("v1.fact.x").value, memory.access("v1.fact.pub").value) == ("two", "changed")
    agent.checkpoint(["v1.fact.pub = mine"])
    assert agent.undo().restored == ("v1.fact.pub",)


def test_an_agent_is_told_by_the_dry_run_too_that_it_may_not_undo(memory: Memory) -> None:
    agent = memory.client("bot", policy=Policy())
    memory.checkpoint(["v1.domain.work = Work"])
    refusals = []
    for dry_run in (True, False):
        with pytest.raises(Denied) as refused:
            agent.undo(dry_run=dry_run)
        refusals.append(str(refused.value))
    assert refusals[0] == refusals[1]
    assert memory.undo(dry_run=True).tombstoned == ("v1.domain.work",)


def test_what_cannot_be_taken_back_is_refused_with_the_reason(memory: Memory) -> None:
    with pytest.raises(NotFound, match="nothing to undo"):
        memory.undo()
    memory.checkpoint(["v1.fact.a = one", "v1.fact.b = two"])
    memory.train(["v1.fact.a", "v1.fact.b"])
    with pytest.raises(InputError, match="training"):
        memory.undo()
    memory.forget(["v1.fact.a"])
    for dry_run in (True, False):
        with pytest.raises(InputError, match="gone for good"):
            memory.undo(dry_run=dry_run)
    assert memory.access("v1.fact.b").value == "two"


NAMES = st.sampled_from(["v1.fact.a", "v1.fact.b", "v1.note.c"])
ATOMS = st.fixed_dictionaries(
    {"name": NAMES, "value": st.sampled_from(["1", "2"])},
    optional={"tags": st.sampled_from([[], ["t"], ["t", "u"]]), "confidence": st.sampled_from([None, 0.0, 1.0])}
    | {"valid_from": st.sampled_from(TIMES[:2]), "valid_to": st.just(TIMES[2]), "occurred_at": st.just(TIMES[1])},
)
EDGES = st.fixed_dictionaries(
    {"source": NAMES, "type": st.sampled_from(["depends_on", "references"]), "target": NAMES},
    optional={"confidence": st.sampled_from([0.0, 0.5]), "cited": st.just("x")},
)


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(st.lists(ATOMS, max_size=3), st.lists(EDGES, max_size=2), st.lists(NAMES, max_size=2, unique=True)),
        min_size=1,
        max_size=4,
    )
)
def test_whatever_a_checkpoint_did_its_undo_leads_back_and_a_second_one_forth(memory: Memory, said: list[Any]) -> None:
    for atoms, edges, tombstones in said:
        before, size = state(memory), memory.head().head.size
        if not (atoms or edges or tombstones):
            continue
        memory.checkpoint(atoms, edges=edges, tombstones=tombstones, partial=True)
        after = state(memory)
        if memory.head().head.size == size or after == before:
            continue
        memory.undo()
        assert state(memory) == before
        memory.undo()
        assert state(memory) == after


def test_what_an_undo_says_again_is_forgotten_with_who_said_it(memory: Memory) -> None:
    memory.checkpoint(["v1.note.x = the plan"], session="one")
    memory.checkpoint(["v1.note.x = harmless"], session="two")
    memory.undo(session="three")
    assert memory.access("v1.note.x").value == "the plan"
    memory.forget(session="one")
    assert not memory.search("plan").items
