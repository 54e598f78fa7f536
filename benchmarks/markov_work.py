"""Learning and predicting in a store of one size: what is timed, and the sessions that it is timed on."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import accumulate, count
from pathlib import Path
from typing import NamedTuple

from benchmarks.raw_lmdb import RawLmdb
from benchmarks.rows import Recorded, recording_rows
from benchmarks.search_reads import known_vectors
from benchmarks.search_stores import SearchStore
from benchmarks.search_workload import SearchTexts, name_of
from benchmarks.table import Beside, Result
from benchmarks.timing import Contender, interleave, ratio
from substrate.log.tables import TABLES
from substrate.memory import Memory

__all__ = ["measure_learning"]

_DOMAINS = 10
_POOL = 500
"""Atoms of a domain that sessions access: however large the store, what is in use is a part of it."""
_SESSIONS = 2_000
_LENGTH = 8
_PREDICT_S = 2e-3
_PREDICT_ROWS = 10.0
"""What a prediction may cost of what it costs to read the rows that it touches, and nothing else."""
_BOOTSTRAP_S = {10_000: 10e-3, 100_000: 15e-3, 1_000_000: 40e-3}
_ACCESS_S = 0.4e-3
_CONTEXTS = 200
"""So many different ones are asked for, by turns."""
_TRAIN_S = 5e-3
_CONTEXT_S = 5e-3
_OBSERVE = 2_000
_BEGAN = datetime(2025, 6, 1, tzinfo=UTC)


class Work:
    """Sessions that look like work: in a domain some atoms are common, and what follows what is half a habit."""

    def __init__(self, store: SearchStore, texts: SearchTexts) -> None:
        self._chance = random.Random(7)
        self._texts = texts
        self.domains = [f"v1.domain.work_{number}" for number in range(_DOMAINS)]
        spread = max(1, store.size // (_DOMAINS * _POOL))
        numbers = list(range(0, spread * _DOMAINS * _POOL, spread))
        self.pools = [[name_of(number) for number in numbers[at::_DOMAINS]] for at in range(_DOMAINS)]
        self._weights = list(accumulate(1 / (rank + 10) for rank in range(_POOL)))
        self._follows = {
            (domain, at): self._chance.randrange(_POOL) for domain in range(_DOMAINS) for at in range(_POOL)
        }

    def items(self, domain: int) -> list[str]:
        """What one session accesses."""
        at = self._chance.choices(range(_POOL), cum_weights=self._weights)[0]
        found = []
        for _ in range(_LENGTH):
            found.append(self.pools[domain][at])
            habit = self._chance.random() < 0.5
            at = (
                self._follows[domain, at] if habit else self._chance.choices(range(_POOL), cum_weights=self._weights)[0]
            )
        return found

    def sessions(self, count: int) -> list[dict[str, object]]:
        """So many, one every ten minutes, half of them with an objective."""
        return [
            {
                "items": self.items(domain := number % _DOMAINS),
                "at": _BEGAN + timedelta(minutes=10 * number),
                "domain": self.domains[domain],
                "objective": self._texts.questions[number % len(self._texts.questions)] if number % 2 else None,
            }
            for number in range(count)
        ]

    def fill(self, memory: Memory) -> None:
        """Domains, members, and some edges between them."""
        memory.checkpoint([{"name": name, "value": f"Work of kind {name[-1]}"} for name in self.domains])
        for domain, pool in zip(self.domains, self.pools, strict=True):
            edges = [{"source": name, "type": "member_of", "target": domain} for name in pool]
            edges += [
                {"source": one, "type": "references", "target": other}
                for one, other in zip(pool, reversed(pool), strict=True)
                if one != other
            ]
            memory.checkpoint(edges=edges)


def _rate(memory: Memory, sessions: Sequence[dict[str, object]]) -> float:
    began = time.process_time()
    accesses = memory.observe(sessions).accesses
    return accesses / (time.process_time() - began)


class _Turns(NamedTuple):
    """A prediction and raw LMDB by turns: what each costs, how many times the one is the other, and how many rows."""

    ours: float
    raw: float
    times: float
    rows: float

    def result(self, work: str, size: int) -> Result:
        """A line of the table."""
        raw = Beside(f"raw LMDB, the same {self.rows:,.0f} rows", self.raw, "us")
        beside = [Beside("predict", self.ours, "us"), raw]
        return Result(work, size, self.times, "x", _PREDICT_ROWS, beside)


def _over_rows(store: SearchStore, predict: Callable[[int], object], prepare: Callable[[int], int]) -> _Turns:
    """Predictions, and raw LMDB that reads the same rows from a copy of the store, in the same rounds.

    `prepare` comes before each call of either, untimed. All contexts were asked for before. What is kept in memory is
    no row: nobody reads it.
    """
    for call in range(_CONTEXTS):
        predict(prepare(call))
    recorded: list[Recorded] = []
    for call in range(_CONTEXTS):
        with recording_rows() as rows:
            predict(prepare(call))
        recorded.append(rows)
    with tempfile.TemporaryDirectory() as folder:
        raw = RawLmdb.copy_of(store.path, Path(folder) / "raw", TABLES)
        again = Contender(raw.read_again, lambda call: recorded[prepare(call) % _CONTEXTS])
        timed = interleave({"predict": Contender(predict, prepare), "raw": again}, 40, 5, warm_up=2)
        raw.close()
    ours, theirs = timed["predict"], timed["raw"]
    rows_read = sum(rows.rows_read for rows in recorded) / _CONTEXTS
    return _Turns(ours.cpu, theirs.cpu, ratio(ours.cpu_rounds, theirs.cpu_rounds), rows_read)


def measure_learning(store: SearchStore, texts: SearchTexts) -> list[Result]:
    """Observe, predict, bootstrap, train and context, in this order, in one open memory."""
    work = Work(store, texts)
    sessions = work.sessions(_SESSIONS + 1_000)
    with store.open() as memory, known_vectors(texts):
        work.fill(memory)
        memory.index()
        first = _rate(memory, sessions[:_SESSIONS])
        then = _rate(memory, sessions[_SESSIONS:])
        contexts = [(work.items(at % _DOMAINS)[:4], work.domains[at % _DOMAINS]) for at in range(_CONTEXTS)]
        questions = texts.questions

        def predict(call: int) -> object:
            names, domain = contexts[call % _CONTEXTS]
            return memory.predict(names, domain=domain)

        def bootstrap(call: int) -> object:
            return memory.bootstrap(questions[call % len(questions)], domain=work.domains[call % _DOMAINS])

        def blank(call: int) -> object:
            return memory.bootstrap(domain=work.domains[call % _DOMAINS])

        def train(call: int) -> object:
            return memory.train(work.pools[call % _DOMAINS][call % 100 : call % 100 + 10], 2)

        def context(call: int) -> object:
            return memory.context(contexts[call % _CONTEXTS][0][0], depth=2)

        def access(call: int) -> object:
            return memory.access(contexts[call % _CONTEXTS][0][0])

        written = count()

        def write(call: int) -> int:
            memory.checkpoint([f"v1.fact.beside_{next(written)} = nothing that is kept stays"])
            return call

        def plain(call: int) -> object:
            return memory.access(contexts[call % _CONTEXTS][0][0], predictions=0)

        reads = {"predict": predict, "bootstrap": bootstrap, "blank": blank, "context": context}
        timed = interleave({name: Contender(run) for name, run in reads.items()}, 15, 5, warm_up=2)
        single = interleave({"access": Contender(access), "plain": Contender(plain)}, 15, 5)
        asked_again = _over_rows(store, predict, int)
        after_write = _over_rows(store, predict, write)
        trained = interleave({"train": Contender(train)}, 10, 3)["train"]
    size = store.size

    def row(work: str, name: str, target: float | None) -> Result:
        return Result(work, size, timed[name].cpu, "ms", target, [Beside("wall p50", timed[name].wall, "ms")])

    return [
        row("predict after 4 accesses: CPU p50", "predict", _PREDICT_S),
        after_write.result("predict right after a write, over reading its rows raw: CPU", size),
        asked_again.result("predict, asked again, over reading its rows raw: CPU", size),
        row("bootstrap by objective and domain, embedding apart: CPU p50", "bootstrap", _BOOTSTRAP_S.get(size)),
        row("bootstrap by domain alone: CPU p50", "blank", _BOOTSTRAP_S.get(size)),
        row("context, depth 2: CPU p50", "context", _CONTEXT_S),
        Result("train 10 atoms: CPU p50", size, trained.cpu, "ms", _TRAIN_S, [Beside("wall p50", trained.wall, "ms")]),
        Result("observe in batches, 2,000 sessions known", size, then, "accesses/CPU-s", _OBSERVE),
        Result("observe in batches, the first 2,000 sessions", size, first, "accesses/CPU-s"),
        Result(
            "access with predictions: CPU p50",
            size,
            single["access"].cpu,
            "ms",
            _ACCESS_S,
            [Beside("without", single["plain"].cpu, "ms")],
        ),
    ]
