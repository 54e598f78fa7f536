"""The verb heads: what was signed, newest first, and what each head added."""

from __future__ import annotations

from collections import Counter

from substrate.atoms.moments import time_at
from substrate.errors import SchemaInvalid
from substrate.kv.api import ReadTransaction
from substrate.limits import check_limit
from substrate.log.decode import stored_entry
from substrate.log.heads import head_at
from substrate.log.tables import ENTRIES, HEADS, read_seq, seq_key
from substrate.messages import Arg
from substrate.proof.head import MAX_SIZE
from substrate.snapshot import Snapshot
from substrate.values.growth import HeadAt, Heads
from substrate.values.times import from_microseconds

__all__ = ["heads"]


def heads(snapshot: Snapshot, *, before: int | None, limit: int) -> Heads:
    """See `Memory.heads`."""
    check_limit(limit)
    if before is not None and (isinstance(before, bool) or not isinstance(before, int) or not 0 <= before <= MAX_SIZE):
        raise SchemaInvalid(Arg("before"), " is the size of a head: a whole number from 0 on")
    transaction = snapshot.transaction
    stop = None if before is None else seq_key(before)
    rows = transaction.scan(HEADS, stop=stop, reverse=True, limit=limit + 1)
    sizes = [read_seq(at) for at, _ in rows]
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
