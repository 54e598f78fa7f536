"""What the errors of LMDB and of the operating system mean to a caller: one of ours for each.

LMDB's errors are known by the names of their classes, so this needs no lmdb. What is not listed is what LMDB does not
expect either: StoreDamaged. Every message says what to do next.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from substrate.errors import (
    Busy,
    Denied,
    DiskFull,
    Full,
    InputError,
    MapFull,
    SchemaInvalid,
    StoreDamaged,
    SubstrateError,
    Unusable,
)

__all__ = ["DAMAGED", "from_lmdb", "from_os", "typed_errors", "users_file"]

DAMAGED = "the stored bytes are damaged: do not write, run fsck, restore a backup"

_NO_ROOM = "no room on the disk, nothing was written: free some space"
_NO_RIGHT = "not allowed: check who owns the store folder and whether it can be written"
_NO_HANDLE = "the system is out of files or locks: close some and try again"
_IN_DOUBT = "the disk or the store failed: open the store again, run fsck"

_BY_NUMBER: dict[int, tuple[type[SubstrateError], str]] = {
    errno.ENOSPC: (DiskFull, _NO_ROOM),
    errno.EDQUOT: (DiskFull, _NO_ROOM),
    errno.EFBIG: (DiskFull, _NO_ROOM),
    errno.EACCES: (Denied, _NO_RIGHT),
    errno.EPERM: (Denied, _NO_RIGHT),
    errno.EROFS: (Denied, _NO_RIGHT),
    errno.EMFILE: (Busy, _NO_HANDLE),
    errno.ENFILE: (Busy, _NO_HANDLE),
    errno.ENOLCK: (Busy, _NO_HANDLE),
}

_BY_NAME: dict[str, tuple[type[SubstrateError], str]] = {
    "MapFullError": (MapFull, "the memory map is full, nothing was written: compact the store, or open a larger map"),
    "DiskError": (DiskFull, _NO_ROOM),
    "TxnFullError": (Full, "too much for one transaction, nothing was written: split it"),
    "MemoryError": (Full, "no memory for this, nothing was written: split it"),
    "ReadersFullError": (Busy, "too many transactions read at once: try again"),
    "LockError": (Busy, "another process has locked the data file: try again"),
    "MapResizedError": (Busy, "another process has just grown the store: try again"),
    "ReadonlyError": (Denied, _NO_RIGHT),
    "BadValsizeError": (SchemaInvalid, "a key or a value of this size cannot be stored"),
    "DbsFullError": (SchemaInvalid, "too many tables"),
    "PanicError": (Unusable, _IN_DOUBT),
    "BadTxnError": (Unusable, _IN_DOUBT),
    "BadRslotError": (Unusable, _IN_DOUBT),
    "TlsFullError": (Unusable, _IN_DOUBT),
    "InvalidParameterError": (Unusable, _IN_DOUBT),
}


def from_lmdb(error: Exception, is_full: Callable[[], bool] = lambda: False) -> SubstrateError:
    """Our error for one of LMDB's. `is_full` tells, where that is possible, whether the data file has room to grow."""
    name = type(error).__name__
    if name == "Error":  # no class of its own: an errno, or 0 for a misuse that LMDB caught
        number = getattr(error, "code", 0)
        # LMDB reports a write that was cut short, as by a full disk, as an I/O error.
        return from_os(errno.ENOSPC if number == errno.EIO and is_full() else number, str(error))
    kind, meaning = _BY_NAME.get(name, (StoreDamaged, DAMAGED))
    return kind(f"{meaning} ({error})")


def from_os(number: int, what: str) -> SubstrateError:
    """Our error for an errno."""
    kind, meaning = _BY_NUMBER.get(number, (Unusable, _IN_DOUBT))
    reason = f", {os.strerror(number)}" if number else ""
    return kind(f"{meaning} ({what}{reason})")


@contextmanager
def typed_errors(what: str) -> Iterator[None]:
    """In this block an OSError becomes one of ours."""
    try:
        yield
    except OSError as error:
        raise from_os(error.errno or 0, what) from error


@contextmanager
def users_file(path: object) -> Iterator[None]:
    """In this block an OSError becomes one of ours, and says that a file is at fault that the user named."""
    try:
        yield
    except OSError as error:
        number = error.errno or 0
        if number not in _BY_NUMBER:
            raise InputError(f"{path}: {error.strerror or error}") from error
        kind, _ = _BY_NUMBER[number]
        raise kind(f"{path}: {error.strerror}") from error
