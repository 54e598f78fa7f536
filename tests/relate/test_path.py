"""The verb path: a shortest way between two atoms, at any moment, also through hostile graphs."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from itertools import combinations
from typing import Any

import networkx as nx
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from substrate.clock import ManualClock
from substrate.errors import Forgotten, InputError, NotFound
from substrate.memory import Memory, open_memory
from substrate.values.edges import Edge
from substrate.values.relations import PathFound
from tests.days import DAY, day
from tests.scale import rounds


def name(letter: str) -> str:
    return f"v1.fact.{letter}"


def edge(source: str, target: str, kind: str = "references", **fields: object) -> dict[str, object]:
    return {"source": name(source), "type": kind, "target": name(target), **fields}


def save(memory: Memory, letters: str, *edges: dict[str, object]) -> None:
    memory.checkpoint([f"{name(letter)} = says {letter}" for letter in letters], edges=edges)


def letters(found: PathFound) -> str:
    return "".join(atom.removeprefix("v1.fact.") for atom in found.atoms)


def path(memory: Memory, first: str, second: str, **options: Any) -> str:
    return letters(memory.path(name(first), name(second), **options))


def test_a_path_goes_along_edges_whichever_way_they_point(memory: Memory) -> None:
    save(memory, "abc", edge("a", "b", "depends_on", confidence=0.8), edge("c", "b", "causes"))
    found = memory.path("v1.fact.a", "v1.fact.c")
    assert (found.found, found.length, letters(found)) == (True, 2, "abc")
    assert [(one.source, one.type, one.target, one.confidence) for one in found] == [
        ("v1.fact.a", "depends_on", "v1.fact.b", 0.8),
        ("v1.fact.c", "causes", "v1.fact.b", None),
    ]
    assert found.directions == ("out", "in")
    assert found.ids == tuple(memory.access(atom).atom.id for atom in found.atoms)
    assert repr(found) == "PathFound(v1.fact.a -depends_on-> v1.fact.b <-causes- v1.fact.c)"
    back = memory.path("v1.fact.c", "v1.fact.a")
    assert (letters(back), back.directions) == ("cba", ("out", "in"))
    assert [one.id for one in back] == [one.id for one in found][::-1]
    by_id = memory.path(found.ids[0], found.ids[2])
    assert by_id.to_dict() == found.to_dict()
    assert found.to_dict() | {"edges": [], "ids": []} == {
        "found": True, "length": 2, "atoms": list(found.atoms), "edges": [], "ids": [], "directions": ["out", "in"],
        "start": "v1.fact.a", "end": "v1.fact.c", "reached": 3, "ended": False,
    }  # fmt: skip


def test_from_an_atom_to_itself_there_is_nothing_to_walk(memory: Memory) -> None:
    save(memory, "a", edge("a", "a"))
    found = memory.path("v1.fact.a", "v1.fact.a")
    assert (found.found, found.length, found.atoms, found.edges) == (True, 0, ("v1.fact.a",), ())


def test_without_a_path_it_is_empty_and_says_how_far_it_looked(memory: Memory) -> None:
    save(memory, "abcd", edge("a", "b"), edge("c", "d"))
    found = memory.path("v1.fact.a", "v1.fact.d")
    assert (found.found, found.length, found.atoms, found.edges, found.reached) == (False, None, (), (), 4)
    assert found.remarks == ("no path was found; 4 atoms were reached",)
    assert "no path was found" in repr(found)
    assert {"found": False, "length": None, "atoms": [], "edges": []}.items() <= found.to_dict().items()


def test_a_path_has_no_more_edges_than_were_asked_for(memory: Memory) -> None:
    save(memory, "abcdefgh", *(edge(one, other) for one, other in zip("abcdefg", "bcdefgh", strict=True)))
    assert path(memory, "a", "g") == "abcdefg"
    assert path(memory, "a", "h") == ""
    assert path(memory, "a", "c", most=2) == "abc"
    assert path(memory, "a", "d", most=2) == ""


def test_it_does_not_lead_through_what_is_out_of_use_or_not_there(memory: Memory) -> None:
    save(memory, "abcxyz", edge("a", "b"), edge("b", "c"), edge("x", "never"), edge("z", "never"))
    assert path(memory, "a", "c") == "abc"
    before = memory.head().head.size - 1
    memory.checkpoint(tombstones=["v1.fact.b"])
    assert path(memory, "a", "c") == ""
    assert path(memory, "a", "c", as_of=before) == "abc"
    assert path(memory, "x", "z") == ""  # both wait for an atom that nobody has recorded
    memory.checkpoint(["v1.fact.never = now it is"])
    assert path(memory, "x", "z") == "xneverz"


def test_edges_and_atoms_hold_when_they_say(memory: Memory, clock: ManualClock) -> None:
    window = {"windows": [{"start": day(0), "end": day(10)}]}
    save(memory, "abc", edge("a", "b", **window), edge("b", "c"))
    memory.checkpoint([{"name": "v1.fact.m", "value": "then", "valid_from": day(2), "valid_to": day(5)}])
    memory.checkpoint(edges=[edge("a", "m"), edge("m", "c")])
    assert path(memory, "a", "c", valid_at=day(1)) == "abc"
    assert path(memory, "a", "c", valid_at=day(11)) == ""
    assert path(memory, "a", "m", valid_at=day(3)) == "am"
    assert path(memory, "a", "m", valid_at=day(6)) == ""
    assert path(memory, "m", "m", valid_at=day(6)) == ""
    clock.advance(20 * DAY)
    assert path(memory, "a", "b", most=1) == ""  # by now the window is over
    seq = memory.head().head.size - 1
    memory.checkpoint(unedges=[edge("b", "c")])
    assert path(memory, "b", "c", most=1) == ""
    assert path(memory, "b", "c", as_of=seq) == "bc"


def test_circles_and_several_edges_between_two_atoms_end(memory: Memory) -> None:
    save(
        memory, "abcd",
        edge("a", "b"), edge("b", "a"), edge("b", "c"), edge("c", "a"), edge("a", "b", "causes"), edge("d", "d"),
    )  # fmt: skip
    assert path(memory, "a", "c") == "ac"
    assert path(memory, "a", "d") == ""


def test_a_hub_is_cut_and_named_and_still_joins_its_members(memory: Memory) -> None:
    many = [f"n{number}" for number in range(250)]
    memory.checkpoint([f"{name(letter)} = x" for letter in ("hub", "far", *many)])
    memory.checkpoint(edges=[edge(letter, "hub", "member_of") for letter in many])
    memory.checkpoint(edges=[edge("hub", "far")])
    found = memory.path(name("n3"), name("n249"))
    assert (found.length, found.cut) == (2, ())  # both know the hub: its own edges need not be looked at
    nothing = memory.path(name("n3"), name("n249"), most=1)
    assert not nothing.found
    memory.checkpoint([f"{name('alone')} = x", f"{name('other')} = x"], edges=[edge("alone", "other")])
    lost = memory.path(name("n3"), name("alone"))
    assert (lost.found, lost.cut) == (False, (name("hub"),))
    assert "not all edges were followed of: v1.fact.hub" in repr(lost)
    assert memory.path(name("far"), name("hub")).length == 1


@pytest.mark.slow
def test_a_hub_of_3000_edges_is_looked_at_for_200_of_them(memory: Memory) -> None:
    many = [f"n{number}" for number in range(2_999)]
    memory.checkpoint([f"{name(letter)} = x" for letter in ("hub", *many)])
    memory.checkpoint(edges=[edge(letter, "hub", "member_of") for letter in many])
    memory.checkpoint([f"{name('alone')} = x", f"{name('other')} = x"], edges=[edge("alone", "other")])
    found = memory.path(name("n5"), name("alone"))
    assert (found.found, found.cut, found.ended) == (False, (name("hub"),), False)
    assert found.reached <= 204
    assert memory.path(name("n5"), name("n2900")).length == 2
    memory.checkpoint([f"{name('heron')} = a heron"], edges=[edge("heron", "hub", "member_of")])
    for walk in ("best", "pagerank"):
        walked = memory.search("heron", hops=2, walk=walk, limit=100)
        assert walked.cut == (name("hub"),)
        assert walked.remarks[0] == "not all edges were walked along of: v1.fact.hub"
        assert 2 <= len(walked) <= 60


def test_what_cannot_be_asked_for_is_refused(memory: Memory) -> None:
    save(memory, "abc", edge("a", "b"))
    memory.checkpoint(tombstones=["v1.fact.c"])
    with pytest.raises(NotFound, match=r"there is no v1\.fact\.never"):
        memory.path("v1.fact.a", "v1.fact.never")
    with pytest.raises(NotFound, match="tombstoned"):
        memory.path("v1.fact.c", "v1.fact.a")
    memory.forget("v1.fact.b")
    with pytest.raises(Forgotten):
        memory.path("v1.fact.a", "v1.fact.b")
    for most in (0, 7, True, "2"):
        with pytest.raises(InputError, match="from 1 to 6"):
            memory.path("v1.fact.a", "v1.fact.a", most=most)  # type: ignore[arg-type]


# -- at any moment, against what the edges of each atom say ------------------------------------------------------------

LETTERS = "abcde"
pairs = st.tuples(st.sampled_from(LETTERS), st.sampled_from(LETTERS))
deeds = st.lists(
    st.one_of(
        st.tuples(st.just("edge"), pairs, st.sampled_from([None, (0, 3), (2, 5)])),
        st.tuples(st.just("unedge"), pairs, st.none()),
        st.tuples(st.just("tombstone"), st.sampled_from(LETTERS), st.none()),
        st.tuples(st.just("put"), st.sampled_from(LETTERS), st.sampled_from([None, (0, 3), (2, 5)])),
    ),
    max_size=14,
)


def happen(memory: Memory, what: str, who: Any, when: tuple[int, int] | None) -> None:
    if what == "edge":
        windows = {} if when is None else {"windows": [{"start": day(when[0]), "end": day(when[1])}]}
        memory.checkpoint(edges=[edge(*who, **windows)])
    elif what == "unedge":
        memory.checkpoint(unedges=[edge(*who)], partial=True)
    elif what == "tombstone":
        memory.checkpoint(tombstones=[name(who)], partial=True)
    else:
        held = {} if when is None else {"valid_from": day(when[0]), "valid_to": day(when[1])}
        memory.checkpoint([{"name": name(who), "value": f"{who} {when}", **held}])


def graph_at(memory: Memory, as_of: int, at: datetime) -> Any:
    """The atoms that answered then, and the edges that each of them had."""
    whole = nx.Graph()
    for letter in LETTERS:
        try:
            memory.access(name(letter), as_of=as_of, valid_at=at)
        except NotFound:
            continue
        whole.add_node(name(letter))
    found = [edge for atom in whole for edge in memory.edges(atom, as_of=as_of, valid_at=at)]
    whole.add_edges_from((one.source, one.target) for one in found if {one.source, one.target} <= set(whole))
    return whole


def graph_whenever(memory: Memory, as_of: int, _: datetime) -> Any:
    """The broken twin: what holds at some time counts at each."""
    whole = nx.Graph()
    whole.add_nodes_from(map(name, LETTERS))
    found: list[Edge] = []
    for letter in LETTERS:
        try:
            found += memory.edges(name(letter), as_of=as_of)
        except NotFound:
            continue
    whole.add_edges_from((one.source, one.target) for one in found)
    return whole


def disagreements(memory: Memory, graph_of: Callable[[Memory, int, datetime], Any]) -> list[object]:
    """Pairs whose path, and atoms whose place within two hops of a search, are not what a graph of then says."""
    wrong: list[object] = []
    for as_of in {memory.head().head.size - 1, memory.head().head.size // 2}:
        for at in (day(1), day(4)):
            whole = graph_of(memory, as_of, at)
            for first, second in combinations(map(name, LETTERS), 2):
                far = _distance(whole, first, second)
                try:
                    length = memory.path(first, second, as_of=as_of, valid_at=at).length
                except NotFound:
                    length = None
                wrong += [] if length == far else [(as_of, at, first, second, length, far)]
            found = memory.search(LETTERS[0], as_of=as_of, valid_at=at, hops=2)
            near = {atom for atom in whole if (_distance(whole, name(LETTERS[0]), atom) or 9) <= 2}
            wrong += [] if {hit.name for hit in found if hit.via} == near else [(as_of, at, found, near)]
    return wrong


def _distance(whole: Any, first: str, second: str) -> int | None:
    there = first in whole and second in whole and nx.has_path(whole, first, second)
    return nx.shortest_path_length(whole, first, second) if there else None


def happened(folder: Any, deeds: list[Any], graph_of: Callable[[Memory, int, datetime], Any]) -> list[object]:
    clock = ManualClock()
    with open_memory(folder / "store", home=folder / "home", clock=clock, model="none") as memory:
        memory.checkpoint([f"{name(letter)} = {letter}" for letter in LETTERS])
        for deed in deeds:
            clock.advance(DAY // 4)
            happen(memory, *deed)
        return disagreements(memory, graph_of)


@pytest.mark.slow
@settings(max_examples=rounds(10, 500))
@given(deeds)
@example([("edge", ("a", "b"), (0, 3)), ("edge", ("b", "c"), None), ("tombstone", "d", None), ("put", "d", (2, 5))])
@example([("edge", ("a", "c"), None), ("edge", ("b", "c"), None), ("edge", ("b", "d"), None)])
@example([("edge", ("a", "b"), None), *[("put", "c", None)] * 3, ("tombstone", "a", None)])
def test_paths_and_walks_at_any_moment_are_what_the_edges_of_then_say(
    tmp_path_factory: pytest.TempPathFactory, deeds: list[Any]
) -> None:
    assert happened(tmp_path_factory.mktemp("path"), deeds, graph_at) == []


def test_a_walk_that_does_not_look_at_windows_is_noticed(tmp_path_factory: pytest.TempPathFactory) -> None:
    ends: list[Any] = [("edge", ("a", "b"), (0, 3))]
    assert happened(tmp_path_factory.mktemp("path"), ends, graph_at) == []
    assert happened(tmp_path_factory.mktemp("path"), ends, graph_whenever)
