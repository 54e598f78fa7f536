"""Atoms that walks along edges reach from the best hits, and what each walk is worth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from substrate.atoms.steps import Steps
from substrate.search.candidates import Gathered, Lists, meant_of, widen
from substrate.search.ranking import Ranked, rank, with_walks
from substrate.search.walk import Walked, best_paths, pagerank
from substrate.search.when import When
from substrate.views.edges import Link

__all__ = ["STARTS", "WALKS", "Reached", "reach"]

WALKS: Final = ("best", "pagerank")
"""How a search may walk: by the best path to each atom, or by how often a random walk stands there."""
STARTS: Final = 5
"""Walks begin at so many of the best hits."""
_EDGES: Final = 500
"""Edges that are looked at."""
_MOST: Final = 50
"""Atoms that are told of those that are reached, the best."""

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Reached:
    """The candidates, with those that walks reach, in one order."""

    gathered: Gathered
    ranked: Ranked
    walks: Mapping[int, tuple[Link, ...]]
    """By seq: the edges that led there, from a hit on."""
    cut: tuple[bytes, ...]
    """Atoms of which not all edges were followed."""


def reach(  # noqa: PLR0913, PLR0917 - what a search knows by now
    lists: Lists, gathered: Gathered, ranked: Ranked, when: When, starts: Sequence[int], hops: int, walk: str
) -> Reached:
    """Walk at most `hops` edges from the candidates at these places. What is found by itself keeps its score."""
    documents = lists.documents
    order = [*ranked.order.tolist()[::-1], *starts[::-1]]  # of several versions of an atom the best one stands for it
    place = dict(zip(documents.subjects(gathered.seqs[order]), order, strict=True))
    scores = {documents.subject(int(gathered.seqs[at])): float(ranked.score[at]) for at in starts}
    steps = Steps(lists.snapshot)
    found: dict[bytes, Walked[bytes, Link]] = {}
    seqs: dict[bytes, int] = {}
    for subject, walked in (_best if walk == "best" else _often)(scores, steps, hops):
        seq = int(gathered.seqs[place[subject]]) if subject in place else _meant(lists, steps, subject)
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
    walks = {seq: found[subject].edges for subject, seq in seqs.items()}
    return Reached(wider, with_walks(wider.candidates, again, worth, start), walks, tuple(steps.cut))


def _best(scores: Mapping[bytes, float], steps: Steps, hops: int) -> Iterator[tuple[bytes, Walked[bytes, Link]]]:
    return best_paths(scores, steps.weighed, hops, counts=steps.in_use, most=_EDGES)


def _often(scores: Mapping[bytes, float], steps: Steps, hops: int) -> Iterator[tuple[bytes, Walked[bytes, Link]]]:
    """As scores: where the walk stands as often as at the start where it stands most, it is worth that start's."""
    found = pagerank(scores, steps.weighed_in_use, hops=hops, most=_EDGES)
    most = max((found[subject].value for subject in scores if subject in found), default=1.0)
    for subject, walked in found.items():
        if subject not in scores:
            worth = min(1.0, walked.value / most) * scores[walked.start]
            yield subject, Walked(worth, walked.start, walked.edges)


def _meant(lists: Lists, steps: Steps, subject: bytes) -> int:
    """The version of an atom that is looked for; -1 if none is. Mostly it is the latest, which the walk has read."""
    latest = steps.latest(subject)
    return latest.seq if latest is not None and lists.mask[latest.seq] else meant_of(lists, subject)
