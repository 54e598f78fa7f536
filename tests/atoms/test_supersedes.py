"""What supersedes what at which time: what does not hold at `valid_at` supersedes nothing then."""

from __future__ import annotations

import pytest

from substrate.atoms import supersedes
from substrate.memory import Memory

FEBRUARY, MARCH, APRIL, MAY, JUNE, JULY = (f"2026-{month:02}-01" for month in range(2, 8))
TRIPLE = {"source": "v1.fact.new", "type": "supersedes", "target": "v1.fact.old"}


def found(memory: Memory, valid_at: str | None) -> tuple[list[str], list[str]]:
    """The names that a list shows, and those that a search finds: both ask the same rule."""
    listed = [atom.name for atom in memory.list(valid_at=valid_at)]
    return listed, sorted(hit.name for hit in memory.search("price", valid_at=valid_at))


def assert_found(memory: Memory, valid_at: str | None, *names: str) -> None:
    wanted = [f"v1.fact.{name}" for name in names]
    assert found(memory, valid_at) == (wanted, wanted), valid_at


@pytest.fixture
def prices(memory: Memory) -> Memory:
    """A price from February to April, and one from April on that supersedes it by a plain edge."""
    memory.checkpoint(
        [
            {"name": "v1.fact.old", "value": "price 10", "valid_from": FEBRUARY, "valid_to": APRIL},
            {"name": "v1.fact.new", "value": "price 20", "valid_from": APRIL},
        ],
        edges=[TRIPLE],
    )
    return memory


def test_at_a_time_before_the_new_one_holds_the_old_one_is_found(prices: Memory) -> None:
    assert_found(prices, "2026-01-01")
    assert_found(prices, MARCH, "old")
    assert_found(prices, APRIL, "new")
    assert_found(prices, None, "new")
    assert prices.access("v1.fact.old", valid_at=MARCH).atom.superseded_by == ()
    assert prices.access("v1.fact.old").atom.superseded_by == ("v1.fact.new",)
    around = prices.context("v1.fact.old", valid_at=MARCH)
    assert all(atom.superseded_by == () for atom in around.atoms)


def test_a_rule_that_looks_at_the_edge_alone_is_caught(prices: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supersedes, "stands", lambda _, latest: bool(latest))
    with pytest.raises(AssertionError):
        assert_found(prices, MARCH, "old")


def test_a_read_without_valid_at_looks_at_no_atoms_window_but_at_those_of_edges(memory: Memory) -> None:
    """What such a read shows, supersedes; an edge whose window has not begun does not."""
    later = {"name": "v1.fact.new", "value": "price 20", "valid_from": "9000-01-01"}
    memory.checkpoint(["v1.fact.old = price 10", later], edges=[TRIPLE])
    assert_found(memory, None, "new")
    assert_found(memory, MAY, "old")
    memory.checkpoint(edges=[{**TRIPLE, "valid_from": "9000-01-01"}])
    assert_found(memory, None, "new", "old")


def test_who_took_the_place_of_what_has_ended_stands_in_the_place_of_both(memory: Memory) -> None:
    def at(name: str, start: str | None, end: str | None = None) -> dict[str, object]:
        return {"name": f"v1.fact.{name}", "value": f"price of {name}", "valid_from": start, "valid_to": end}

    memory.checkpoint(
        [at("first", None), at("second", APRIL, JUNE), at("third", JUNE)],
        edges=[
            {"source": "v1.fact.second", "type": "supersedes", "target": "v1.fact.first"},
            {"source": "v1.fact.third", "type": "supersedes", "target": "v1.fact.second"},
        ],
    )
    for time, name in ((MARCH, "first"), (MAY, "second"), (JULY, "third"), (None, "third")):
        assert_found(memory, time, name)
    assert memory.access("v1.fact.first", valid_at=JULY).atom.superseded_by == ("v1.fact.third",)
    memory.checkpoint(tombstones=[{"name": "v1.fact.third", "occurred_at": JUNE}])
    assert_found(memory, JULY, "first")  # nothing that holds then stands in its place


def test_a_tombstone_of_later_leaves_the_past_as_it_was(prices: Memory) -> None:
    prices.checkpoint([{"name": "v1.fact.old", "value": "price 10", "valid_to": None}])
    prices.checkpoint(tombstones=[{"name": "v1.fact.new", "occurred_at": JUNE}])
    assert_found(prices, MAY, "new")
    assert_found(prices, JULY, "old")
    assert_found(prices, None, "old")
