"""Traces: when imported entries were recorded in the store that they come from.

    choices   "recorded:", first entry of the checkpoint (8) -> microseconds since 1970 for each of its entries, in
              order (8 each, signed; the least number: it is not said)

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

__all__ = ["recorded_at", "recorded_row"]

_KEY: Final = b"recorded:"
_TIME: Final = Struct(">q")
_UNSAID: Final = -(2**63)


def recorded_row(start: int, times: Sequence[int | None]) -> Trace:
    """The row for the checkpoint that begins with the entry `start`, with a time for each of its entries."""
    row = pack(f">{len(times)}q", *(_UNSAID if time is None else time for time in times))
    return CHOICES, _KEY + seq_key(start), row


def recorded_at(transaction: ReadTransaction, seq: int) -> int | None:
    """When an entry was recorded in the store that it comes from; None if it comes from none, or nobody said it."""
    for key, row in transaction.scan(CHOICES, _KEY, _KEY + seq_key(seq + 1), reverse=True, limit=1):
        at = (seq - read_seq(key[len(_KEY) :])) * _TIME.size
        if at + _TIME.size <= len(row):
            (time,) = _TIME.unpack_from(row, at)
            return None if time == _UNSAID else int(time)
    return None
