"""A compaction that is owed: what was forgotten is out of reach, but its bytes are in the file until it is rewritten.

The same goes for generations, which hold its vector until they are removed.

1. A forget marks it in its own transaction, and the mark goes when the file has been rewritten. So whatever comes in
   between (a crash, a full disk, a reader that does not let go), someone who opens the store later does what is owed.
2. Each mark is another one. A rewrite drops the mark that was there before it began, and no other: what was forgotten
   meanwhile may be in the new file.
3. No clock is asked. Who opens the store does at once what is owed, unless somebody rewrites the file just now, or
   holds it open in a long read: then a copy would be in vain, and every open would make one.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Final

from substrate.errors import Busy, Full
from substrate.kv.api import ReadTransaction
from substrate.log.append import Decision
from substrate.log.log import Log
from substrate.log.tables import OWED
from substrate.views.nearest.index import erase_forgotten
from substrate.views.traces import Trace

__all__ = ["compact_late", "compact_now", "compact_owed", "is_owed", "mark_owed", "rewrite"]

_KEY: Final = b"compaction"
_WAIT_S: Final = 2.0
"""For readers to let go: what is not done now is owed."""
_LATE_WAIT_S: Final = 1.0
_LATE_READERS_S: Final = 0.2
"""For readers to let go before the file is copied by who opens the store."""
_MARK_BYTES: Final = 8


def mark_owed() -> Trace:
    """The row that a forget writes."""
    return OWED, _KEY, os.urandom(_MARK_BYTES)


def is_owed(transaction: ReadTransaction) -> bool:
    """Whether bytes of what was forgotten are in the file still."""
    return transaction.get(OWED, _KEY) is not None


def compact_owed(log: Log) -> None:
    """Do what is owed, if nobody else does it first. Busy, Full."""
    _compact(log, _WAIT_S, always=False)


def compact_late(log: Log) -> None:
    """Do what is owed, unless somebody is at it, or reads on and on. If it cannot be done now: next time."""
    with log.snapshot() as transaction:
        if not is_owed(transaction):
            return
    try:
        _compact(log, _LATE_WAIT_S, queue_s=0.0, readers_s=_LATE_READERS_S, always=False)
    except (Busy, Full):
        return


def compact_now(log: Log) -> None:
    """Rewrite the store's file, whether that is owed or not. Busy, Full."""
    _compact(log, None, always=True)


def _compact(
    log: Log, wait_s: float | None, *, queue_s: float | None = None, readers_s: float | None = None, always: bool
) -> None:
    seen: bytes | None = None

    def needed() -> bool:
        nonlocal seen
        seen = _prepare(log)
        return always or seen is not None

    log.compact(wait_s, queue_s=queue_s, readers_s=readers_s, needed=needed)
    _drop(log, seen)


def rewrite(log: Log, make: Callable[[], None]) -> None:
    """Have the store's file rewritten by `make`, and drop the mark. Errors are those of `make`, and Busy."""
    seen = _prepare(log)
    make()
    _drop(log, seen)


def _prepare(log: Log) -> bytes | None:
    """The mark that is there; generations that hold what was forgotten are removed."""
    with log.snapshot() as transaction:
        seen = transaction.get(OWED, _KEY)
    erase_forgotten(log.snapshot, log.cache)
    return seen


def _drop(log: Log, seen: bytes | None) -> None:
    if seen is not None:
        log.decide(lambda now, _: Decision((), [(OWED, _KEY, None)] if now.get(OWED, _KEY) == seen else []))
