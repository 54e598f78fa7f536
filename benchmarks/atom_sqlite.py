"""SQLite with the same atoms and edges, durable like ours (WAL, synchronous=FULL), without proofs.

A table of versions, with an index by name; a table of edges, with indexes both ways. Nothing says which version is
current: a query does. Answers are rows, not objects.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

from benchmarks.atom_workload import EdgeGiven, Given

__all__ = ["PUT", "TOMBSTONE", "SqliteAtoms", "edge_rows", "version_rows"]

PUT, TOMBSTONE = 1, 2
_SCHEMA = """
create table if not exists version (
    seq integer primary key, kind integer not null, subject blob not null, time integer not null, name text not null,
    value text, said text, valid_from integer, valid_to integer, confirmed integer
);
create index if not exists version_by_name on version (name, seq);
create table if not exists edge (
    seq integer primary key, id blob not null, time integer not null, source text not null, type text not null,
    target text not null, said text
);
create index if not exists edge_by_source on edge (source, type);
create index if not exists edge_by_target on edge (target, type);
"""
_LATEST = "seq = (select max(seq) from version as other where other.name = version.name)"
_AT_NAME = "select * from version where name = ?"
_NEWEST = "order by seq desc limit 1"
_INSERT_VERSION = "insert into version values (?, ?, ?, ?, ?, ?, ?, ?, null, null)"
_INSERT_EDGE = "insert into edge values (?, ?, ?, ?, ?, ?, ?)"
_CONFIRM = "update version set confirmed = ? where seq = (select max(seq) from version where name = ?) and value = ?"
_DIFF = """
select now.*, before.* from version as now left join version as before
on before.seq = (select max(seq) from version where name = now.name and seq <= ?) where now.seq > ?
"""
_LAST_CHARACTER = "\U0010ffff"
Row = tuple[Any, ...]


def version_rows(atoms: Sequence[Given], seq: int, time: int, *, first: bool) -> list[Row]:
    """These atoms, ready to insert from `seq` on; `first` versions hold from ever, others from now."""
    rows = []
    for at, atom in enumerate(atoms, seq):
        if isinstance(atom, str):
            name, _, value = atom.partition(" = ")
            said = None
        else:
            fields = dict(atom)
            name, value = str(fields.pop("name")), str(fields.pop("value"))
            said = json.dumps(fields)
        rows.append((at, PUT, uuid4().bytes, time, name, value, said, None if first else time))
    return rows


def edge_rows(edges: Sequence[EdgeGiven], seq: int, time: int) -> list[Row]:
    """These edges, ready to insert from `seq` on."""
    return [
        (
            at,
            uuid4().bytes,
            time,
            edge["source"],
            edge["type"],
            edge["target"],
            json.dumps({"confidence": edge["confidence"]}),
        )
        for at, edge in enumerate(edges, seq)
    ]


class SqliteAtoms:
    """One connection."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.execute("pragma journal_mode = wal")
        self._connection.execute("pragma synchronous = full")
        self._connection.execute("pragma secure_delete = on")
        self._connection.executescript(_SCHEMA)

    def _all(self, query: str, *arguments: object) -> list[Row]:
        return self._connection.execute(query, arguments).fetchall()

    def _write(self, statement: str, rows: Iterable[Row]) -> None:
        self._connection.execute("begin immediate")
        self._connection.executemany(statement, rows)
        self._connection.execute("commit")

    # -- writing -----------------------------------------------------------------------------------------------------

    def add(self, rows: list[Row]) -> None:
        """Versions, in one durable transaction."""
        self._write(_INSERT_VERSION, rows)

    def link(self, rows: list[Row]) -> None:
        """Edges, in one durable transaction."""
        self._write(_INSERT_EDGE, rows)

    def confirm(self, rows: list[tuple[int, str, str]]) -> None:
        """The current version was said again: time, name, value of each."""
        self._write(_CONFIRM, rows)

    def forget(self, name: str) -> None:
        """Delete an atom with its edges, and overwrite what they were."""
        self._connection.execute("begin immediate")
        self._connection.execute("delete from version where name = ?", (name,))
        self._connection.execute("delete from edge where source = ? or target = ?", (name, name))
        self._connection.execute("commit")

    def vacuum(self) -> None:
        """Write the file anew."""
        self._connection.execute("vacuum")

    # -- reading -----------------------------------------------------------------------------------------------------

    def current(self, name: str) -> Row:
        """The latest version of a name."""
        return self._all(f"{_AT_NAME} {_NEWEST}", name)[0]

    def as_of(self, name: str, seq: int) -> Row:
        """The version that was the latest after `seq`."""
        return self._all(f"{_AT_NAME} and seq <= ? {_NEWEST}", name, seq)[0]

    def as_of_time(self, name: str, time: int) -> Row:
        """The version that was the latest at a time."""
        return self._all(f"{_AT_NAME} and time <= ? {_NEWEST}", name, time)[0]

    def valid_at(self, name: str, time: int) -> Row:
        """The latest version that holds at a time."""
        valid = "(valid_from is null or valid_from <= ?) and (valid_to is null or ? < valid_to)"
        return self._all(f"{_AT_NAME} and {valid} {_NEWEST}", name, time, time)[0]

    def list(self, prefix: str, after: str, limit: int) -> list[Row]:
        """A page of the current versions of names with this prefix."""
        start, low = (">", after) if after >= prefix else (">=", prefix)
        query = f"select * from version where name {start} ? and name < ? and kind = ? and {_LATEST}"  # noqa: S608
        return self._all(f"{query} order by name limit ?", low, prefix + _LAST_CHARACTER, PUT, limit)

    def edges(self, name: str) -> list[Row]:
        """The edges from and to an atom."""
        return self._all(
            "select * from edge where source = ? union all select * from edge where target = ?", name, name
        )

    def history(self, name: str) -> list[Row]:
        """Every version of a name, oldest first."""
        return self._all(f"{_AT_NAME} order by seq", name)

    def diff(self, seq: int) -> tuple[list[Row], list[Row]]:
        """Versions after `seq`, each with the one before, and edges."""
        return self._all(_DIFF, seq, seq), self._all("select * from edge where seq > ?", seq)

    def stats(self) -> tuple[list[Row], list[Row]]:
        """Atoms by kind, and edges, counted."""
        by_kind = self._all(f"select kind, count(*) from version where {_LATEST} group by kind")  # noqa: S608
        return by_kind, self._all("select count(*) from edge")

    # -- care --------------------------------------------------------------------------------------------------------

    def export(self, path: Path) -> None:
        """Every row as a line of JSON."""
        with path.open("x", encoding="utf-8") as file:
            for table in ("version", "edge"):
                cursor = self._connection.execute(f"select * from {table} order by seq")  # noqa: S608 - ours
                names = [column[0] for column in cursor.description]
                for row in cursor:
                    texts = (cell.hex() if isinstance(cell, bytes) else cell for cell in row)
                    line = {name: text for name, text in zip(names, texts, strict=True) if text is not None}
                    file.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")

    def backup(self, path: Path) -> None:
        """A copy, by SQLite's own means."""
        target = sqlite3.connect(path)
        self._connection.backup(target)
        target.close()

    def file_bytes(self) -> int:
        """Bytes of the file, with what was in the write-ahead log moved into it."""
        self._connection.execute("pragma wal_checkpoint(truncate)")
        return self._path.stat().st_size

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()
