"""Whether a search says that nothing matches well, and how it counts what is not embedded yet."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import Any, cast

import pytest

from substrate.memory import Memory
from substrate.values.hits import WELL, Found, Hit


def found(*scores: float, query: str = "a question", **options: Any) -> Found:
    return Found(tuple(Hit(cast("Any", None), score) for score in scores), query, **options)


@pytest.mark.parametrize(
    ("result", "is_weak"),
    [
        (found(WELL - 0.1, 0.06), True),
        (found(WELL, 0.06), False),
        (found(), False),
        (found(0.06), False),  # the only hit there is
        (found(0.06, more=True), True),  # the first of several: the limit left one
        (found(WELL, more=True), False),
        (found(0.06, 0.06, meaning="semantic search is off"), False),
        (found(0.0, 0.0, query=""), False),  # the most recent ones: nothing was asked
        (found(0.3, 0.06, offset=2), False),  # the second page: there were better ones
        (found(0.3, 0.06, asked="span"), False),  # what happened this week: these did
        (found(0.5, 0.06, asked="span", best_of_topic=0.1), True),  # favourite pizza this week: only the time fits
        (found(0.5, 0.06, asked="span", best_of_topic=WELL), False),
        (found(0.3, 0.06, asked="now", best_of_topic=inf), False),  # today: nothing else is asked for
        (found(0.3, 0.06, asked="now"), True),
        (found(0.3, 0.06, lag=1), False),  # the best may be the one without a vector
    ],
)
def test_a_search_is_weak_where_no_hit_compared_by_meaning_matches_well(result: Found, *, is_weak: bool) -> None:
    assert result.weak == is_weak
    assert ("nothing matches well" in result.remarks) == is_weak  # each face shows the remarks


@pytest.fixture
def notes(reopen: Callable[..., Memory], cache: Path) -> Memory:
    """A store with the real model and a few notes of today, embedded."""
    assert cache.exists()
    memory = reopen(background=False)
    memory.checkpoint(
        [
            "v1.fact.database = Billing data is kept in PostgreSQL",
            "v1.fact.office = The team sits in Lisbon, near the river",
            "v1.procedure.release = Run the test suite, build the wheel, then push a tag",
            "v1.fact.horses = The stable at the edge of the park keeps four ponies",
            "v1.fact.physics = Ada teaches particle physics to second-year students",
            "v1.fact.football = The office league plays football on Thursdays",
            "v1.fact.lunch = On Fridays the kitchen serves pasta and salad",
        ]
    )
    memory.index()
    return memory


@pytest.mark.parametrize("limit", [1, 2, 10])
def test_whether_nothing_matches_well_does_not_depend_on_the_limit(notes: Memory, limit: int) -> None:
    assert notes.search("zebra quantum", limit=limit, wait=60).weak
    assert not notes.search("where is billing data kept", limit=limit, wait=60).weak


@pytest.mark.parametrize("limit", [1, 10])
def test_words_of_time_do_not_hide_that_what_is_asked_for_besides_matches_nothing_well(
    notes: Memory, limit: int
) -> None:
    for question in ("zebra quantum in 1998", "favourite pizza last week", "favourite pizza today"):
        assert notes.search(question, limit=limit, wait=60).weak, question
    for question in ("today", "last week", "what happened this week", "what changed in 1998", "what did we do today"):
        assert not notes.search(question, limit=limit, wait=60).weak, question
    assert not notes.search("where was billing data kept this week", limit=limit, wait=60).weak
    assert "best_of_topic" not in notes.search("favourite pizza last week", wait=60).to_dict()


def test_an_empty_store_says_that_it_is_empty_and_not_that_something_is_missing(memory: Memory) -> None:
    result = memory.search("which company processes cards")
    assert result.remarks == ("the store is empty: save something first",)
    memory.remember("Adyen processes our cards")
    assert "the store is empty: save something first" not in memory.search("an unrelated question").remarks


def test_one_version_that_waits_is_told_in_the_singular() -> None:
    assert found(lag=1).remarks == ("1 version is not embedded yet and was searched by words only",)
    assert found(lag=2).remarks == ("2 versions are not embedded yet and were searched by words only",)


def test_a_second_page_does_not_say_what_is_true_of_the_first(memory: Memory) -> None:
    memory.checkpoint([f"v1.note.n{at} = tea, number {at}" for at in range(4)])
    pages = [memory.search("tea", limit=2, offset=offset) for offset in (0, 2)]
    assert [page.offset for page in pages] == [0, 2]
    assert all("offset" not in page.to_dict() for page in pages)
