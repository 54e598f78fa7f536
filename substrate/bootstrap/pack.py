"""What of many things to take along, where room is short. Pure.

The worth of a choice is the sum, over its clusters, of the square root of the values in the cluster: the second atom
that says much the same adds less than the first. What adds most for each token is taken first; what does not fit is
skipped, not stopped at. If the best single item alone is worth more than all that, it is taken instead, and what fits
beside it: this is what makes the choice at least (1 - 1/e) / 2 of the best there is.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heapreplace
from math import sqrt

__all__ = ["Item", "pack", "worth"]


@dataclass(frozen=True, slots=True)
class Item:
    """A thing to take along: what it is worth alone, what it costs, and what says much the same as it does."""

    value: float
    cost: int
    cluster: Hashable


def worth(items: Sequence[Item], before: Mapping[Hashable, float] | None = None) -> float:
    """What these add together to what was taken `before` (by cluster: the sum of the values)."""
    before = before or {}
    masses: dict[Hashable, float] = {}
    for item in items:
        masses[item.cluster] = masses.get(item.cluster, 0.0) + item.value
    return sum(sqrt(before.get(at, 0.0) + mass) - sqrt(before.get(at, 0.0)) for at, mass in masses.items())


def pack(items: Sequence[Item], room: int, before: Mapping[Hashable, float] | None = None) -> list[int]:
    """The places of the items to take, in the order in which they are taken. Their costs sum to `room` at most.

    One is taken if one fits. Equal items are taken in the order given. Costs and values are above 0.
    """
    before = before or {}
    fitting = [at for at, item in enumerate(items) if item.cost <= room]
    if not fitting:
        return []
    greedy = _greedy(items, fitting, room, before)
    most, place = max([(_alone(items[at], before), -at) for at in fitting])
    best = -place
    if best in greedy or most <= worth([items[at] for at in greedy], before):
        return greedy
    beside = {**before, items[best].cluster: before.get(items[best].cluster, 0.0) + items[best].value}
    others = [at for at in fitting if at != best]
    return [best, *_greedy(items, others, room - items[best].cost, beside)]


def _alone(item: Item, before: Mapping[Hashable, float]) -> float:
    """What one adds: its `worth`."""
    mass = before.get(item.cluster, 0.0)
    return sqrt(mass + item.value) - sqrt(mass)


def _greedy(items: Sequence[Item], places: Sequence[int], room: int, before: Mapping[Hashable, float]) -> list[int]:
    """Lazily: what an item adds only falls as others are taken, so just the one on top is looked at again."""
    masses = dict(before)

    def density(item: Item) -> float:
        mass = masses.get(item.cluster, 0.0)
        return (sqrt(mass + item.value) - sqrt(mass)) / item.cost

    waiting = [(-density(items[at]), at) for at in places]
    heapify(waiting)
    taken = []
    while waiting:
        promised, at = waiting[0]
        item = items[at]
        if item.cost > room:
            heappop(waiting)
            continue
        added = -density(item)
        if added > promised:
            heapreplace(waiting, (added, at))
            continue
        heappop(waiting)
        taken.append(at)
        room -= item.cost
        masses[item.cluster] = masses.get(item.cluster, 0.0) + item.value
    return taken
