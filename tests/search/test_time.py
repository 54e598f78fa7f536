"""Time in a question: which of several versions comes first."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from substrate.clock import ManualClock
from substrate.memory import Memory


@pytest.fixture
def changing(memory: Memory, clock: ManualClock) -> Memory:
    """One atom with three values, a year apart, in a store with other things."""
    memory.checkpoint([f"v1.fact.other{i} = something about topic {i}" for i in range(30)])
    for year, value in ((2023, "MySQL"), (2024, "MongoDB"), (2025, "PostgreSQL")):
        at = datetime(year, 3, 1, tzinfo=UTC)
        clock.advance(max(0, int(at.timestamp() * 1e6) - clock.now()))
        memory.checkpoint([{"name": "v1.fact.billing_database", "value": value, "occurred_at": at}])
    return memory


@pytest.mark.parametrize(
    ("query", "value"),
    [
        ("billing database", "PostgreSQL"),
        ("Which billing database do we use now?", "PostgreSQL"),
        ("Which billing database did we use before the current one?", "MongoDB"),
        ("Which billing database did we use in May 2024?", "MongoDB"),
        ("Which billing database did we use in 2023?", "MySQL"),
        ("Which billing database did we use originally?", "MySQL"),
    ],
)
def test_of_several_versions_the_one_comes_first_that_the_questions_time_means(
    changing: Memory, query: str, value: str
) -> None:
    first = changing.search(query).items[0]
    assert first.atom.value == value
    assert first.current == (value == "PostgreSQL")


def test_the_history_of_a_thing_shows_its_versions(changing: Memory) -> None:
    found = changing.search("history of the billing database")
    assert {hit.value for hit in found if hit.name == "v1.fact.billing_database"} == {"MySQL", "MongoDB", "PostgreSQL"}
    assert found.asked == "all"


def test_how_the_time_was_understood_is_told(changing: Memory) -> None:
    found = changing.search("billing database in May 2024")
    assert (found.asked, found.start, found.end) == (
        "span",
        datetime(2024, 5, 1, tzinfo=UTC),
        datetime(2024, 6, 1, tzinfo=UTC),
    )


def test_a_question_with_as_of_stays_within_what_was_known(changing: Memory) -> None:
    found = changing.search("billing database before the current one", as_of="2024-06-01")
    shown = [(hit.value, hit.current) for hit in found if hit.name == "v1.fact.billing_database"]
    assert shown == [("MySQL", False), ("MongoDB", True)]


def test_a_question_of_nothing_but_a_day_finds_what_happened_then(memory: Memory) -> None:
    memory.checkpoint(
        [
            {"name": "v1.event.a", "value": "the feature store was down", "occurred_at": "2025-05-23T10:00:00Z"},
            {"name": "v1.event.b", "value": "a workshop in May", "occurred_at": "2025-05-07"},
        ]
    )
    assert memory.search("what happened on 23 May 2025").items[0].name == "v1.event.a"
