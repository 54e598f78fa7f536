"""Transactions on a shared environment.

1. A transaction works in the thread that began it, until its block ends, in the process that began it; elsewhere every
   use of it, and of its scans, is Denied and does nothing.
2. A write that LMDB refused spoils its transaction: it cannot commit, even if the caller goes on. Where there was no
   room in the map, `grow` begins it again: the writer lock stays with it throughout, the gate does not.
3. A commit that fails for want of room left nothing behind; one that fails otherwise leaves the disk in doubt, and the
   store is unusable until it is opened again.
4. A thread may read while it reads or writes; each sees what was committed before it began. It may not begin to write
   meanwhile: it would wait inside the gate.
5. An interrupt may strike instead of `__exit__`. Then transaction and claim end with this object: in either order, as
   ending a transaction touches no page.

No error of LMDB passes: around each of its calls whatever is not ours is translated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from threading import get_ident
from time import monotonic
from types import TracebackType
from typing import Any, NoReturn, Self, cast
from weakref import ref

from substrate.errors import Denied, Full, MapFull, SchemaInvalid, StoreDamaged, SubstrateError, TooLarge, Unusable
from substrate.files import typed_errors
from substrate.kv.api import MAX_KEY, Kept
from substrate.kv.lmdb import journal
from substrate.kv.lmdb.errors import DAMAGED, from_lmdb
from substrate.kv.lmdb.handle import Handle
from substrate.kv.lmdb.locks import Claim
from substrate.kv.lmdb.process import Environment, RawTransaction, Shared
from substrate.messages import FSCK, Message

__all__ = ["Reading", "Writing"]


class _Gone:
    """Stands where a transaction was, or is not yet: every use is refused."""

    __slots__ = ("_reason",)

    def __init__(self, reason: str) -> None:
        self._reason = reason

    def __getattr__(self, name: str) -> NoReturn:
        raise Denied(self._reason)


def _gone(reason: str) -> RawTransaction:
    return cast("RawTransaction", _Gone(reason))


_NOT_BEGUN = _gone("the transaction has not begun; use it in a `with` block")
_ENDED = _gone("the transaction has ended; begin another one")
_INHERITED = _gone("the transaction belongs to the parent of this forked process; begin another one here")


def _refuse_key(key: bytes) -> NoReturn:
    if key:
        raise TooLarge("key", len(key), MAX_KEY)
    raise SchemaInvalid("a key has at least one byte")


def _first(
    cursor: Any,  # noqa: ANN401
    start: bytes,
    stop: bytes | None,
    *,
    reverse: bool,
) -> tuple[tuple[bytes, bytes], ...]:
    """The first item of a scan, if there is one. Hundreds of scans of one call want no more."""
    if not reverse:
        found = cursor.set_range(start)
    elif stop is not None and cursor.set_range(stop):
        found = cursor.prev()
    else:
        found = cursor.last()
    if not found:
        return ()
    item = cursor.item()
    is_outside = item[0] < start if reverse else stop is not None and item[0] >= stop
    return () if is_outside else (item,)


class Reading:
    """A snapshot: `api.ReadTransaction`."""

    __slots__ = (
        "__weakref__",
        "_claim",
        "_environment",
        "_handle",
        "_journal",
        "_shared",
        "_tables",
        "_thread",
        "_txn",
    )

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        self._claim: Claim
        self._environment: Environment
        self._journal: Any = None
        self._shared: Shared
        self._tables: Mapping[str, Any] = {}
        self._thread = get_ident()
        self._txn = _NOT_BEGUN

    def __enter__(self) -> Self:
        handle = self._handle
        shared = handle.shared()
        self._begin(shared, shared.locks.claim(), monotonic() + handle.wait_s, write=False)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._check_thread()
        if self._txn is _INHERITED:
            return
        abort = self._txn.abort
        try:
            abort()
        finally:
            self._end()

    def get(self, table: str, key: bytes) -> bytes | None:
        """The value at `key`, or None."""
        get = self._txn.get
        if get_ident() != self._thread:
            self._check_thread()
        if not 0 < len(key) <= MAX_KEY:
            _refuse_key(key)
        try:
            db = self._tables[table]
            return None if db is None else get(key, None, db)
        except Exception as error:
            raise self._typed(error, table) from error

    def get_many(self, table: str, keys: Sequence[bytes]) -> list[bytes | None]:
        """The value at each key, in the order given; None where there is none."""
        # A loop: `Cursor.getmulti` was measured slower, and leaves out the keys that are not there.
        get = self._txn.get
        if get_ident() != self._thread:
            self._check_thread()
        for key in keys:
            if not 0 < len(key) <= MAX_KEY:
                _refuse_key(key)
        try:
            db = self._tables[table]
            return [None] * len(keys) if db is None else [get(key, None, db) for key in keys]
        except Exception as error:
            raise self._typed(error, table) from error

    def scan(
        self,
        table: str,
        start: bytes = b"",
        stop: bytes | None = None,
        *,
        reverse: bool = False,
        limit: int | None = None,
    ) -> Iterator[tuple[bytes, bytes]]:
        """Up to `limit` items with start <= key < stop, in key order (from the end if `reverse`).

        Ends with the transaction. What it yields after a write to the same table is not promised.
        """
        txn = self._txn
        open_cursor = txn.cursor
        if get_ident() != self._thread:
            self._check_thread()
        try:
            db = self._tables[table]
            if db is None:
                return iter(())
            if limit == 1:
                return iter(_first(open_cursor(db), start, stop, reverse=reverse))
            items = self._walk(txn, open_cursor(db), start, stop, reverse=reverse)
            return items if limit is None else islice(items, limit)
        except Exception as error:
            raise self._typed(error, table) from error

    def any(self, table: str) -> bool:
        """Whether the table holds a key."""
        return self.count(table) > 0

    def count(self, table: str) -> int:
        """How many keys the table holds."""
        stat = self._txn.stat
        self._check_thread()
        try:
            db = self._tables[table]
            return 0 if db is None else cast("int", stat(db)["entries"])
        except Exception as error:
            raise self._typed(error, table) from error

    @property
    def kept(self) -> dict[str, Kept] | None:
        """See `api.kept_by`."""
        return self._environment.kept(self._txn.id())

    @property
    def carried(self) -> dict[str, Kept] | None:
        """See `api.carried_by`."""
        return self._environment.carried

    def disown(self) -> None:
        """This process is a forked child: the transaction is not its to use or to end."""
        self._txn = _INHERITED

    def _begin(self, shared: Shared, claim: Claim, deadline: float, *, write: bool) -> None:
        if self._txn is not _NOT_BEGUN:
            raise Denied("a transaction begins once; call read() or write() again")
        try:
            environment, txn = shared.begin(claim, deadline, write=write)
            self._thread = get_ident()
            self._claim, self._shared, self._tables, self._txn = claim, shared, environment.tables, txn
            self._environment, self._journal = environment, environment.journal
            shared.live[id(self)] = ref(self)
        except BaseException:
            self._txn = _ENDED
            claim.end()
            raise

    def _end(self) -> None:
        self._txn = _ENDED
        self._shared.live.pop(id(self), None)
        self._claim.end()

    def _walk(
        self,
        txn: RawTransaction,
        cursor: Any,  # noqa: ANN401
        start: bytes,
        stop: bytes | None,
        *,
        reverse: bool,
    ) -> Iterator[tuple[bytes, bytes]]:
        try:
            if self._txn is not txn or get_ident() != self._thread:
                self._refuse_scan()
            if not reverse:
                items = cursor.iternext() if cursor.set_range(start) else ()
            elif stop is not None and cursor.set_range(stop):
                items = cursor.iterprev() if cursor.prev() else ()
            else:
                items = cursor.iterprev() if cursor.last() else ()
            for item in items:
                if item[0] < start if reverse else stop is not None and item[0] >= stop:
                    return
                yield item
                if self._txn is not txn or get_ident() != self._thread:
                    self._refuse_scan()
        except SubstrateError:
            raise
        except Exception as error:
            raise self._typed(error, "of the scan") from error

    def _refuse_scan(self) -> None:
        self._check_thread()
        if isinstance(self._txn, _Gone):
            self._txn.abort()  # raises
        raise Denied("the transaction was begun again, and this scan ended there; scan again")

    def _check_thread(self) -> None:
        if get_ident() != self._thread:
            raise Denied("a transaction belongs to the thread that began it; begin another one here")

    def _typed(self, error: Exception, table: str) -> SubstrateError:
        if isinstance(error, KeyError):
            return SchemaInvalid(f"no table {table!r}; the store was opened with {', '.join(sorted(self._tables))}")
        if isinstance(error, TypeError):
            return SchemaInvalid(f"table {table}: keys and values are bytes, an item is a tuple of both ({error})")
        return self._from_lmdb(error)

    def _from_lmdb(self, error: Exception) -> SubstrateError:
        return from_lmdb(error)


class Writing(Reading):
    """The one writer: `api.WriteTransaction`."""

    __slots__ = ("_changed", "_spoilt")

    def __init__(self, handle: Handle) -> None:
        super().__init__(handle)
        self._changed: journal.Changed | None = None
        self._spoilt: SubstrateError | None = None

    def __enter__(self) -> Self:
        handle = self._handle
        deadline = monotonic() + handle.wait_s
        shared = handle.shared()
        claim = shared.locks.claim()
        claim.write(deadline)
        self._begin(shared, claim, deadline, write=True)
        try:
            self._look_at_journal()
        except BaseException:
            self._txn.abort()
            self._end()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._check_thread()
        if self._txn is _INHERITED and kind is not None:
            return
        if self._txn is _ENDED and self._spoilt is not None:  # it did not fit, and could not begin again
            self._end()
            if kind is None:
                raise self._spoilt
            return
        commit, abort = self._txn.commit, self._txn.abort
        try:
            if kind is None and self._spoilt is None:
                self._write_journal(abort)
                self._commit(commit)
            else:
                abort()
        finally:
            self._end()
        if kind is None and self._spoilt is not None:
            raise self._spoilt

    def put(self, table: str, key: bytes, value: bytes) -> None:
        """Set `key` to `value`, whatever was there."""
        put = self._txn.put
        if get_ident() != self._thread:
            self._check_thread()
        if not 0 < len(key) <= MAX_KEY:
            _refuse_key(key)
        try:
            put(key, value, db=self._tables[table])
            if self._changed is not None:
                self._changed[table].add(key)
        except Exception as error:
            raise self._typed(error, table) from error

    def put_many(self, table: str, items: Iterable[tuple[bytes, bytes]]) -> None:
        """Set each key to its value. Sorted items are written fastest."""
        self._put_many(table, items, append=False)

    def extend(self, table: str, items: Iterable[tuple[bytes, bytes]]) -> None:
        """Add items whose keys ascend and lie above every key of the table; StoreDamaged if they do not."""
        self._put_many(table, items, append=True)

    def delete(self, table: str, key: bytes) -> None:
        """Remove `key`, if it is there."""
        delete = self._txn.delete
        if get_ident() != self._thread:
            self._check_thread()
        if not 0 < len(key) <= MAX_KEY:
            _refuse_key(key)
        try:
            delete(key, b"", self._tables[table])
            if self._changed is not None:
                self._changed[table].add(key)
        except Exception as error:
            raise self._typed(error, table) from error

    @property
    def kept(self) -> None:
        """Nothing: what it sees is not what others see."""
        return None

    @property
    def carried(self) -> None:
        """Nothing, for the same reason."""
        return None

    def grow(self) -> bool:
        """After MapFull: begin again, with nothing written, in a larger map; False if there is none.

        Busy if other threads of this process do not end reading: then this transaction has ended.
        """
        self._check_thread()
        if not isinstance(self._spoilt, MapFull) or not self._shared.outgrow() or self._claim.is_shared():
            return False
        abort, claim, deadline = self._txn.abort, self._claim, monotonic() + self._handle.wait_s
        self._txn = _ENDED
        try:
            abort()
            claim.leave()
            self._shared.grow(deadline)
            environment, txn = self._shared.begin(claim, deadline, write=True)
            self._tables, self._txn, self._spoilt = environment.tables, txn, None
            self._journal = environment.journal
        except BaseException:
            self._end()
            raise
        self._look_at_journal()
        return True

    def _look_at_journal(self) -> None:
        """Whether what is written here must be written down for someone who copies the store meanwhile."""
        self._changed = None
        try:
            with typed_errors("looking for a compaction"):
                if journal.is_kept(self._txn, self._journal):
                    if self._shared.locks.mover.is_held() and not journal.is_long(self._txn, self._journal):
                        self._changed = journal.nothing_yet()
                    else:  # whoever copies it is dead, or as good as that
                        journal.end(self._txn, self._journal)
        except SubstrateError:
            raise
        except Exception as error:
            raise self._from_lmdb(error) from error

    def _put_many(self, table: str, items: Iterable[tuple[bytes, bytes]], *, append: bool) -> None:
        ready = list(items)  # what goes wrong in the caller's iterator does so before anything is written
        open_cursor = self._txn.cursor
        if get_ident() != self._thread:
            self._check_thread()
        if not ready and table in self._tables:
            return  # as of views that an append does not concern
        for key, _ in ready:
            if not 0 < len(key) <= MAX_KEY:
                _refuse_key(key)
        try:
            cursor = open_cursor(self._tables[table])
        except Exception as error:
            raise self._typed(error, table) from error
        try:
            taken, added = cursor.putmulti(ready, append=append)
        except Exception as error:
            self._spoilt = self._typed(error, table)  # some of the items may be in
            raise self._spoilt from error
        if self._changed is not None:
            self._changed[table].update(key for key, _ in ready)
        if added != taken:
            self._spoilt = StoreDamaged(f"table {table}: the new keys do not lie above the old ones; ", DAMAGED)
            raise self._spoilt

    def _write_journal(self, abort: Callable[[], None]) -> None:
        """Write down what was written here, if that is kept. If this raises, the transaction has ended.

        Else it would live on in the traceback, and with it LMDB's mutex, for which others wait without a bound.
        """
        if not self._changed:
            return
        try:
            journal.write(self._txn, self._journal, self._changed)
        except BaseException as error:
            abort()
            if isinstance(error, Exception):
                raise self._from_lmdb(error) from error
            raise

    def _commit(self, commit: Callable[[], None]) -> None:
        try:
            commit()
        except Exception as error:
            problem = self._from_lmdb(error)
            if isinstance(problem, Full):
                raise problem from error
            message = Message(
                "the commit failed and what the disk holds is not known: open the store again, run ",
                FSCK,
                f" ({error})",
            )
            self._shared.fail(message)
            raise Unusable(message) from error

    def _from_lmdb(self, error: Exception) -> SubstrateError:
        self._spoilt = from_lmdb(error, self._shared.is_full)
        if isinstance(self._spoilt, MapFull) and self._shared.outgrow():
            self._spoilt = MapFull(f"too much for the memory map, nothing was written: try again, it grows ({error})")
        return self._spoilt
