"""The verb heads: what was signed, newest first, and what each head added."""

from __future__ import annotations

from collections import Counter
from itertools import islice

from substrate.engine.moments import time_at
from substrate.engine.paging import check_limit
from substrate.errors import SchemaInvalid
from substrate.growth import HeadAt, Heads
from substrate.kv.api import ReadTransaction
from substrate.log.heads import head_at
from substrate.log.log import Log
from substrate.log.stored import stored_entry
from substrate.log.tables import ENTRIES, HEADS, read_seq, seq_key
from substrate.model import from_microseconds
from substrate.proof.head import MAX_SIZE

__all__ = ["heads"]


def heads(log: Log, *, before: int | None, limit: int) -> Heads:
    """See `Memory.heads`."""
    check_limit(limit)
    if before is not None and (isinstance(before, bool) or not isinstance(before, int) or not 0 <= before <= MAX_SIZE):
        raise SchemaInvalid("before is the size of a head: a whole number from 0 on")
    with log.snapshot() as transaction:
        stop = None if before is None else seq_key(before)
        rows = transaction.scan(HEADS, stop=stop, reverse=True)
        sizes = [read_seq(at) for at, _ in islice(rows, limit + 1)]
        pairs = zip(sizes[:limit], [*sizes[1:], 0], strict=False)
        items = tuple(_told(transaction, size, since) for size, since in pairs)
        return Heads(items, items[-1].size if len(sizes) > limit else None)


def _told(transaction: ReadTransaction, size: int, since: int) -> HeadAt:
    head = head_at(transaction, size).head
    time = from_microseconds(time_at(transaction, size - 1))
    return HeadAt(size, head.root, head.map_root, head.origin, time, since, _added(transaction, since, size))


def _added(transaction: ReadTransaction, since: int, size: int) -> dict[str, int]:
    """How many of the entries since..size are of which kind, the most frequent first."""
    rows = transaction.scan(ENTRIES, seq_key(since), seq_key(size))
    counts = Counter(stored_entry(read_seq(at), data).kind for at, data in rows)
    return {kind.name.lower(): count for kind, count in counts.most_common()}
