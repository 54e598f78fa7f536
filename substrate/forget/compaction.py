"""A compaction that is owed: what was forgotten is out of reach, but its bytes are in the file until it is rewritten.

The same goes for generations, which hold its vector until they are removed.

A forget marks it in its own transaction, and the mark goes when the file has been rewritten. So whatever comes in
between (a crash, a full disk, a reader that does not let go), someone who opens the store later does what is owed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from substrate.errors import Busy, Full
from substrate.kv.api import ReadTransaction
from substrate.log.append import Decision
from substrate.log.log import Log
from substrate.log.tables import OWED
from substrate.views.nearest.index import erase_forgotten
from substrate.views.traces import Trace

__all__ = ["compact_late", "compact_owed", "is_owed", "mark_owed"]

_KEY: Final = b"compaction"
_WAIT_S: Final = 1.0
_LATE: Final = 60_000_000
"""Microseconds after which whoever forgot will hardly do it any more."""


def mark_owed(time: int) -> Trace:
    """The row that a forget at `time` writes."""
    return OWED, _KEY, time.to_bytes(8, "big")


def is_owed(transaction: ReadTransaction) -> bool:
    """Whether bytes of what was forgotten are in the file still."""
    return transaction.get(OWED, _KEY) is not None


def compact_owed(log: Log, rewrite: Callable[[], None]) -> None:
    """Remove generations that hold what was forgotten, rewrite the store's file, and drop the mark.

    Errors are those of `rewrite`, and Busy if another process holds the generations.
    """
    with log.snapshot() as transaction:
        seen = transaction.get(OWED, _KEY)
    erase_forgotten(log.snapshot, log.cache)
    rewrite()
    if seen is not None:
        log.decide(lambda now, _: Decision((), [(OWED, _KEY, None)] if now.get(OWED, _KEY) == seen else []))


def compact_late(log: Log) -> None:
    """Do what has been owed for so long that nobody else seems to be at it. If it cannot be done now: next time."""
    with log.snapshot() as transaction:
        since = transaction.get(OWED, _KEY)
    if since is not None and log.clock.now() - int.from_bytes(since, "big") >= _LATE:
        try:
            compact_owed(log, lambda: log.compact(_WAIT_S))
        except (Busy, Full):
            return
