"""What was learnt to follow an atom, for the verbs that show it."""

from __future__ import annotations

from heapq import nlargest
from typing import Final

from substrate.atoms.supersedes import Heirs
from substrate.learn.parts import Reader
from substrate.snapshot import Snapshot
from substrate.views.learned.counts import ATOM

__all__ = ["arcs_after"]

_MOST: Final = 32


def arcs_after(snapshot: Snapshot, subject: bytes) -> dict[bytes, float]:
    """The atoms that tend to be needed after this one, the heaviest first, at most 32.

    By the ids of the atoms that stand for them now, each with its share, from 0 to 1, of all that was learnt to follow.
    """
    heirs = Heirs(snapshot)
    row = Reader(snapshot, heirs).cells(ATOM, subject)
    if row is None or not row.sums[1]:
        return {}
    shares: dict[bytes, float] = {}
    for target, _, count in nlargest(_MOST, row.cells, key=lambda cell: (cell[2], cell[0])):
        heir = heirs.heir(target)
        if heir is not None and heir != subject:
            shares[heir] = shares.get(heir, 0.0) + count / row.sums[1]
    return dict(sorted(shares.items(), key=lambda share: -share[1]))
