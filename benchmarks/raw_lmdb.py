"""LMDB with nothing around it: on a byte-for-byte copy of our data file, so that tables and pages are the same."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

import lmdb

__all__ = ["RawLmdb", "Rows", "data_file"]

Rows = Mapping[str, Sequence[tuple[bytes, bytes]]]
"""Rows by table."""


def data_file(store: Path) -> Path:
    """The one data file of a store folder that nobody compacts."""
    (path,) = store.glob("env.*/data.mdb")
    return path


class RawLmdb:
    """An environment of its own, synced like ours."""

    def __init__(self, folder: Path, tables: Iterable[str], scattered: Collection[str] = ()) -> None:
        self._scattered = frozenset(scattered)
        self._env = lmdb.open(str(folder), map_size=1 << 40, max_dbs=64, sync=True, metasync=True, lib_version=0)
        self._tables = {name: self._env.open_db(name.encode()) for name in tables}

    @classmethod
    def copy_of(cls, store: Path, folder: Path, tables: Iterable[str], scattered: Collection[str] = ()) -> RawLmdb:
        """Open a copy of a store of ours that nobody has open."""
        folder.mkdir()
        shutil.copyfile(data_file(store), folder / "data.mdb")
        return cls(folder, tables, scattered)

    def put(self, rows: Rows) -> None:
        """All rows, sorted by key, in one durable transaction. Tables that only grow at their end are appended to."""
        with self._env.begin(write=True) as txn:
            for table, items in rows.items():
                taken, added = txn.cursor(self._tables[table]).putmulti(items, append=table not in self._scattered)
                if taken != added or taken != len(items):
                    raise AssertionError(f"LMDB took {added} of {len(items)} rows of {table}")

    def get(self, table: str, key: bytes) -> bytes | None:
        """One row, in a transaction of its own."""
        with self._env.begin() as txn:
            return txn.get(key, db=self._tables[table])

    def get_many(self, keys: Mapping[str, Sequence[bytes]]) -> list[object]:
        """Rows by table, in one transaction."""
        with self._env.begin() as txn:
            return [txn.cursor(self._tables[table]).getmulti(wanted) for table, wanted in keys.items()]

    def table_bytes(self) -> dict[str, int]:
        """Bytes in pages, by table."""
        found = {}
        with self._env.begin() as txn:
            for name, table in self._tables.items():
                stat = txn.stat(table)
                pages = stat["branch_pages"] + stat["leaf_pages"] + stat["overflow_pages"]
                found[name] = pages * stat["psize"]
        return found

    def close(self) -> None:
        """Close the environment."""
        self._env.close()
