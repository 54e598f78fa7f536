"""What past sessions and trainings were for, as vectors in memory. Read again when one was added or erased."""

from __future__ import annotations

import threading
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from substrate.embed.query import QueryVector
from substrate.kv.api import ReadTransaction
from substrate.veil import hidden_in
from substrate.views.learned.objectives import objective_rows, objectives_stamp
from substrate.views.learned.sessions import TRAINED

__all__ = ["PastObjectives"]

_MOST: Final = 200
"""Of past objectives so many of the nearest are told."""
_AT_ONCE: Final = 1 << 18
"""Numbers of a matrix that are multiplied at once. Of more than 460,800 OpenBLAS makes work for all processors, whose
threads then wait in a loop: thousands of microseconds for what takes forty."""
_ROWS: Final = 8
"""Rows that it takes together: cut at a multiple of these, each product is what it is of the whole."""


class _Held(NamedTuple):
    stamp: tuple[bytes, bytes]
    traces: list[bytes]
    vectors: NDArray[np.float32]


class PastObjectives:
    """Safe to share between threads."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._held = _Held((b"", b""), [], np.empty((0, 0), np.float32))

    def near(self, transaction: ReadTransaction, asked: QueryVector, least: float) -> dict[bytes, float]:
        """The keys of the traces whose objectives are nearest to this one, with cosines above the least.

        As many of trainings come too. Under a policy all come: whoever reads them leaves out what is hidden.
        """
        if asked.vector is None:
            return {}
        held = self._at(transaction, asked)
        if not held.traces:
            return {}
        cosines = _products(held.vectors, asked.vector)
        above = np.flatnonzero(cosines > least)  # mostly few: these alone are put in order
        best = above[np.argsort(-cosines[above], kind="stable")]
        if len(best) > _MOST and hidden_in(transaction) is None:
            trained = [at for at in best[_MOST:].tolist() if held.traces[at].endswith(TRAINED)]
            best = np.append(best[:_MOST], np.array(trained[:_MOST], np.int64))
        return dict(zip([held.traces[at] for at in best.tolist()], cosines[best].tolist(), strict=True))

    def _at(self, transaction: ReadTransaction, asked: QueryVector) -> _Held:
        stamp = objectives_stamp(transaction), asked.space
        with self._guard:
            held = self._held
        if held.stamp != stamp:
            size = 2 * asked.dimensions
            rows = [(key, row) for key, row in objective_rows(transaction, asked.space) if len(row) == size]
            halves = np.frombuffer(b"".join(row for _, row in rows), "<f2").reshape(len(rows), asked.dimensions)
            held = _Held(stamp, [key for key, _ in rows], halves.astype(np.float32))
            with self._guard:
                self._held = held
        return held


def _products(rows: NDArray[np.float32], vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """The product of each row and the vector, worked out by the thread that asks, however many there are."""
    found = np.empty(len(rows), np.float32)
    step = max(_ROWS, _AT_ONCE // max(1, rows.shape[1]) // _ROWS * _ROWS)
    cuts = [0, *range(step, len(rows) - _ROWS, step), len(rows)]  # no single row is left, which is multiplied otherwise
    for first, stop in pairwise(cuts):
        np.dot(rows[first:stop], vector, out=found[first:stop])
    return found
