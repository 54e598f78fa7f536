"""The verb growth: an overview of how the log grew. Reads a few rows for each part, however many heads there are.

To count atoms and bytes, each version and each body is read once.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import accumulate

from substrate.atoms.moments import Moment, last_seq, read_time, seq_at, time_at, timed
from substrate.errors import InputError
from substrate.kv.api import ReadTransaction
from substrate.limits import check_limit
from substrate.log.heads import require_head
from substrate.log.tables import BODIES, HEADS, read_seq, seq_key
from substrate.messages import Arg, Message
from substrate.snapshot import Snapshot
from substrate.values.growth import Grown, Growth
from substrate.values.times import from_microseconds
from substrate.views.atoms import uses_over_time

__all__ = ["growth"]

_BY = ("time", "entries")


def growth(  # noqa: PLR0913
    snapshot: Snapshot, start: Moment | None, stop: Moment | None, *, parts: int, by: str, counts: bool
) -> Growth:
    """See `Memory.growth`."""
    check_limit(parts)
    if by not in _BY:
        raise InputError(Arg("by"), f" is one of {', '.join(_BY)}")
    transaction = snapshot.transaction
    newest = last_seq(transaction)
    start, stop = timed(start, snapshot.at), timed(stop, snapshot.at)
    after = seq_at(transaction, start, Arg("start"))
    upto = seq_at(transaction, stop, Arg("stop"))
    first, last = -1 if after is None else after, newest if upto is None else upto
    low = _time(transaction, start, first, newest)
    high = _time(transaction, stop, last, newest)
    if first > last or low > high:
        raise InputError(Arg("start"), " is after ", Arg("stop"), ": swap them")
    ends = _ends_in_time(transaction, low, high, parts) if by == "time" else _ends(first, last, parts)
    items = tuple(_grown(transaction, first, [*(min(max(first, end), last) for end in ends), last]))
    if counts and items:
        items = _counted(transaction, items)
    size = require_head(transaction).head.size
    return Growth(items, by, from_microseconds(low), from_microseconds(high), first, last, size)


def _time(transaction: ReadTransaction, moment: Moment | None, seq: int, newest: int) -> int:
    """The time that a moment says; of one that says none, when its entry was recorded."""
    text = moment.strip() if isinstance(moment, str) else ""
    if isinstance(moment, datetime) or (text and not text.isdecimal() and "\n" not in text):
        return read_time(moment, Message(Arg("start"), " and ", Arg("stop")))
    return time_at(transaction, min(max(seq, 0), newest))


def _ends(first: int, last: int, parts: int) -> Iterator[int]:
    """The last seq of each part but the last one."""
    return (first + (last - first) * part // parts for part in range(1, parts))


def _ends_in_time(transaction: ReadTransaction, low: int, high: int, parts: int) -> Iterator[int]:
    for part in range(1, parts):
        end = seq_at(transaction, from_microseconds(low + (high - low) * part // parts))
        yield -1 if end is None else end


def _grown(transaction: ReadTransaction, first: int, ends: list[int]) -> Iterator[Grown]:
    """What was added in each stretch of seqs that has a head. A head belongs where its last entry is."""
    since = _head(transaction, 0, first + 1, newest=True) or 0
    for end in ends:
        size = _head(transaction, first + 2, end + 1, newest=True)
        earliest = size and _head(transaction, first + 2, end + 1, newest=False)
        if size and earliest:
            started, recorded = (from_microseconds(time_at(transaction, at - 1)) for at in (earliest, size))
            yield Grown(size, earliest, since, started, recorded)
            since = size
        first = end


def _counted(transaction: ReadTransaction, items: Sequence[Grown]) -> tuple[Grown, ...]:
    """The same, each with the atoms and bytes there were after it."""
    sizes = [one.size for one in items]
    atoms = _summed(sizes, uses_over_time(transaction))
    rows = transaction.scan(BODIES, stop=seq_key(sizes[-1]))
    kept = _summed(sizes, ((read_seq(at), len(row)) for at, row in rows))
    return tuple(replace(one, atoms=live, bytes=held) for one, live, held in zip(items, atoms, kept, strict=True))


def _summed(sizes: Sequence[int], steps: Iterable[tuple[int, int]]) -> Iterator[int]:
    """The sum of all steps before each size."""
    within = [0] * (len(sizes) + 1)
    for seq, step in steps:
        within[bisect_right(sizes, seq)] += step
    return accumulate(within[:-1])


def _head(transaction: ReadTransaction, low: int, high: int, *, newest: bool) -> int | None:
    """The size of the newest, or oldest, head of low to high entries, both included; None if there is none."""
    if low > high:
        return None
    for at, _ in transaction.scan(HEADS, seq_key(low), seq_key(high + 1), reverse=newest):
        return read_seq(at)
    return None
