"""The verb list: how many atoms there are on all its pages."""

from __future__ import annotations

from typing import Any

import pytest

from substrate.atoms import list as listing
from substrate.memory import Memory


@pytest.fixture
def mixed(memory: Memory) -> Memory:
    """Atoms in use, tombstoned, superseded, forgotten, changed, of which some hold for a time only."""
    memory.checkpoint([f"v1.fact.f{number} = {number}" for number in range(12)])
    memory.checkpoint(["v1.task.a = x", {"name": "v1.task.b", "value": "y", "valid_to": "1969-01-01"}])
    memory.checkpoint(
        ["v1.fact.f1 = another"],
        edges=[{"source": "v1.fact.f2", "type": "supersedes", "target": "v1.fact.f3"}],
        tombstones=["v1.fact.f4", "v1.fact.f5"],
    )
    memory.forget("v1.fact.f6")
    return memory


ASKED: list[dict[str, Any]] = [
    {},
    {"prefix": "v1.fact."},
    {"prefix": "v1.fact.f1"},
    {"prefix": "v2."},
    {"tombstoned": True},
    {"superseded": True},
    {"tombstoned": True, "superseded": True},
    {"as_of": 8},
    {"valid_at": "2030-01-01"},
    {"valid_at": "1968-01-01"},
]


def check_total(memory: Memory, asked: dict[str, Any]) -> None:
    """Every page says how many atoms the pages have together."""
    after, totals, count = None, set(), 0
    while True:
        page = memory.list(limit=4, after=after, count=True, **asked)
        totals.add(page.total)
        count += len(page)
        after = page.next
        if after is None:
            break
    assert totals == {count}


@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_the_total_is_what_all_pages_have_together(mixed: Memory, asked: dict[str, Any]) -> None:
    check_total(mixed, asked)
    assert mixed.list(offset=3, limit=1, count=True, **asked).total == mixed.list(count=True, **asked).total


def test_a_total_that_counts_what_is_superseded_is_caught(mixed: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The broken twin."""
    total = listing._total

    def careless(*arguments: Any, superseded: bool, **others: Any) -> int | None:  # noqa: ARG001
        return total(*arguments, superseded=True, **others)

    monkeypatch.setattr(listing, "_total", careless)
    with pytest.raises(AssertionError):
        check_total(mixed, {})


def test_it_is_counted_if_it_is_asked_for_and_there_are_not_too_many(
    mixed: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert mixed.list().total is None
    assert "total" not in mixed.list().to_dict()
    assert mixed.list("v2.", count=True).to_dict()["total"] == 0
    monkeypatch.setattr(listing, "COUNTED", 11)  # names, those out of use too
    assert mixed.list("v1.fact.", count=True).total == 8
    monkeypatch.setattr(listing, "COUNTED", 10)
    assert mixed.list("v1.fact.", count=True).total is None
    assert mixed.list("v1.task.", count=True).total == 2


def test_a_list_has_the_filters_of_a_search_on_every_page_and_in_its_total(memory: Memory) -> None:
    memory.checkpoint(
        [
            *({"name": f"v1.fact.a{at}", "value": "x", "tags": ["plan"] if at % 2 else []} for at in range(6)),
            {"name": "v1.goal.b", "value": "y", "tags": ["plan"]},
            "v1.domain.shop = all of it",
        ],
        edges=[{"source": "v1.fact.a3", "type": "member_of", "target": "v1.domain.shop"}],
    )
    first = memory.list(type="fact", tags="plan", limit=2, count=True)
    assert ([atom.name for atom in first], first.total) == (["v1.fact.a1", "v1.fact.a3"], 3)
    assert [atom.name for atom in memory.list(type="fact", tags="plan", after=first.next)] == ["v1.fact.a5"]
    assert [atom.name for atom in memory.list(tags=["plan"], domain="shop")] == ["v1.fact.a3"]
    assert [atom.name for atom in memory.list("v1.goal.", tags="plan")] == ["v1.goal.b"]
    memory.checkpoint(tombstones=["v1.fact.a1"])
    assert next(atom.name for atom in memory.list(type="fact", tags="plan", tombstoned=True)) == "v1.fact.a1"
    assert "v1.fact.a1" in [atom.name for atom in memory.list(tags="plan", as_of=first[0].seq + 3)]
