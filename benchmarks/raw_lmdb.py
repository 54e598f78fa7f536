"""LMDB with nothing around it: on a byte-for-byte copy of our data file, so that tables and pages are the same."""

from __future__ import annotations

import shutil
from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path

import lmdb

from benchmarks.rows import Recorded, Scan, Step

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

    def read_again(self, recorded: Recorded) -> None:
        """Every row that our work read, in one transaction."""
        tables = self._tables
        with self._env.begin() as txn:
            get = txn.get
            for table, key in recorded.gets:
                get(key, None, tables[table])
            for scan in recorded.scans:
                _walk(txn.cursor(tables[scan.table]), scan)

    def write_again(self, work: tuple[Sequence[Step], Mapping[str, Collection[bytes]]]) -> None:
        """Every row that our work set or removed, in one durable transaction."""
        steps, deletes = work
        with self._env.begin(write=True) as txn:
            for table, items, append in steps:
                _, added = txn.cursor(self._tables[table]).putmulti(items, append=append)
                if added != len(items):
                    raise AssertionError(f"LMDB took {added} of {len(items)} rows of {table}")
            for table, keys in deletes.items():
                for key in keys:
                    txn.delete(key, db=self._tables[table])

    def copy(self, folder: Path) -> Path:
        """A copy without free pages, in the new folder."""
        folder.mkdir()
        self._env.copy(str(folder), compact=True)
        return folder

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


def _walk(cursor: lmdb.Cursor, scan: Scan) -> None:
    if not scan.reverse:
        items = cursor.iternext() if cursor.set_range(scan.start) else ()
    elif scan.stop is not None and cursor.set_range(scan.stop):
        items = cursor.iterprev() if cursor.prev() else ()
    else:
        items = cursor.iterprev() if cursor.last() else ()
    deque(islice(items, scan.rows), maxlen=0)
