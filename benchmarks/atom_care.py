"""Forgetting, opening, and the care of a whole store: compaction, fsck, export, backup, rebuild."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from benchmarks.atom_sqlite import SqliteAtoms
from benchmarks.atom_stores import AtomStores
from benchmarks.atom_workload import plain
from benchmarks.processes import children_cpu
from benchmarks.raw_lmdb import RawLmdb
from benchmarks.rows import Step, recording_rows
from benchmarks.table import Beside, Result
from benchmarks.timing import Contender, Samples, interleave, ratio
from benchmarks.workload import name_of
from substrate import fsck
from substrate.log.log import Log
from substrate.log.tables import HEADS, seq_key
from substrate.memory import Memory

__all__ = ["measure_atom_opening", "measure_care", "measure_forget"]

_FORGETS, _COMPACTIONS, _OPENS = 20, 3, 20
_PER = 100_000
"""Entries that care is told for."""
_OPEN = {10_000: 20e-3, 100_000: 50e-3, 1_000_000: 100e-3}


def _beside(ours: Samples, samples: Mapping[str, Samples], labels: Mapping[str, str]) -> list[Beside]:
    return [
        Beside(label, samples[name].wall, "ms", ratio(ours.wall_rounds, samples[name].wall_rounds))
        for name, label in labels.items()
    ]


# -- forget ------------------------------------------------------------------------------------------------------------


def measure_forget(stores: AtomStores) -> list[Result]:
    """One atom of one version, on copies: the entry alone, then with the compaction that takes the bytes out."""
    names = (name_of(number) for number in range(stores.size) if plain(number))
    with stores.copied() as copy, copy.open() as memory:
        return _measure_erasing(copy, memory, names) + _measure_compacting(copy, memory, names)


def _measure_erasing(stores: AtomStores, memory: Memory, names: Iterator[str]) -> list[Result]:
    def rows(_: int) -> tuple[Sequence[Step], Mapping[str, set[bytes]]]:
        with recording_rows() as recorded:
            memory.forget(next(names))
        return recorded.steps(), recorded.deletes

    with patch.object(Log, "compact", lambda *_, **__: None):
        samples = interleave(
            {
                "ours": Contender(memory.forget, lambda _: next(names)),
                "raw": Contender(stores.raw.write_again, rows),
                "sqlite": Contender(stores.sqlite.forget, lambda _: next(names)),
            },
            _FORGETS,
        )
    ours = samples["ours"]
    labels = {"raw": "raw LMDB, all rows that we write", "sqlite": "SQLite, secure_delete"}
    beside = _beside(ours, samples, labels)
    return [
        Result("forget 1 atom, compaction apart: wall p50", stores.size, ours.wall, "ms", None, beside, cpu=ours.cpu)
    ]


def _measure_compacting(stores: AtomStores, memory: Memory, names: Iterator[str]) -> list[Result]:
    def sqlite(name: str) -> None:
        stores.sqlite.forget(name)
        stores.sqlite.vacuum()

    def target(number: int) -> Path:
        return stores.folder / f"compacted_{number}"

    samples = interleave(
        {
            "ours": Contender(memory.forget, lambda _: next(names)),
            "raw": Contender(stores.raw.copy, target, shutil.rmtree),
            "sqlite": Contender(sqlite, lambda _: next(names)),
        },
        _COMPACTIONS,
        warm_up=0,
    )
    ours = samples["ours"]
    labels = {"raw": "raw LMDB, a compacting copy, not synced", "sqlite": "SQLite, with vacuum"}
    beside = _beside(ours, samples, labels)
    return [
        Result("forget 1 atom, with compaction: wall p50", stores.size, ours.wall, "ms", None, beside, cpu=ours.cpu)
    ]


# -- open --------------------------------------------------------------------------------------------------------------


def measure_atom_opening(stores: AtomStores) -> list[Result]:
    """Opening, in a process that has opened such a store before. Every contender's store is closed meanwhile."""

    def raw(_: int) -> RawLmdb:
        opened = stores.open_raw()
        opened.get(HEADS, seq_key(stores.entries))
        return opened

    def sqlite(_: int) -> SqliteAtoms:
        opened = stores.open_sqlite()
        opened.current(name_of(0))
        return opened

    stores.close()
    samples = interleave(
        {
            "ours": Contender(lambda _: stores.open(), after=Memory.close),
            "raw": Contender(raw, after=RawLmdb.close),
            "sqlite": Contender(sqlite, after=SqliteAtoms.close),
        },
        _OPENS,
        warm_up=2,
    )
    ours = samples["ours"]
    labels = {"raw": "raw LMDB, open and get 1 row", "sqlite": "SQLite, open and get 1 row"}
    beside, target = _beside(ours, samples, labels), _OPEN.get(stores.size)
    return [Result("open the store: wall p50", stores.size, ours.wall, "ms", target, beside, cpu=ours.cpu)]


# -- care --------------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Clock:
    """Seconds of one piece of work, its child processes included."""

    wall: float = 0.0
    cpu: float = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        wall, cpu = time.perf_counter(), time.process_time() + children_cpu()
        yield
        self.wall, self.cpu = time.perf_counter() - wall, time.process_time() + children_cpu() - cpu


def _timed(work: Callable[[], object]) -> _Clock:
    clock = _Clock()
    with clock.running():
        work()
    return clock


def measure_care(stores: AtomStores) -> list[Result]:
    """What goes over the whole store, once each, told for 100,000 entries."""
    per = _PER / stores.entries

    def result(work: str, ours: _Clock, theirs: Mapping[str, _Clock] | None = None) -> Result:
        beside = [
            Beside(label, clock.wall * per, "ms", ours.wall / clock.wall) for label, clock in (theirs or {}).items()
        ]
        return Result(
            f"{work}, per {_PER:,} entries", stores.size, ours.wall * per, "ms", None, beside, cpu=ours.cpu * per
        )

    sqlite = stores.open_sqlite()
    raw = stores.open_raw()
    with tempfile.TemporaryDirectory(dir=stores.folder) as place, stores.open() as memory:
        folder = Path(place)
        results = [
            result(
                "export",
                _timed(lambda: memory.export(folder / "plain.jsonl")),
                {"SQLite, as lines of JSON": _timed(lambda: sqlite.export(folder / "sqlite.jsonl"))},
            ),
            result(
                "backup",
                _timed(lambda: memory.backup(folder / "backup")),
                {
                    "raw LMDB, a compacting copy, not synced": _timed(lambda: raw.copy(folder / "raw")),
                    "SQLite, its own backup": _timed(lambda: sqlite.backup(folder / "backup.db")),
                },
            ),
            result("rebuild", _timed(memory.rebuild)),
        ]
    raw.close()
    sqlite.close()
    return [*results, result("fsck", _timed(lambda: _check(stores)))]


def _check(stores: AtomStores) -> None:
    report = fsck(stores.path, home=stores.home)
    if not report.ok:
        raise AssertionError(f"fsck: {report.damage}")
