"""The rows that a piece of our work reads and writes: recorded once, then read or written again with nothing around."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

from substrate.kv.lmdb.transactions import Reading, Writing

__all__ = ["Recorded", "Scan", "Step", "recording_rows"]

Item = tuple[bytes, bytes]
Step = tuple[str, Sequence[Item], bool]
"""Table, its rows sorted by key, and whether all of them lie above those that are there."""


@dataclass(slots=True)
class Scan:
    """A walk along a table, and how many rows were taken from it."""

    table: str
    start: bytes
    stop: bytes | None
    reverse: bool
    rows: int = 0


@dataclass(slots=True)
class Recorded:
    """What was read, in order, and what each table was left with."""

    gets: list[tuple[str, bytes]] = field(default_factory=list)
    scans: list[Scan] = field(default_factory=list)
    puts: dict[str, dict[bytes, bytes]] = field(default_factory=dict)
    deletes: dict[str, set[bytes]] = field(default_factory=dict)
    scattered: set[str] = field(default_factory=set)
    """Tables that were written to elsewhere than at their end."""

    @property
    def rows_read(self) -> int:
        """How many rows were asked for by key, or met on a walk."""
        return len(self.gets) + sum(scan.rows for scan in self.scans)

    @property
    def rows_written(self) -> int:
        """How many rows were set or removed."""
        return sum(map(len, self.puts.values())) + sum(map(len, self.deletes.values()))

    def put(self, table: str, items: Iterable[Item], *, scattered: bool) -> None:
        """Note rows that were set."""
        gone = self.deletes.get(table, set())
        rows = self.puts.setdefault(table, {})
        for key, value in items:
            gone.discard(key)
            rows[key] = value
        if scattered:
            self.scattered.add(table)

    def delete(self, table: str, key: bytes) -> None:
        """Note a row that was removed."""
        self.puts.get(table, {}).pop(key, None)
        self.deletes.setdefault(table, set()).add(key)

    def steps(self) -> list[Step]:
        """What to write, table by table, as a single writer who knew it all would."""
        return [(table, sorted(rows.items()), table not in self.scattered) for table, rows in self.puts.items()]


@contextmanager
def recording_rows() -> Iterator[Recorded]:
    """Inside the block every row that our transactions touch is noted. Slow: never around what is timed."""
    seen = Recorded()
    get, get_many, scan = Reading.get, Reading.get_many, Reading.scan
    put, put_many, extend, delete = Writing.put, Writing.put_many, Writing.extend, Writing.delete

    def note_get(self: Reading, table: str, key: bytes) -> bytes | None:
        seen.gets.append((table, key))
        return get(self, table, key)

    def note_get_many(self: Reading, table: str, keys: Sequence[bytes]) -> list[bytes | None]:
        seen.gets += [(table, key) for key in keys]
        return get_many(self, table, keys)

    def note_scan(  # noqa: PLR0913 - the signature of the seam
        self: Reading,
        table: str,
        start: bytes = b"",
        stop: bytes | None = None,
        *,
        reverse: bool = False,
        limit: int | None = None,
    ) -> Iterator[Item]:
        walk = Scan(table, start, stop, reverse)
        seen.scans.append(walk)
        for item in scan(self, table, start, stop, reverse=reverse, limit=limit):
            walk.rows += 1
            yield item

    def note_put(self: Writing, table: str, key: bytes, value: bytes) -> None:
        seen.put(table, [(key, value)], scattered=True)
        put(self, table, key, value)

    def note_put_many(self: Writing, table: str, items: Iterable[Item]) -> None:
        ready = list(items)
        seen.put(table, ready, scattered=True)
        put_many(self, table, ready)

    def note_extend(self: Writing, table: str, items: Iterable[Item]) -> None:
        ready = list(items)
        seen.put(table, ready, scattered=False)
        extend(self, table, ready)

    def note_delete(self: Writing, table: str, key: bytes) -> None:
        seen.delete(table, key)
        delete(self, table, key)

    noting: dict[type, dict[str, Any]] = {
        Reading: {"get": note_get, "get_many": note_get_many, "scan": note_scan},
        Writing: {"put": note_put, "put_many": note_put_many, "extend": note_extend, "delete": note_delete},
    }
    with ExitStack() as stack:
        for kind, methods in noting.items():
            for name, method in methods.items():
                stack.enter_context(patch.object(kind, name, method))
        yield seen
