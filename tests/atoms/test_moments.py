"""Moments in words: what was known yesterday, what held two weeks ago, by the store's own clock."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from substrate.clock import ManualClock
from substrate.errors import InputError, NotFound, SchemaInvalid
from substrate.memory import Memory

NAME = "v1.fact.provider"
DAY = 86_400_000_000


@pytest.fixture
def told(memory: Memory, clock: ManualClock) -> Memory:
    """Stripe three days ago, Adyen today at noon."""
    noon = datetime(2026, 11, 17, 12, tzinfo=UTC)
    clock.time = int(noon.timestamp()) * 1_000_000 - 3 * DAY
    memory.checkpoint([f"{NAME} = Stripe"])
    clock.advance(3 * DAY)
    memory.checkpoint([f"{NAME} = Adyen"])
    clock.advance(DAY // 6)
    return memory


@pytest.mark.parametrize(
    ("words", "value"),
    [("yesterday", "Stripe"), ("2 days ago", "Stripe"), ("5 hours ago", "Stripe"), ("3 hours ago", "Adyen")],
)
def test_as_of_takes_words(told: Memory, words: str, value: str) -> None:
    assert told.access(NAME, as_of=words).value == value
    assert [hit.value for hit in told.search("provider", as_of=words)] == [value]
    assert [atom.value for atom in told.list(as_of=words)] == [value]


def test_before_it_was_recorded_it_is_not_there(told: Memory) -> None:
    with pytest.raises(NotFound):
        told.access(NAME, as_of="2 weeks ago")


def test_valid_at_takes_words(told: Memory) -> None:
    told.checkpoint([{"name": "v1.fact.offer", "value": "half price", "valid_to": "2026-11-16T00:00:00Z"}])
    assert told.access("v1.fact.offer", valid_at="2 weeks ago").value == "half price"
    with pytest.raises(NotFound):
        told.access("v1.fact.offer", valid_at="yesterday")


def test_a_difference_and_growth_begin_at_a_time_in_words(told: Memory) -> None:
    assert [one.name for one in told.diff("yesterday")] == [NAME]
    assert told.growth(start="4 days ago", parts=2).start == datetime(2026, 11, 13, 16, tzinfo=UTC)


@pytest.mark.parametrize("field", ["as_of", "valid_at"])
def test_words_that_are_no_time_are_refused_with_examples(told: Memory, field: str) -> None:
    with pytest.raises(SchemaInvalid, match=f"{field} must be .*2 weeks ago or last monday"):
        told.access(NAME, **{field: "someday"})  # type: ignore[arg-type]


def test_a_seq_before_the_first_entry_is_refused_as_one_beyond_the_last_is(told: Memory) -> None:
    for seq in (-1, -(10**30), told.head().head.size):
        with pytest.raises(InputError, match="as_of"):
            told.list(as_of=seq)
