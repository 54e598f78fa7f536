"""Checkpoints: one atom, and batches of 1,000 atoms or edges; beside raw LMDB, SQLite and a bare synced commit.

Each kind is measured on copies of its own, so that all begin at exactly the size given. In every round our store is
given one batch more than is timed: of that one the rows are recorded, for raw LMDB to write.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.atom_sqlite import edge_rows, version_rows
from benchmarks.atom_stores import AtomStores, now
from benchmarks.atom_workload import as_fact, as_object, as_text, edges_between, given, plain
from benchmarks.rows import Step, recording_rows
from benchmarks.table import Beside, Result
from benchmarks.timing import Contender, Samples, interleave, ratio
from benchmarks.workload import BATCH
from substrate.log.tables import BODIES, seq_key
from substrate.memory import Memory
from substrate.proof.entry import ENTRY_BYTES, SALT_BYTES
from substrate.values.saved import Saved

__all__ = ["measure_atom_writes"]

_ROUNDS_ONE = 100
_ROUNDS_BATCH = 10
_WARM_UP = 2
_SLACK_ONE = 2e-3
"""What one durable checkpoint may cost beyond a bare synced commit."""
_RATE = {100_000: 8_000, 1_000_000: 5_000}
"""Atoms per CPU-second."""
_TEXT_RATE = _RATE | {10_000: 6_000}
"""Of texts of 120 characters."""
_FACT_RATE = {10_000: 8_000}
"""Of short facts: a name and an amount."""
Arguments = dict[str, Any]
"""Of our checkpoint."""


@dataclass(frozen=True, slots=True)
class _Batch:
    """One kind of batch. `ours` makes the arguments of the batch with this number, `sqlite` its own from them."""

    work: str
    unit: str
    ours: Callable[[int], Arguments]
    sqlite: Callable[[Arguments], Any]
    write: Callable[[Any], object]
    recorded: int
    """How many entries it comes to."""
    target: float | None = None


def measure_atom_writes(stores: AtomStores) -> list[Result]:
    """One atom, then every kind of batch."""
    with stores.copied() as copy, copy.open() as memory:
        results = _measure_one(copy, memory)
    for make in (_texts, _facts, _objects, _edges, _confirmed):
        with stores.copied() as copy, copy.open() as memory:
            results += _measure_batch(copy, memory, make(copy))
    return results


def _steps(memory: Memory, arguments: Arguments, recorded: int) -> tuple[Sequence[Step], Mapping[str, set[bytes]]]:
    """The rows that a checkpoint of ours writes."""
    with recording_rows() as rows:
        saved = memory.checkpoint(**arguments)
    _check(saved, recorded)
    return rows.steps(), rows.deletes


def _check(saved: Saved, recorded: int) -> None:
    if len(saved.seqs) != recorded:
        raise AssertionError(f"{len(saved.seqs)} entries instead of {recorded}")


def _beside(ours: Samples, samples: dict[str, Samples], labels: dict[str, str], *, cpu: bool) -> list[Beside]:
    if cpu:
        return [
            Beside(label, samples[name].cpu, "ms", ratio(ours.cpu_rounds, samples[name].cpu_rounds))
            for name, label in labels.items()
        ]
    return [
        Beside(label, samples[name].wall, "ms", ratio(ours.wall_rounds, samples[name].wall_rounds))
        for name, label in labels.items()
    ]


def _measure_one(stores: AtomStores, memory: Memory) -> list[Result]:
    first = stores.size

    def atom(number: int) -> list[str]:
        return [as_text(first + 2 * number)]

    def rows(number: int) -> tuple[Sequence[Step], Mapping[str, set[bytes]]]:
        steps, deletes = recorded[number]
        return [(table, items, False) for table, items, _ in steps], deletes  # the bare rows lie behind

    counted = range(_ROUNDS_ONE + _WARM_UP)
    recorded = [_steps(memory, {"atoms": [as_text(first + 2 * number + 1)]}, 1) for number in counted]

    def bare(number: int) -> tuple[Sequence[Step], Mapping[str, set[bytes]]]:
        key, row = seq_key(2**48 + number), os.urandom(ENTRY_BYTES + SALT_BYTES) + atom(number)[0].encode()
        return [(BODIES, [(key, row)], False)], {}

    samples = interleave(
        {
            "ours": Contender(memory.checkpoint, atom),
            "bare": Contender(stores.raw.write_again, bare),
            "raw": Contender(stores.raw.write_again, rows),
            "sqlite": Contender(
                stores.sqlite.add,
                lambda number: version_rows(atom(number), 2 * stores.entries + number, now(), first=True),
            ),
        },
        _ROUNDS_ONE,
        warm_up=_WARM_UP,
    )
    ours = samples["ours"]
    labels = {"bare": "raw LMDB, 1 row, synced", "raw": "raw LMDB, all rows that we write", "sqlite": "SQLite"}
    limit = samples["bare"].wall + _SLACK_ONE
    by_wall, by_cpu = (_beside(ours, samples, labels, cpu=cpu) for cpu in (False, True))
    size = stores.size
    return [
        Result("checkpoint of 1 atom, durable: wall p50", size, ours.wall, "ms", limit, by_wall, cpu=ours.cpu),
        Result("checkpoint of 1 atom, durable: CPU p50", size, ours.cpu, "ms", None, by_cpu),
    ]


def _numbers(first: int, batch: int) -> range:
    return range(first + batch * BATCH, first + (batch + 1) * BATCH)


def _texts(stores: AtomStores) -> _Batch:
    return _atoms(stores, "checkpoint of 1,000 texts", as_text, _TEXT_RATE)


def _objects(stores: AtomStores) -> _Batch:
    return _atoms(stores, "checkpoint of 1,000 objects", as_object)


def _facts(stores: AtomStores) -> _Batch:
    return _atoms(stores, "checkpoint of 1,000 short facts", as_fact, _FACT_RATE)


def _atoms(stores: AtomStores, work: str, form: Callable[[int], Any], rate: Mapping[int, int] = _RATE) -> _Batch:
    def ours(batch: int) -> Arguments:
        return {"atoms": [form(number) for number in _numbers(stores.size, batch)]}

    seqs = iter(range(2 * stores.entries, 2**62, BATCH))
    return _Batch(
        work,
        "atoms",
        ours,
        lambda arguments: version_rows(arguments["atoms"], next(seqs), now(), first=True),
        stores.sqlite.add,
        BATCH,
        rate.get(stores.size),
    )


def _edges(stores: AtomStores) -> _Batch:
    seqs = iter(range(2 * stores.entries, 2**62, BATCH))
    return _Batch(
        "checkpoint of 1,000 edges",
        "edges",
        lambda batch: {"edges": edges_between(_numbers(0, batch), stores.size)},
        lambda arguments: edge_rows(arguments["edges"], next(seqs), now()),
        stores.sqlite.link,
        BATCH,
    )


def _confirmed(stores: AtomStores) -> _Batch:
    """Atoms that are there already, said again: spread over the store, each batch others, as far as there are."""
    known = [number for number in range(stores.size) if plain(number)]
    apart = max(1, len(known) // BATCH)

    def ours(batch: int) -> Arguments:
        return {"atoms": [given(known[(i * apart + batch) % len(known)]) for i in range(BATCH)]}

    def theirs(arguments: Arguments) -> list[tuple[int, str, str]]:
        at = now()
        rows = version_rows(arguments["atoms"], 0, at, first=True)
        return [(at, row[4], row[5]) for row in rows]

    return _Batch("checkpoint of 1,000 known atoms", "atoms", ours, theirs, stores.sqlite.confirm, 0)


def _measure_batch(stores: AtomStores, memory: Memory, batch: _Batch) -> list[Result]:
    # All before the first is timed: to record, methods are replaced, and Python is slow for a while after that.
    rows = [_steps(memory, batch.ours(2 * n + 1), batch.recorded) for n in range(_ROUNDS_BATCH + _WARM_UP)]
    samples = interleave(
        {
            "ours": Contender(
                lambda arguments: memory.checkpoint(**arguments),
                lambda number: batch.ours(2 * number),
                lambda saved: _check(saved, batch.recorded),
            ),
            "raw": Contender(stores.raw.write_again, rows.__getitem__),
            "sqlite": Contender(batch.write, lambda number: batch.sqlite(batch.ours(2 * number))),
        },
        _ROUNDS_BATCH,
        warm_up=_WARM_UP,
    )
    ours, size = samples["ours"], stores.size
    labels = {"raw": "raw LMDB, all rows that we write", "sqlite": "SQLite"}
    by_cpu, by_wall = (
        [
            Beside(
                label, BATCH / getattr(samples[name], kind), f"{batch.unit}/{per}", _ratio(ours, samples[name], kind)
            )
            for name, label in labels.items()
        ]
        for kind, per in (("cpu", "CPU-s"), ("wall", "s"))
    )
    return [
        Result(f"{batch.work}: CPU", size, BATCH / ours.cpu, f"{batch.unit}/CPU-s", batch.target, by_cpu),
        Result(f"{batch.work}: wall", size, BATCH / ours.wall, f"{batch.unit}/s", None, by_wall),
    ]


def _ratio(ours: Samples, theirs: Samples, kind: str) -> float:
    return ratio(getattr(ours, f"{kind}_rounds"), getattr(theirs, f"{kind}_rounds"))
