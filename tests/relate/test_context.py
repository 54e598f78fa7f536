"""The verb context: edges both ways, arcs beside them, page by page."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from substrate.clock import ManualClock
from substrate.errors import Forgotten, InputError, NameInvalid, NotFound, SchemaInvalid, TooLarge
from substrate.kv.api import ReadTransaction
from substrate.memory import Memory, open_memory
from substrate.values.relations import Context
from tests.days import day
from tests.scale import rounds


def edge(source: str, target: str, kind: str = "references", **fields: object) -> dict[str, object]:
    return {"source": f"v1.fact.{source}", "type": kind, "target": f"v1.fact.{target}", **fields}


def save(memory: Memory, letters: str, *edges: dict[str, object]) -> None:
    memory.checkpoint([f"v1.fact.{letter} = says {letter}" for letter in letters], edges=edges)


def distances(context: Context) -> dict[str, int]:
    return {atom.name.removeprefix("v1.fact."): atom.distance for atom in context.atoms}


def pairs(context: Context) -> set[tuple[str, str]]:
    return {(edge.source[8:], edge.target[8:]) for edge in context}


def test_edges_are_followed_both_ways_as_far_as_was_asked(memory: Memory) -> None:
    save(memory, "abcde", edge("a", "b"), edge("c", "b"), edge("c", "d"), edge("e", "d"))
    assert distances(memory.context("v1.fact.a")) == {"a": 0, "b": 1}
    assert distances(memory.context("v1.fact.a", depth=2)) == {"a": 0, "b": 1, "c": 2}
    found = memory.context("v1.fact.a", depth=3)
    assert distances(found) == {"a": 0, "b": 1, "c": 2, "d": 3}
    assert pairs(found) == {("a", "b"), ("c", "b"), ("c", "d")}
    assert found.edges == found.items
    (c,) = (atom for atom in found.atoms if atom.distance == 2)
    assert (c.value, c.via) == ("says c", "v1.fact.c references v1.fact.b")
    assert not found.more


def test_several_atoms_can_be_asked_about_by_name_and_id(memory: Memory) -> None:
    save(memory, "abcd", edge("a", "b"), edge("c", "d"), edge("a", "c"))
    by_id = memory.access("v1.fact.c").atom.id
    found = memory.context(["v1.fact.a", by_id])
    assert distances(found) == {"a": 0, "c": 0, "b": 1, "d": 1}
    assert len(found) == 3  # the edge between the two is there once


def test_what_is_not_there_is_missing_with_the_reason(memory: Memory) -> None:
    save(memory, "abcd", edge("a", "b"))
    memory.checkpoint(tombstones=["v1.fact.c"])
    memory.forget("v1.fact.d")
    found = memory.context(["v1.fact.a", "v1.fact.c", "v1.fact.d", "v1.fact.never"])
    reasons = {gone.name: gone.reason for gone in found.missing}
    assert list(reasons) == ["v1.fact.c", "v1.fact.d", "v1.fact.never"]
    assert "tombstoned by entry" in reasons["v1.fact.c"]
    assert "was forgotten by entry" in reasons["v1.fact.d"]
    assert "there is no v1.fact.never" in reasons["v1.fact.never"]
    with pytest.raises(NotFound, match="tombstoned"):
        memory.context("v1.fact.c")
    with pytest.raises(Forgotten) as raised:
        memory.context(["v1.fact.d", "v1.fact.never"])
    assert raised.value.proof is not None


def test_it_says_what_is_superseded_dangling_tombstoned_or_stale(memory: Memory) -> None:
    save(
        memory, "abcdef",
        edge("a", "b"), edge("a", "c"), edge("a", "later"), edge("a", "e", "depends_on"),
        edge("d", "b", "supersedes"), edge("c", "f"), edge("x", "later"),
    )  # fmt: skip
    memory.checkpoint(["v1.fact.e = otherwise"], tombstones=["v1.fact.c"])
    found = {atom.name[8:]: atom for atom in memory.context("v1.fact.a", depth=2).atoms}
    assert found["b"].superseded_by == ("v1.fact.d",)
    assert (found["c"].absent, found["c"].value) == ("tombstoned", "")
    assert "f" not in found  # behind what is out of use nothing is looked for
    assert found["later"].absent == "dangling"
    assert found["x"].distance == 2
    assert found["a"].stale[0].startswith("v1.fact.e changed")
    assert found["e"].to_dict().keys() == {"name", "distance", "value", "id", "via", "seq"}
    assert distances(memory.context("v1.fact.later")) == {"later": 0, "a": 1, "x": 1}


def test_only_edges_that_hold_are_followed(memory: Memory, clock: ManualClock) -> None:
    clock.advance(10**15)
    save(memory, "abcd", edge("a", "b", valid_to=day(1)), edge("a", "c"), edge("c", "d", valid_from=day(1)))
    memory.checkpoint(unedges=[edge("a", "c")])
    assert distances(memory.context("v1.fact.a", depth=3)) == {"a": 0}
    assert distances(memory.context("v1.fact.a", valid_at=day(0))) == {"a": 0, "b": 1}
    seq = memory.access("v1.fact.d").atom.seq + 3
    assert distances(memory.context("v1.fact.a", depth=2, as_of=seq, valid_at=day(2))) == {"a": 0, "c": 1, "d": 2}


def test_the_past_is_what_was_known_then(memory: Memory) -> None:
    save(memory, "ab", edge("a", "b"))
    moment = memory.head()
    save(memory, "c", edge("b", "c"))
    memory.checkpoint(["v1.fact.b = otherwise"], tombstones=["v1.fact.a"])
    found = memory.context("v1.fact.a", depth=2, as_of=moment)
    assert [(atom.name, atom.value) for atom in found.atoms] == [("v1.fact.a", "says a"), ("v1.fact.b", "says b")]


def test_one_type_can_be_asked_for(memory: Memory) -> None:
    save(memory, "abc", edge("a", "b"), edge("a", "c", "depends_on"), edge("c", "a", "Depends on"))
    assert pairs(memory.context("v1.fact.a", type="depends on")) == {("a", "c"), ("c", "a")}


def test_long_values_are_shortened(memory: Memory) -> None:
    memory.checkpoint([f"v1.fact.a = {'x' * 5000}"])
    (atom,) = memory.context("v1.fact.a").atoms
    assert len(atom.value) == 200
    assert atom.value.endswith("…")


def hub(memory: Memory, members: int) -> None:
    for start in range(0, members, 1000):
        some = range(start, min(start + 1000, members))
        memory.checkpoint(
            [f"v1.fact.m{number} = {number}" for number in some],
            edges=[edge(f"m{number}", "hub", "member_of") for number in some],
        )
    memory.checkpoint(["v1.fact.hub = all"])


def test_pages_have_no_gaps_and_no_repeats(memory: Memory) -> None:
    hub(memory, 250)
    save(memory, "", *(edge("m1", f"m{number}") for number in range(2, 40)))
    whole = memory.context("v1.fact.m1", depth=2, limit=1000)
    assert whole.cut == ("v1.fact.hub",)
    # Its own edges, those of what they lead to, and 25 of the hub. Random ids choose these: some may be there already.
    assert len(whole) <= 1 + 38 + 38 + 25
    edges, atoms, cut, offset = [], [], [], 0
    while True:
        page = memory.context("v1.fact.m1", depth=2, limit=17, offset=offset)
        edges += page.items
        atoms += page.atoms
        cut += page.cut
        offset += 17
        if not page.more:
            break
    assert tuple(edges) == whole.items
    assert tuple(atoms) == whole.atoms
    assert tuple(cut) == whole.cut


def test_all_edges_of_a_hub_that_is_asked_about_can_be_paged_through(memory: Memory) -> None:
    hub(memory, 250)
    found = memory.context("v1.fact.hub", limit=1000)
    assert len(found) == 250
    assert found.cut == ()


def test_a_page_reads_little_of_a_large_hub(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    hub(memory, 2500)
    read = []

    def counted(transaction: ReadTransaction, *rest: object, **options: object) -> object:
        for link in links_named(transaction, *rest, **options):  # type: ignore[arg-type]
            read.append(link)
            yield link

    from substrate.relate.context import links_named  # noqa: PLC0415 - what is counted

    monkeypatch.setattr("substrate.relate.context.links_named", counted)
    memory.context("v1.fact.m7", depth=2)
    assert len(read) < 80


def test_arcs_stand_beside_edges(memory: Memory) -> None:
    save(memory, "abcd", edge("a", "b"), edge("b", "c"))
    pairs = ("ac",) * 5 + ("ad",) * 3 + ("ab",) * 2 + ("ba", "ca")
    memory.observe([{"items": [f"v1.fact.{letter}" for letter in pair]} for pair in pairs])
    memory.checkpoint(tombstones=["v1.fact.d"])
    shown = memory.context("v1.fact.a").arcs
    assert [(arc.source[8:], arc.target[8:], round(arc.share, 6)) for arc in shown] == [
        ("a", "c", 0.714286),
        ("a", "b", 0.285714),  # of seven: what is out of use does not count
    ]
    assert {arc.source[8:] for arc in memory.context("v1.fact.a", depth=2).arcs} == {"a", "b"}
    assert memory.context("v1.fact.a", as_of=memory.head()).arcs == ()


def test_odd_input_is_refused(memory: Memory) -> None:
    save(memory, "a")
    for depth in (0, 4, True, 1.5, "2"):
        with pytest.raises(InputError, match="from 1 to 3"):
            memory.context("v1.fact.a", depth=depth)  # type: ignore[arg-type]
    with pytest.raises(TooLarge, match="use edges"):
        memory.context("v1.fact.a", offset=10_000)
    with pytest.raises(TooLarge, match="names"):
        memory.context([f"v1.fact.n{number}" for number in range(101)])
    for keys in ([], 7, b"v1.fact.a", [7]):
        with pytest.raises(SchemaInvalid):
            memory.context(keys)  # type: ignore[arg-type]
    with pytest.raises(NameInvalid):
        memory.context("fact a")


# -- against a naive model ---------------------------------------------------------------------------------------------

LETTERS = "abcdef"
graphs = st.sets(st.tuples(st.sampled_from(LETTERS), st.sampled_from(LETTERS)), max_size=14)


def naive(graph: set[tuple[str, str]], start: str, depth: int) -> tuple[dict[str, int], set[tuple[str, str]]]:
    reached, shown = {start: 0}, set()
    for distance in range(depth):
        for atom in [atom for atom, at in reached.items() if at == distance]:
            for source, target in sorted(graph):
                if atom in (source, target):
                    shown.add((source, target))
                    reached.setdefault(target if atom == source else source, distance + 1)
    return reached, shown


@settings(max_examples=rounds(16, 800))
@given(graphs, st.sampled_from(LETTERS), st.integers(1, 3), st.integers(1, 5))
def test_pages_together_are_what_a_naive_walk_finds(
    tmp_path_factory: pytest.TempPathFactory, graph: set[tuple[str, str]], start: str, depth: int, limit: int
) -> None:
    folder = tmp_path_factory.mktemp("context")
    with open_memory(folder / "store", home=folder / "home", clock=ManualClock()) as memory:
        save(memory, LETTERS, *(edge(source, target) for source, target in graph))
        found: list[tuple[str, str]] = []
        reached: dict[str, int] = {}
        offset, more = 0, True
        while more:
            page = memory.context(f"v1.fact.{start}", depth=depth, limit=limit, offset=offset)
            found += [(edge.source[8:], edge.target[8:]) for edge in page]
            assert not reached.keys() & distances(page).keys()
            reached |= distances(page)
            offset, more = offset + limit, page.more
        assert len(found) == len(set(found))
        assert (reached, set(found)) == naive(graph, start, depth)
