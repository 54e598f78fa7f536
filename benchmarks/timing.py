"""Measuring contenders side by side: in rounds, each round every contender, so that a busy moment hits all alike."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

__all__ = ["Contender", "Samples", "excess", "interleave", "ratio"]


def _nothing(_: object) -> None:
    """No work after a call."""


@dataclass(frozen=True, slots=True)
class Contender:
    """`run` is timed; `prepare`, which makes its argument from the number of the call, and `after` are not.

    `cpu_ns` is the clock of the process that does the work: this one, unless another is named.
    """

    run: Callable[[Any], object]
    prepare: Callable[[int], Any] = int
    after: Callable[[Any], object] = _nothing
    cpu_ns: Callable[[], int] = time.process_time_ns


@dataclass(slots=True)
class Samples:
    """Seconds of every call, by round. CPU is that of the process at work, system time included."""

    wall_rounds: list[list[float]] = field(default_factory=list)
    cpu_rounds: list[list[float]] = field(default_factory=list)

    @property
    def wall(self) -> float:
        """The median wall time of a call."""
        return median(value for values in self.wall_rounds for value in values)

    @property
    def cpu(self) -> float:
        """The median CPU time of a call."""
        return median(value for values in self.cpu_rounds for value in values)

    @property
    def least(self) -> float:
        """The shortest wall time of a call: what it takes when nothing comes in between."""
        return min(value for values in self.wall_rounds for value in values)


def _call(contender: Contender, number: int) -> tuple[float, float]:
    argument = contender.prepare(number)
    cpu = contender.cpu_ns()
    wall = time.perf_counter_ns()
    result = contender.run(argument)
    wall = time.perf_counter_ns() - wall
    cpu = contender.cpu_ns() - cpu
    contender.after(result)
    return wall / 1e9, cpu / 1e9


def interleave(
    contenders: Mapping[str, Contender], rounds: int, calls: int = 1, warm_up: int = 1
) -> dict[str, Samples]:
    """`calls` calls of each contender in every round, after `warm_up` rounds that do not count.

    Who begins changes from round to round. All contenders see the same numbers, 0, 1, 2 ...
    """
    samples = {name: Samples() for name in contenders}
    order = list(contenders)
    for turn in range(-warm_up, rounds):
        first = (turn + warm_up) * calls
        for name in order:
            times = [_call(contenders[name], first + i) for i in range(calls)]
            if turn >= 0:
                samples[name].wall_rounds.append([wall for wall, _ in times])
                samples[name].cpu_rounds.append([cpu for _, cpu in times])
        order.append(order.pop(0))
    return samples


def ratio(ours: Sequence[Sequence[float]], theirs: Sequence[Sequence[float]]) -> float:
    """How many times the cost of `theirs` is the cost of `ours`: the median over the rounds of that of each round."""
    return median(median(mine) / max(median(other), 1e-9) for mine, other in zip(ours, theirs, strict=True))


def excess(ours: Sequence[Sequence[float]], theirs: Sequence[Sequence[float]]) -> float:
    """By how many seconds the cost of `ours` exceeds that of `theirs`: the median over the rounds of that of each."""
    return median(median(mine) - median(other) for mine, other in zip(ours, theirs, strict=True))
