"""Which version of an atom came before which: worked out for all at once, then version by version as the log grows."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["Chains"]

_TAIL: Final = 4096
"""Versions that are kept in a dictionary before all are sorted anew: there they take ten times the memory."""
_SHARE: Final = 16
"""The same, as a share of those that are sorted: each is then sorted about as often, however large the log is."""
_FIRST_ROOM: Final = 1024


class Chains:
    """Grows with the columns. What `arrays` gave out is never written to again.

    Versions up to some size are sorted by atom and seq; of each atom with a later one, a dictionary knows its last.
    Ids are compared whole: that the halves of two are the same says nothing.
    """

    def __init__(self) -> None:
        self._before = np.full(_FIRST_ROOM, -1)
        self._followers = np.zeros(_FIRST_ROOM, np.int64)
        self._count = 0
        self._sorted = np.zeros(0, np.int64)
        self._sorted_high = np.zeros(0, np.uint64)
        self._tail: dict[tuple[int, int], int] = {}

    def arrays(self, size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Of each seq the version before it, or -1; and the seqs that have one, in order."""
        followers = self._followers[: self._count]
        return self._before[:size], followers[: np.searchsorted(followers, size)]

    def extend(
        self, start: int, stop: int, kind: NDArray[np.uint8], high: NDArray[np.uint64], low: NDArray[np.uint64]
    ) -> None:
        """Take in the versions of start..stop, where `kind` is not 0; `high` and `low` are the halves of their ids."""
        self._before = _with_room(self._before, start, stop, -1)
        if start == 0:
            several = self._sort(stop, kind, high, low)
            earlier, later = several[:-1], several[1:]
            follows = (high[later] == high[earlier]) & (low[later] == low[earlier])
            self._before[later[follows]] = earlier[follows]
            self._add(np.sort(later[follows]))
            return
        seqs = start + np.flatnonzero(kind[start:stop])
        found = self._look_up(high[seqs], low[seqs], low)
        ids = zip(high[seqs].tolist(), low[seqs].tolist(), strict=True)
        followers: list[int] = []
        for seq, key, sorted_seq in zip(seqs.tolist(), ids, found.tolist(), strict=True):
            known = self._tail.get(key, sorted_seq)
            self._tail[key] = seq
            if known >= 0:
                self._before[seq] = known
                followers.append(seq)
        self._add(np.array(followers, np.int64))
        if len(self._tail) > max(_TAIL, len(self._sorted) // _SHARE):
            self._sort(stop, kind, high, low)

    def _sort(
        self, stop: int, kind: NDArray[np.uint8], high: NDArray[np.uint64], low: NDArray[np.uint64]
    ) -> NDArray[np.int64]:
        """Sort all versions by atom and seq; those of atoms with several are the answer, in that order."""
        seqs = np.flatnonzero(kind[:stop])
        halves = high[seqs]
        order = np.argsort(halves)
        halves, order = halves[order], seqs[order]
        # That sort is fast and not stable. Few atoms have several versions: only those are put in order with care.
        same = halves[1:] == halves[:-1]
        places = np.flatnonzero(np.append(same, False) | np.append(False, same))
        several = np.sort(order[places])
        several = several[np.lexsort((low[several], high[several]))]
        order[places] = several
        self._sorted, self._sorted_high, self._tail = order, halves, {}
        return several

    def _look_up(
        self, high: NDArray[np.uint64], low: NDArray[np.uint64], lows: NDArray[np.uint64]
    ) -> NDArray[np.int64]:
        """The last of the sorted versions of each id; -1 if there is none."""
        if not len(self._sorted):
            return np.full(len(high), -1)
        at = np.searchsorted(self._sorted_high, high, "right") - 1
        candidates = self._sorted[at]
        near = (at >= 0) & (self._sorted_high[at] == high)
        found = np.where(near & (lows[candidates] == low), candidates, -1)
        for i in np.flatnonzero(near & (found < 0)):  # two ids with one first half
            place = int(at[i])
            while place >= 0 and self._sorted_high[place] == high[i]:
                if lows[self._sorted[place]] == low[i]:
                    found[i] = self._sorted[place]
                    break
                place -= 1
        return found

    def _add(self, followers: NDArray[np.int64]) -> None:
        count = self._count + len(followers)
        self._followers = _with_room(self._followers, self._count, count, 0)
        self._followers[self._count : count] = followers
        self._count = count


def _with_room(array: NDArray[np.int64], used: int, wanted: int, fill: int) -> NDArray[np.int64]:
    """The array, or one twice as long with the same beginning, if so many do not fit."""
    if wanted <= len(array):
        return array
    larger = np.full(max(2 * len(array), wanted + wanted // 4), fill, np.int64)
    larger[:used] = array[:used]
    return larger
