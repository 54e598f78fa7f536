"""The verb edges, and what edges do to the atoms at their ends."""

from __future__ import annotations

from datetime import timedelta

import pytest

from substrate.clock import ManualClock
from substrate.errors import InputError, NotFound
from substrate.memory import Memory
from substrate.values.times import from_microseconds
from tests.days import day


def test_edges_are_found_from_both_ends_and_by_type(memory: Memory) -> None:
    memory.checkpoint(
        ["v1.fact.a = 1", "v1.fact.b = 2"],
        edges=[
            {"source": "v1.fact.a", "type": "Depends On", "target": "v1.fact.b", "confidence": 0.5, "cited": "x"},
            {"source": "v1.fact.a", "type": "references", "target": "v1.fact.b", "attrs": {"page": 3}},
            {"source": "v1.fact.b", "type": "references", "target": "v1.fact.b"},
        ],
    )
    assert len(memory.edges("v1.fact.a")) == 2
    assert len(memory.edges("v1.fact.b")) == 3
    assert len(memory.edges("v1.fact.b", direction="out")) == 1
    (edge,) = memory.edges("v1.fact.b", direction="in", type="depends_on")
    assert (edge.label, edge.confidence, edge.cited, edge.dangling) == ("Depends On", 0.5, "x", ())
    assert edge.source_id == memory.access("v1.fact.a").atom.id
    assert memory.edges("v1.fact.a", limit=1).more
    with pytest.raises(InputError, match="in, out or both"):
        memory.edges("v1.fact.a", direction="up")
    with pytest.raises(NotFound):
        memory.edges("v1.fact.absent")


def test_an_edge_is_one_over_its_statements_and_can_be_taken_back(memory: Memory) -> None:
    triple = {"source": "v1.fact.a", "type": "depends_on", "target": "v1.fact.b"}
    memory.checkpoint(["v1.fact.a = 1", "v1.fact.b = 2"], edges=[triple])
    (first,) = memory.edges("v1.fact.a")
    memory.checkpoint(edges=[{**triple, "confidence": 0.1}])
    (second,) = memory.edges("v1.fact.a")
    assert (second.id, second.confidence) == (first.id, 0.1)
    assert memory.checkpoint(unedges=[first.id], actor="ada").unedged == (first.id,)
    assert not memory.edges("v1.fact.a")
    assert memory.edges("v1.fact.a", as_of=second.seq)[0].confidence == 0.1
    assert memory.edges("v1.fact.a", as_of=first.seq)[0].confidence is None
    saved = memory.checkpoint(edges=[triple])
    assert saved.edges == (first.id,)
    memory.checkpoint(unedges=[triple])
    assert [change.kind for change in memory.diff(first.seq)] == ["edge_removed"]


def test_a_window_is_judged_alike_by_a_time_and_by_its_text(memory: Memory, clock: ManualClock) -> None:
    """Also if nothing was recorded between the last entry and the time asked about."""
    begin, end = (from_microseconds(clock.now() + days * 86_400_000_000) for days in (2, 4))
    edge = {"source": "v1.fact.a", "type": "supersedes", "target": "v1.fact.b"}
    memory.checkpoint(["v1.fact.a = 1", "v1.fact.b = 2"], edges=[{**edge, "windows": [{"start": begin, "end": end}]}])
    clock.advance(10 * 86_400_000_000)
    asked = [(begin + timedelta(days=days), count) for days, count in ((-1, 2), (1, 1), (3, 2))]
    for at, count in asked:
        assert len(memory.list(as_of=at)) == len(memory.list(as_of=at.isoformat())) == count


def test_windows_say_when_an_edge_holds(memory: Memory) -> None:
    window = {"start": day(1), "end": day(2)}
    memory.checkpoint(
        edges=[
            {
                "source": "v1.fact.a",
                "type": "depends_on",
                "target": "v1.fact.b",
                "windows": [window, {"start": day(5)}],
            },
            {"source": "v1.fact.a", "type": "references", "target": "v1.fact.b", "valid_to": "2020-01-01"},
        ]
    )
    assert [len(memory.edges("v1.fact.a", valid_at=day(number))) for number in (0, 1, 2, 5)] == [0, 1, 0, 1]
    assert len(memory.edges("v1.fact.a")) == 2
    (edge,) = memory.edges("v1.fact.a", type="depends_on")
    assert [edge.holds_at(day(number)) for number in (0, 1, 2, 5)] == [False, True, False, True]


def test_an_edge_to_what_is_not_there_yet_binds_when_it_appears(memory: Memory) -> None:
    saved = memory.checkpoint(
        ["v1.fact.a = 1"], edges=[{"source": "v1.fact.a", "type": "needs", "target": "v1.fact.b"}]
    )
    assert saved.dangling == ("v1.fact.b",)
    assert memory.stats().dangling == 1
    (edge,) = memory.edges("v1.fact.b")
    assert (edge.target, edge.dangling) == ("v1.fact.b", ("target",))
    memory.checkpoint(["v1.fact.b = 2"])
    (edge,) = memory.edges("v1.fact.b")
    assert edge.dangling == ()
    assert edge.target_id == memory.access("v1.fact.b").atom.id
    assert memory.stats().dangling == 0
    memory.checkpoint(edges=[{"source": "v1.fact.x", "type": "needs", "target": "v1.fact.y"}])
    memory.checkpoint(unedges=[{"source": "v1.fact.x", "type": "needs", "target": "v1.fact.y"}])
    assert memory.stats().dangling == 0  # nothing that is not taken back points there
    assert memory.edges("v1.fact.a", as_of=saved.seqs.stop - 1)[0].dangling == ("target",)


def test_what_is_superseded_leaves_lists_and_says_by_what(memory: Memory) -> None:
    memory.checkpoint(["v1.fact.old = 1", "v1.fact.new = 2"])
    triple = {"source": "v1.fact.new", "type": "supersedes", "target": "v1.fact.old"}
    memory.checkpoint(edges=[triple])
    seq = memory.head().head.size - 1
    assert [atom.name for atom in memory.list()] == ["v1.fact.new"]
    assert memory.access("v1.fact.old").atom.superseded_by == ("v1.fact.new",)
    assert len(memory.list(superseded=True)) == 2
    memory.checkpoint(tombstones=["v1.fact.new"])  # what is out of use supersedes nothing
    assert [atom.name for atom in memory.list()] == ["v1.fact.old"]
    assert [atom.name for atom in memory.list(as_of=seq)] == ["v1.fact.new"]
    memory.checkpoint(["v1.fact.new = 3"], unedges=[triple])
    assert len(memory.list()) == 2
    memory.checkpoint(edges=[{**triple, "valid_to": "2001-01-01"}])  # a window that is closed
    assert len(memory.list()) == 2
    assert len(memory.list(valid_at="2000-01-01")) == 1


def test_a_chain_of_supersedes_never_leads_back(memory: Memory) -> None:
    def supersede(source: str, target: str) -> dict[str, object]:
        return {"source": f"v1.fact.{source}", "type": "supersedes", "target": f"v1.fact.{target}"}

    memory.checkpoint(edges=[supersede("a", "b"), supersede("b", "c")])
    for edges in ([supersede("c", "a")], [supersede("a", "a")], [supersede("c", "d"), supersede("d", "a")]):
        with pytest.raises(InputError, match="cannot supersede itself"):
            memory.checkpoint(edges=edges)
    memory.checkpoint(edges=[supersede("a", "c")])
