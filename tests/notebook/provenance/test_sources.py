"""The trail that an atom comes from: nothing of it is lost without a word."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import substrate
from substrate.errors import NotFound
from substrate.notebook.display.sources import trail as shown
from substrate.notebook.provenance.sources import trail_of


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[substrate.Memory]:
    with substrate.open(tmp_path / "store", home=tmp_path / "home", model="none") as memory:
        yield memory


def derive(memory: substrate.Memory, *pairs: str, kind: str = "derived_from") -> None:
    """Atoms by single letters, each pair an edge: `ab` says that a comes from b."""
    names = sorted({letter for pair in pairs for letter in pair})
    edges = [{"source": f"v1.fact.{a}", "type": kind, "target": f"v1.fact.{b}"} for a, b in pairs]
    memory.checkpoint([f"v1.fact.{name} = {name}" for name in names], edges=edges)


def test_many_sources_are_all_there_whatever_other_edges_there_are(memory: substrate.Memory) -> None:
    sources = [f"v1.fact.s{at:03}" for at in range(150)]
    edges = [{"source": "v1.fact.a", "type": "derived_from", "target": source} for source in sources]
    others = [{"source": "v1.fact.a", "type": "aaa", "target": f"v1.fact.other{at}"} for at in range(150)]
    memory.checkpoint(["v1.fact.a = x", *(f"{source} = y" for source in sources)], edges=[*edges, *others])
    trail = trail_of(memory, "v1.fact.a")
    assert [step.name for step in trail] == ["v1.fact.a", *sources]
    assert not trail.more


def test_more_sources_than_are_followed_are_told_of(memory: substrate.Memory) -> None:
    edges = [{"source": "v1.fact.a", "type": "derived_from", "target": f"v1.fact.s{at}"} for at in range(250)]
    memory.checkpoint(["v1.fact.a = x"], edges=edges)
    trail = trail_of(memory, "v1.fact.a")
    assert len(trail) == 200
    assert trail.more


def test_a_list_of_sources_that_was_cut_is_told_of_also_where_all_that_was_read_is_shown(
    memory: substrate.Memory,
) -> None:
    sources = [f"v1.fact.s{at:03}" for at in range(201)]
    memory.checkpoint([f"{source} = x" for source in sources])
    first = min(sources, key=lambda name: memory.access(name).atom.id)  # in the order in which edges are read
    memory.checkpoint(edges=[{"source": first, "type": "derived_from", "target": source} for source in sources])
    trail = trail_of(memory, first)  # to itself is the first of its edges, so that 200 of them lead to 200 atoms
    assert len({step.name for step in trail}) == 200
    assert trail.more
    assert repr(trail).endswith("… and further: ask about one of these")


def test_an_id_is_as_good_as_a_name(memory: substrate.Memory) -> None:
    derive(memory, "ab")
    by_id = trail_of(memory, memory.access("v1.fact.a").atom.id)
    assert by_id == trail_of(memory, "v1.fact.a")
    assert [step.name for step in by_id] == ["v1.fact.a", "v1.fact.b"]


def test_what_is_stored_does_not_reach_the_terminal_raw(memory: substrate.Memory) -> None:
    memory.checkpoint([{"name": "v1.fact.a", "value": "x\x1b[31m\u202ey", "source": "\x1b]0;z", "actor": "\u202e"}])
    shown = repr(trail_of(memory, "v1.fact.a"))
    assert not {"\x1b", "\u202e"} & set(shown)
    assert "‹001B›" in shown  # noqa: RUF001


def test_what_is_out_of_use_says_so_with_what_it_last_said(memory: substrate.Memory) -> None:
    derive(memory, "ab")
    memory.checkpoint(tombstones=["v1.fact.b"])
    trail = trail_of(memory, "v1.fact.a")
    assert [(step.name, step.value, step.absent) for step in trail] == [
        ("v1.fact.a", "a", ""),
        ("v1.fact.b", "b", "tombstoned"),
    ]
    assert "v1.fact.b = b (tombstoned, " in repr(trail)
    assert trail_of(memory, "v1.fact.b")[0].absent == "tombstoned"
    with pytest.raises(NotFound):
        trail_of(memory, "v1.fact.never")


def test_what_is_said_to_stand_elsewhere_stands_there_with_all_it_comes_from(memory: substrate.Memory) -> None:
    derive(memory, "ab", "bc", "cd", "ac")  # c is met at the limit by way of b, and by a step from a
    trail = trail_of(memory, "v1.fact.a", depth=2)
    assert [(step.depth, step.name[-1], step.seen) for step in trail] == [
        (0, "a", False),
        (1, "b", False),
        (2, "c", False),
        (3, "d", False),
        (1, "c", True),
    ]
    assert not trail.more
    assert trail_of(memory, "v1.fact.a", depth=1).more


def test_an_atom_that_comes_again_is_counted_once(memory: substrate.Memory) -> None:
    derive(memory, "ab", "ac", "bd", "cd")
    trail = trail_of(memory, "v1.fact.a")
    assert sum(step.seen for step in trail) == 1
    assert "comes from 3 atoms" in shown(trail)


def test_versions_are_counted_up_to_a_bound_that_is_told(memory: substrate.Memory) -> None:
    for number in range(3):
        memory.checkpoint([f"v1.fact.a = {number}"])
    assert "version 3 of it" in repr(trail_of(memory, "v1.fact.a"))
    for number in range(25):
        memory.checkpoint([f"v1.fact.a = again {number}"])
    assert "20 versions or more of it" in repr(trail_of(memory, "v1.fact.a"))
