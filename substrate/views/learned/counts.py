"""Counts of what followed what, as rows that are read and written whole: decayed, exact, bounded.

    arcs       kind (1), id of a source (16) -> epoch (2), times met (4), mass (8); then for each target its id (16)
               and two counts (8, 8)
    arrivals   id of a target (16), kind (1), id of a source (16) -> nothing: in which rows the target stands
    uses       atom id (16) -> how often it was accessed (4), and when last (8)

| kind | source | counts |
|---|---|---|
| ATOM | an atom | it was the next one; it came within ten steps, at distance d by 1/d |
| START | a domain | the same from the start of a session |
| USAGE | a domain | sessions it was used in: slowly decayed; fast, by number of sessions |

1. Decay is forward, from one landmark: what happens at a time adds 2^((time - landmark) / half-life), so that nothing
   that lies there has to be touched as time goes by. A reader scales to its own now.
2. Counts are whole numbers. So adding up is exact in any order, and taking an atom out leaves what would be there
   without it: a rebuild, which meets forgotten atoms as holes, ends in the same rows. For the same reason a row is cut
   by nothing but its source's own history: every 32 times it was met, what has less than a fixed share of its mass
   goes.
3. After sixteen half-lives (32 years) a row begins a new epoch and its counts are shifted: they stay small.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import ldexp
from struct import Struct
from typing import Final, Literal, NamedTuple

from substrate.errors import StoreDamaged
from substrate.kv.api import Kept, ReadTransaction, WriteTransaction, behind
from substrate.kv.decoded import Decoded
from substrate.log.tables import ARCS, ARRIVALS, USES
from substrate.messages import FSCK, REBUILD
from substrate.proof.entry import ID_BYTES

__all__ = [
    "ATOM",
    "HALF_LIFE",
    "PARTS",
    "START",
    "USAGE",
    "Cells",
    "Counts",
    "Tally",
    "read_cells",
    "read_uses",
    "share_in",
    "sources_of_arcs",
    "times_used",
]

ATOM: Final = b"a"
START: Final = b"d"
USAGE: Final = b"u"

HALF_LIFE: Final = 720 * 86_400 * 1_000_000
"""Of arcs and of slow usage, in microseconds. Too fast is far worse than none (docs/decisions/0011)."""
FAST_HALF_LIFE: Final = 15
"""Of fast usage, in sessions."""
_LANDMARK: Final = 1_577_836_800_000_000
"""2020-01-01. It is one for all stores; which does not matter."""
_UNIT_BITS: Final = 24
"""One event at the landmark counts 2^24."""
_EPOCH: Final = 16
"""Half-lives in an epoch."""
_STEPS: Final = 4096
"""In which a half-life is divided: powers are looked up, so that every machine has the same."""
_MOST: Final = 2**63 - 1
PARTS: Final = 2520
"""Of one: it can be divided by all distances up to ten."""
_CUT_EVERY: Final = 32
_LEAST_SHARE: Final = {ATOM: 400, START: 200, USAGE: 200}
"""A target stays that has such a part of its source's mass; of an atom's at most some 1,200 can."""
_FAST_SHIFT_EVERY: Final = 300
_FAST_KEPT: Final = 2
"""Half-lives of the fast clock for which a new target stays, however rare."""

_KEPT_ROWS: Final = 1000
_KEPT_BYTES: Final = 4096
"""Longer rows are read and compared each time: `kept_by` is for what is small."""

_HEAD: Final = Struct(">HIQ")
_CELL: Final = Struct(">16sQQ")
_USE: Final = Struct(">Iq")


class _Row:
    """One source's row, to be changed. Cells are changed where they lie: of hundreds a session touches a few."""

    __slots__ = ("_cells", "epoch", "mass", "met")

    def __init__(self, data: bytes | None) -> None:
        if data is not None:
            _check(data)
        self.epoch, self.met, self.mass = _HEAD.unpack_from(data) if data else (0, 0, 0)
        self._cells = bytearray(data[_HEAD.size :] if data else b"")

    def to_bytes(self) -> bytes:
        """As it is stored."""
        return _HEAD.pack(self.epoch, self.met, self.mass) + self._cells

    def cells(self) -> list[tuple[bytes, int, int]]:
        """Target, first and second count of each."""
        return list(_CELL.iter_unpack(self._cells))

    def replace(self, cells: Iterable[tuple[bytes, int, int]]) -> None:
        """Have these cells, in this order."""
        self._cells = bytearray(b"".join(_CELL.pack(*cell) for cell in cells))

    def add(self, target: bytes, first: int, second: int) -> bool:
        """Add to a target's counts; whether it is new here."""
        at = self._find(target)
        if at < 0:
            self._cells += _CELL.pack(target, min(_MOST, first), min(_MOST, second))
            return True
        _, before, earlier = _CELL.unpack_from(self._cells, at)
        _CELL.pack_into(self._cells, at, target, min(_MOST, before + first), min(_MOST, earlier + second))
        return False

    def drop(self, target: bytes) -> bool:
        """Take a target out; whether it was there."""
        at = self._find(target)
        if at >= 0:
            del self._cells[at : at + _CELL.size]
        return at >= 0

    def _find(self, target: bytes) -> int:
        at = self._cells.find(target)
        while at >= 0 and at % _CELL.size:  # the same bytes by chance, across counts
            at = self._cells.find(target, at + 1)
        return at


class Tally:
    """What a row counts, whenever that is read: (target, first, second) each, and the sums of both counts.

    One row is one object for as long as it stays the same: what is worked out of it alone can be kept by it.
    """

    __slots__ = ("_by_target", "cells", "epoch", "sums")

    def __init__(self, cells: list[tuple[bytes, int, int]], epoch: int = 0) -> None:
        self.cells = cells
        self.epoch = epoch
        self.sums = sum([first for _, first, _ in cells]), sum([second for _, _, second in cells])
        self._by_target: list[dict[bytes, int] | None] = [None, None]

    def by_target(self, which: Literal[0, 1]) -> dict[bytes, int]:
        """One of the two counts of each target that has any."""
        counts = self._by_target[which]
        if counts is None:
            both = ((of, second if which else first) for of, first, second in self.cells)
            counts = self._by_target[which] = {of: count for of, count in both if count}
        return counts


class Cells(NamedTuple):
    """A row as it is read, and what one event of now is 1 by: a count times `scale` is an amount as of now."""

    tally: Tally
    scale: float

    @property
    def cells(self) -> list[tuple[bytes, int, int]]:
        """Target, first and second count of each."""
        return self.tally.cells

    @property
    def sums(self) -> tuple[int, int]:
        """Of both counts."""
        return self.tally.sums


def _tally(data: bytes) -> Tally:
    _check(data)
    return Tally(list(_CELL.iter_unpack(memoryview(data)[_HEAD.size :])), _HEAD.unpack_from(data)[0])


_TALLIES: Final = Decoded(_tally, 2**20)


def read_cells(
    transaction: ReadTransaction, kind: bytes, source: bytes, now: int, kept: Kept | None = None
) -> Cells | None:
    """A source's row, to be read; None if nothing was learnt of it. `kept`: those of `kept_by`, for many reads."""
    key = kind + source
    tally: Tally | None = None if kept is None else kept.get(key)
    if tally is None:
        data = transaction.get(ARCS, key)
        if data is None:
            return None
        tally = _TALLIES(key, data)
        if kept is not None and len(kept) < _KEPT_ROWS and len(data) <= _KEPT_BYTES:
            kept[key] = tally
    return Cells(tally, _scale(tally.epoch, now))


def sources_of_arcs(transaction: ReadTransaction, target: bytes) -> Iterator[bytes]:
    """The atoms in whose rows an atom stands, in no order that means anything."""
    first = target + ATOM
    for key, _ in transaction.scan(ARRIVALS, first, behind(first)):
        yield key[len(first) :]


def share_in(transaction: ReadTransaction, source: bytes, target: bytes) -> float:
    """Of all that came within ten steps of the source: how much was the target. The row is seen as it lies."""
    data = transaction.get(ARCS, ATOM + source)
    if data is None:
        return 0.0
    tally = _TALLIES(ATOM + source, data)
    return tally.by_target(1).get(target, 0) / tally.sums[1] if tally.sums[1] else 0.0


def _check(data: bytes) -> None:
    if len(data) < _HEAD.size or (len(data) - _HEAD.size) % _CELL.size:
        raise StoreDamaged("a row of arcs is malformed; run ", FSCK, ", or ", REBUILD)


@lru_cache(16)
def _scale(epoch: int, now: int) -> float:
    age = (now - _LANDMARK) / HALF_LIFE - _EPOCH * epoch
    whole = int(-age // 1)
    return ldexp(float(2.0 ** (-age % 1.0)), max(-1000, min(60, whole)) - _UNIT_BITS)


@lru_cache(_STEPS)
def _power(step: int) -> int:
    return round(float(2.0 ** (step / _STEPS)) * (1 << _UNIT_BITS))


@lru_cache(1024)
def _whole(time: int) -> tuple[int, int]:
    """Half-lives since the landmark, and steps of the next one."""
    return divmod((time - _LANDMARK) * _STEPS // HALF_LIFE, _STEPS)


def _amount(time: int, epoch: int) -> int:
    """What an event at a time adds to a row of an epoch; never nothing."""
    whole, step = _whole(time)
    whole -= epoch * _EPOCH
    return max(1, _power(step) << whole if whole >= 0 else _power(step) >> -whole)


def _fast_amount(tick: int) -> int:
    whole, rest = divmod(tick % _FAST_SHIFT_EVERY, FAST_HALF_LIFE)
    return _power(rest * _STEPS // FAST_HALF_LIFE) << whole


def read_uses(transaction: ReadTransaction, subject: bytes) -> tuple[int, int]:
    """How often an atom was accessed, and when last; (0, 0) if never."""
    return _use(transaction.get(USES, subject))


def times_used(transaction: ReadTransaction, subjects: Sequence[bytes]) -> list[int]:
    """How often each of these atoms was accessed, read at once."""
    return [_use(row)[0] for row in transaction.get_many(USES, subjects)]


def _use(row: bytes | None) -> tuple[int, int]:
    if row is None:
        return 0, 0
    if len(row) != _USE.size:
        raise StoreDamaged("a row of uses is malformed; run ", FSCK, ", or ", REBUILD)
    times, last = _USE.unpack(row)
    return times, last


class Counts:
    """Rows to be changed, held until `flush`. One per transaction."""

    def __init__(self, transaction: WriteTransaction) -> None:
        self._transaction = transaction
        self._rows: dict[bytes, _Row | None] = {}
        self._changed: set[bytes] = set()
        self._arrived: dict[bytes, bool] = {}
        self._uses: dict[bytes, tuple[int, int]] = {}

    def follow(self, source: bytes, steps: Mapping[bytes, tuple[int, int]], time: int, times: int, weight: int) -> None:
        """After `source` (kind and id), met so many times, came the targets: next so often, and in 2520ths of 1/d."""
        row = self._row(source)
        self._reach(source, row, time)
        amount = _amount(time, row.epoch) * weight
        for target, (first, second) in steps.items():
            self._add(source, row, target, amount * first, amount * second // PARTS)
        row.mass = min(_MOST, row.mass + amount * times)
        before = row.met
        row.met = min(2**32 - 1, before + times)
        if before // _CUT_EVERY != row.met // _CUT_EVERY:
            least = row.mass // _LEAST_SHARE[source[:1]]
            self._cut(source, row, lambda first, second: max(first, second) < least)

    def use(self, domain: bytes, items: Iterable[bytes], time: int, weight: int, *, begins: bool) -> None:
        """In a session of the domain these were used. `begins`: it is a new session, and the fast clock ticks."""
        source = USAGE + domain
        row = self._row(source)
        self._reach(source, row, time)
        if begins:
            self._tick(source, row)
        amount, fast = _amount(time, row.epoch) * weight, _fast_amount(row.met) * weight
        for item in items:
            self._add(source, row, item, amount, fast)
        row.mass = min(_MOST, row.mass + (amount if begins else 0))

    def touch(self, item: bytes, times: int, time: int) -> None:
        """An atom was accessed so many times."""
        before, last = self._uses.get(item) or read_uses(self._transaction, item)
        self._uses[item] = min(2**32 - 1, before + times), max(last, time) if before else time

    def remove(self, subject: bytes) -> None:
        """Take an atom out of all rows, and its own rows away."""
        stored = {key: True for key, _ in self._transaction.scan(ARRIVALS, subject, behind(subject))}
        held = {key: there for key, there in self._arrived.items() if key.startswith(subject)}
        for source in [key[ID_BYTES:] for key, there in (stored | held).items() if there]:
            self._row(source).drop(subject)
            self._arrived[subject + source] = False
            self._changed.add(source)
        for kind in (ATOM, START, USAGE):
            self._cut(kind + subject, self._row(kind + subject), lambda _, __: True)
            self._rows[kind + subject] = None
        self._uses[subject] = 0, 0

    def flush(self) -> None:
        """Write all that was changed."""
        put = []
        for source in sorted(self._changed):
            row = self._rows[source]
            if row is None:
                self._transaction.delete(ARCS, source)
            else:
                put.append((source, row.to_bytes()))
        self._transaction.put_many(ARCS, put)
        self._transaction.put_many(ARRIVALS, [(key, b"") for key, there in sorted(self._arrived.items()) if there])
        for key, there in self._arrived.items():
            if not there:
                self._transaction.delete(ARRIVALS, key)
        for item, use in sorted(self._uses.items()):
            if use[0]:
                self._transaction.put(USES, item, _USE.pack(*use))
            else:
                self._transaction.delete(USES, item)
        self._rows.clear()
        self._changed.clear()
        self._arrived.clear()
        self._uses.clear()

    def _row(self, source: bytes) -> _Row:
        row = self._rows.get(source)
        if row is None:
            known = None if source in self._rows else self._transaction.get(ARCS, source)
            row = self._rows[source] = _Row(known)
        return row

    def _add(self, source: bytes, row: _Row, target: bytes, first: int, second: int) -> None:
        if row.add(target, first, second):
            self._arrived[target + source] = True
        self._changed.add(source)

    def _cut(self, source: bytes, row: _Row, goes: Callable[[int, int], bool]) -> None:
        """Take all targets out whose counts are such."""
        kept = []
        for cell in row.cells():
            if goes(cell[1], cell[2]):
                self._arrived[cell[0] + source] = False
            else:
                kept.append(cell)
        row.replace(kept)
        self._changed.add(source)

    def _reach(self, source: bytes, row: _Row, time: int) -> None:
        """Bring a row into the epoch of a time, if that is a later one."""
        self._changed.add(source)
        epoch = min(_whole(time)[0] // _EPOCH, 2**16 - 1)
        if epoch <= row.epoch:
            return
        shift = _EPOCH * (epoch - row.epoch)
        other = 0 if source[:1] == USAGE else shift  # the fast counts of usage know nothing of time
        row.epoch = epoch
        row.mass >>= shift
        row.replace((target, first >> shift, second >> other) for target, first, second in row.cells())
        self._cut(source, row, lambda first, second: not (first or second))

    def _tick(self, source: bytes, row: _Row) -> None:
        """One more session: the fast counts of a row are shifted at times, and what is rare and long ago goes."""
        row.met = (row.met + 1) % 2**32
        if row.met % _FAST_SHIFT_EVERY == 0:
            shift = _FAST_SHIFT_EVERY // FAST_HALF_LIFE
            row.replace((target, slow, fast >> shift) for target, slow, fast in row.cells())
        if row.met % _CUT_EVERY == 0:
            least, recent = row.mass // _LEAST_SHARE[USAGE], _fast_amount(row.met) >> _FAST_KEPT
            self._cut(source, row, lambda slow, fast: slow < least and fast < recent)
