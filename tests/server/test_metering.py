"""Metering: what was counted is right, however many calls there were, and takes no more room for more of them."""

from __future__ import annotations

import random
import sys
from statistics import quantiles

import pytest

from substrate.server.metering import Meter
from tests.scale import SEED


def percentile(values: list[int], percent: int) -> float:
    return quantiles(values, n=100, method="inclusive")[percent - 1] / 1e6


@pytest.mark.parametrize("shape", ["even", "skewed", "one"])
def test_percentiles_are_right_to_a_few_percent(shape: str) -> None:
    rng = random.Random(SEED)
    draw = {
        "even": lambda: rng.randrange(10**5, 10**8),
        "skewed": lambda: int(rng.lognormvariate(13, 1.5)),
        "one": lambda: 7,
    }
    taken = [draw[shape]() for _ in range(20_000)]
    meter = Meter()
    for nanoseconds in taken:
        meter.count("toy.find", nanoseconds, failed=nanoseconds % 2 == 0)
    told = meter.read()["toy.find"]
    assert told["count"] == len(taken)
    assert told["errors"] == sum(nanoseconds % 2 == 0 for nanoseconds in taken)
    assert (told["min"], told["max"]) == (min(taken) / 1e6, max(taken) / 1e6)
    assert told["avg"] == pytest.approx(sum(taken) / len(taken) / 1e6)
    for percent in (50, 95, 99):
        assert told[f"p{percent}"] == pytest.approx(percentile(taken, percent), rel=0.05)


@pytest.mark.parametrize("nanoseconds", [0, 1, 15, 16, 31, 32, 33, 63, 64, 10**9, 3_600 * 10**9, 2**62])
def test_one_call_is_told_as_it_was(nanoseconds: int) -> None:
    meter = Meter()
    meter.count("x", nanoseconds, failed=False)
    told = meter.read()["x"]
    assert {told[word] for word in ("min", "max", "avg", "p50", "p95", "p99")} == {nanoseconds / 1e6}


def test_many_calls_take_no_more_room_than_some() -> None:
    rng, meter = random.Random(SEED), Meter()
    for _ in range(100_000):
        meter.count("x", int(rng.lognormvariate(12, 6)), failed=False)
    buckets = meter._tools["x"].buckets
    assert len(buckets) < 1_000
    assert sys.getsizeof(buckets) < 64 * 1024


def test_begun_anew_nothing_is_left() -> None:
    meter = Meter()
    meter.count("x", 5, failed=True)
    meter.reset()
    assert meter.read() == {}
