"""Overlay: snapshots in which every view is there, also where the store lacks one, or has it in an older version.

1. A snapshot of a store whose views are all up to date is handed out as it is. That costs one look at META.
2. Otherwise the tables of the outdated views are laid over it. They come from a replay of the log by this program's own
   views and are held in memory, never in a file: what is forgotten must not stay behind anywhere.
3. The replay goes on with each snapshot from where the one before ended. It starts anew after a forget, if traces were
   erased, and if the log is another one. It is dropped as soon as the store's own views are up to date.
4. Nobody gets a snapshot of a store that a later program has upgraded: FormatTooNew.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from threading import Lock
from types import TracebackType
from typing import Final

from substrate.kv.api import ReadTransaction, Store
from substrate.kv.memory import MemoryStore, MemoryTransaction
from substrate.log.decode import stored_entry
from substrate.log.heads import require_head
from substrate.log.replay import Observer, View, is_observer, next_entries, replay_into
from substrate.log.tables import ENTRIES, HEADS, META, read_seq, seq_key
from substrate.log.view_versions import APPLIED, outdated_views, read_cursors, refuse_newer
from substrate.proof.entry import Kind

__all__ = ["Overlay"]

_log = logging.getLogger(__name__)
_UNKNOWN: Final = b"?"
"""What no row of META says."""


class Overlay:
    """Gives out the snapshots of one open store. Threads may share it."""

    def __init__(self, store: Store, views: Sequence[View]) -> None:
        self._store = store
        self._views = views
        self._process = os.getpid()
        self._lock = Lock()
        self._replayed: _Replayed | None = None
        self.sound: bytes | None = _UNKNOWN
        """What META said of the versions when all views were last seen to be up to date."""

    def read(self) -> AbstractContextManager[ReadTransaction]:
        """A snapshot with all views."""
        return _Snapshot(self, self._store)

    def enter(self, snapshot: AbstractContextManager[ReadTransaction]) -> ReadTransaction:
        """Begin the snapshot, and cover what is outdated in it."""
        if os.getpid() != self._process:  # forked: a thread that is not here may be replaying
            self._lock, self._process, self._replayed = Lock(), os.getpid(), None
        # Begun under the lock: so no snapshot is older than what was replayed for the one before.
        with self._lock:
            transaction = snapshot.__enter__()
            try:
                return self._cover(transaction)
            except BaseException as error:
                snapshot.__exit__(type(error), error, error.__traceback__)
                raise

    def _cover(self, transaction: ReadTransaction) -> ReadTransaction:
        cursors = read_cursors(transaction)
        refuse_newer(cursors, self._views)
        size = require_head(transaction).head.size
        outdated = outdated_views(cursors, self._views, size)
        if not outdated:
            self._replayed, self.sound = None, transaction.get(META, APPLIED)
            return transaction
        self.sound = _UNKNOWN
        replayed = self._replayed
        if replayed is None or replayed.views != outdated or not replayed.leads_to(transaction):
            if replayed is None:
                names = ", ".join(view.name for view in outdated)
                _log.warning(
                    "outdated views (%s): answers stay slow until the store is opened to write. Type: substrate index",
                    names,
                )
            replayed = self._replayed = _Replayed(outdated)
        try:
            replayed.follow(transaction, size)
        except BaseException:
            self._replayed = None
            raise
        return _Covered(transaction, replayed.snapshot())


class _Snapshot:
    """One snapshot, as a context manager."""

    __slots__ = ("_inner", "_overlay", "_store")

    def __init__(self, overlay: Overlay, store: Store) -> None:
        self._overlay = overlay
        self._store = store

    def __enter__(self) -> ReadTransaction:
        overlay = self._overlay
        if overlay.sound is not _UNKNOWN:
            inner = self._inner = self._store.read()
            transaction = inner.__enter__()
            if transaction.get(META, APPLIED) == overlay.sound:
                return transaction
            inner.__exit__(None, None, None)
        self._inner = self._store.read()
        return overlay.enter(self._inner)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._inner.__exit__(kind, error, trace)


class _Replayed:
    """Tables of views, in memory, and up to where the log was replayed into them."""

    def __init__(self, views: Sequence[View]) -> None:
        self.views = views
        self._observers: list[Observer] = [view for view in views if is_observer(view)]
        self._store = MemoryStore(table for view in views for table in view.tables)
        self._size = 0
        self._note: bytes | None = None
        self._traces: dict[str, tuple[int, bytes]] = {view.trace: (0, b"") for view in self._observers}

    def leads_to(self, transaction: ReadTransaction) -> bool:
        """Whether nothing but additions leads from what was replayed to this snapshot."""
        if transaction.get(HEADS, seq_key(self._size)) != self._note:
            return False
        for table, (count, last) in self._traces.items():
            if transaction.count(table) != count + sum(1 for _ in transaction.scan(table, last + b"\x00")):
                return False
        new = transaction.scan(ENTRIES, seq_key(self._size))
        return all(stored_entry(read_seq(at), entry).kind is not Kind.FORGET for at, entry in new)

    def follow(self, transaction: ReadTransaction, size: int) -> None:
        """Take in what is new in the snapshot."""
        with self._store.write() as memory:
            target = _Covered(transaction, memory)
            for observer in self._observers:  # traces that were written since, at the size that was seen then
                start, stop = self._traces[observer.trace][1] + b"\x00", seq_key(self._size + 1)
                if self._size and (rows := list(transaction.scan(observer.trace, start, stop))):
                    observer.observe(target, rows)
            while entries := next_entries(transaction, self._size, size):
                for view in self.views:
                    replay_into(target, view, transaction, entries)
                self._size += len(entries)
        self._note = transaction.get(HEADS, seq_key(size))
        for table in self._traces:
            last = next((key for key, _ in transaction.scan(table, reverse=True, limit=1)), b"")
            self._traces[table] = transaction.count(table), last

    def snapshot(self) -> MemoryTransaction:
        """The tables as they are now."""
        with self._store.read() as memory:
            return memory


class _Covered:
    """A transaction of a store in which some tables are those of another one. What is written goes to the latter."""

    __slots__ = ("_below", "_over", "_tables", "delete", "extend", "grow", "put", "put_many")

    def __init__(self, below: ReadTransaction, over: MemoryTransaction) -> None:
        self._below = below
        self._over = over
        self._tables = frozenset(over.names())
        self.put, self.put_many, self.extend, self.delete = over.put, over.put_many, over.extend, over.delete
        self.grow = over.grow

    def get(self, table: str, key: bytes) -> bytes | None:
        """The value at `key`, or None."""
        return self._of(table).get(table, key)

    def get_many(self, table: str, keys: Sequence[bytes]) -> list[bytes | None]:
        """The value at each key, in the order given; None where there is none."""
        return self._of(table).get_many(table, keys)

    def scan(
        self,
        table: str,
        start: bytes = b"",
        stop: bytes | None = None,
        *,
        reverse: bool = False,
        limit: int | None = None,
    ) -> Iterator[tuple[bytes, bytes]]:
        """Items with start <= key < stop, in key order (from the end if `reverse`), at most `limit`."""
        return self._of(table).scan(table, start, stop, reverse=reverse, limit=limit)

    def any(self, table: str) -> bool:
        """Whether the table holds a key."""
        return self._of(table).any(table)

    def count(self, table: str) -> int:
        """How many keys the table holds."""
        return self._of(table).count(table)

    def _of(self, table: str) -> ReadTransaction:
        return self._over if table in self._tables else self._below
