"""Decay: a matter of reading. Nothing is touched as time goes by, whatever the clock does."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from substrate.log.tables import TABLES
from substrate.memory import Memory
from substrate.values.times import from_microseconds
from substrate.views.learned import counts
from substrate.views.learned.counts import ATOM, HALF_LIFE, USAGE, read_cells
from substrate.views.learned.sessions import HOLE
from tests.search.happenings import few
from tests.stories import NAMES, a_story, rows_of

A, B, C, D, E, F = NAMES
DAY = 86_400 * 1_000_000
YEAR_9999 = 253_370_764_800_000_000


def id_of(memory: Memory, name: str) -> bytes:
    return UUID(memory.list(name)[0].id).bytes


def amounts(memory: Memory, source: bytes, now: int, kind: bytes = ATOM) -> dict[bytes, tuple[float, float]]:
    with memory._store.log.snapshot() as transaction:
        row = read_cells(transaction, kind, source, now)
        assert row is not None
        return {target: (first * row.scale, second * row.scale) for target, first, second in row.cells}


def shares(memory: Memory, context: Sequence[str] | str) -> dict[str, float]:
    return {one.name: one.probability for one in memory.predict(context, k=20, floor=0)}


# -- silence -----------------------------------------------------------------------------------------------------------


def test_two_half_lives_of_silence_quarter_a_rows_mass_and_leave_its_ratios() -> None:
    with a_story() as story:
        memory, now = story.memory, story.clock.now()
        memory.observe([{"items": [A, B, C]}, {"items": [A, B]}, {"items": [A, D, B]}])
        for source, kind in ((id_of(memory, A), ATOM), (HOLE, USAGE)):
            before, after = (amounts(memory, source, time, kind) for time in (now, now + 2 * 720 * DAY))
            assert before.keys() == after.keys()
            for target, (first, second) in before.items():
                assert after[target][0] == pytest.approx(first / 4)
                if kind == ATOM:
                    assert after[target][1] == pytest.approx(second / 4)


@few(20)
@given(st.integers(0, 40 * 365), st.integers(1, 3))
def test_any_silence_keeps_the_ratios_and_what_is_new_counts_as_much_as_ever(days: int, times: int) -> None:
    with a_story() as story:
        memory, clock = story.memory, story.clock
        memory.observe([{"items": [A, B]}] * 2 + [{"items": [A, C]}])
        clock.advance(days * DAY)
        source, b, c, d = (id_of(memory, name) for name in (A, B, C, D))
        aged = amounts(memory, source, clock.now())
        assert aged[b][0] == pytest.approx(2 * aged[c][0])
        memory.observe([{"items": [A, D]}] * times)
        after = amounts(memory, source, clock.now())
        assert after[d][0] == pytest.approx(times, rel=1e-3)
        assert after.get(b, (0, 0))[0] == pytest.approx(aged[b][0], abs=1e-3)


def test_the_half_life_is_720_days() -> None:
    assert HALF_LIFE == 720 * DAY


def test_history_weighs_the_less_the_longer_ago_it_was() -> None:
    with a_story() as story:
        memory, now = story.memory, story.clock.now()
        for target, years in ((B, 0), (C, 2), (D, 8)):
            memory.observe([A, target], at=from_microseconds(now - years * 365 * DAY))
        said = shares(memory, A)
        assert said[B] > said[C] > said[D] > 0


# -- reading -----------------------------------------------------------------------------------------------------------


@few(20)
@given(st.lists(st.tuples(st.sampled_from(NAMES), st.integers(0, 3)), max_size=12))
def test_any_order_of_reads_leaves_scores_equal_and_no_read_writes(reads: list[tuple[str, int]]) -> None:
    with a_story() as story:
        memory = story.memory
        memory.observe([{"items": [A, B, C]}, {"items": [D, B, E]}, {"items": [A, E]}], progress=None)
        before, rows = {name: shares(memory, name) for name in NAMES}, rows_of(memory, tuple(TABLES))
        with memory.session(observe=False) as session:
            for name, how in reads:
                if how == 0:
                    session.access(name)
                elif how == 1:
                    memory.predict([name, A], horizon="session", again=True)
                elif how == 2:
                    memory.transition_matrix()
                else:
                    memory.search(name)
        assert {name: shares(memory, name) for name in NAMES} == before
        assert rows_of(memory, tuple(TABLES)) == rows


def test_a_reader_that_writes_the_decay_back_would_be_caught() -> None:
    """The broken twin: each read halves what it finds, as a decay that is applied in place does."""
    with a_story() as story:
        memory = story.memory
        memory.observe([{"items": [A, B]}, {"items": [A, C]}])
        before = shares(memory, A)
        factor = [1.0]
        scale = counts._scale

        def worn(epoch: int, now: int) -> float:
            factor[0] /= 2
            return scale(epoch, now) * factor[0]

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(counts, "_scale", worn)
            assert shares(memory, A) != before


# -- clocks ------------------------------------------------------------------------------------------------------------


def check_learns_on(memory: Memory) -> None:
    """What is learnt now predicts: by sessions of both kinds, and by training."""
    memory.observe([D, E])
    assert shares(memory, D)[E] > 0.2
    with memory.session() as session:
        session.access(E)
        session.access(F)
    assert shares(memory, E)[F] > 0.2
    memory.train([F, D])
    assert shares(memory, F)[D] > 0.2
    said = memory.predict(A, k=20, floor=0)
    assert sum(one.probability for one in said) <= 1 + 1e-6


@pytest.mark.parametrize("step", [-1, -DAY, -3650 * DAY, -40 * 365 * DAY])
def test_a_clock_that_steps_back_does_no_harm(step: int) -> None:
    with a_story() as story:
        memory, clock = story.memory, story.clock
        memory.observe([A, B])
        with memory.session() as session:
            session.access(B)
            session.access(C)
        before = shares(memory, A)[B]
        clock.advance(step)
        assert shares(memory, A)[B] >= before
        check_learns_on(memory)
        assert shares(memory, B)[C] > 0.2
        memory.rebuild()


@pytest.mark.parametrize("at_work", [True, False], ids=["and is at work there", "and looks on"])
def test_a_clock_that_jumps_to_the_year_9999_and_back_does_no_harm(at_work: bool) -> None:  # noqa: FBT001
    with a_story() as story:
        memory, clock, now = story.memory, story.clock, story.clock.now()
        memory.observe([{"items": [A, B]}, {"items": [D, A]}, {"items": [E, B]}])
        clock.time = YEAR_9999
        shares(memory, A)
        memory.transition_matrix()
        if at_work:
            with memory.session() as session:
                for name in (A, B, D, E, F):
                    session.access(name)
            memory.train([D, E])
            memory.checkpoint(["v1.fact.future = now"])
        check_learns_on(memory)
        clock.time = now
        check_learns_on(memory)
        assert shares(memory, A)[B] > 0.2
        before = rows_of(memory)
        memory.rebuild()
        assert rows_of(memory) == before


def test_rows_of_epochs_far_apart_can_be_inherited() -> None:
    """An atom of now that took the place of one of the year 9999, and the other way round."""
    with a_story() as story:
        memory, clock, now = story.memory, story.clock, story.clock.now()
        memory.observe([{"items": [A, B]}, {"items": [C, D]}])
        clock.time = YEAR_9999
        memory.observe([C, E])
        for source, target in ((A, C), (F, A)):
            memory.checkpoint(edges=[{"source": source, "type": "supersedes", "target": target}])
            for time in (now, YEAR_9999):
                clock.time = time
                for name in (A, C, F):
                    said = shares(memory, name)
                    assert sum(said.values()) <= 1 + 1e-6
            assert shares(memory, A)[E] > 0.1
            assert memory.transition_matrix().row(source)


@pytest.mark.no_cover
def test_a_row_is_cut_to_what_weighs_and_stays_small() -> None:
    with a_story() as story:
        memory = story.memory
        many = [f"v1.fact.n{i}" for i in range(1500)]
        memory.checkpoint([f"{name} = x" for name in many])
        memory.observe([{"items": [A, name]} for name in many])
        assert len(amounts(memory, id_of(memory, A), story.clock.now())) < 600
        memory.observe([{"items": [A, B]}] * 40)
        assert max(shares(memory, A), key=shares(memory, A).__getitem__) == B
        before = rows_of(memory)
        memory.rebuild()
        assert rows_of(memory) == before
