"""Traces: when imported entries were recorded in the store that they come from.

    choices   "recorded:", first entry of the checkpoint (8) -> microseconds since 1970 for each of its entries, in
              order (8 each, signed; the least number: it is not said)
              "came:", first entry of the checkpoint (8) -> the same, of entries that count as said here and now

A row is written in the transaction of its checkpoint. It holds numbers alone, so that a forget need not look here.
Without it, an imported entry counts as recorded when it was imported.
"""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct, pack
from typing import Final

from substrate.kv.api import ReadTransaction
from substrate.log.tables import CHOICES, read_seq, seq_key
from substrate.views.traces import Trace

__all__ = ["came_from", "recorded_at", "recorded_row"]

_KEY: Final = b"recorded:"
_CAME: Final = b"came:"
_TIME: Final = Struct(">q")
_UNSAID: Final = -(2**63)


def recorded_row(start: int, times: Sequence[int | None], *, counts_now: bool = False) -> Trace:
    """The row for the checkpoint that begins with the entry `start`, with a time for each of its entries.

    `counts_now`: they count as said here and now, and not at these times.
    """
    row = pack(f">{len(times)}q", *(_UNSAID if time is None else time for time in times))
    return CHOICES, (_CAME if counts_now else _KEY) + seq_key(start), row


def recorded_at(transaction: ReadTransaction, seq: int) -> int | None:
    """From when an imported entry counts: when it was recorded in the store that it comes from.

    None if it comes from none, nobody said it, or it counts as said here and now.
    """
    return _time(transaction, _KEY, seq)


def came_from(transaction: ReadTransaction, seq: int) -> int | None:
    """When an entry was recorded in the store that it comes from; None if it comes from none, or nobody said it."""
    time = _time(transaction, _KEY, seq)
    return _time(transaction, _CAME, seq) if time is None else time


def _time(transaction: ReadTransaction, prefix: bytes, seq: int) -> int | None:
    for key, row in transaction.scan(CHOICES, prefix, prefix + seq_key(seq + 1), reverse=True, limit=1):
        at = (seq - read_seq(key[len(prefix) :])) * _TIME.size
        if at + _TIME.size <= len(row):
            (time,) = _TIME.unpack_from(row, at)
            return None if time == _UNSAID else int(time)
    return None
