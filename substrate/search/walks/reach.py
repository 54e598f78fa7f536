"""Atoms that walks reach from the best hits, and what each walk is worth.

Walks go along stated edges, and from a part of a whole (a turn, a chunk) to the parts before and after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from substrate.search.candidates import Gathered, Lists, meant_of, sides_of, widen
from substrate.search.ranking import Ranked, rank, with_walks
from substrate.search.walks.steps import EdgeStep, Steps
from substrate.search.walks.walk import PER_HOP, Walked, best_paths, pagerank
from substrate.search.when import When
from substrate.views.cards import cards_of
from substrate.views.edges import Link

__all__ = ["STARTS", "WALKS", "Reached", "Way", "reach"]

WALKS: Final = ("best", "pagerank")
"""How a search may walk: by the best path to each atom, or by how often a random walk stands there."""
STARTS: Final = 5
"""Walks begin at so many of the best hits."""
_EDGES: Final = 500
"""Edges that are looked at."""
_MOST: Final = 50
"""Atoms that are told of those that are reached, the best."""

Floats = NDArray[np.float32]


_NEXT: Final = "next"
_ONWARD: Final = 0.2
_BACK: Final = 0.1
"""The word for a step from a part to the one after it, what that weighs, and what the way back does."""


class Beside(NamedTuple):
    """Two parts of a whole, one after the other: what a walk goes along where nobody stated an edge."""

    source: bytes
    type: str
    target: bytes


Way: TypeAlias = Link | Beside


@dataclass(frozen=True, slots=True)
class Reached:
    """The candidates, with those that walks reach, in one order."""

    gathered: Gathered
    ranked: Ranked
    walks: Mapping[int, tuple[Way, ...]]
    """By seq: the edges and parts that led there, from a hit on."""
    cut: tuple[bytes, ...]
    """Atoms of which not all edges were followed."""


def reach(  # noqa: PLR0913, PLR0917 - what a search knows by now
    lists: Lists, gathered: Gathered, ranked: Ranked, when: When, starts: Sequence[int], hops: int, walk: str
) -> Reached:
    """Walk at most `hops` edges from the candidates at these places. What is found by itself keeps its score."""
    documents = lists.documents
    scores = {documents.subject(int(gathered.seqs[at])): float(ranked.score[at]) for at in starts}
    ways = _Ways(lists, scores)
    walks = (_best if walk == "best" else _often)(scores, ways, hops)
    first = next(walks, None)
    if first is None:  # no edge leads anywhere
        return Reached(gathered, ranked, {}, tuple(ways.cut))
    order = [*ranked.order.tolist()[::-1], *starts[::-1]]  # of several versions of an atom the best one stands for it
    place = dict(zip(documents.subjects(gathered.seqs[order]), order, strict=True))
    found: dict[bytes, Walked[bytes, Way]] = {}
    seqs: dict[bytes, int] = {}
    for subject, walked in chain([first], walks):
        seq = int(gathered.seqs[place[subject]]) if subject in place else ways.meant(subject)
        if seq >= 0:
            found[subject], seqs[subject] = walked, seq
            if len(seqs) == _MOST:
                break
    more = [seq for subject, seq in seqs.items() if subject not in place]
    place |= {subject: len(gathered.seqs) + at for at, subject in enumerate(s for s in seqs if s not in place)}
    wider = widen(lists, gathered, more)
    worth, start = np.zeros(len(wider.seqs), np.float32), np.full(len(wider.seqs), -1, np.int64)
    for subject in seqs:
        worth[place[subject]] = found[subject].value
        start[place[subject]] = place[found[subject].start]
    again = rank(wider.candidates, lists.vector, when) if more else ranked
    led = {seq: found[subject].edges for subject, seq in seqs.items()}
    return Reached(wider, with_walks(wider.candidates, again, worth, start), led, tuple(ways.cut))


def _best(scores: Mapping[bytes, float], ways: _Ways, hops: int) -> Iterator[tuple[bytes, Walked[bytes, Way]]]:
    return best_paths(scores, ways.out_of, hops, counts=ways.in_use, most=_EDGES)


def _often(scores: Mapping[bytes, float], ways: _Ways, hops: int) -> Iterator[tuple[bytes, Walked[bytes, Way]]]:
    """As scores: the atom where the walk stands most often is worth what a sure edge from its start would give it.

    Along edges alone: how long a walk stays in a conversation or a document says nothing about its parts.
    """
    if ways.lead_nowhere:
        return
    found = pagerank(scores, cache(ways.edges_to_use), hops=hops, most=_EDGES)
    reached = {subject: walked for subject, walked in found.items() if subject not in scores}
    most = max((walked.value for walked in reached.values()), default=1.0)
    for subject, walked in reached.items():
        worth = PER_HOP * scores[walked.start] * walked.value / most
        yield subject, Walked(worth, walked.start, walked.edges)


class _Ways:
    """The ways out of an atom, as of one search."""

    def __init__(self, lists: Lists, starts: Iterable[bytes]) -> None:
        self._lists = lists
        known = [*starts]
        cards = zip(known, cards_of(lists.snapshot.transaction, known), strict=True)
        self._lone = {subject for subject, card in cards if not card.statements}
        """Starts that no edge was ever stated of. What an edge leads to has one."""
        self.lead_nowhere = len(self._lone) == len(known)
        """Whether no edge leads out of a start. Mostly, hits are notes and chunks that nobody joined to anything."""
        self._steps = Steps(lists.snapshot)
        self.in_use = self._steps.in_use
        self.cut = self._steps.cut

    def out_of(self, subject: bytes) -> list[tuple[bytes, float, Way]]:
        """Along edges, then to the parts beside it."""
        return [*self._stated(subject), *self._beside(subject)]

    def edges_to_use(self, subject: bytes) -> list[tuple[bytes, float, Way]]:
        """Along edges that lead to atoms in use."""
        return [step for step in self._stated(subject) if self.in_use(step.to)]

    def _stated(self, subject: bytes) -> Sequence[EdgeStep]:
        return () if subject in self._lone else self._steps.weighed(subject)

    def _beside(self, subject: bytes) -> Iterator[tuple[bytes, float, Way]]:
        seq = self.meant(subject)
        before, after = (-1, -1) if seq < 0 else sides_of(self._lists, seq)
        if before >= 0:
            other = self._lists.documents.subject(before)
            yield other, _BACK, Beside(other, _NEXT, subject)
        if after >= 0:
            other = self._lists.documents.subject(after)
            yield other, _ONWARD, Beside(subject, _NEXT, other)

    def meant(self, subject: bytes) -> int:
        """The version of an atom that is looked for; -1 if none is. Mostly it is the latest, which was read already."""
        latest = self._steps.latest(subject)
        return latest.seq if latest is not None and self._lists.mask[latest.seq] else meant_of(self._lists, subject)
