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


@pytest.fixture
def moving(memory: Memory) -> Memory:
    """Where somebody lived, and what happened, in dated notes."""
    notes = [
        ("2021-03-01", "Ada Byron lives in Rome"),
        ("2022-03-01", "Ada Byron lives in Oslo"),
        ("2022-09-01", "The great flood came to town"),
        ("2023-03-01", "Ada Byron lives in Porto"),
        ("2024-03-01", "Ada Byron lives in Porto"),
    ]
    memory.checkpoint(
        [
            {"name": f"v1.note.n{i}", "value": text, "occurred_at": f"{day}T00:00Z"}
            for i, (day, text) in enumerate(notes)
        ]
    )
    return memory


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("Where did Ada Byron live before moving to Oslo?", "v1.note.n0"),
        ("Where did Ada Byron live before the great flood?", "v1.note.n1"),
        ("Where did Ada Byron live after the great flood?", "v1.note.n4"),
        ("Where did Ada Byron live between 2021 and 2022?", "v1.note.n1"),
        ("Where did Ada Byron first live?", "v1.note.n0"),
        ("Where did Ada Byron live before?", "v1.note.n1"),
        ("Since when does Ada Byron live there?", "v1.note.n3"),
        ("How long has Ada Byron lived in Oslo?", "v1.note.n1"),
    ],
)
def test_events_and_spans_choose_among_what_several_atoms_say(moving: Memory, query: str, name: str) -> None:
    assert moving.search(query).items[0].name == name


def test_an_event_that_nothing_tells_of_means_no_time(moving: Memory) -> None:
    assert moving.search("Where did Ada Byron live before the coronation?").asked == "any"
    assert moving.search("Where did Ada Byron live before the great flood?").end == datetime(2022, 9, 1, tzinfo=UTC)


def test_a_turn_of_a_talk_ends_no_time_for_it_tells_later_what_was(memory: Memory) -> None:
    memory.checkpoint([{"name": "v1.conversation.c", "value": "A talk"}])
    turn = {"parent": "v1.conversation.c", "position": 0}
    memory.checkpoint([{"name": "v1.turn.a", "value": "I met Maria in the great flood", **turn}])
    assert memory.search("What did you do before the great flood?").asked == "any"
    assert memory.search("What did you do after the great flood?").asked == "span"


def test_an_event_without_a_word_means_no_time(memory: Memory) -> None:
    memory.checkpoint(["v1.fact.home = She lives in Oslo"])
    assert [hit.name for hit in memory.search("where did she live since -- --?")] == ["v1.fact.home"]


def test_a_filter_that_leaves_out_the_last_version_of_a_statement_leaves_the_statement(
    memory: Memory, clock: ManualClock
) -> None:
    """Each statement once, by its last version that passes."""
    for value, tag in (("Stripe", "t"), ("Stripe", "u"), ("Stripe", "t"), ("Stripe", "u"), ("Adyen", "t")):
        memory.checkpoint([{"name": "v1.fact.p", "value": f"The payment provider is {value}", "tags": [tag]}])
        clock.advance(86_400_000_000)
    memory.checkpoint([{"name": "v1.fact.p", "value": "The payment provider is Mollie", "tags": ["t"]}])
    memory.undo()
    for tag, values in (("t", ["Stripe", "Adyen"]), ("u", ["Stripe"])):
        found = memory.search("what was the previous payment provider?", tags=[tag])
        told = [(hit.value.rsplit(" ", 1)[1], hit.atom.tags) for hit in found]
        assert told == [(value, (tag,)) for value in values]
