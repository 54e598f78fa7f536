"""What was learned to follow an atom, for the verbs that show it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from heapq import nlargest
from typing import Final, TypeAlias

from substrate.engine.heirs import Heirs
from substrate.engine.reading import moments_of
from substrate.kv.api import ReadTransaction
from substrate.log.log import Log
from substrate.markov.parts import Reader
from substrate.views.counts import ATOM

__all__ = ["Arcs", "arcs_by"]

Arcs: TypeAlias = Callable[[ReadTransaction, bytes], Mapping[bytes, float]]
"""From the id of an atom to the atoms that tend to be needed after it: ids with the share, from 0 to 1, of all that was
learned to follow, the heaviest first, at most 32."""
_MOST: Final = 32


def arcs_by(log: Log) -> Arcs:
    """The arcs of a store, in whatever snapshot; under the atoms that stand for what was accessed."""

    def arcs(transaction: ReadTransaction, subject: bytes) -> Mapping[bytes, float]:
        moments = moments_of(transaction, log.clock, None, None)
        heirs = Heirs(transaction, moments)
        row = Reader(transaction, moments.at, heirs.inherited).cells(ATOM, subject)
        if row is None or not row.sums[1]:
            return {}
        shares: dict[bytes, float] = {}
        for target, _, count in nlargest(_MOST, row.cells, key=lambda cell: (cell[2], cell[0])):
            heir = heirs.heir(target)
            if heir is not None and heir != subject:
                shares[heir] = shares.get(heir, 0.0) + count / row.sums[1]
        return dict(sorted(shares.items(), key=lambda share: -share[1]))

    return arcs
