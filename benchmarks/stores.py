"""The stores at one size: ours, two copies of its file for raw LMDB, and SQLite; all with the same records."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.peers_sqlite import SqliteLog
from benchmarks.raw_lmdb import RawLmdb, Rows
from benchmarks.workload import FILL, drafts, name_of
from substrate import Pin
from substrate.codec import Draft
from substrate.kv.api import ReadTransaction
from substrate.kv.open import open_store
from substrate.log.log import Log, open_log
from substrate.log.map import TOP
from substrate.log.tables import BODIES, ENTRIES, HEADS, MAP, META, NODES, TABLES, seq_key
from substrate.proof.entry import ENTRY_BYTES, SALT_BYTES
from substrate.proof.hashes import map_key
from substrate.proof.paths import inclusion_spans

__all__ = ["Stores", "entry_and_body", "fill", "proof_keys", "rows_written"]

_MAP_READ_AHEAD = 5
"""Tiles that our proof reads at once, as in substrate/log/map.py."""
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Stores:
    """All closed but raw LMDB and SQLite. Entry 0 of the log is its key, so record n is at seq n + 1."""

    size: int
    path: Path
    home: Path
    half: Pin
    """A pin of our log at half the size."""
    map_salt: bytes
    narrow: RawLmdb
    """Raw LMDB that is given the rows of entry and body only."""
    full: RawLmdb
    """Raw LMDB that is given every row that our append writes."""
    sqlite: SqliteLog
    sqlite_path: Path
    full_path: Path

    def open(self) -> Log:
        """Our log."""
        return open_log(self.path, home=self.home)

    def close(self) -> None:
        """Close the contenders."""
        self.narrow.close()
        self.full.close()
        self.sqlite.close()

    @property
    def records(self) -> int:
        """How many records there are; the next new one has this number."""
        return self.size - 1


def _steps(start: int, stop: int) -> Iterable[range]:
    for at in range(start, stop, FILL):
        yield range(at, min(at + FILL, stop))


def fill(size: int, folder: Path, say: Say) -> Stores:
    """Make every store, with `size` entries in ours."""
    path, home, sqlite_path = folder / "store", folder / "home", folder / "sqlite.db"
    sqlite = SqliteLog(sqlite_path)
    pins = []
    with open_log(path, home=home) as log:
        for start, stop in ((0, size // 2 - 1), (size // 2 - 1, size - 1)):
            for numbers in _steps(start, stop):
                say(f"{size:,} entries: filling, {numbers.start:,}")
                log.append(drafts(numbers))
                sqlite.append(sqlite.rows(numbers))
            pins.append(log.pin())
    with _Reader.of(path) as reader:
        salt = reader.get(META, b"map_salt")
    narrow = RawLmdb.copy_of(path, folder / "narrow", TABLES, {MAP})
    full = RawLmdb.copy_of(path, folder / "full", TABLES, {MAP})
    sqlite.file_bytes()
    os.sync()  # what was written to make the stores must not be flushed by what is measured
    return Stores(size, path, home, pins[0], salt, narrow, full, sqlite, sqlite_path, folder / "full")


class _Reader:
    """One snapshot of our store, below the log."""

    def __init__(self, transaction: ReadTransaction) -> None:
        self._transaction = transaction

    @classmethod
    @contextmanager
    def of(cls, path: Path) -> Iterator[_Reader]:
        store = open_store(path, list(TABLES), read_only=True, create=False)
        try:
            with store.read() as transaction:
                yield cls(transaction)
        finally:
            store.close()

    def get(self, table: str, key: bytes) -> bytes:
        found = self._transaction.get(table, key)
        if found is None:
            raise LookupError(f"{table} has no such row")
        return found

    def rows(self, table: str, start: int, stop: int) -> list[tuple[bytes, bytes]]:
        return list(self._transaction.scan(table, seq_key(start), seq_key(stop)))

    def tiles(self, keys: Iterable[bytes]) -> list[tuple[bytes, bytes]]:
        """Every tile of the map on the way to these keys."""
        found: list[tuple[bytes, bytes]] = []
        digits = [key.hex().encode("ascii") for key in keys]
        level = 0
        while digits:
            places = sorted({TOP + way[:level] for way in digits})
            rows = zip(places, self._transaction.get_many(MAP, places), strict=True)
            here = {place: row for place, row in rows if row is not None}
            found += here.items()
            digits = [way for way in digits if TOP + way[:level] in here]
            level += 1
        return sorted(found)


def rows_written(stores: Stores, seqs: range) -> Rows:
    """What the append of these entries, the latest one, wrote: a new name changes every tile on its way."""
    with _Reader.of(stores.path) as reader:
        return {
            ENTRIES: reader.rows(ENTRIES, seqs.start, seqs.stop),
            BODIES: reader.rows(BODIES, seqs.start, seqs.stop),
            NODES: reader.rows(NODES, seqs.start, seqs.stop),
            MAP: reader.tiles(map_key(stores.map_salt, name_of(seq - 1)) for seq in seqs),
            HEADS: reader.rows(HEADS, seqs.start + 1, seqs.stop + 1),
        }


def entry_and_body(numbers: range, ready: Sequence[Draft]) -> Rows:
    """Rows as large as those of the entries and bodies of these records."""
    keys = [seq_key(number + 1) for number in numbers]
    return {
        ENTRIES: [(key, os.urandom(ENTRY_BYTES)) for key in keys],
        BODIES: [(key, os.urandom(SALT_BYTES) + draft.body) for key, draft in zip(keys, ready, strict=True)],
    }


def proof_keys(stores: Stores, number: int) -> Mapping[str, list[bytes]]:
    """The keys of all rows that a proof about record `number` reads."""
    at = seq_key(number + 1)
    digits = map_key(stores.map_salt, name_of(number)).hex().encode("ascii")
    nodes = [node for span in inclusion_spans(number + 1, stores.size) for node in span]
    return {
        HEADS: [seq_key(stores.size)],
        META: [b"map_salt"],
        MAP: [TOP + digits[:level] for level in range(_MAP_READ_AHEAD)],
        ENTRIES: [at],
        BODIES: [at],
        NODES: [seq_key(((index + 1) << level) - 1) for level, index in nodes],
    }
