"""Upgrade: views that are missing, of an older version, half made or behind are brought up to date, in slices.

1. A slice is one write transaction: some rows deleted, or some entries and traces applied, and how far that has got.
   Killed in between, whoever opens the store next for writing goes on from there.
2. Between slices others read; they answer without these views (`overlay.py`). Others who open the store for writing
   join in: each slice is decided under the write lock, so none is done twice. Nobody appends until all is done.
3. The rows are those of a rebuild, byte for byte: both come from here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from substrate.errors import Busy
from substrate.kv.api import Store, WriteTransaction
from substrate.log.heads import require_head
from substrate.log.replay import Logged, View, is_observer, next_entries, runs
from substrate.log.tables import seq_key
from substrate.log.view_versions import Cursor, outdated_views, put_cursor, read_cursors, refuse_newer
from substrate.values.progress import Progress

__all__ = ["upgrade"]

_DELETED: Final = 10_000
"""Rows that one slice deletes at most."""
_OBSERVED: Final = 500
"""Traces that one slice hands to a view at most, beside the entries of `next_entries`."""


def upgrade(store: Store, views: Sequence[View], progress: Progress | None = None) -> None:
    """On return every view is of this program's version and has all of the log. It may take long: `progress` tells.

    Raises FormatTooNew if the store has a later version of one; Busy if another process holds the write lock and does
    not get on either. What was done until then stays done.
    """
    work = _Work(store, views)
    while True:
        before = work.read()
        if progress is not None and work.total:
            progress(work.done(before), work.total)
        if not work.left(before):
            return
        try:
            with store.write() as transaction:
                work.do(transaction)
        except Busy:
            if work.read() == before:
                raise


class _Work:
    """What there was to do at the start, and what is left of it."""

    def __init__(self, store: Store, views: Sequence[View]) -> None:
        self._store = store
        self._views = views
        self._size = 0
        self._outdated: list[View] | None = None

    @property
    def total(self) -> int:
        """Entries that are applied when all is done, each counted for every view that has to take it in."""
        return self._size * len(self._outdated or ())

    def read(self) -> dict[str, Cursor]:
        """How far the views are now."""
        with self._store.read() as transaction:
            cursors = read_cursors(transaction)
            self._size = require_head(transaction).head.size
        refuse_newer(cursors, self._views)
        if self._outdated is None:
            self._outdated = self.left(cursors)
        return cursors

    def left(self, cursors: dict[str, Cursor]) -> list[View]:
        """The views that are not up to date."""
        return outdated_views(cursors, self._views, self._size)

    def done(self, cursors: dict[str, Cursor]) -> int:
        """How much of the total is done."""
        return sum(
            min(self._size, cursor.seq or 0)
            for view in self._outdated or ()
            if (cursor := cursors.get(view.name)) is not None and cursor.version == view.version
        )

    def do(self, transaction: WriteTransaction) -> None:
        """One slice, decided from what is there now: someone else may have done the one that was seen before."""
        cursors = read_cursors(transaction)
        size = require_head(transaction).head.size
        refuse_newer(cursors, self._views)
        at = {view: _begun(view, cursors.get(view.name)) for view in outdated_views(cursors, self._views, size)}
        if not at:
            return
        if emptied := [view for view, cursor in at.items() if cursor.seq is None]:
            _empty(transaction, emptied)
            return
        first = min((cursor.seq or 0, cursor.trace) for cursor in at.values())
        entries = next_entries(transaction, first[0], size)
        for view, cursor in at.items():
            if (cursor.seq, cursor.trace) == first:
                moved = _advance(transaction, view, cursor, entries)
                whole = not moved.trace and moved.seq == size
                put_cursor(transaction, view.name, moved._replace(whole=whole))


def _begun(view: View, cursor: Cursor | None) -> Cursor:
    """Where the work on a view begins or goes on."""
    if cursor is None or cursor.version != view.version:
        return Cursor(view.version, None, whole=False)
    return cursor._replace(whole=False)


def _empty(transaction: WriteTransaction, views: Sequence[View]) -> None:
    """Delete rows of the views' tables, as many as a slice may; of a view that has none left, the entries are next."""
    left = _DELETED
    for view in views:
        for table in view.tables:
            keys = [key for key, _ in transaction.scan(table, limit=left)]
            for key in keys:
                transaction.delete(table, key)
            left -= len(keys)
        put_cursor(transaction, view.name, Cursor(view.version, 0 if left else None, whole=False))


def _advance(transaction: WriteTransaction, view: View, at: Cursor, entries: Sequence[Logged]) -> Cursor:
    """Apply the entries to a view, or as many as the traces among them leave room for; how far it has got."""
    seq = at.seq or 0
    if not is_observer(view):
        view.apply(transaction, entries)
        return at._replace(seq=seq + len(entries))
    if at.trace:
        found = list(transaction.scan(view.trace, at.trace + b"\x00", seq_key(seq + 1), limit=_OBSERVED))
        if found:
            view.observe(transaction, found)
        return at._replace(trace=found[-1][0] if len(found) == _OBSERVED else b"")
    room = _OBSERVED
    for run, behind in runs(transaction, view.trace, entries):
        view.apply(transaction, run)
        seq += len(run)
        if rows := behind[:room]:
            view.observe(transaction, rows)
        if len(rows) == room:
            return at._replace(seq=seq, trace=rows[-1][0])
        room -= len(rows)
    return at._replace(seq=seq)
