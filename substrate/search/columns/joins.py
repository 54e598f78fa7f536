"""What joins atoms, as columns in memory: every statement of an edge, and every version that is part of a whole.

1. A row is a statement, in the order of the log. Columns grow behind what is published; what is published is never
   written to. After a forget that took rows away, all are read anew, as another `era`.
2. `JoinColumns.at` follows the log to just the snapshot it is given, as `Columns` does.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from substrate.kv.api import ReadTransaction
from substrate.proof.entry import Kind
from substrate.search.columns.ids import Ids
from substrate.search.columns.versions import Chains
from substrate.views.follow import Trail, erased_between, latest_head
from substrate.views.joins import ERASED, PART, WINDOW, join_rows

__all__ = ["JoinColumns", "Joins"]

Mask = NDArray[np.bool_]

_DTYPE: Final = np.dtype(
    [
        ("seq", "<i8"),
        ("edge_high", "<u8"),
        ("edge_low", "<u8"),
        ("source_high", "<u8"),
        ("source_low", "<u8"),
        ("target_high", "<u8"),
        ("target_low", "<u8"),
        ("type", "<u8"),
        ("kind", "u1"),
        ("flags", "u1"),
        ("unused", "V6"),
        ("start", "<i8"),
        ("end", "<i8"),
    ]
)
_NAMES: Final = tuple(name for name in _DTYPE.names or () if name != "unused")
_FIRST_ROOM: Final = 1024
_BLOCKS: Final = 512
"""Blocks of rows that are taken in at once."""


@dataclass(frozen=True, eq=False)
class Joins:
    """The rows of one snapshot. Arrays are read only. Two with the same `era` begin with the same rows."""

    size: int
    """Of the log."""
    era: object
    seq: NDArray[np.int64]
    source: Ids
    target: Ids
    type: NDArray[np.uint64]
    kind: NDArray[np.uint8]
    flags: NDArray[np.uint8]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    before: NDArray[np.int64]
    """The row of the same edge that came before; -1 if none did."""
    followers: NDArray[np.int64]
    """The rows that have one before, in order."""

    def rows_from(self, size: int) -> NDArray[np.int64]:
        """The rows of entries from this seq on."""
        return np.arange(np.searchsorted(self.seq, size), len(self.seq))

    def stated(self, kind: int, upto: int | None = None, what: Kind = Kind.EDGE) -> NDArray[np.int64]:
        """The rows of all edges of a type that were stated, and not taken back, after seq `upto` (None: are).

        With UNEDGE as `what`, of those that were taken back.
        """
        stop = len(self.seq) if upto is None else int(np.searchsorted(self.seq, upto, "right"))
        last = np.ones(stop, np.bool_)
        followers = self.followers[: np.searchsorted(self.followers, stop)]
        last[self.before[followers]] = False
        last &= (self.type[:stop] == kind) & (self.kind[:stop] == what) & (self.flags[:stop] & ERASED == 0)
        return np.flatnonzero(last)

    @cached_property
    def parts(self) -> NDArray[np.int64]:
        """The rows of versions that say of what they are a part."""
        return np.flatnonzero((self.type == PART) & (self.kind == Kind.PUT))

    @cached_property
    def windowed(self) -> NDArray[np.int64]:
        """The rows that hold in some time only, whether they are still stated or not."""
        return np.flatnonzero(self.flags & WINDOW)


class JoinColumns:
    """The rows of one open memory. Safe to share between threads."""

    _columns: dict[str, NDArray[Any]]
    _latest: Joins | None

    def __init__(self) -> None:
        self._lock = Lock()
        self._begin()

    def at(self, transaction: ReadTransaction) -> Joins:
        """The rows of just this snapshot. Reads what is new since the last call."""
        size, _ = latest_head(transaction)
        with self._lock:
            latest = self._latest
            if latest is None or not self._trail.leads_to(transaction) or size <= self._forgot:
                self._begin()
            elif size == latest.size:
                return latest
            elif size < latest.size:
                return self._joins(size, int(np.searchsorted(latest.seq, size)))
            try:
                self._follow(transaction, size)
            except BaseException:  # an interrupt too: what was taken in by half would be taken in twice
                self._begin()
                raise
            self._latest = self._joins(size, self._count)
            return self._latest

    def _begin(self) -> None:
        self._trail = Trail()
        self._latest = None
        self._forgot = -1
        self._count = 0
        self._era = object()
        self._columns = {name: np.zeros(_FIRST_ROOM, _DTYPE[name]) for name in _NAMES}
        self._chains = Chains()

    def _joins(self, size: int, count: int) -> Joins:
        arrays = {name: column[:count] for name, column in self._columns.items()}
        before, followers = self._chains.arrays(count)
        for array in (*arrays.values(), before, followers):
            array.flags.writeable = False
        return Joins(
            size,
            self._era,
            arrays["seq"],
            Ids(arrays["source_high"], arrays["source_low"]),
            Ids(arrays["target_high"], arrays["target_low"]),
            arrays["type"],
            arrays["kind"],
            arrays["flags"],
            arrays["start"],
            arrays["end"],
            before,
            followers,
        )

    def _follow(self, transaction: ReadTransaction, size: int) -> None:
        start = 0 if self._latest is None else self._latest.size
        if start and self._took_rows_away(transaction, start, size):
            self._begin()
            start, self._forgot = 0, size - 1
        first = self._count
        parts: list[bytes] = []
        for _, rows in join_rows(transaction, start):
            parts.append(rows)
            if len(parts) == _BLOCKS:
                self._take(b"".join(parts), start)
                parts.clear()
        self._take(b"".join(parts), start)
        columns = self._columns
        self._chains.extend(first, self._count, columns["kind"], columns["edge_high"], columns["edge_low"])
        self._trail.follow(transaction)

    def _take(self, data: bytes, start: int) -> None:
        rows = np.frombuffer(data, _DTYPE)
        rows = rows[rows["seq"] >= start]
        count = self._count + len(rows)
        room = len(self._columns["seq"])
        for name, column in self._columns.items():
            if count > room:
                larger = np.zeros(max(2 * room, count + count // 4), column.dtype)
                larger[: self._count] = column[: self._count]
                self._columns[name] = column = larger  # noqa: PLW2901
            column[self._count : count] = rows[name]
        self._count = count

    def _took_rows_away(self, transaction: ReadTransaction, start: int, stop: int) -> bool:
        """Whether an entry of start..stop erased a statement, or a version that was a part, from before `start`."""
        erased = [seq for seq in erased_between(transaction, start, stop) if seq < start]
        if not erased:  # to look for nothing among all would sort them
            return False
        return bool(np.isin(np.array(erased, np.int64), self._columns["seq"][: self._count]).any())
