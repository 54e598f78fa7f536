"""Ids as arrays: two halves of 64 bits, in the bytes' own order. Compared whole: half an id says nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from substrate.proof.entry import ID_BYTES

__all__ = ["Ids", "ids_of"]

_FEW: Final = 8
"""Ids that are compared with each: for more, sorting them is faster."""
_HALVES: Final = np.dtype([("high", "<u8"), ("low", "<u8")])
_WHOLE: Final = np.dtype(f"V{ID_BYTES}")


class Ids(NamedTuple):
    """Some ids, in any order."""

    high: NDArray[np.uint64]
    low: NDArray[np.uint64]

    def at(self, places: NDArray[np.int64] | NDArray[np.bool_]) -> Ids:
        """Those at some places."""
        return Ids(self.high[places], self.low[places])

    def part(self, start: int, stop: int) -> Ids:
        """Those from one place up to another."""
        return Ids(self.high[start:stop], self.low[start:stop])

    def differ(self, others: Ids) -> int | None:
        """The first place at which two lists of one length have other ids; None: they are the same."""
        differs = (self.high != others.high) | (self.low != others.low)
        place = int(differs.argmax()) if len(differs) else 0
        return place if len(differs) and differs[place] else None

    def are_in(self, others: Ids) -> NDArray[np.bool_]:
        """Of each whether it is one of the others."""
        found = np.zeros(len(self.high), np.bool_)
        if not len(others.high) or not len(found):
            return found
        if len(others.high) <= _FEW:
            for high, low in zip(others.high, others.low, strict=True):
                found |= (self.high == high) & (self.low == low)
            return found
        order = np.argsort(others.high, kind="stable")
        high, low = others.high[order], others.low[order]
        start = np.searchsorted(high, self.high, "left")
        stop = np.searchsorted(high, self.high, "right")
        near = np.flatnonzero(stop > start)
        for step in range(int((stop - start).max(initial=0))):  # ids that share their first half, or stand there twice
            at = start[near] + step
            there = at < stop[near]
            found[near[there]] |= low[at[there]] == self.low[near[there]]
        return found

    def are(self, one: bytes) -> NDArray[np.bool_]:
        """Of each whether it is this id."""
        (high, low) = ids_of([one])
        same: NDArray[np.bool_] = (self.high == high[0]) & (self.low == low[0])
        return same

    def listed(self) -> list[bytes]:
        """As bytes."""
        halves = np.empty((len(self.high), 2), np.uint64)
        halves[:, 0], halves[:, 1] = self.high, self.low
        ids: list[bytes] = halves.view(_WHOLE).ravel().tolist()
        return ids


def ids_of(subjects: Iterable[bytes]) -> Ids:
    """Ids given as bytes."""
    halves = np.frombuffer(b"".join(subjects), _HALVES)
    return Ids(np.ascontiguousarray(halves["high"]), np.ascontiguousarray(halves["low"]))
