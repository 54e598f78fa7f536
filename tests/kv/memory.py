"""The contract of `substrate.kv.api` in the simplest form there is: a dict per table, copied by each transaction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

from substrate.errors import SchemaInvalid, StoreDamaged, TooLarge
from substrate.kv.api import MAX_KEY

Tables = dict[str, dict[bytes, bytes]]


def check_key(key: bytes) -> None:
    if not key:
        raise SchemaInvalid("empty key")
    if len(key) > MAX_KEY:
        raise TooLarge("key", len(key), MAX_KEY)


class MemoryTransaction:
    def __init__(self, tables: Tables) -> None:
        self.tables = {name: dict(table) for name, table in tables.items()}
        self.spoilt: StoreDamaged | None = None

    def _table(self, name: str) -> dict[bytes, bytes]:
        if name not in self.tables:
            raise SchemaInvalid(f"no table {name}")
        return self.tables[name]

    def get(self, table: str, key: bytes) -> bytes | None:
        check_key(key)
        return self._table(table).get(key)

    def get_many(self, table: str, keys: Sequence[bytes]) -> list[bytes | None]:
        for key in keys:
            check_key(key)
        values = self._table(table)
        return [values.get(key) for key in keys]

    def scan(
        self,
        table: str,
        start: bytes = b"",
        stop: bytes | None = None,
        *,
        reverse: bool = False,
        limit: int | None = None,
    ) -> Iterator[tuple[bytes, bytes]]:
        items = sorted(self._table(table).items(), reverse=reverse)
        return iter([item for item in items if start <= item[0] and (stop is None or item[0] < stop)][:limit])

    def any(self, table: str) -> bool:
        return bool(self._table(table))

    def count(self, table: str) -> int:
        return len(self._table(table))

    def put(self, table: str, key: bytes, value: bytes) -> None:
        check_key(key)
        self._table(table)[key] = value

    def put_many(self, table: str, items: Iterable[tuple[bytes, bytes]]) -> None:
        ready = list(items)
        for key, _ in ready:
            check_key(key)
        self._table(table).update(ready)

    def extend(self, table: str, items: Iterable[tuple[bytes, bytes]]) -> None:
        ready = list(items)
        for key, _ in ready:
            check_key(key)
        keys = [*sorted(self._table(table))[-1:], *(key for key, _ in ready)]
        if any(low >= high for low, high in pairwise(keys)):
            self.spoilt = StoreDamaged("not ascending")
            raise self.spoilt
        self._table(table).update(ready)

    def delete(self, table: str, key: bytes) -> None:
        check_key(key)
        self._table(table).pop(key, None)

    def grow(self) -> bool:
        return False


class MemoryStore:
    """It is no folder: nothing of it can be copied or compacted."""

    read_only = False
    cache = Path("there is none")

    def __init__(self, tables: Sequence[str]) -> None:
        self.tables: Tables = {name: {} for name in tables}

    @contextmanager
    def read(self) -> Iterator[MemoryTransaction]:
        yield MemoryTransaction(self.tables)

    @contextmanager
    def write(self) -> Iterator[MemoryTransaction]:
        transaction = MemoryTransaction(self.tables)
        yield transaction
        if transaction.spoilt is not None:
            raise transaction.spoilt
        self.tables = transaction.tables

    def close(self) -> None:
        pass
