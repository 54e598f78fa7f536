"""The curve of an atom: each of its points is the score of that moment."""

from __future__ import annotations

import pytest

from substrate.clock import ManualClock
from substrate.errors import Forgotten, NotFound
from substrate.memory import Memory
from tests.days import DAY

NAME = "v1.fact.currency"


@pytest.fixture
def used(memory: Memory, clock: ManualClock) -> Memory:
    memory.checkpoint([f"{NAME} = EUR"])
    for days, boost in ((2, False), (5, True), (9, False)):
        clock.time += days * DAY
        memory.touch(NAME, boost=boost)
    clock.time += DAY
    memory.checkpoint([f"{NAME} = CHF"])
    clock.time += 3 * DAY
    return memory


@pytest.mark.parametrize("model", ["power_law", "exponential", "two_component"])
def test_every_point_of_the_past_is_the_score_as_of_then(used: Memory, model: str) -> None:
    used.use_fading(model)
    curve = used.fading_curve(NAME)
    past = [point for point in curve if point.time <= curve.now]
    assert len(past) > 20
    for point in past:
        (then,) = used.fading(NAME, as_of=point.time)
        assert point.score == pytest.approx(then.score, abs=1e-9), point.time


def test_every_point_to_come_is_the_score_once_it_is_there(used: Memory, clock: ManualClock) -> None:
    curve = used.fading_curve(NAME)
    coming = [point for point in curve if point.time > curve.now]
    start = clock.time
    for point in coming[:: len(coming) // 8]:
        clock.time = start + round((point.time - curve.now).total_seconds() * 1e6)
        assert used.fading(NAME)[0].score == pytest.approx(point.score, abs=1e-9)


def test_a_use_is_a_jump_and_falls_are_told(used: Memory, clock: ManualClock) -> None:
    curve = used.fading_curve(NAME)
    assert [(one.kind, one.times) for one in curve.uses] == [("used", 1)] * 3
    at = {point.time: point.score for point in curve}
    before = [point.score for point in curve if point.time < curve.uses[1].time][-1]
    assert before < at[curve.uses[1].time] == curve.uses[1].score
    assert [one.score for one in curve.falls] == [0.65, 0.35, 0.15, 0.05]
    assert list(curve.falls) == sorted(curve.falls, key=lambda one: one.time)
    for fall in curve.falls:
        clock.time += round((fall.time - used.fading_curve(NAME).now).total_seconds() * 1e6)
        assert used.fading(NAME)[0].score == pytest.approx(fall.score, abs=1e-5)


def test_a_curve_as_of_a_moment_knows_nothing_later(used: Memory) -> None:
    then = used.fading_curve(NAME).uses[0].time
    curve = used.fading_curve(NAME, as_of=then)
    assert (curve.now, len(curve.uses), curve.faded.atom.value) == (then, 1, "EUR")
    assert curve.faded.score == used.fading(NAME, as_of=then)[0].score


def test_a_clock_that_steps_back_makes_nothing_older(used: Memory, clock: ManualClock) -> None:
    clock.time -= 8 * DAY
    curve = used.fading_curve(NAME)
    assert {point.time: point.score for point in curve}[curve.now] == used.fading(NAME)[0].score


def test_an_atom_without_touches_fades_since_it_was_recorded(memory: Memory, clock: ManualClock) -> None:
    memory.checkpoint(["v1.fact.plain = yes"])
    clock.time += 3 * DAY
    curve = memory.fading_curve("v1.fact.plain")
    assert (curve.uses, curve.name) == ((), "v1.fact.plain")
    assert (curve[0].score, {point.time: point.score for point in curve}[curve.now]) == (1.0, pytest.approx(0.5))


def test_an_atom_that_is_not_there_has_no_curve(used: Memory) -> None:
    with pytest.raises(NotFound):
        used.fading_curve("v1.fact.nowhere")
    used.forget(NAME)
    with pytest.raises(Forgotten):
        used.fading_curve(NAME)
