"""What the errors of LMDB mean to a caller: one of ours for each. `substrate/files.py` does it for the system's.

LMDB's errors are known by the names of their classes, so this needs no lmdb. What is not listed is what LMDB does not
expect either: StoreDamaged. Every message says what to do next.
"""

from __future__ import annotations

import errno
from collections.abc import Callable

from substrate.errors import (
    Busy,
    Denied,
    DiskFull,
    Full,
    MapFull,
    SchemaInvalid,
    StoreDamaged,
    SubstrateError,
    Unusable,
)
from substrate.files import IN_DOUBT, NO_RIGHT, NO_ROOM, from_os
from substrate.messages import FSCK, Message

__all__ = ["DAMAGED", "from_lmdb"]

DAMAGED = Message("the stored bytes are damaged: do not write, run ", FSCK, ", restore a backup")

_BY_NAME: dict[str, tuple[type[SubstrateError], str]] = {
    "MapFullError": (
        MapFull,
        "no room to grow, nothing was written: compact the store, or raise the limit on memory (ulimit -v)",
    ),
    "DiskError": (DiskFull, NO_ROOM),
    "TxnFullError": (Full, "too much for one transaction, nothing was written: split it"),
    "MemoryError": (Full, "no memory for this, nothing was written: split it"),
    "ReadersFullError": (Busy, "too many transactions read at once: try again"),
    "LockError": (Busy, "another process has locked the data file: try again"),
    "MapResizedError": (Busy, "another process has just grown the store: try again"),
    "ReadonlyError": (Denied, NO_RIGHT),
    "BadValsizeError": (SchemaInvalid, "a key or a value of this size cannot be stored"),
    "DbsFullError": (SchemaInvalid, "too many tables"),
    "PanicError": (Unusable, IN_DOUBT),
    "BadTxnError": (Unusable, IN_DOUBT),
    "BadRslotError": (Unusable, IN_DOUBT),
    "TlsFullError": (Unusable, IN_DOUBT),
    "InvalidParameterError": (Unusable, IN_DOUBT),
}


def from_lmdb(error: Exception, is_full: Callable[[], bool] = lambda: False) -> SubstrateError:
    """Our error for one of LMDB's. `is_full` tells, where that is possible, whether the data file has room to grow."""
    name = type(error).__name__
    if name == "Error":  # no class of its own: an errno, or 0 for a misuse that LMDB caught
        number = getattr(error, "code", 0)
        # LMDB reports a write that was cut short, as by a full disk, as an I/O error.
        return from_os(errno.ENOSPC if number == errno.EIO and is_full() else number, str(error))
    kind, meaning = _BY_NAME.get(name, (StoreDamaged, DAMAGED))
    return kind(meaning, f" ({error})")
