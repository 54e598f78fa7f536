"""SQLite with the same records, durable like ours (WAL, synchronous=FULL), findable by name, without proofs."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable
from pathlib import Path

from benchmarks.workload import name_of, value_of

__all__ = ["Row", "SqliteLog"]

Row = tuple[int, int, bytes, int, str, str]
"""seq, kind, subject, time, name, value."""

_SCHEMA = """
create table if not exists entry (
    seq integer primary key, kind integer not null, subject blob not null, time integer not null,
    name text not null, value text not null
);
create index if not exists entry_by_name on entry (name, seq);
"""
_INSERT = "insert into entry values (?, ?, ?, ?, ?, ?)"
_CURRENT = "select seq, kind, subject, time, value from entry where name = ? order by seq desc limit 1"


class SqliteLog:
    """One connection."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.execute("pragma journal_mode = wal")
        self._connection.execute("pragma synchronous = full")
        self._connection.executescript(_SCHEMA)

    @staticmethod
    def rows(numbers: Iterable[int]) -> list[Row]:
        """The records of these numbers, ready to insert."""
        now = time.time_ns() // 1000
        return [(n, 1, n.to_bytes(16, "big"), now, name_of(n), value_of(n)) for n in numbers]

    def append(self, rows: list[Row]) -> None:
        """All rows in one durable transaction."""
        self._connection.execute("begin immediate")
        self._connection.executemany(_INSERT, rows)
        self._connection.execute("commit")

    def current(self, name: str) -> object:
        """The latest version of a name."""
        return self._connection.execute(_CURRENT, (name,)).fetchone()

    def file_bytes(self) -> int:
        """Bytes of the file, with what was in the write-ahead log moved into it."""
        self._connection.execute("pragma wal_checkpoint(truncate)")
        return self._path.stat().st_size

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()
