"""The models of fading, against their closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

from substrate.errors import InputError
from substrate.fading.columns import _left
from substrate.fading.decay import DEFAULT, MODELS, Decay, is_worth_keeping, priority_of, read_decay, score_of
from substrate.fading.listing import _bound

DAY = 86_400.0
AGES = (0.0, 1.0, 3.0, 7.0, 14.0, 21.0, 30.0, 60.0)
POWER_LAW = (1, 0.754, 0.500, 0.293, 0.167, 0.115, 0.081, 0.040)
"""As the original's page prints the curve that it intends."""
EXPONENTIAL = (1, 0.794, 0.500, 0.199, 0.039, 0.008, 0.001, 0.0)


def closed_form(model: str, days: float) -> float:
    t = days * DAY
    if model == "power_law":
        return (1 + t * (2 ** (1 / 1.1) - 1) / (3 * DAY)) ** -1.1
    if model == "exponential":
        return math.exp(-2.673e-6 * t)
    return 0.7 * math.exp(-1.603e-5 * t) + 0.3 * math.exp(-1.147e-6 * t)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("days", AGES)
def test_each_model_is_its_closed_form_one_by_one_and_all_at_once(model: str, days: float) -> None:
    decay = read_decay(model, None, DEFAULT)
    wanted = closed_form(model, days)
    assert abs(decay.left(days * DAY) - wanted) < 1e-9
    assert abs(_left(decay, np.array([days * DAY]))[0] - wanted) < 1e-9
    score = score_of(decay, 4, days * DAY, 1.5)
    assert abs(score - 5**0.6 * wanted * 1.5) < 1e-9


def test_the_curves_are_those_that_the_original_prints() -> None:
    for days, power_law, exponential in zip(AGES, POWER_LAW, EXPONENTIAL, strict=True):
        assert round(DEFAULT.left(days * DAY), 3) == power_law
        assert round(Decay("exponential").left(days * DAY), 3) == exponential


def test_the_three_models_differ() -> None:
    """The original has three names for one curve."""
    week = [read_decay(model, None, DEFAULT).left(7 * DAY) for model in MODELS]
    assert len({round(left, 2) for left in week}) == len(MODELS)


@pytest.mark.parametrize("model", ["power_law", "exponential"])
def test_after_the_half_life_half_is_left(model: str) -> None:
    for given, seconds in (("36h", 1.5 * DAY), (3, 3 * DAY), ("2w", 14 * DAY), ("90m", 5400)):
        decay = read_decay(model, given, DEFAULT)
        assert abs(decay.left(seconds) - 0.5) < 2e-4


def test_a_time_before_the_last_use_counts_as_none() -> None:
    assert all(read_decay(model, None, DEFAULT).left(-DAY) == 1 for model in MODELS)


@pytest.mark.parametrize(
    ("model", "half_life"),
    [
        *(("linear", None), (7, None), ("power_law", "soon"), ("power_law", "0"), ("exponential", "-3d")),
        *(("power_law", "nan"), ("power_law", True), ("two_component", "3d"), ("power_law", "1e99w")),
        ("power_law", "\u0663d"),
    ],
)
def test_what_is_no_model_and_no_half_life_is_refused(model: object, half_life: object) -> None:
    with pytest.raises(InputError):
        read_decay(model, half_life, DEFAULT)


def test_a_review_helps_most_in_the_middle_of_the_zone() -> None:
    assert [round(priority_of(score), 2) for score in (0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 1.6)] == [
        *(0, 0, 0.75, 1, 0.75, 0, 0)
    ]


@pytest.mark.parametrize(
    ("score", "uses", "age", "worth"),
    [
        (1.2, 0, 0.5, False),  # merely new: the original promotes it
        (1.2, 3, 0.5, True),
        (0.65, 0, 1.0, True),
        (0.64, 2, 30.0, False),
        (0.2, 5, 14.0, True),
        (0.2, 5, 14.1, False),
    ],
)
def test_what_is_worth_keeping_is_used_or_lasts(score: float, uses: int, age: float, *, worth: bool) -> None:
    assert bool(is_worth_keeping(score, uses, age)) is worth


@pytest.mark.parametrize("first", [0, 1, 3, 10, 150])
def test_the_first_of_many_are_the_first_of_all_in_order(first: int) -> None:
    keys = np.random.default_rng(first).integers(0, 500, 5_000)  # with many equals
    few = keys[keys <= _bound(keys, first)]
    assert first < len(few) < len(keys)
    assert np.array_equal(np.sort(few)[: first + 1], np.sort(keys)[: first + 1])
