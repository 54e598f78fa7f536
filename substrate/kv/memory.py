"""The tables of `api.py` in the memory of one process: for what must not be written to disk, and ends with it.

1. A table is a dict and the sorted list of its keys. A transaction that writes to a table copies it first, so snapshots
   cost nothing and stay as they are.
2. Nothing is ever in a file: what is dropped here is gone.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from threading import Lock
from typing import Final

from substrate.errors import SchemaInvalid, StoreDamaged, TooLarge
from substrate.kv.api import MAX_KEY

__all__ = ["MemoryStore", "MemoryTransaction"]

_FEW: Final = 32
"""New keys up to which each is put into its place; of more, all keys are sorted again."""


class _Table:
    """Rows, and their keys in order. New keys wait until someone asks for the order."""

    __slots__ = ("_keys", "_waiting", "rows")

    def __init__(self, rows: dict[bytes, bytes], keys: list[bytes]) -> None:
        self.rows = rows
        self._keys = keys
        self._waiting: list[bytes] = []

    def copy(self) -> _Table:
        return _Table(dict(self.rows), list(self.keys()))

    def keys(self) -> list[bytes]:
        """All keys, in order."""
        if len(self._waiting) > _FEW:
            self._keys += self._waiting
            self._keys.sort()
        else:
            for key in self._waiting:
                insort(self._keys, key)
        self._waiting.clear()
        return self._keys

    def put(self, key: bytes, value: bytes) -> None:
        if key not in self.rows:
            self._waiting.append(key)
        self.rows[key] = value

    def delete(self, key: bytes) -> None:
        if self.rows.pop(key, None) is not None:
            keys = self.keys()
            del keys[bisect_left(keys, key)]


class MemoryTransaction:
    """`api.WriteTransaction`; of a snapshot only what reads is called. Of one thread at a time."""

    __slots__ = ("_own", "_tables", "spoilt")

    def __init__(self, tables: Mapping[str, _Table]) -> None:
        self._tables = dict(tables)
        self._own: set[str] = set()
        self.spoilt: StoreDamaged | None = None
        """Why it cannot be committed, if so."""

    @property
    def tables(self) -> Mapping[str, _Table]:
        """All tables as this transaction leaves them, in order: nobody has to sort what is shared."""
        for name in self._own:
            self._tables[name].keys()
        return self._tables

    def names(self) -> Iterable[str]:
        """Its tables."""
        return self._tables

    def get(self, table: str, key: bytes) -> bytes | None:
        """The value at `key`, or None."""
        _check_key(key)
        return self._read(table).rows.get(key)

    def get_many(self, table: str, keys: Sequence[bytes]) -> list[bytes | None]:
        """The value at each key, in the order given; None where there is none."""
        for key in keys:
            _check_key(key)
        rows = self._read(table).rows
        return [rows.get(key) for key in keys]

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
        found = self._read(table)
        keys = found.keys()
        low, high = bisect_left(keys, start), len(keys) if stop is None else bisect_left(keys, stop)
        places = range(high - 1, low - 1, -1) if reverse else range(low, high)
        return _items(found.rows, keys, places if limit is None else places[:limit])

    def any(self, table: str) -> bool:
        """Whether the table holds a key."""
        return bool(self._read(table).rows)

    def count(self, table: str) -> int:
        """How many keys the table holds."""
        return len(self._read(table).rows)

    def put(self, table: str, key: bytes, value: bytes) -> None:
        """Set `key` to `value`, whatever was there."""
        _check_key(key)
        self._write(table).put(key, value)

    def put_many(self, table: str, items: Iterable[tuple[bytes, bytes]]) -> None:
        """Set each key to its value."""
        ready = list(items)
        for key, _ in ready:
            _check_key(key)
        put = self._write(table).put
        for key, value in ready:
            put(key, value)

    def extend(self, table: str, items: Iterable[tuple[bytes, bytes]]) -> None:
        """Add items whose keys ascend and lie above every key of the table; StoreDamaged if they do not."""
        ready = list(items)
        for key, _ in ready:
            _check_key(key)
        there = self._write(table)
        if any(low >= high for low, high in pairwise([*there.keys()[-1:], *(key for key, _ in ready)])):
            self.spoilt = StoreDamaged(f"table {table}: the keys of an extension do not ascend")
            raise self.spoilt
        for key, value in ready:
            there.put(key, value)

    def delete(self, table: str, key: bytes) -> None:
        """Remove `key`, if it is there."""
        _check_key(key)
        self._write(table).delete(key)

    def grow(self) -> bool:
        """False: nothing here is ever full."""
        return False

    def _read(self, table: str) -> _Table:
        found = self._tables.get(table)
        if found is None:
            raise SchemaInvalid(f"no table {table!r}; the store was opened with {', '.join(sorted(self._tables))}")
        return found

    def _write(self, table: str) -> _Table:
        found = self._read(table)
        if table not in self._own:
            found = self._tables[table] = found.copy()
            self._own.add(table)
        return found


class MemoryStore:
    """Tables that nobody else sees, with snapshots and one writer at a time. Threads may share it."""

    def __init__(self, tables: Iterable[str]) -> None:
        self._tables: Mapping[str, _Table] = {name: _Table({}, []) for name in tables}
        self._writer = Lock()

    @contextmanager
    def read(self) -> Iterator[MemoryTransaction]:
        """A snapshot. It may outlive its block: nothing is held for it."""
        yield MemoryTransaction(self._tables)

    @contextmanager
    def write(self) -> Iterator[MemoryTransaction]:
        """The write transaction; waits for the other one."""
        with self._writer:
            transaction = MemoryTransaction(self._tables)
            yield transaction
            if transaction.spoilt is not None:
                raise transaction.spoilt
            self._tables = transaction.tables


def _check_key(key: bytes) -> None:
    if not key:
        raise SchemaInvalid("a key has at least one byte")
    if len(key) > MAX_KEY:
        raise TooLarge("key", len(key), MAX_KEY)


def _items(rows: Mapping[bytes, bytes], keys: Sequence[bytes], places: range) -> Iterator[tuple[bytes, bytes]]:
    for place in places:
        if place >= len(keys):  # the caller deleted rows meanwhile: what follows is not promised
            return
        key = keys[place]
        yield key, rows[key]
