"""Compaction: the store is written anew, row by row, while others read and write; writers wait for the last step only.

1. A journal begins (`journal.py`): from here on every writer, of every process, writes down which keys it wrote.
2. All rows are copied, a portion at a time, each from a snapshot of its own: nobody waits for it, and no old page is
   kept from being reused. What was written behind the copy's back is in the journal.
3. Rounds: the keys in the journal are read again from one snapshot, and put into the copy, or deleted from it. After
   each the copy is that snapshot: a row that is not in the journal has not changed since it was copied. A round is as
   long as what was written in the one before it, so they get short.
4. Under the writer lock comes the last round, then the flip. If readers do not let go soon, writers go first: the lock
   is given back, and 3 and 4 are repeated until the deadline.
5. If a transaction is missing in the journal, the copy is thrown away, and made again under the writer lock. So it is
   if a writer ended the journal since it was long.

Killed at any point, the old state is live or the new one. The copy lies in a folder of its own, which whoever opens the
store next removes, if nobody holds the mover's lock; the journal ends with the next write.

What is deleted while the copy is made may have been copied before: its bytes can be in the new file. So who erases
something for good must compact after that (`forget/compaction.py`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic, sleep
from typing import Final

from substrate.errors import Busy, StoreDamaged, SubstrateError
from substrate.kv.lmdb import folder, journal
from substrate.kv.lmdb.errors import DAMAGED, from_lmdb
from substrate.kv.lmdb.process import Environment, RawTransaction, Shared, Target

__all__ = ["compact"]

_log = logging.getLogger(__name__)

_PATIENCE_S: Final = 1.0
"""How long writers wait at a time for readers to let go of the old file."""
_BREATH_S: Final = 0.05
"""What they get in between."""
_FEW: Final = 1_000
"""Changed keys that are left to the last round."""
_ROUNDS: Final = 20
"""After so many the writers are faster than we are: they have to wait."""
_SYNCED: Final = 32 << 20
"""Bytes after which the copy is flushed: a flush of all of it at the end would keep the writers' own waiting."""
_PORTION: Final = 10_000
"""Changed keys that are put into the copy in one transaction."""


def compact(
    shared: Shared,
    wait_s: float,
    queue_s: float,
    readers_s: float | None = None,
    needed: Callable[[], bool] | None = None,
) -> None:
    """Rewrite the store without freed pages.

    `queue_s` bounds the wait for another that compacts or rebuilds the store, `wait_s` every other one. When nobody
    else is at it, `needed` is asked whether it still has to be done. With `readers_s`, nothing is copied if there are
    readers who do not let go in that time: the copy would be in vain. Busy or DiskFull, with nothing changed.
    """
    shared.locks.gate.refuse_inside()
    with shared.locks.mover.hold(monotonic() + queue_s):
        if needed is not None and not needed():
            return
        if readers_s is not None:
            with shared.locks.gate.alone(monotonic() + readers_s, everywhere=True):
                pass  # they let go
        shared.declare_all(monotonic() + wait_s)
        if not _Compaction(shared, wait_s).run():
            _log.warning(
                "the store is copied once more while writers wait: an earlier version of this program wrote to it, or "
                "more was written meanwhile than a compaction keeps track of"
            )
            shared.replace_locked(lambda target: shared.copy(target, monotonic() + wait_s), wait_s)


class _Compaction:
    """One compaction, by a thread that holds the mover's lock."""

    def __init__(self, shared: Shared, wait_s: float) -> None:
        self._shared = shared
        self._wait_s = wait_s
        self._old = folder.live(shared.path)
        self._path = shared.path / folder.COMPACTING
        self._target: Target
        self._tables: list[str] = []
        self._number = 0
        self._unsynced = 0

    def run(self) -> bool:
        """Whether it was done; if not, the journal was not whole, and nothing has changed."""
        done = False
        try:
            with self._writing() as (environment, txn):
                folder.remove_debris(self._shared.path, self._old)
                self._number = txn.id()
                self._tables = environment.names(txn)
                if unknown := set(self._tables) - environment.tables.keys():
                    raise Busy(f"another process has just added the table {min(unknown)}: try again")
                folder.refuse_without_room(self._shared.path, environment.bytes_in_use(txn))
                journal.begin(txn, environment.journal)
                folder.begin_environment(self._shared.path, folder.COMPACTING)
            self._open_target()  # the journal is kept: that is committed
            try:
                done = self._copy_all() and self._catch_up() and self._finish()
            finally:
                self._target.close()
        finally:
            if not done:
                self._give_up()
        if done:
            folder.discard(self._shared.path / self._old)
        return done

    def _open_target(self) -> None:
        with self._reading() as (environment, _):
            self._target = environment.open_target(self._path)

    def _copy_all(self) -> bool:
        for table in self._tables:
            start, last = b"", b""
            while not start or start <= last:
                with self._reading() as (environment, txn):
                    rows = environment.rows(txn, table, start)
                    if not start:
                        # What comes behind it later is in the journal. Else whoever appends as fast as this copies
                        # would keep it here for ever.
                        cursor = txn.cursor(environment.tables[table])
                        last = cursor.key() if cursor.last() else b""
                self._target.extend(table, rows)
                self._unsynced += sum(len(key) + len(value) for key, value in rows)
                self._sync(_SYNCED)
                if not rows:
                    break
                start = rows[-1][0] + b"\x00"
        return True

    def _sync(self, least: int = 0) -> None:
        if self._unsynced >= least:
            self._target.sync()
            self._unsynced = 0

    def _catch_up(self) -> bool:
        """Rounds until little is left. False if the journal is not whole."""
        for _ in range(_ROUNDS):
            done = self._round()
            if done is None:
                return False
            self._sync()
            if done <= _FEW:
                break
        return True

    def _round(self) -> int | None:
        """Bring the copy up to a snapshot of now: how many keys that took. None if the journal is not whole."""
        count = 0
        with self._reading() as (environment, txn):
            changed = journal.changed_since(txn, environment.journal, self._number)
            if changed is None or not changed.keys() <= set(self._tables):
                return None
            for table, keys in changed.items():
                ordered = sorted(keys)
                for at in range(0, len(ordered), _PORTION):
                    portion = ordered[at : at + _PORTION]
                    handle = environment.tables[table]
                    self._target.change({table: [(key, txn.get(key, None, handle)) for key in portion]})
                count += len(ordered)
            self._number = txn.id()
        return count

    def _finish(self) -> bool:
        """The last round, and the flip. False if the journal is not whole."""
        new = folder.after(self._old)
        deadline = monotonic() + self._wait_s
        while True:
            claim = self._shared.locks.claim()
            try:
                claim.write(monotonic() + self._wait_s)
                if self._round() is None:
                    return False
                self._see_that_all_is_there()
                self._target.sync()
                self._target.close()
                folder.seal(self._path)
                self._shared.flip(new, min(deadline, monotonic() + _PATIENCE_S), made=self._path)
            except Busy:
                if monotonic() >= deadline:
                    raise
            else:
                return True
            finally:
                claim.end()
            sleep(_BREATH_S)
            self._target.close()
            self._open_target()
            if not self._catch_up():
                return False

    def _see_that_all_is_there(self) -> None:
        with self._reading() as (environment, txn):
            for table in self._tables:
                if self._target.count(table) != txn.stat(environment.tables[table])["entries"]:
                    raise StoreDamaged(f"table {table} cannot be read whole, and the copy was not taken; {DAMAGED}")

    def _give_up(self) -> None:
        """Leave nothing behind. What cannot be done now the next writer does: why it was given up is what is told."""
        with suppress(SubstrateError, OSError):
            folder.discard(self._path)  # by the mover's lock it is ours alone; all else needs the writer lock too
        with suppress(SubstrateError, OSError), self._writing(moved=True) as (environment, txn):
            folder.remove_debris(self._shared.path, folder.live(self._shared.path))
            journal.end(txn, environment.journal)

    @contextmanager
    def _reading(self) -> Iterator[tuple[Environment, RawTransaction]]:
        claim = self._shared.locks.claim()
        try:
            environment, txn = self._shared.begin(claim, monotonic() + self._wait_s, write=False)
            try:
                self._refuse_moved()
                yield environment, txn
            finally:
                txn.abort()
        except Exception as error:
            raise _typed(error) from error
        finally:
            claim.end()

    @contextmanager
    def _writing(self, *, moved: bool = False) -> Iterator[tuple[Environment, RawTransaction]]:
        claim = self._shared.locks.claim()
        try:
            claim.write(monotonic() + self._wait_s)
            environment, txn = self._shared.begin(claim, monotonic() + self._wait_s, write=True)
            end = txn.abort
            try:
                if not moved:
                    self._refuse_moved()
                yield environment, txn
                end = txn.commit
            finally:
                end()
        except Exception as error:
            raise _typed(error, self._shared.is_full) from error
        finally:
            claim.end()

    def _refuse_moved(self) -> None:
        # Only by an earlier version of this program, that does not know the mover's lock.
        if folder.live(self._shared.path) != self._old:
            raise Busy("another process has just compacted or rebuilt the store; try again")


def _typed(error: Exception, is_full: Callable[[], bool] = lambda: False) -> Exception:
    return error if isinstance(error, SubstrateError | OSError) else from_lmdb(error, is_full)
