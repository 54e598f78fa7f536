"""Touches: traces of use. Each is a row of its own, so that how far an atom had faded is exact for any past moment.

    touches   size of the log (8), number (4) -> atom id (16), when (8), how often (4), strength (2), kind (1)
    touched   atom id (16), key of a touch (12) -> nothing

Keys ascend with every write. A forget makes the log longer, so a key that it freed is never used again: whoever has
read up to a key has read all before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import IntEnum
from struct import Struct
from typing import Final, NamedTuple

from substrate.errors import StoreDamaged
from substrate.kv.api import ReadTransaction, behind
from substrate.log.heads import require_head
from substrate.log.tables import SEQ_BYTES, TOUCHED, TOUCHES, read_seq
from substrate.messages import FSCK, REBUILD
from substrate.proof.entry import ID_BYTES
from substrate.schema import is_time
from substrate.views.learned.sessions import KEY_BYTES, next_key
from substrate.views.traces import Trace

__all__ = [
    "HUNDREDTHS",
    "ROW_BYTES",
    "Touch",
    "TouchKind",
    "check_touches",
    "erase_touches",
    "touch_traces",
    "touches_after",
    "touches_of",
]

_ROW: Final = Struct(f">{ID_BYTES}sqIHB")
ROW_BYTES: Final = _ROW.size
HUNDREDTHS: Final = 100
_MOST_TIMES: Final = 2**32 - 1


class TouchKind(IntEnum):
    """What a row says of its atom."""

    SAVED = 0
    """It was saved with this strength."""
    USED = 1
    """It was used, so many times, which added so much to its strength."""
    ARCHIVED = 2
    """It was put away."""


class Touch(NamedTuple):
    """One row. `strength` is in hundredths: what it was saved with, or what a use added."""

    subject: bytes
    time: int
    times: int = 1
    strength: int = 0
    kind: TouchKind = TouchKind.USED


def touch_traces(transaction: ReadTransaction, touches: Sequence[Touch]) -> list[Trace]:
    """The rows to write for these, in their order."""
    size = require_head(transaction).head.size
    rows: list[Trace] = []
    for ahead, one in enumerate(touches):
        key = next_key(transaction, size, ahead, table=TOUCHES)
        times = min(one.times, _MOST_TIMES)
        rows.append((TOUCHES, key, _ROW.pack(one.subject, one.time, times, one.strength, one.kind)))
        rows.append((TOUCHED, one.subject + key, b""))
    return rows


def touches_of(transaction: ReadTransaction, subject: bytes) -> list[Touch]:
    """All touches of an atom, in the order in which they were written."""
    keys = [key[ID_BYTES:] for key, _ in transaction.scan(TOUCHED, subject, behind(subject))]
    return [_touch(row) for row in transaction.get_many(TOUCHES, keys) if row is not None]


def touches_after(transaction: ReadTransaction, key: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Key and row of every touch after this key; all of them after an empty one."""
    return transaction.scan(TOUCHES, key + b"\x00" if key else b"")


def erase_touches(transaction: ReadTransaction, subject: bytes) -> list[Trace]:
    """What deletes all touches of an atom."""
    rows: list[Trace] = []
    for key, _ in transaction.scan(TOUCHED, subject, behind(subject)):
        rows += [(TOUCHED, key, None), (TOUCHES, key[ID_BYTES:], None)]
    return rows


def check_touches(transaction: ReadTransaction) -> None:
    """StoreDamaged if a row is malformed, from a time that the log has not reached, or not listed by its atom."""
    size, count = require_head(transaction).head.size, 0
    for key, row in transaction.scan(TOUCHES):
        listed = len(key) == KEY_BYTES and 0 < read_seq(key[:SEQ_BYTES]) <= size
        if not listed or transaction.get(TOUCHED, _touch(row).subject + key) is None:
            raise StoreDamaged(f"table {TOUCHES} has a row that was not written here: ", REBUILD, " leaves it behind")
        count += 1
    if transaction.count(TOUCHED) != count:
        raise StoreDamaged(f"table {TOUCHED} lists touches that there are not; run ", FSCK)


def _touch(row: bytes) -> Touch:
    if len(row) != ROW_BYTES:
        raise StoreDamaged("a row of touches is malformed; run ", FSCK)
    subject, time, times, strength, kind = _ROW.unpack(row)
    if kind > max(TouchKind) or not is_time(time):
        raise StoreDamaged("a row of touches is malformed; run ", FSCK)
    return Touch(subject, time, times, strength, TouchKind(kind))
