"""Appending: a batch of 1,000, and one entry; beside raw LMDB, SQLite and the hashes alone."""

from __future__ import annotations

import os
from collections import deque

from benchmarks.hashing import recording
from benchmarks.raw_lmdb import Rows
from benchmarks.stores import Stores, entry_and_body, rows_written
from benchmarks.table import Beside, Result
from benchmarks.timing import Contender, interleave, ratio
from benchmarks.workload import BATCH, drafts
from substrate.log.append import Appended
from substrate.log.log import Log
from substrate.log.tables import BODIES, seq_key
from substrate.proof.entry import ENTRY_BYTES, SALT_BYTES

__all__ = ["measure_writes"]

_ROUNDS_ONE = 200
_ROUNDS_BATCH = 24
_WARM_UP = 2
_SLACK_ONE = 1.5e-3
"""What one durable append may cost beyond a bare synced commit."""
_RATE = 10_000
"""Entries per CPU-second, at 100,000."""


def measure_writes(stores: Stores) -> list[Result]:
    """Single appends, then batches: the log grows by some 27,000 entries meanwhile."""
    with stores.open() as log:
        first = stores.records
        results = _measure_one(stores, log, first)
        return results + _measure_batches(stores, log, first + _ROUNDS_ONE + _WARM_UP)


def _measure_one(stores: Stores, log: Log, first: int) -> list[Result]:
    def bare(number: int) -> Rows:
        (draft,) = drafts([first + number])
        return {BODIES: [(seq_key(first + number + 1), os.urandom(ENTRY_BYTES + SALT_BYTES) + draft.body)]}

    samples = interleave(
        {
            "ours": Contender(log.append, lambda number: drafts([first + number])),
            "lmdb": Contender(stores.narrow.put, bare),
            "sqlite": Contender(stores.sqlite.append, lambda number: stores.sqlite.rows([first + number])),
        },
        _ROUNDS_ONE,
        warm_up=_WARM_UP,
    )
    ours, raw, sqlite = (samples[name] for name in ("ours", "lmdb", "sqlite"))
    return [
        Result(
            "append 1, durable: wall p50",
            stores.size,
            ours.wall,
            "ms",
            raw.wall + _SLACK_ONE,
            [
                Beside("raw LMDB, 1 row, synced", raw.wall, "ms", ratio(ours.wall_rounds, raw.wall_rounds)),
                Beside("SQLite", sqlite.wall, "ms", ratio(ours.wall_rounds, sqlite.wall_rounds)),
            ],
        ),
        Result(
            "append 1, durable: CPU p50",
            stores.size,
            ours.cpu,
            "ms",
            None,
            [
                Beside("raw LMDB, 1 row, synced", raw.cpu, "ms", ratio(ours.cpu_rounds, raw.cpu_rounds)),
                Beside("SQLite", sqlite.cpu, "ms", ratio(ours.cpu_rounds, sqlite.cpu_rounds)),
            ],
        ),
    ]


def _measure_batches(stores: Stores, log: Log, first: int) -> list[Result]:
    def numbers(batch: int) -> range:
        return range(first + (batch + 1) * BATCH, first + (batch + 2) * BATCH)

    written: deque[Rows] = deque()

    def keep(appended: Appended) -> None:
        written.append(rows_written(stores, appended.seqs))

    # One batch ahead: so there always are rows to put raw, whoever begins the round; and its hashes are recorded.
    ready = drafts(numbers(-1))
    with recording() as hashes:
        appended = log.append(ready)
    keep(appended)
    samples = interleave(
        {
            "ours": Contender(log.append, lambda batch: drafts(numbers(batch)), keep),
            "drafts": Contender(drafts, numbers),
            "narrow": Contender(
                stores.narrow.put, lambda batch: entry_and_body(numbers(batch), drafts(numbers(batch)))
            ),
            "full": Contender(stores.full.put, lambda _: written.popleft()),
            "sqlite": Contender(stores.sqlite.append, lambda batch: stores.sqlite.rows(numbers(batch))),
            "hashes": Contender(hashes.compute),
        },
        _ROUNDS_BATCH,
        warm_up=_WARM_UP,
    )
    ours, made = samples["ours"], samples["drafts"]
    labels = {
        "narrow": "raw LMDB, rows of entry and body",
        "full": "raw LMDB, all rows that we write",
        "sqlite": "SQLite",
        "hashes": f"its hashes alone ({hashes})",
    }
    target = _RATE if stores.size == 100_000 else None
    by_cpu = [
        Beside(label, BATCH / samples[name].cpu, "entries/CPU-s", ratio(ours.cpu_rounds, samples[name].cpu_rounds))
        for name, label in labels.items()
    ]
    by_wall = [
        Beside(label, BATCH / samples[name].wall, "entries/s", ratio(ours.wall_rounds, samples[name].wall_rounds))
        for name, label in labels.items()
        if name != "hashes"
    ]
    both = ours.cpu + made.cpu
    return [
        Result("append 1,000, durable: CPU", stores.size, BATCH / ours.cpu, "entries/CPU-s", target, by_cpu),
        Result("  and making the drafts: CPU", stores.size, BATCH / both, "entries/CPU-s", target),
        Result("append 1,000, durable: wall", stores.size, BATCH / ours.wall, "entries/s", None, by_wall),
    ]
