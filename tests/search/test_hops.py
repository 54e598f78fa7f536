"""Search that walks along edges: what it reaches, why it says so, and what it leaves as it was."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from substrate.clock import ManualClock
from substrate.errors import InputError
from substrate.kv.lmdb.transactions import Reading
from substrate.limits import LIMITS
from substrate.log.tables import LINKS, STATEMENTS
from substrate.memory import Memory
from substrate.values.hits import Found, Hit
from tests.days import DAY, day


def edge(source: str, target: str, kind: str = "references", **fields: object) -> dict[str, object]:
    return {"source": f"v1.fact.{source}", "type": kind, "target": f"v1.fact.{target}", **fields}


def save(memory: Memory, *edges: dict[str, object]) -> None:
    """A heron, and atoms that have nothing to do with it but by edges."""
    memory.checkpoint(
        ["v1.fact.a = the heron nests", *(f"v1.fact.{letter} = says {letter}" for letter in "bcdef")], edges=edges
    )


def letters(found: Found) -> str:
    return "".join(hit.name.removeprefix("v1.fact.") for hit in found)


def hops(memory: Memory, count: int, **options: Any) -> str:
    return letters(memory.search("heron", hops=count, **options))


def the(found: Found, letter: str) -> Hit:
    (hit,) = (hit for hit in found if hit.name == f"v1.fact.{letter}")
    return hit


@pytest.mark.parametrize("walk", ["best", "pagerank"])
def test_what_edges_lead_to_is_found_with_the_way_there(memory: Memory, walk: str) -> None:
    save(memory, edge("a", "b", "depends_on"), edge("c", "b", "causes"), edge("c", "d"))
    assert hops(memory, 0) == hops(memory, 1, walk=walk) == "ab"
    assert hops(memory, 2, walk=walk) == "abc"
    found = memory.search("heron", hops=3, walk=walk)
    assert letters(found) == "abcd"
    c = the(found, "c")
    assert c.via == ("v1.fact.a depends_on v1.fact.b", "v1.fact.c causes v1.fact.b")
    assert c.why.endswith("(v1.fact.a depends_on v1.fact.b, v1.fact.c causes v1.fact.b)")
    assert c.parts.keys() == {"walk"}
    for hit in found:
        assert sum(hit.parts.values()) == pytest.approx(hit.score, abs=1e-3)
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)


def test_without_hops_nothing_changes_and_with_them_hits_keep_their_parts(memory: Memory) -> None:
    save(memory, edge("a", "b"), edge("b", "c"), edge("e", "c"))
    memory.checkpoint(["v1.fact.e = another heron, and what it says of nests"])
    plain = memory.search("heron nests")
    assert plain.to_dict() == memory.search("heron nests", hops=0).to_dict()
    walked = memory.search("heron nests", hops=2)
    for hit in plain:
        again = the(walked, hit.name[-1])
        assert {part: added for part, added in again.parts.items() if part != "walk"} == hit.parts


def test_what_is_reached_never_stands_above_the_hit_that_led_there(memory: Memory) -> None:
    memory.checkpoint(
        ["v1.fact.a = the heron nests here", "v1.fact.b = the heron nests", "v1.fact.c = a heron"],
        edges=[edge("a", "b"), edge("b", "c"), edge("c", "a")],
    )
    plain, walked = (memory.search("heron nests here", hops=count) for count in (0, 3))
    assert letters(plain) == letters(walked) == "abc"
    assert the(walked, "c").score < the(walked, "b").score < the(walked, "a").score


def test_an_unsure_edge_leads_to_less(memory: Memory) -> None:
    save(memory, edge("a", "b", confidence=0.7), edge("a", "c", confidence=0.9), edge("a", "d"))
    assert hops(memory, 1) == "adcb"
    memory.checkpoint(edges=[edge("c", "e", confidence=0.0)])
    assert "e" not in hops(memory, 2)


def test_filters_hold_for_what_is_reached_but_not_on_the_way(memory: Memory) -> None:
    save(memory, edge("a", "b"))
    memory.checkpoint(["v1.goal.g = grow", {"name": "v1.fact.t", "value": "tagged", "tags": ["x"]}])
    memory.checkpoint(edges=[
        {"source": "v1.fact.b", "type": "causes", "target": "v1.goal.g"},
        {"source": "v1.goal.g", "type": "causes", "target": "v1.fact.t"},
    ])  # fmt: skip
    assert {hit.name for hit in memory.search("heron", hops=3)} >= {"v1.goal.g", "v1.fact.t"}
    assert hops(memory, 3, type="fact") == "abt"
    assert [hit.name for hit in memory.search("heron", hops=3, type="goal")] == []
    memory.checkpoint([{"name": "v1.fact.a", "value": "the heron nests", "tags": ["x"]}])
    assert hops(memory, 3, tags="x") == "at"


def test_superseded_and_tombstoned_atoms_stay_hidden(memory: Memory) -> None:
    save(memory, edge("a", "b"), edge("b", "c"), edge("a", "d"), edge("d", "e"), edge("f", "d", "supersedes"))
    memory.checkpoint(tombstones=["v1.fact.b"])
    assert hops(memory, 2) == "aef"  # d is superseded: it is not shown, and what lies behind it is


def test_walks_go_along_what_held_then(memory: Memory, clock: ManualClock) -> None:
    save(memory, edge("a", "b", windows=[{"start": day(0), "end": day(5)}]), edge("b", "c"))
    seq = memory.head().head.size - 1
    clock.advance(DAY)
    memory.checkpoint(unedges=[edge("b", "c")])
    assert hops(memory, 2) == "ab"
    assert hops(memory, 2, as_of=seq) == "abc"
    assert hops(memory, 2, valid_at=day(6)) == "a"


def test_walks_go_on_to_the_parts_before_and_after(memory: Memory) -> None:
    turns = ["hello", "the heron nests", "where", "by the river", "good night"]
    memory.checkpoint(["v1.talk.t = a talk"])
    memory.checkpoint([
        {"name": f"v1.fact.{letter}", "value": turn, "parent": "v1.talk.t", "position": at}
        for at, (letter, turn) in enumerate(zip("abcde", turns, strict=True))
    ])  # fmt: skip
    assert hops(memory, 0) == "bca"
    found = memory.search("heron", hops=3)
    assert letters(found) == "bcade"
    assert the(found, "d").via == ("v1.fact.b next v1.fact.c", "v1.fact.c next v1.fact.d")


def test_pages_are_cut_from_one_order(memory: Memory) -> None:
    save(memory, edge("a", "b"), edge("b", "c"), edge("c", "d"), edge("b", "e"), edge("a", "f"))
    whole = memory.search("heron", hops=3)
    pages = [memory.search("heron", hops=3, limit=2, offset=offset) for offset in (0, 2, 4)]
    assert [hit.name for page in pages for hit in page] == [hit.name for hit in whole]
    assert [page.more for page in pages] == [True, True, False]
    least = whole[2].score
    assert len(memory.search("heron", hops=3, min_score=least)) == 3


def test_where_nothing_matches_nothing_is_reached(memory: Memory) -> None:
    save(memory, edge("a", "b"))
    assert letters(memory.search("flamingo", hops=2)) == ""


@pytest.mark.parametrize("walk", ["best", "pagerank"])
def test_a_hit_without_edges_keeps_no_walk_from_beginning_at_another(memory: Memory, walk: str) -> None:
    save(memory, edge("a", "c"), edge("c", "d"))
    memory.checkpoint(["v1.fact.h = a heron that nothing is joined to"])
    assert letters(memory.search("heron", hops=2, walk=walk)) == "ahcd"


def test_what_cannot_be_walked_is_refused(memory: Memory) -> None:
    for count in (-1, 4, True, 1.5, "2"):
        with pytest.raises(InputError, match="from 0 to 3"):
            memory.search("heron", hops=count)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="best or pagerank"):
        memory.search("heron", hops=1, walk="drunk")


# -- hubs of which little held then ------------------------------------------------------------------------------------


def rows_read(monkeypatch: pytest.MonkeyPatch, ask: Callable[[], object]) -> int:
    """How many rows of edges, and looks at what was stated of them, an answer takes."""
    right, read = Reading.scan, [0]

    def scan(self: Any, table: str, *given: Any, **options: Any) -> Any:
        read[0] += table == STATEMENTS
        for item in right(self, table, *given, **options):
            read[0] += table == LINKS
            yield item

    with monkeypatch.context() as patch:
        patch.setattr(Reading, "scan", scan)
        ask()
    return read[0]


def heron_hub(memory: Memory, count: int) -> tuple[int, int]:
    """A hub with two edges, then many more, then those taken back: when it had the two, and when all of them."""
    save(memory, edge("a", "b"), edge("c", "b"))
    few = memory.head().head.size - 1
    more = [edge(f"n{number}", "b") for number in range(count)]
    memory.checkpoint([f"v1.fact.n{number} = x" for number in range(count)], edges=more)
    many = memory.head().head.size - 1
    memory.checkpoint(unedges=[{key: said[key] for key in ("source", "type", "target")} for said in more])
    return few, many


def test_of_a_hub_of_some_hundreds_all_edges_that_held_are_found(memory: Memory) -> None:
    few, many = heron_hub(memory, 300)
    for at in (few, memory.head().head.size - 1, None):
        found = memory.search("heron", hops=2, as_of=at)
        assert (letters(found), found.cut) == ("abc", ())
        assert memory.path("v1.fact.a", "v1.fact.c", as_of=at).length == 2
    assert memory.search("heron", hops=2, as_of=many).cut == ("v1.fact.b",)


def test_a_hub_of_edges_taken_back_or_stated_later_is_read_in_part_and_named(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    few, _ = heron_hub(memory, 1000)
    for text, count in (("heron", 2), ("says b", 0)):
        for at in (few, None):
            ask = partial(memory.search, text, hops=count, as_of=at)
            monkeypatch.setattr("substrate.views.edges.LOOKS", 1)
            assert rows_read(monkeypatch, ask) < 3 * LIMITS["walk_edges"]
            assert "v1.fact.b" in [hit.name for hit in ask()]
            assert ask().cut == ("v1.fact.b",)
            monkeypatch.setattr("substrate.views.edges.LOOKS", 1000)  # the broken twin: it looks at all
            assert rows_read(monkeypatch, ask) > 1000
    assert len(memory.edges("v1.fact.b", as_of=few)) == len(memory.edges("v1.fact.b")) == 2  # a list is exact
