"""observe: history is taken in as if it had been seen, and what is not taken in is told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from substrate.clock import ManualClock
from substrate.errors import Denied, InputError, NotFound, SchemaInvalid, SecretFound, SubstrateError, TooLarge
from substrate.log.tables import MIXING, SESSIONS, TABLES
from substrate.memory import Memory
from substrate.values.times import from_microseconds
from tests.search.happenings import few
from tests.stories import NAMES, a_story, rows_of

A, B, C, D, E, F = NAMES
DAY = 86_400 * 1_000_000


@pytest.fixture
def lettered(memory: Memory) -> Memory:
    memory.checkpoint([*(f"{name} = {name}" for name in NAMES), "v1.domain.shop = all of it"])
    return memory


def names_of(memory: Memory, context: str) -> list[str]:
    return [one.name for one in memory.predict(context, k=20)]


def test_what_was_observed_is_on_disk_and_learnt_on_return(lettered: Memory, reopen: Callable[..., Memory]) -> None:
    observed = lettered.observe([A, B, C])
    assert (observed.sessions, observed.accesses, observed.skipped) == (1, 3, ())
    assert names_of(reopen(), A)[:2] == [B, C]


def test_it_is_a_trace_and_no_entry(lettered: Memory) -> None:
    before = lettered.head()
    lettered.observe([A, B])
    assert lettered.head() == before


def test_what_is_not_in_use_is_skipped_and_told_and_the_rest_is_learnt(lettered: Memory) -> None:
    lettered.checkpoint(tombstones=[C])
    lettered.forget(D)
    observed = lettered.observe([A, "v1.fact.unheard_of", C, D, B, C])
    assert observed.accesses == 2
    assert [(one.item, one.code, one.name) for one in observed.skipped] == [
        ("sessions[0].items[1]", "not_found", "v1.fact.unheard_of"),
        ("sessions[0].items[2]", "not_found", C),
        ("sessions[0].items[3]", "forgotten", D),
    ]
    reasons = [one.reason for one in observed.skipped]
    assert "tombstoned" in reasons[1]
    assert "forgotten" in reasons[2]
    assert names_of(lettered, A) == [B]


def test_a_domain_that_is_not_there_is_refused_before_anything_is_taken_in(lettered: Memory) -> None:
    with pytest.raises(NotFound, match=r"sessions\[0\]: there is no domain v1.domain.nowhere"):
        lettered.observe([A, B], domain="nowhere")
    assert names_of(lettered, A) == []


def test_what_was_between_two_atoms_keeps_them_apart_though_it_is_unknown(lettered: Memory) -> None:
    lettered.observe([A, "v1.fact.unheard_of", B])
    lettered.observe([C, D])
    (apart,), (beside,) = lettered.predict(A, k=1), lettered.predict(C, k=1)
    assert "next" not in apart.parts
    assert "next" in beside.parts


def test_ids_are_as_good_as_names(lettered: Memory) -> None:
    ids = [lettered.list(name)[0].id for name in (A, B)]
    assert lettered.observe(ids).accesses == 2
    assert names_of(lettered, A) == [B]


def test_the_future_is_refused(lettered: Memory, clock: ManualClock) -> None:
    with pytest.raises(InputError, match="future"):
        lettered.observe([A, B], at=from_microseconds(clock.now() + 1))
    lettered.observe([A, B], at=from_microseconds(clock.now()))
    lettered.observe([A, B], at="1850-01-01")


@pytest.mark.parametrize(
    ("given_", "options", "refused"),
    [
        ([], {}, InputError),
        (A, {}, SchemaInvalid),
        (7, {}, SchemaInvalid),
        ([7], {}, InputError),
        (["no name"], {}, InputError),
        ([A], {"objective": "use AKIAIOSFODNN7EXAMPLQ for it"}, SecretFound),
        ([A], {"objective": "x" * 10_001}, TooLarge),
        ([A], {"session": "\ud800"}, SchemaInvalid),
        ([A], {"session": "x" * 70_000}, TooLarge),
        ([A], {"session": 7}, SchemaInvalid),
        ([A], {"at": "yesterday"}, InputError),
        ([A], {"domain": 7}, SchemaInvalid),
        ([A] * 10_001, {}, TooLarge),
        ([{"items": [A]}], {"objective": "said of none"}, SchemaInvalid),
        ([{"items": A}], {}, SchemaInvalid),
        ([{"atoms": [A]}], {}, SchemaInvalid),
        ([{"items": [A], "when": "now"}], {}, SchemaInvalid),
        ([{"items": [A]}, [A]], {}, SchemaInvalid),
    ],
)
def test_what_cannot_be_observed_is_refused(
    lettered: Memory, given_: Any, options: dict[str, Any], refused: type[SubstrateError]
) -> None:
    with pytest.raises(refused):
        lettered.observe(given_, **options)


def test_a_secret_in_an_objective_is_in_no_row(lettered: Memory) -> None:
    with pytest.raises(SecretFound) as raised:
        lettered.observe([A, B], objective="password: hunter2horse")
    assert "hunter2horse" not in str(raised.value)
    assert rows_of(lettered, (SESSIONS,)) == {SESSIONS: []}


def test_progress_is_told_and_ends_with_all(lettered: Memory) -> None:
    told: list[tuple[int, int]] = []
    lettered.observe([{"items": [A, B]}] * 150, progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (150, 150)
    assert [done for done, _ in told] == sorted({done for done, _ in told})
    assert len(told) > 3


@pytest.mark.no_cover
@few(20)
@given(
    st.lists(
        st.fixed_dictionaries(
            {"items": st.lists(st.sampled_from([*NAMES, "v1.fact.unheard_of"]), min_size=1, max_size=8)},
            optional={
                "at": st.integers(-3000, 0).map(lambda days: from_microseconds(1_700_000_000_000_000 + days * DAY)),
                "objective": st.sampled_from(["fix the login page", "ship the login release"]),
                "domain": st.sampled_from(["shop", "v1.domain.home"]),
                "session": st.sampled_from(["ann", "bob"]),
            },
        ),
        min_size=1,
        max_size=12,
    )
)
def test_many_sessions_at_once_are_learnt_as_one_by_one(sessions: list[dict[str, Any]]) -> None:
    """The mixing weights are not: what is learnt of one portion judges the next."""
    kept = tuple(table for table in TABLES if table not in ("nodes", "heads", "meta", "map", "keys"))
    with a_story() as story:
        # Ids are drawn by chance; so both ways are gone on the same store, of which the first is unlearnt.
        observed = story.memory.observe(sessions)
        at_once = rows_of(story.memory, kept)
        for name in ("ann", "bob"):
            assert observed.sessions == len(sessions), name
        story.memory.forget(actor="me")
        assert rows_of(story.memory, (SESSIONS,)) == {SESSIONS: []}
        skipped = 0
        for one in sessions:
            options = {key: value for key, value in one.items() if key != "items"}
            skipped += len(story.memory.observe(one["items"], **options).skipped)
        one_by_one = rows_of(story.memory, kept)
        assert skipped == len(observed.skipped)
        for table in (*(set(kept) - {MIXING, "owed"}),):
            assert at_once[table] == one_by_one[table], table


def test_a_store_that_is_not_to_be_watched_or_written_takes_nothing_in(
    lettered: Memory, reopen: Callable[..., Memory]
) -> None:
    with pytest.raises(Denied):
        reopen(read_only=True).observe([A, B])
    with pytest.raises(Denied):
        reopen(observe=False).observe([A, B])
    lettered.watch(on=False)
    with pytest.raises(Denied, match="watch"):
        reopen().observe([A, B])
    assert reopen().train([A, B]).learnt == (A, B)
    lettered.watch()
    assert reopen().observe([A, B]).accesses == 2
