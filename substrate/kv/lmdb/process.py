"""What all handles of one store folder in this process have in common: one environment, one set of locks.

1. An environment is used only inside the gate, after CURRENT was seen to name it. CURRENT moves only while nobody is
   inside any gate, so the first one in after that finds the old environment unused and may close it.
2. An environment is opened writable only by a thread that holds the writer lock: opening its tables takes LMDB's own
   writer mutex, and nobody inside the gate may wait. Where the writer lock is not free the environment is opened for
   reading, and the first write opens it again.
3. A forked child neither uses nor closes an environment it inherited: the reader slots and locks in it are the
   parent's. It closes its copies of the lock files, and opens everything anew at the next call.
4. A map is never changed: a store that outgrows it is opened again with a larger one, by a thread that is alone, so
   that no transaction of this process is live. Half of the map free is enough for any transaction we make, so a writer
   who finds less opens it again if that needs no wait. A writer whose transaction did not fit can wait for it, and a
   thread must that finds that another process has grown the store beyond our map.
5. After an I/O error at a commit nothing goes through this object any more; the next open starts a new one. Nor does
   anything after `close`, by a thread that had got hold of it before: its locks are gone. Closing waits for those
   inside the gate only. So who makes an environment asks again when alone, before CURRENT moves: others may have
   written since.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import RLock
from time import monotonic
from typing import Any, Protocol
from weakref import ref

from substrate.errors import Busy, Denied, NotFound, SubstrateError, Unusable
from substrate.files import flush, typed_errors
from substrate.kv.api import Kept
from substrate.kv.lmdb import folder
from substrate.kv.lmdb.locks import Claim, Locks
from substrate.values.progress import Progress

__all__ = ["Environment", "Opener", "RawTransaction", "Shared", "Target", "Transaction"]


class RawTransaction(Protocol):
    """What is used of a transaction of LMDB. A table is a handle that only LMDB knows, or None if it is not there."""

    def id(self) -> int: ...  # noqa: D102
    def get(self, key: bytes, default: None, db: Any, /) -> bytes | None: ...  # noqa: ANN401, D102
    def put(self, key: bytes, value: bytes, *, db: Any) -> bool: ...  # noqa: ANN401, D102
    def delete(self, key: bytes, value: bytes, db: Any, /) -> bool: ...  # noqa: ANN401, D102
    def cursor(self, db: Any, /) -> Any: ...  # noqa: ANN401, D102
    def drop(self, db: Any, delete: bool, /) -> None: ...  # noqa: ANN401, D102, FBT001
    def stat(self, db: Any, /) -> Any: ...  # noqa: ANN401, D102
    def abort(self) -> None: ...  # noqa: D102
    def commit(self) -> None: ...  # noqa: D102


class Environment(Protocol):
    """One open environment of LMDB."""

    @property
    def tables(self) -> Mapping[str, object]:
        """The handle of each declared table; None if it is not there, in an environment opened for reading."""

    @property
    def journal(self) -> Any:  # noqa: ANN401
        """The handle of the journal's table (`journal.py`); as for `tables`."""

    def kept(self, state: int) -> dict[str, Kept]:
        """What is kept of the state that the transaction of this id sees; see `api.kept_by`."""

    @property
    def carried(self) -> dict[str, Kept]:
        """What is kept of all states; see `api.carried_by`."""

    @property
    def writable(self) -> bool:
        """Whether it was opened for writing."""

    @property
    def incomplete(self) -> bool:
        """Whether a table is not there."""

    @property
    def size(self) -> int:
        """How many bytes the map has."""

    @property
    def grows(self) -> bool:
        """Whether it can be opened again with a larger map."""

    def is_tight(self, least: int) -> bool:
        """Whether there are less than `least` bytes, or half of them are used; and a larger map can be had."""

    def begin(self, *, write: bool) -> RawTransaction | None:
        """A transaction, or None if another process has grown the store beyond our map: open it again."""

    def find_tables(self) -> None:
        """Look again for tables that were not there."""

    def names(self, txn: RawTransaction) -> list[str]:
        """Every table that is there, declared or not."""

    def copy(self, txn: RawTransaction, target: Path, progress: Progress | None = None) -> None:
        """Write all tables, row by row, into the empty folder `target`; all must be declared, or it is Busy."""

    def bytes_in_use(self, txn: RawTransaction) -> int:
        """How many bytes the pages of the declared tables have, without those that are free. A copy takes no more."""

    def rows(self, txn: RawTransaction, table: str, start: bytes) -> list[tuple[bytes, bytes]]:
        """Rows of a declared table from `start` on, as many as one transaction had better take."""

    def open_target(self, path: Path) -> Target:
        """The environment in the folder `path`, for this thread alone; an empty one if there is none."""

    def close(self) -> None:
        """Close it. No transaction is live. Can be repeated."""

    def disown(self) -> None:
        """This process is a forked child: make sure that it is never closed."""


class Target(Protocol):
    """An environment that is being filled, by one thread. What is in it is on disk after `sync`."""

    def extend(self, table: str, rows: Sequence[tuple[bytes, bytes]]) -> None:
        """Add rows that ascend and lie above those of the table, which is made if it is not there."""

    def change(self, rows: Mapping[str, Iterable[tuple[bytes, bytes | None]]]) -> None:
        """Set keys of tables to values; where that is None, delete them."""

    def count(self, table: str) -> int:
        """How many rows a table has."""

    def sync(self) -> None:
        """On return all is on disk."""

    def close(self) -> None:
        """Close it. Can be repeated."""


class Opener(Protocol):
    """How environments are made."""

    def create(self, path: Path) -> None:
        """Make an empty environment in the empty folder `path`."""

    def open(self, path: Path, tables: Iterable[str], least: int, *, writable: bool, slotless: bool) -> Environment:
        """Open it with a map of `least` bytes or more. Missing tables are created if it is `writable`.

        Then the caller holds the writer lock. `slotless`: readers keep writers out, and need no slots.
        """


class Transaction(Protocol):
    """One that is live, as seen from here."""

    def disown(self) -> None:
        """This process is a forked child: refuse every further use, touch nothing."""


class Shared:
    """The environment of one folder in this process, and the locks around it."""

    def __init__(self, path: Path, opener: Opener, *, create_locks: bool) -> None:
        self.path = path
        self.identity = folder.identity(path)
        self.handles = 0
        self.usable = True
        self.failure: str | None = None
        self.live: dict[int, ref[Transaction]] = {}
        self.locks = Locks(path, create=create_locks)
        self._opener = opener
        self._tables: frozenset[str] = frozenset()
        self._for_writing = False
        self._least = 0
        self._pointer: folder.Pointer | None = None
        self._environment: Environment | None = None
        self._leaving: Environment | None = None
        self._closed = False
        self._opening = RLock()

    def enter(self, claim: Claim, deadline: float) -> Environment:
        """Enter the gate, and there follow CURRENT. If this raises, the claim is not inside."""
        try:
            claim.enter(deadline)
            environment, pointer = self._environment, self._pointer
            if environment is None or pointer is None or environment.incomplete or not pointer.is_current():
                environment = self._follow()
        except BaseException:
            claim.leave()
            raise
        return environment

    def enter_to_write(self, claim: Claim, deadline: float) -> Environment:
        """The same for a claim that has the writer lock: the environment is writable, and has room."""
        tried = False
        while True:
            environment = self.enter(claim, deadline)
            must = not environment.writable
            if not must and (tried or not environment.is_tight(self._least)):
                if self._pointer is not None:
                    folder.refuse_foreign_data(self.path / self._pointer.name)
                return environment
            claim.leave()
            tried = tried or not must
            try:
                with self.locks.gate.alone(deadline if must else monotonic(), everywhere=False):
                    self._close()
                    self._follow()  # CURRENT does not move: that too takes the writer lock
            except Busy:
                if must:  # else there is room still, and the next writer may find nobody inside
                    raise

    def begin(self, claim: Claim, deadline: float, *, write: bool) -> tuple[Environment, RawTransaction]:
        """Enter the gate, and begin a transaction there. If this raises, the claim may be inside: end it."""
        while True:
            environment = (self.enter_to_write if write else self.enter)(claim, deadline)
            try:
                txn = environment.begin(write=write)
            except Unusable as error:
                self.fail(str(error))
                raise
            if txn is not None:
                return environment, txn
            claim.leave()
            if self.locks.gate.is_inside():
                raise Busy("another process has just grown the store: end the transaction around this one, try again")
            with self.locks.gate.alone(deadline, everywhere=False):
                if self._environment is environment:
                    self._close()

    def grow(self, deadline: float) -> None:
        """Open the environment again, with more room. For a writer, outside the gate; Busy after the deadline."""
        with self.locks.gate.alone(deadline, everywhere=False):
            self._close()
            self._follow()

    def outgrow(self) -> bool:
        """Whether more room can be had, by whoever opens the environment next. For a transaction that did not fit."""
        environment = self._environment
        if environment is None or not environment.grows:
            return False
        self._least = max(self._least, 2 * environment.size)
        return True

    def is_full(self) -> bool:
        """Whether the data file cannot grow. For a thread that is in a write transaction."""
        return self._pointer is not None and folder.is_full(self.path / self._pointer.name)

    def size(self) -> int:
        """How many bytes the live data file takes on disk."""
        with typed_errors(str(self.path)):
            return (self.path / folder.live(self.path) / "data.mdb").stat().st_blocks * 512

    def fail(self, reason: str) -> None:
        """From now on every call through this object is refused."""
        self.failure = reason
        self.usable = False

    def found(self, deadline: float) -> None:
        """Create the store if another process has not."""
        claim = self.locks.claim()
        claim.write(deadline)
        try:
            folder.found(self.path, self._opener.create)
        finally:
            claim.end()

    def declare(self, tables: Iterable[str], deadline: float, *, write: bool) -> None:
        """Take these tables up. On return the environment is open, and clear of debris if nobody was writing."""
        if write and self.locks.gate.slotless:
            raise Denied(
                f"{self.path} cannot be written: it is on a read-only file system, or this process has it open since a "
                "time when it could not be. Then close the store everywhere in this process, and open it again"
            )
        self._for_writing = self._for_writing or write
        if not self._tables.issuperset(tables):
            with self.locks.gate.alone(deadline, everywhere=False):
                self._tables = self._tables.union(tables)
                self._close()
        claim = self.locks.claim()
        try:
            self.enter(claim, deadline)
            claim.leave()
            if write and not self.locks.writer.is_mine() and claim.try_write():
                self._clean()
        finally:
            claim.end()

    def declare_all(self, deadline: float) -> None:
        """Take up every table that is there, whoever made it."""
        claim = self.locks.claim()
        try:
            environment, txn = self.begin(claim, deadline, write=False)
            try:
                names = environment.names(txn)
            finally:
                txn.abort()
        finally:
            claim.end()
        self.declare(names, deadline, write=False)

    def copy(self, target: Path, deadline: float, progress: Progress | None = None) -> None:
        """Write all tables, as of now, into the empty folder `target`, while others read and write."""
        claim = self.locks.claim()
        try:
            environment, txn = self.begin(claim, deadline, write=False)
            try:
                environment.copy(txn, target, progress)
            finally:
                txn.abort()
        finally:
            claim.end()

    def replace(self, build: Callable[[Path], None], wait_s: float) -> None:
        """Put what `build` makes in the place of the live environment, while others read and nobody writes.

        It is called with an empty folder, by a thread that holds the writer lock and may read.
        Killed or failing at any point, the old state is live or the new one, whole; what is left over goes with the
        next writable open.
        """
        self.locks.gate.refuse_inside()
        with self.locks.mover.hold(monotonic() + wait_s):
            self.replace_locked(build, wait_s)

    def replace_locked(self, build: Callable[[Path], None], wait_s: float) -> None:
        """The same, for a thread that holds the mover's lock."""
        claim = self.locks.claim()
        try:
            claim.write(monotonic() + wait_s)
            old = folder.live(self.path)
            folder.remove_debris(self.path, old)
            new = folder.after(old)
            target = folder.begin_environment(self.path, new)
            try:
                build(target)
                folder.seal(target)
                self.flip(new, monotonic() + wait_s)
            except BaseException:
                with suppress(SubstrateError, OSError):  # why it failed is what is told
                    if folder.live(self.path) == old:
                        folder.discard(target)
                raise
            folder.discard(self.path / old)
        finally:
            claim.end()

    def close(self, deadline: float) -> None:
        """Close everything, when no transaction of this process is live; Busy after the deadline."""
        with self.locks.gate.alone(deadline, everywhere=False):
            self._close()
            self._closed = True
        self.locks.close()

    def disown(self) -> None:
        """This process is a forked child."""
        self.usable = False
        for transaction in [found for found in (reference() for reference in self.live.values()) if found]:
            transaction.disown()
        for environment in (self._environment, self._leaving):
            if environment is not None:
                environment.disown()
        if self._pointer is not None:
            self._pointer.close()
        self.locks.close()
        self.locks.mover.disown()

    def flip(self, name: str, deadline: float, made: Path | None = None) -> None:
        """Make the environment `name` live when nobody is in the gate; first give what was `made` elsewhere that name.

        The caller holds the writer lock and the mover's. Denied if the store was closed: then the writer lock is gone.
        """
        with self.locks.gate.alone(deadline, everywhere=True):
            self._refuse_closed()
            if made is not None:
                made.rename(self.path / name)
                flush(self.path)
            folder.flip(self.path, name)
            self._close()

    def _refuse_closed(self) -> None:
        if self._closed:
            raise Denied("this store was closed; open it again")

    def _clean(self) -> None:
        live = folder.live(self.path)
        if not folder.debris(self.path, live):
            folder.remove_debris(self.path, live)
            return
        with suppress(Busy), self.locks.mover.hold(0.0):  # Busy: someone is at work there
            folder.remove_debris(self.path, live)

    def _follow(self) -> Environment:
        with self._opening, typed_errors(str(self.path)):
            self._refuse_closed()
            pointer = folder.read_pointer(self.path)
            try:
                if folder.identity(self.path) != self.identity:
                    raise NotFound(f"another folder is now at {self.path}; open the store again")  # noqa: TRY301
                if self._environment is None or self._pointer is None or pointer.name != self._pointer.name:
                    if self._pointer is not None:
                        # Who moved CURRENT may have been killed before its flush; a power cut must not bring the old
                        # one back when something has been written to the new environment.
                        flush(self.path)
                    self._close()
                    self._environment = self._open(self.path / pointer.name)
                elif self._environment.incomplete:
                    self._environment.find_tables()
            except BaseException:
                pointer.close()
                raise
            if self._pointer is not None:
                self._pointer.close()
            self._pointer = pointer
            return self._environment

    def _open(self, path: Path) -> Environment:
        writer, claim = self.locks.writer, self.locks.claim()
        try:
            writable = writer.is_mine() or (self._for_writing and claim.try_write())
            slotless = self.locks.gate.slotless
            return self._opener.open(path, self._tables, self._least, writable=writable, slotless=slotless)
        finally:
            claim.end()

    def _close(self) -> None:
        # Known here until it is closed, in case an interrupt strikes: else it would stay open for as long as somebody
        # holds a table of it, and could not be opened again.
        self._leaving, self._environment = self._environment or self._leaving, None
        if self._leaving is not None:
            self._leaving.close()
            self._leaving = None
        pointer, self._pointer = self._pointer, None
        if pointer is not None:
            pointer.close()
