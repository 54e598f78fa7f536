"""Which offers an opening shows: rules first, then what was taught, the best matches, all others, and what fills room.

Pure. Most openings hold the best matches anyway, and are as packing has them. Where one would be left out for shorter
ones, it is taken before them, made shorter if it is long.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from typing import Final

from substrate.bootstrap.fit import Measure
from substrate.bootstrap.pack import Item, pack
from substrate.bootstrap.show import Offer, clashes_cost, shortened
from substrate.values.opening import ConflictingFacts

__all__ = ["BEST", "NEARLY", "PINNED_PART", "choose"]

PINNED_PART: Final = 0.5
"""Of the room: what goals, constraints and preferences may take before all others."""
BEST: Final = 3
"""The most matches that are taken before others."""
_BEST_PART: Final = 0.5
"""Of the room that rules, corrections and better matches leave: what one of them may take."""
NEARLY: Final = 0.8
"""Of the best match's share: what matches nearly as well. Shares are squares of scores."""
_LEFT_PART: Final = 0.5
"""Of the room that rules and corrections leave: what the last session left takes that much before all others."""
_WORTHWHILE: Final = 40
"""Tokens of room that hold the beginning of one more match."""


def choose(
    offers: Sequence[Offer], room: int, measure: Measure, *, aimed: bool, last_first: bool = False
) -> tuple[list[Offer], list[Offer]]:
    """Those to show, the dearest first; and the rest.

    Goals, constraints and preferences may take a part of the room; what was taught for such an objective then takes
    what it needs, and a correction is made shorter where there is less. All others stand in line, but for the best
    matches, which come before them; and behind it weak matches that wait. Room that is left holds the beginnings of
    further matches. `aimed`: at an objective alone; what only use speaks for comes last then. `last_first`: what the
    last session left comes right behind what was taught. Behind all others comes what is outdated, and only beside what
    is newer.
    """
    best = _best_matches(offers)
    choice = _Choice(offers, room, measure, aimed=aimed)
    choice.take_first(left=last_first)
    choice.take_line()
    if choice.lacks(best):
        rules = choice.rules()  # none of them is given up for a match
        choice = _Choice(offers, room, measure, aimed=aimed)
        choice.take_first(rules, left=last_first)
        choice.take_line(best)
    choice.fill()
    return choice.result(best)


def _best_matches(offers: Sequence[Offer]) -> list[int]:
    """The places of what matches the objective best, and of what does so nearly as well; the best first.

    What only holds others together is none: its name says little.
    """
    current = ((at, offer) for at, offer in enumerate(offers) if not offer.is_outdated)
    shares = {at: offer.candidate.need.parts.get("match", 0.0) for at, offer in current}
    least = NEARLY * max(shares.values(), default=0.0)
    near = [at for at, share in shares.items() if share > 0 and share >= least]
    best = [at for at in near if offers[at].section == "atoms" and not offers[at].candidate.is_holder]
    return sorted(best, key=lambda at: -shares[at])[:BEST]


def _matches(offer: Offer) -> bool:
    return offer.section == "atoms" and offer.candidate.need.parts.get("match", 0.0) > 0


class _Choice:
    """What was taken until now, and the room that is left."""

    def __init__(self, offers: Sequence[Offer], room: int, measure: Measure, *, aimed: bool) -> None:
        self._room = room
        self._offers = list(offers)
        self._measure = measure
        self._chosen: dict[int, None] = {}
        self._first = 0
        """How many were taken before those who stand in line."""
        self._taken: dict[Hashable, float] = {}
        self._told: set[ConflictingFacts] = set()
        """The conflicts of what was taken: each is told once, though it is one of two atoms."""
        self._outdated = {at for at, offer in enumerate(offers) if offer.is_outdated}
        current = (
            [at for at in range(len(offers)) if at not in self._outdated] if self._outdated else range(len(offers))
        )
        self._rules = [at for at in current if offers[at].section != "atoms"]
        others = set(current) - set(self._rules)
        self._fills = {at for at in others if aimed and offers[at].candidate.is_filler}
        self._line = [at for at in current if at not in self._fills]

    def rules(self) -> list[int]:
        """The places of the rules that were taken."""
        return [at for at in self._rules if at in self._chosen]

    def lacks(self, places: Iterable[int]) -> bool:
        """Whether one of these was not taken."""
        return any(at not in self._chosen for at in places)

    def result(self, best: Sequence[int]) -> tuple[list[Offer], list[Offer]]:
        """What was taken, the dearest first: rules and corrections, the best, and the others in that order; the rest.

        Of the best, those that wait are no dearer than others.
        """
        rest = [offer for at, offer in enumerate(self._offers) if at not in self._chosen]
        taken = list(self._chosen)
        dear = [at for at in best if at in self._chosen and not self._offers[at].waits]
        return [self._offers[at] for at in dict.fromkeys((*taken[: self._first], *dear, *taken))], rest

    def take_first(self, rules: Sequence[int] | None = None, *, left: bool = False) -> None:
        """Rules, if none are given those that fit into their part of the room; then what was taught, and what is left.

        `left`: whether what the last session left is taken too, the first of it in any case.
        """
        if rules is None:
            self._take(self._rules, int(self._room * PINNED_PART))
        else:
            self._take(rules, self._room)
        taught = [at for at, offer in enumerate(self._offers) if offer.candidate.is_taught and not offer.is_outdated]
        for at in sorted(taught, key=lambda at: -self._offers[at].item.value):
            if self._offers[at].candidate.is_correction:
                self._take_short(at, self._room)
            self._take([at], self._room)
        if left:
            self._take_left(int(self._room * _LEFT_PART))
        self._first = len(self._chosen)

    def _take_left(self, most: int) -> None:
        """What the last session left, as far as this will do."""
        left = [at for at in self._line if self._offers[at].candidate.is_left and at not in self._rules]
        before = self._room
        for at in left[:1]:
            self._take_short(at, most)
        self._take(left, most - (before - self._room))

    def _take_short(self, at: int, most: int) -> None:
        """One, made shorter if it takes more than that."""
        if at not in self._chosen and self._item(at).cost > most:
            self._offers[at] = shortened(self._offers[at], most, self._measure, self._told) or self._offers[at]
        self._take([at], self._room)

    def take_line(self, best: Sequence[int] = ()) -> None:
        """All who stand in line; behind it weak matches that wait. The best of both come first."""
        for waits in (False, True):
            for at in best:
                if self._offers[at].waits == waits:
                    self._take_short(at, int(self._room * _BEST_PART))
                    self._take_short(at, self._room)  # a long name may leave no room for a value in that part
            self._take((at for at in self._line if waits or not self._offers[at].waits), self._room)

    def fill(self) -> None:
        """Into the room that is left, the beginnings of further matches; then what only use speaks for."""
        for at in self._line:
            if self._room >= _WORTHWHILE and _matches(self._offers[at]):
                self._take_short(at, self._room)
        self._take(self._fills, self._room)
        shown = {self._offers[at].candidate.need.subject for at in self._chosen} if self._outdated else set()
        self._take([at for at in sorted(self._outdated) if self._offers[at].candidate.newer in shown], self._room)

    def _take(self, waiting: Iterable[int], most: int) -> None:
        left = [at for at in waiting if at not in self._chosen]
        spared = True
        while left and spared:
            spared = False
            items = [self._item(at) for at in left]
            for place in pack(items, most, self._taken):
                item = self._item(left[place])
                spared = spared or item.cost < items[place].cost
                self._taken[item.cluster] = self._taken.get(item.cluster, 0.0) + item.value
                self._told.update(self._offers[left[place]].clashes)
                self._room -= item.cost
                most -= item.cost
                self._chosen[left[place]] = None
            left = [at for at in left if at not in self._chosen] if spared else []

    def _item(self, at: int) -> Item:
        """What it adds to what was taken: a conflict that is told already takes no more room."""
        offer = self._offers[at]
        if not offer.clashes or self._told.isdisjoint(offer.clashes):
            return offer.item
        cost = offer.tokens + clashes_cost(offer, self._measure, self._told)
        return replace(offer.item, cost=min(cost, offer.item.cost))
