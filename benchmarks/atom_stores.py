"""The stores of atoms at one size: ours, a copy of its file for raw LMDB, and SQLite; all with the same records."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from benchmarks.atom_sqlite import TOMBSTONE, SqliteAtoms, edge_rows, version_rows
from benchmarks.atom_workload import VERSIONS, changed, edges_of, given, linked, tombstoned
from benchmarks.raw_lmdb import RawLmdb
from benchmarks.store_folder import StoreFolder
from benchmarks.workload import FILL, name_of
from substrate.log.tables import TABLES
from substrate.memory import Memory, open_memory
from substrate.values.saved import Saved
from substrate.values.times import to_microseconds

__all__ = ["AtomStores", "Moment", "Say", "fill_atoms", "now"]

Say = Callable[[str], None]
_CHECKPOINTS = 10
"""At least so many make the atoms, so that there are moments to go back to."""


def now() -> int:
    """Microseconds since 1970."""
    return time.time_ns() // 1000


@dataclass(frozen=True, slots=True)
class Moment:
    """The end of a checkpoint: seq and time of its last entry."""

    seq: int
    time: datetime


@dataclass(frozen=True, slots=True)
class AtomStores(StoreFolder):
    """Ours closed, raw LMDB and SQLite open. Entry 0 of our log is its key; the first version of atom n is at n + 1."""

    size: int
    """Atoms, of whichever state."""
    entries: int
    """Entries of our log."""
    folder: Path
    moments: Sequence[Moment]
    """The checkpoints that made the atoms; later ones changed some of them."""
    raw: RawLmdb
    sqlite: SqliteAtoms

    def open(self) -> Memory:
        """Our store, open. Nothing is embedded beside what is measured."""
        return open_memory(self.path, home=self.home, background=False)

    def open_raw(self) -> RawLmdb:
        """The copy of our file, open once more after `close`."""
        return RawLmdb(self.folder / "raw", TABLES)

    def open_sqlite(self) -> SqliteAtoms:
        """SQLite, open once more."""
        return SqliteAtoms(self.folder / "sqlite.db")

    def close(self) -> None:
        """Close the contenders."""
        self.raw.close()
        self.sqlite.close()

    @contextmanager
    def copied(self) -> Iterator[AtomStores]:
        """All of them once more, to be written to; gone after. Nobody has ours open."""
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        try:
            for name in ("store", "home"):
                shutil.copytree(self.folder / name, folder / name)
            shutil.copyfile(self.folder / "sqlite.db", folder / "sqlite.db")
            copy = _assemble(self.size, self.entries, folder, self.moments, SqliteAtoms(folder / "sqlite.db"))
            try:
                yield copy
            finally:
                copy.close()
        finally:
            shutil.rmtree(folder)


def _assemble(size: int, entries: int, folder: Path, moments: Sequence[Moment], sqlite: SqliteAtoms) -> AtomStores:
    raw = RawLmdb.copy_of(folder / "store", folder / "raw", TABLES)
    sqlite.file_bytes()
    os.sync()  # what was written to make the stores must not be flushed by what is measured
    return AtomStores(size, entries, folder, moments, raw, sqlite)


def fill_atoms(size: int, folder: Path, say: Say) -> AtomStores:
    """Make every store, with `size` atoms."""
    sqlite = SqliteAtoms(folder / "sqlite.db")
    with open_memory(folder / "store", home=folder / "home", background=False) as memory:
        filling = _Filling(memory, sqlite, min(FILL, max(1, size // _CHECKPOINTS)))
        moments = []
        for numbers in filling.steps(range(size)):
            if numbers[0] % FILL == 0:
                say(f"{size:,} atoms: filling, {numbers[0]:,}")
            moments.append(filling.put(numbers, 0))
        say(f"{size:,} atoms: filling, versions, edges and tombstones")
        for version in range(1, VERSIONS):
            for numbers in filling.steps([number for number in range(size) if changed(number)]):
                filling.put(numbers, version)
            if version == 1:
                filling.link([number for number in range(size - 4) if linked(number)])
        filling.tombstone([number for number in range(size) if tombstoned(number)])
        entries = memory.head().head.size
    return _assemble(size, entries, folder, moments, sqlite)


@dataclass(frozen=True, slots=True)
class _Filling:
    memory: Memory
    sqlite: SqliteAtoms
    step: int

    def steps(self, numbers: Sequence[int]) -> Iterator[Sequence[int]]:
        for at in range(0, len(numbers), self.step):
            yield numbers[at : at + self.step]

    def put(self, numbers: Sequence[int], version: int) -> Moment:
        atoms = [given(number, version) for number in numbers]
        saved = self.memory.checkpoint(atoms)
        _check(saved, len(atoms))
        moment = Moment(saved.seqs.stop - 1, self.memory.access(name_of(numbers[-1])).atom.recorded_at)
        self.sqlite.add(version_rows(atoms, saved.seqs.start, to_microseconds(moment.time), first=version == 0))
        return moment

    def link(self, numbers: Sequence[int]) -> None:
        for some in self.steps(numbers):
            edges = [edge for number in some for edge in edges_of(number)]
            for at in range(0, len(edges), self.step):
                part = edges[at : at + self.step]
                saved = self.memory.checkpoint(edges=part)
                _check(saved, len(part))
                self.sqlite.link(edge_rows(part, saved.seqs.start, now()))

    def tombstone(self, numbers: Sequence[int]) -> None:
        for some in self.steps(numbers):
            names = [name_of(number) for number in some]
            saved = self.memory.checkpoint(tombstones=names)
            _check(saved, len(names))
            at, time = saved.seqs.start, now()
            self.sqlite.add([(at + i, TOMBSTONE, b"", time, name, None, None, None) for i, name in enumerate(names)])


def _check(saved: Saved, count: int) -> None:
    if len(saved.seqs) != count:
        raise AssertionError(f"{len(saved.seqs)} entries instead of {count}")
