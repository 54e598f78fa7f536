"""All touches of a store as columns in memory, and what they come to for each atom: uses, last use, strength.

1. Rows are read once, in the order in which they were written; `TouchColumns.at` reads what is new since the last call.
2. What is published is never written to: a few new rows make new arrays. Of many, all is added up again.
   What they come to for every version is worked out once, in the order of seqs, and follows each new row.
3. A row of an atom that was forgotten may stay here until the process ends. Nobody asks for that id any more.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from substrate.fading.decay import MOST_STRENGTH, USE_POWER, Decay
from substrate.kv.api import ReadTransaction
from substrate.search.columns.documents import Documents
from substrate.search.columns.ids import Ids
from substrate.views.follow import Trail
from substrate.views.touches import HUNDREDTHS, ROW_BYTES, TouchKind, touches_after

__all__ = ["Scores", "TouchColumns", "Uses", "uses_until"]

_DTYPE: Final = np.dtype(
    [("high", "<u8"), ("low", "<u8"), ("time", ">i8"), ("times", ">u4"), ("strength", ">u2"), ("kind", "u1")]
)
_NEVER: Final = np.iinfo(np.int64).min
_FEW: Final = 64
"""New rows that are taken in one by one."""
_MOST_CHANGES: Final = 1000
"""Ids of touched atoms that are kept. Then they begin again."""
_SECOND: Final = 1e6


@dataclass(frozen=True, eq=False)
class Uses:
    """Of each atom that has touches, by the order of ids: what they come to."""

    ids: Ids
    count: NDArray[np.int64]
    last: NDArray[np.int64]
    """In microseconds; _NEVER: it was only put away."""
    strength: NDArray[np.float64]
    archived: NDArray[np.int64]
    """When it was last put away; _NEVER if it never was."""
    weight: NDArray[np.float64]
    """Its score if it were used right now."""
    changes: list[tuple[int, int]] = field(default_factory=list)
    """Ids, in halves, of what was touched since this list began; what came later may follow."""
    changed: int = 0
    """How many of them this is after."""

    def places(self, ids: Ids) -> NDArray[np.int64]:
        """Where each of these stands; -1 of those without touches."""
        own, found = self.ids, np.full(len(ids.high), -1, np.int64)
        if not len(own.high):
            return found
        at = np.minimum(np.searchsorted(own.high, ids.high), len(own.high) - 1)
        for _ in range(_SAME_HALF):
            hit = (own.high[at] == ids.high) & (own.low[at] == ids.low)
            found[hit] = at[hit]
            at = np.minimum(at + 1, len(own.high) - 1)
        return found


_SAME_HALF: Final = 2
"""Ids that may share their first half: of random ones, no two do."""


@dataclass(frozen=True, eq=False)
class Scores:
    """What is known of some versions: an item of each array for each of the seqs."""

    seqs: NDArray[np.int64]
    score: NDArray[np.float64]
    last: NDArray[np.int64]
    uses: NDArray[np.int64]
    """How often each was touched."""
    _documents: Documents
    _touched: Uses

    def strengths(self, items: NDArray[np.int64]) -> NDArray[np.float64]:
        """How strong some of them are."""
        places = self._touched.places(self._documents.ids(self.seqs[items]))
        return _taken(self._touched.strength, places, 1.0)


class TouchColumns:
    """The touches of one open memory. Safe to share between threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: _VersionUses | None = None
        self._begin()

    def _begin(self) -> None:
        self._trail = Trail()
        self._key = b""
        self._rows = np.zeros(0, _DTYPE)
        self._count = 0
        self._uses: Uses | None = None

    def at(self, transaction: ReadTransaction) -> Uses:
        """What all touches come to now."""
        with self._lock:
            return self._at(transaction)

    def until(self, transaction: ReadTransaction, time: int) -> Uses:
        """What the touches up to this time came to, in microseconds."""
        with self._lock:
            self._at(transaction)
            rows = self._rows[: self._count]
        return uses_until(rows, time)

    def _at(self, transaction: ReadTransaction) -> Uses:
        if not self._trail.leads_to(transaction):
            self._begin()
        if self._trail.is_behind(transaction):
            self._trail.follow(transaction)
        fresh = list(touches_after(transaction, self._key))
        if fresh:
            rows = np.frombuffer(b"".join(row for _, row in fresh if len(row) == ROW_BYTES), _DTYPE)
            self._take(rows[rows["kind"] <= max(TouchKind)])
            self._key = fresh[-1][0]
        if self._uses is None:
            self._uses = _added_up(self._rows[: self._count])
        return self._uses

    def _take(self, rows: NDArray[Any]) -> None:
        needed = self._count + len(rows)
        if needed > len(self._rows):
            larger = np.zeros(max(1024, needed + needed // 2), _DTYPE)
            larger[: self._count] = self._rows[: self._count]
            self._rows = larger
        self._rows[self._count : needed] = rows
        self._count = needed
        if self._uses is not None and len(rows) <= _FEW:
            for row in rows:
                self._uses = _with(self._uses, row)
        else:
            self._uses = None

    def scores(  # noqa: PLR0913
        self,
        documents: Documents,
        uses: Uses,
        decay: Decay,
        seqs: NDArray[np.int64],
        now: int,
        *,
        keep: bool = False,
    ) -> Scores:
        """The score of each of these versions at a time in microseconds. `keep`: the same will be asked again."""
        if keep:
            known = self._followed(documents, uses)
            last, weight, count = known.last[seqs], known.weight[seqs], known.count[seqs]
        else:
            last, weight, count = _looked_up(documents.ids(seqs), documents.time[seqs], uses)
        seconds = (now - last) / _SECOND
        score = _left(decay, np.maximum(seconds, 0, out=seconds))
        score *= weight
        return Scores(seqs, score, last, count, documents, uses)

    def _followed(self, documents: Documents, uses: Uses) -> _VersionUses:
        """What is known of every version."""
        known = None if self._known is None else self._known.followed(documents, uses)
        if known is None:
            ids = Ids(documents.subject_high, documents.subject_low)
            known = _VersionUses(ids, uses, *_looked_up(ids, documents.time, uses))
        self._known = known
        return known


@dataclass(frozen=True, eq=False)
class _VersionUses:
    """Of every version, by seq, what the touches of its atom come to."""

    versions: Ids
    uses: Uses
    last: NDArray[np.int64]
    """When it was last used; of an atom without touches: when it was recorded."""
    weight: NDArray[np.float64]
    count: NDArray[np.int64]

    def followed(self, documents: Documents, uses: Uses) -> _VersionUses | None:
        """The same after a few touches, with what came behind; None: this is not where they began."""
        size, ids = len(self.last), Ids(documents.subject_high, documents.subject_low)
        if documents.size < size or not _same(self.versions, ids.part(0, size)):
            return None
        if self.uses.changes is not uses.changes or not 0 <= uses.changed - self.uses.changed <= _FEW:
            return None
        if uses is self.uses and documents.size == size:
            return self
        fresh = _looked_up(ids.part(size, documents.size), documents.time[size:], uses)
        last, weight, count = (
            np.concatenate(pair) for pair in zip((self.last, self.weight, self.count), fresh, strict=True)
        )
        for high, low in dict.fromkeys(uses.changes[self.uses.changed : uses.changed]):
            its = np.flatnonzero(ids.high == high)
            its = its[ids.low[its] == low]
            last[its], weight[its], count[its] = _looked_up(ids.at(its), documents.time[its], uses)
        return _VersionUses(ids, uses, last, weight, count)


def _looked_up(
    ids: Ids, time: NDArray[np.int64], uses: Uses
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
    """Of versions, given by their atoms and when each was recorded: last use, weight, count of uses."""
    places = uses.places(ids)
    last = _taken(uses.last, places, _NEVER)
    return np.where(last == _NEVER, time, last), _taken(uses.weight, places, 1.0), _taken(uses.count, places, 0)


def _same(one: Ids, other: Ids) -> bool:
    # Columns grow behind what is published: two parts of one of them are the same where both are.
    if all(a.base is not None and a.base is b.base for a, b in zip(one, other, strict=True)):
        return True
    return np.array_equal(one.high, other.high) and np.array_equal(one.low, other.low)


def _taken(array: NDArray[Any], places: NDArray[np.int64], otherwise: float) -> NDArray[Any]:
    """What stands at these places; `otherwise` at -1."""
    if not len(array):
        return np.full(len(places), otherwise, array.dtype)
    taken = array[places]
    taken[places < 0] = otherwise
    return taken


def _left(decay: Decay, seconds: NDArray[np.float64]) -> NDArray[np.float64]:
    """What `Decay.left` says, of all at once. Large arrays are costly to make, so `seconds` may be overwritten."""
    terms = decay.terms()
    if terms:
        return np.asarray(sum(share * np.exp(-rate * seconds) for share, rate in terms))
    seconds /= decay.power_law_scale
    seconds += 1
    return np.power(seconds, decay.power, out=seconds)


def uses_until(rows: NDArray[Any], time: int) -> Uses:
    """What the rows up to a time come to."""
    return _added_up(rows[rows["time"] <= time])


def _added_up(rows: NDArray[Any]) -> Uses:
    """What rows come to, in the order in which they were written."""
    if not len(rows):
        none = np.zeros(0, np.int64)
        return Uses(Ids(np.zeros(0, np.uint64), np.zeros(0, np.uint64)), none, none, np.zeros(0), none, np.zeros(0))
    order = np.lexsort((rows["low"], rows["high"]))  # stable: rows of one atom stay in their order
    high, low = rows["high"][order], rows["low"][order]
    starts = np.flatnonzero(np.r_[True, (high[1:] != high[:-1]) | (low[1:] != low[:-1])])
    group = np.repeat(np.arange(len(starts)), np.diff(np.r_[starts, len(order)]))
    kind, time = rows["kind"][order], rows["time"][order].astype(np.int64)
    added = rows["strength"][order].astype(np.int64)
    used, saved, away = (kind == one for one in (TouchKind.USED, TouchKind.SAVED, TouchKind.ARCHIVED))
    count = np.add.reduceat(np.where(used, rows["times"][order].astype(np.int64), 0), starts)
    last = np.maximum.reduceat(np.where(away, _NEVER, time), starts)
    archived = np.maximum.reduceat(np.where(away, time, _NEVER), starts)
    place = np.arange(len(order))
    since = np.maximum.reduceat(np.where(saved, place, -1), starts)
    given = np.where(since >= 0, added[since], HUNDREDTHS)
    boosts = np.add.reduceat(np.where(used & (place > since[group]), added, 0), starts)
    strength = np.minimum(given + boosts, MOST_STRENGTH * HUNDREDTHS) / HUNDREDTHS
    weight = (count + 1) ** USE_POWER * strength
    return Uses(Ids(high[starts], low[starts]), count, last, strength, archived, weight)


def _with(uses: Uses, row: Any) -> Uses:  # noqa: ANN401 - a row of an array
    """The same after one more row."""
    one = Ids(np.array([row["high"]], np.uint64), np.array([row["low"]], np.uint64))
    place = int(uses.places(one)[0])
    arrays = [uses.ids.high, uses.ids.low, uses.count, uses.last, uses.strength, uses.archived, uses.weight]
    if place < 0:
        place = int(np.searchsorted(uses.ids.high, one.high[0]))
        blank = (one.high[0], one.low[0], 0, _NEVER, 1.0, _NEVER, 1.0)
        high, low, count, last, strength, archived, weight = (
            np.insert(array, place, new) for array, new in zip(arrays, blank, strict=True)
        )
    else:
        high, low = arrays[:2]
        count, last, strength, archived, weight = arrays[2:]
        if row["kind"] == TouchKind.ARCHIVED:
            archived = archived.copy()
        else:
            count, last, strength, weight = (array.copy() for array in (count, last, strength, weight))
    kind, time, added = TouchKind(int(row["kind"])), int(row["time"]), int(row["strength"])
    if kind is TouchKind.ARCHIVED:
        archived[place] = max(int(archived[place]), time)
    else:
        last[place] = max(int(last[place]), time)
    if kind is TouchKind.USED:
        count[place] += int(row["times"])
        boosted = round(float(strength[place]) * HUNDREDTHS) + added
        strength[place] = min(boosted, MOST_STRENGTH * HUNDREDTHS) / HUNDREDTHS
    elif kind is TouchKind.SAVED:
        strength[place] = added / HUNDREDTHS
    if kind is not TouchKind.ARCHIVED:
        weight[place] = (int(count[place]) + 1) ** USE_POWER * float(strength[place])
    changes = uses.changes if len(uses.changes) < _MOST_CHANGES else []  # scores then begin from all rows, once
    changes.append((int(row["high"]), int(row["low"])))
    return Uses(Ids(high, low), count, last, strength, archived, weight, changes, len(changes))
