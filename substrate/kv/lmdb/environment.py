"""The tables of `api.py` on LMDB: many processes on one machine. The only importer of lmdb.

1. No exception of lmdb leaves `kv/`: errors.py has one of ours for each.
2. The file format does not depend on the surroundings: the engine is named (`lib_version`), whatever LMDB_* says.
3. Dead readers are cleared before every write: one that was killed would pin old pages, and the file would only grow.
4. Every commit is flushed; no option weakens that.

A read-only store writes nothing but its readers' slots in lock.mdb, a scratch file: LMDB needs them so that no writer
reuses a page under a reader.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

import lmdb
from lmdb import _envid

from substrate.errors import Busy, Denied, SchemaInvalid, StoreDamaged
from substrate.files import resolved, typed_errors, users_folder
from substrate.kv.api import Kept, ReadTransaction, Store
from substrate.kv.lmdb import filesystem, folder
from substrate.kv.lmdb.compaction import compact
from substrate.kv.lmdb.errors import DAMAGED, from_lmdb
from substrate.kv.lmdb.free_pages import lacks_only_free_pages
from substrate.kv.lmdb.handle import Handle
from substrate.kv.lmdb.journal import JOURNAL
from substrate.kv.lmdb.process import RawTransaction
from substrate.kv.lmdb.scratch import Scratch
from substrate.kv.lmdb.transactions import Reading, Writing
from substrate.messages import WRITABLE
from substrate.values.progress import Progress

__all__ = ["MAP_LIMIT", "MAP_SIZE", "LmdbStore", "make_store", "open_store", "scratch_store"]

MAP_SIZE = 4 << 30
"""The address space that a store takes at first. It grows, and a process that serves many has room for 1,000."""
MAP_LIMIT = 1 << 46
"""As far as a store grows: half of what 64-bit systems give to a process."""
_SCRATCH_SIZE = 1 << 40
"""Address space for a file without a name, which cannot be opened again with more. Where the system refuses, less."""
_LEAST_MAP_SIZE = 64 << 20
"""With less than this, a process that is short of address space is told so."""
_MAX_TABLES = 64
_MOST_KEPT = 30_000
_MAX_READERS = 1024
_COPIED_ROWS, _COPIED_BYTES = 1000, 1 << 20
"""What a copy takes into one transaction, whichever comes first: so memory does not grow with the store."""


class LmdbStore:
    """An open store: `api.FolderStore`."""

    __slots__ = ("_handle", "_opener")

    def __init__(self, handle: Handle, opener: _LmdbOpener) -> None:
        self._handle = handle
        self._opener = opener

    @property
    def read_only(self) -> bool:
        """Whether `write` is refused."""
        return not self._handle.write

    @property
    def cache(self) -> Path:
        """The store folder itself: what is made again from the store goes where the store goes."""
        return self._handle.path

    def read(self) -> Reading:
        """A snapshot. Never waits for a writer. While it is compacted or grows: a bounded time, then Busy."""
        return Reading(self._handle)

    def write(self) -> Writing:
        """The write transaction; waits a bounded time for the others, then Busy."""
        self._refuse_read_only()
        return Writing(self._handle)

    def compact(
        self,
        wait_s: float | None = None,
        *,
        queue_s: float | None = None,
        readers_s: float | None = None,
        needed: Callable[[], bool] | None = None,
    ) -> None:
        """Rewrite the store without freed pages, while others read and write; `api.FolderStore` says how.

        Busy, with nothing changed, if a writer or a reader does not end in time; DiskFull if both do not fit.
        """
        self._refuse_read_only()
        wait_s = self._handle.wait_s if wait_s is None else wait_s
        queue_s = self._handle.wait_s if queue_s is None else queue_s
        with typed_errors("compaction"):
            compact(self._handle.shared(), wait_s, queue_s, readers_s, needed)

    def rewrite(self, fill: Callable[[ReadTransaction, Store], None]) -> None:
        """Put what `fill` makes in the place of this store, while others read; `api.FolderStore` says how.

        Errors as for `compact`, and what `fill` raises.
        """
        self._refuse_read_only()

        def build(target: Path) -> None:
            # A store of its own, for as long as it is being filled; only its data file stays.
            inside = target / "store"
            new = self._opener.store(inside, self._handle.tables)
            try:
                with self.read() as old:
                    fill(old, new)
            finally:
                new.close()
            (inside / folder.live(inside) / "data.mdb").rename(target / "data.mdb")
            shutil.rmtree(inside)

        with typed_errors("rewriting"):
            self._handle.shared().replace(build, self._handle.wait_s)

    def copy(self, target: Path, finish: Callable[[Store, Path], None], progress: Progress | None = None) -> None:
        """Copy this store into the folder `target`, absent or empty, while others write; `api.FolderStore` says how.

        Raises InputError (there is something at `target`), DiskFull, Denied, Busy (a table was added just now).
        """
        deadline = monotonic() + self._handle.wait_s
        shared = self._handle.shared()
        shared.declare_all(deadline)

        def build(path: Path) -> None:
            shared.copy(path, deadline, progress)

        with _fresh_store(target, self._handle.tables, build, self._opener) as (new, inside):
            finish(new, inside)

    def size(self) -> int:
        """How many bytes the data file takes on disk; it is sparse, and a part of it may be free for reuse."""
        return self._handle.shared().size()

    def close(self) -> None:
        """Release this handle. The last one of a process closes the files."""
        self._handle.close()

    def _refuse_read_only(self) -> None:
        if self.read_only:
            raise Denied("this store was opened read-only; ", WRITABLE)


def open_store(  # noqa: PLR0913
    path: str | os.PathLike[str],
    tables: Sequence[str],
    *,
    read_only: bool = False,
    create: bool = True,
    map_size: int = MAP_SIZE,
    map_limit: int = MAP_LIMIT,
    wait_s: float = 30.0,
) -> LmdbStore:
    """Open the store in the folder `path`; create it if it is not there, unless `read_only` or not `create`.

    `tables` are those that this handle may use. Missing ones are created; in a read-only store they are empty.
    `map_size` is the room it has at first, beyond which it grows up to `map_limit`; of several handles in one process
    the first one decides. `wait_s` bounds every wait.
    Raises NotFound, Denied (network file system, no rights), InputError (not an empty folder), Busy, DiskFull,
    FormatTooNew, StoreDamaged.
    """
    if not 0 < len(tables) <= _MAX_TABLES or not all(tables):
        raise SchemaInvalid(f"tables: give 1 to {_MAX_TABLES} names")
    opener = _LmdbOpener(min(map_size, map_limit), map_limit)
    handle = Handle(Path(path), tables, opener, write=not read_only, create=create, wait_s=wait_s)
    return LmdbStore(handle, opener)


def make_store(path: Path, tables: Sequence[str], fill: Callable[[Store, Path], None]) -> None:
    """Make the folder `path`, absent or empty, a store that `fill` fills, and adds files to. All of it, or nothing.

    Until it is whole it is no store for anybody else. Raises InputError, Denied, DiskFull, and what `fill` raises.
    """
    opener = _LmdbOpener(MAP_SIZE, MAP_LIMIT)
    with _fresh_store(path, tables, opener.create, opener) as (new, inside):
        fill(new, inside)


@contextmanager
def scratch_store(tables: Sequence[str]) -> Iterator[Scratch]:
    """Tables for one piece of work of this thread, in a file without a name. DiskFull, Denied."""
    opener = _LmdbOpener(_SCRATCH_SIZE, _SCRATCH_SIZE)
    with typed_errors(tempfile.gettempdir()):
        folder = Path(tempfile.mkdtemp(prefix="substrate-"))
        try:
            raw = opener.open_unsynced(folder, _SCRATCH_SIZE)
        finally:
            shutil.rmtree(folder)
    scratch = Scratch(_LmdbEnvironment(raw, tables, opener, _SCRATCH_SIZE, writable=True))
    try:
        yield scratch
    finally:
        scratch.close()


@contextmanager
def _fresh_store(
    target: Path, tables: Sequence[str], build: Callable[[Path], None], opener: _LmdbOpener
) -> Iterator[tuple[LmdbStore, Path]]:
    target = resolved(target)
    filesystem.refuse_network(target)
    with users_folder(target), folder.fresh(target) as inside:
        folder.found(inside, build)
        new = opener.store(inside, tables)
        try:
            yield new, inside
        finally:
            new.close()
        (inside / folder.live(inside) / "lock.mdb").unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class _LmdbOpener:
    """How environments are made: `process.Opener`."""

    map_size: int
    map_limit: int

    def store(self, path: Path, tables: Sequence[str]) -> LmdbStore:
        """A store with the same bounds, in the folder `path`."""
        return open_store(path, tables, map_size=self.map_size, map_limit=self.map_limit)

    def room_for(self, used: int, least: int = 0) -> int:
        """How large a map to give to so many bytes: twice as many and `least`, in doublings, up to the limit."""
        size = self.map_size
        while size < max(2 * used, least):
            size *= 2
        return min(size, self.map_limit)

    def create(self, path: Path) -> None:
        """Make an empty environment in the empty folder `path`."""
        folder.reserve_lock_file(path)
        self._open(path, self.map_size, writable=True).close()

    def open(
        self, path: Path, tables: Iterable[str], least: int, *, writable: bool, slotless: bool
    ) -> _LmdbEnvironment:
        """Open it with a map of `least` bytes or more. Missing tables are created if it is `writable`.

        Then the caller holds the writer lock. `slotless`: readers keep writers out, and need no slots.
        """
        seen = folder.examine(path, writable=writable)
        try:
            if not seen.lists_readers and not slotless:
                raise Denied(f"{path} can no longer take readers up: open the store again")
            size = self.room_for(seen.size(), least)
            raw = self._open(path, size, writable=writable, lock=seen.lists_readers)
            try:
                seen.refuse_exchanged()
                _refuse_cut_off(raw, seen)
                if writable:
                    folder.reach(path, (raw.info()["last_pgno"] + 1) * raw.stat()["psize"])
            except BaseException:
                raw.close()
                raise
        finally:
            seen.close()
        return _LmdbEnvironment(raw, tables, self, size, writable=writable)

    def open_unsynced(self, path: Path, size: int) -> lmdb.Environment:
        """The one in the folder `path`, new if that is empty, for this thread alone; on disk when it is sealed."""
        return self._open(path, size, writable=True, sync=False, lock=False)

    def _open(self, path: Path, size: int, *, writable: bool, sync: bool = True, lock: bool = True) -> lmdb.Environment:
        while True:
            try:
                return lmdb.open(
                    str(path),
                    map_size=size,
                    readonly=not writable,
                    create=False,
                    mode=0o600,
                    max_dbs=_MAX_TABLES + 1,  # the journal
                    max_readers=_MAX_READERS,
                    sync=sync,
                    metasync=sync,
                    writemap=False,
                    lock=lock,
                    lib_version=0,
                )
            except lmdb.MemoryError:
                if size <= min(self.map_size, _LEAST_MAP_SIZE):
                    raise Denied(
                        f"the system refuses a memory map of {size:,} bytes; raise the limit on memory (ulimit -v)"
                    ) from None
                size //= 2  # LMDB maps what is there in any case: if that is more, this ends in the error above
            except lmdb.Error as error:
                raise from_lmdb(error) from error


def _refuse_cut_off(raw: lmdb.Environment, seen: folder.Examined) -> None:
    """StoreDamaged if the file lacks a page in use: to touch what is missing would end the process (SIGBUS)."""
    page = raw.stat()["psize"]
    if seen.size() >= (raw.info()["last_pgno"] + 1) * page:
        return
    with suppress(lmdb.MapResizedError):  # `begin` says so too, and it is opened again
        while True:
            with raw.begin() as txn:  # no writer reuses a page of the list meanwhile
                if lacks_only_free_pages(seen.fd, page, txn.id()):
                    return
                if raw.info()["last_txnid"] == txn.id():
                    raise StoreDamaged(f"{seen.path / 'data.mdb'} is cut off; ", DAMAGED)


class _LmdbEnvironment:
    """One open environment: `process.Environment`."""

    __slots__ = (
        "_kept",
        "_opener",
        "_page",
        "_path",
        "_raw",
        "carried",
        "grows",
        "incomplete",
        "journal",
        "size",
        "tables",
        "writable",
    )

    def __init__(
        self, raw: lmdb.Environment, tables: Iterable[str], opener: _LmdbOpener, wanted: int, *, writable: bool
    ) -> None:
        self.tables: dict[str, lmdb._Database | None] = dict.fromkeys(tables)
        self.journal: lmdb._Database | None = None
        self.writable = writable
        self.incomplete = False
        self.size = raw.info()["map_size"]
        self.grows = wanted <= self.size < opener.map_limit  # where the system gave less, it will not give more
        self._page = raw.stat()["psize"]
        self._path = Path(raw.path())
        self._raw = raw
        self._opener = opener
        self._kept: tuple[int, dict[str, Kept]] = -1, {}
        self.carried: dict[str, Kept] = {}
        try:
            if writable:
                with raw.begin(write=True) as txn:
                    for name in self.tables:
                        self.tables[name] = raw.open_db(name.encode(), txn=txn)
                    self.journal = raw.open_db(JOURNAL.encode(), txn=txn)
            else:
                self.find_tables()
        except BaseException as error:
            path = Path(raw.path())
            raw.close()
            if isinstance(error, lmdb.Error):
                raise from_lmdb(error, lambda: writable and folder.is_full(path)) from error
            raise

    def find_tables(self) -> None:
        """Look for tables that were not there, in an environment opened for reading."""
        with suppress(lmdb.MapResizedError):  # `begin` says so too, and it is opened again
            for name, table in self.tables.items():
                self.tables[name] = table or self._find(name)
            self.journal = self.journal or self._find(JOURNAL)
        self.incomplete = None in self.tables.values()

    def _find(self, name: str) -> lmdb._Database | None:
        try:
            return self._raw.open_db(name.encode(), create=False)
        except lmdb.NotFoundError:
            return None
        except lmdb.MapResizedError:
            raise
        except lmdb.Error as error:
            raise from_lmdb(error) from error

    def begin(self, *, write: bool) -> lmdb.Transaction[bytes] | None:
        """A transaction, or None if another process has grown the store beyond our map: open it again."""
        try:
            if write:
                self._raw.reader_check()
                txn = self._raw.begin(write=True)
                try:
                    folder.reach(self._path, self._used())  # the commit before may have left it short
                except BaseException:
                    txn.abort()
                    raise
                return txn
            txn = self._raw.begin()
            while self._is_torn(txn):
                txn.abort()
                txn = self._raw.begin()
        except lmdb.MapResizedError:
            return None
        except lmdb.Error as error:
            raise from_lmdb(error) from error
        return txn

    def kept(self, state: int) -> dict[str, Kept]:
        """What is kept of one state: of the last that was asked for, and not without end."""
        if self.incomplete:
            return {}  # a table that is found later was empty so far
        of, kept = self._kept
        if of != state or sum(map(len, kept.values())) > _MOST_KEPT:
            kept = {}
            self._kept = state, kept
        return kept

    def _is_torn(self, txn: lmdb.Transaction[bytes]) -> bool:
        # To begin, LMDB reads the number of the last commit, then the one of the two meta pages that is its. Put to
        # sleep in between for two commits, it finds there the page of a later commit, not yet flushed: the snapshot
        # would show what may still be lost, and the next one might be older. Seen with 8 readers on 2 busy cores.
        return self._raw.info()["last_txnid"] > txn.id() + 1

    def is_tight(self, least: int) -> bool:
        """Whether there are less than `least` bytes, or half of them are used; and a larger map can be had."""
        return self.grows and self.size < max(least, 2 * self._used())

    def _used(self) -> int:
        return (self._raw.info()["last_pgno"] + 1) * self._page

    def names(self, txn: RawTransaction) -> list[str]:
        """Every table that is there, declared or not."""
        found = (name.decode() for name in txn.cursor(None).iternext(keys=True, values=False))
        return [name for name in found if name != JOURNAL]

    def bytes_in_use(self, txn: RawTransaction) -> int:
        """How many bytes the pages of the declared tables have, without those that are free. A copy takes no more."""
        pages = 0
        for table in self.tables.values():
            if table is not None:
                found = txn.stat(table)
                pages += found["branch_pages"] + found["leaf_pages"] + found["overflow_pages"]
        return int(pages * self._page)

    def rows(self, txn: RawTransaction, table: str, start: bytes) -> list[tuple[bytes, bytes]]:
        """Rows of a declared table from `start` on, as many as one transaction had better take."""
        cursor = txn.cursor(self.tables[table])
        return next(_batches(cursor)) if cursor.set_range(start) else []

    def open_target(self, path: Path) -> _LmdbTarget:
        """The environment in the folder `path`, for this thread alone; an empty one if there is none."""
        return _LmdbTarget(self._opener.open_unsynced(path, self._opener.room_for(self._used())), path)

    def copy(self, txn: RawTransaction, target: Path, progress: Progress | None = None) -> None:
        """Write all tables, row by row, into the empty folder `target`, and see that all are there.

        Not by LMDB's own copy: that leaves out free pages, but takes the others as they are, and in the free space of a
        page there may be bytes of rows that were deleted from it.
        """
        new = self._opener.open_unsynced(target, self._opener.room_for(self._used()))
        try:
            if unknown := set(self.names(txn)) - {name for name, table in self.tables.items() if table is not None}:
                raise Busy(f"another process has just added the table {min(unknown)}: try again")
            self._copy(txn, new, progress or (lambda _, __: None))
            new.sync(True)  # noqa: FBT003 - LMDB's signature
        except lmdb.Error as error:
            raise from_lmdb(error, lambda: folder.is_full(target)) from error
        finally:
            new.close()

    def _copy(self, txn: RawTransaction, new: lmdb.Environment, progress: Progress) -> None:
        tables = {name: table for name, table in self.tables.items() if table is not None}
        total = sum(txn.stat(table)["entries"] for table in tables.values())
        done = 0
        progress(done, total)
        for name, table in tables.items():
            with new.begin(write=True) as writing:
                there = new.open_db(name.encode(), txn=writing)
            rows = 0
            for items in _batches(txn.cursor(table)):
                with new.begin(write=True) as writing:
                    rows += writing.cursor(there).putmulti(items, append=True)[1]
                progress(done + rows, total)
            if rows != txn.stat(table)["entries"]:
                raise StoreDamaged(f"table {name} cannot be read whole, and the copy was not taken; {DAMAGED}")
            done += rows

    def close(self) -> None:
        """Close it. No transaction is live. Can be repeated."""
        self._raw.close()

    def disown(self) -> None:
        """This process is a forked child: one reference more than there is keeps Python from ever closing it.

        Closing would end transactions of the parent, and drop this process's locks on the table of readers: they belong
        to process and file, and the child has opened the same file anew.
        """
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._raw))


class _LmdbTarget:
    """An environment that is being filled: `process.Target`."""

    __slots__ = ("_path", "_raw", "_tables")

    def __init__(self, raw: lmdb.Environment, path: Path) -> None:
        self._raw = raw
        self._path = path
        self._tables: dict[str, lmdb._Database] = {}

    def extend(self, table: str, rows: Sequence[tuple[bytes, bytes]]) -> None:
        """Add rows that ascend and lie above those of the table, which is made if it is not there."""
        with self._typed():
            handle = self._handle(table)
            with self._raw.begin(write=True) as txn:
                txn.cursor(handle).putmulti(rows, append=True)

    def change(self, rows: Mapping[str, Iterable[tuple[bytes, bytes | None]]]) -> None:
        """Set keys of tables to values; where that is None, delete them."""
        with self._typed():
            handles = {table: self._handle(table) for table in rows}
            with self._raw.begin(write=True) as txn:
                for table, handle in handles.items():
                    for key, value in rows[table]:
                        if value is None:
                            txn.delete(key, db=handle)
                        else:
                            txn.put(key, value, db=handle)

    def count(self, table: str) -> int:
        """How many rows a table has."""
        with self._typed():
            handle = self._handle(table)
            with self._raw.begin() as txn:
                return int(txn.stat(handle)["entries"])

    def sync(self) -> None:
        """On return all is on disk."""
        with self._typed():
            self._raw.sync(True)  # noqa: FBT003 - LMDB's signature

    def close(self) -> None:
        """Close it. Can be repeated."""
        self._raw.close()

    def _handle(self, table: str) -> lmdb._Database:
        if table not in self._tables:
            self._tables[table] = self._raw.open_db(table.encode())
        return self._tables[table]

    @contextmanager
    def _typed(self) -> Iterator[None]:
        try:
            yield
        except lmdb.Error as error:
            raise from_lmdb(error, lambda: folder.is_full(self._path)) from error


def _batches(cursor: lmdb.Cursor[bytes]) -> Iterator[list[tuple[bytes, bytes]]]:
    items: list[tuple[bytes, bytes]] = []
    size = 0
    for item in cursor:
        items.append(item)
        size += len(item[1])
        if len(items) >= _COPIED_ROWS or size >= _COPIED_BYTES:
            yield items
            items, size = [], 0
    yield items


def _tell_apart() -> None:
    """This process is a forked child. py-lmdb refuses to open what it takes for open here: the parent's files too."""
    file_keys, pid = _envid.env_keys, os.getpid()

    def keys_of_child(path: str, subdir: bool) -> tuple[object, ...]:  # noqa: FBT001
        return tuple((pid, key) for key in file_keys(path, subdir))  # type: ignore[no-untyped-call]

    _envid.env_keys = keys_of_child


os.register_at_fork(after_in_child=_tell_apart)
