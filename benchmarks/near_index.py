"""What a search in our own index takes, at a size, with masks: CPU ms, recall, memory. Tables stand in for a store.

OMP_NUM_THREADS=1 python benchmarks/near_index.py FOLDER 10000 100000
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import faiss
import numpy as np
from near_corpus import around, load

from substrate.log.tables import EMBEDDED, HEADS, VECTORS, read_seq, seq_key
from substrate.views.nearest.index import NearestIndex

_SPACE = b"measured"
_ASKED = 200
_HEAD = b"a head"


class _Tables:
    """A snapshot of a store that holds nothing but one vector for each seq."""

    def __init__(self, half: Any, size: int) -> None:  # noqa: ANN401
        self._half, self._size = half, size

    def get(self, table: str, key: bytes) -> bytes | None:
        """See kv.api."""
        if table == EMBEDDED:
            return seq_key(self._size)
        return _HEAD if table == HEADS and read_seq(key) == self._size else None

    def get_many(self, table: str, keys: Sequence[bytes]) -> list[bytes | None]:
        """See kv.api."""
        return [self.get(table, key) for key in keys]

    def scan(
        self, table: str, start: bytes = b"", stop: bytes | None = None, **_: object
    ) -> Iterator[tuple[bytes, bytes]]:
        """See kv.api. Each use of it reads all rows, in order."""
        if table == HEADS:
            yield seq_key(self._size), _HEAD
        if table == VECTORS:
            for seq in range(read_seq(start), self._size if stop is None else read_seq(stop)):
                yield seq_key(seq) + _SPACE, self._half[seq].tobytes()

    def any(self, table: str) -> bool:
        """See kv.api."""
        return self.count(table) > 0

    def count(self, table: str) -> int:
        """See kv.api."""
        return self._size if table == VECTORS else 0


def _resident() -> tuple[float, float]:
    """MB of this process alone, and MB of files that it shares with others."""
    lines = dict(line.split(":") for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines())
    return int(lines["RssAnon"].split()[0]) / 1e3, int(lines["RssFile"].split()[0]) / 1e3


def _more(before: tuple[float, float]) -> str:
    now = _resident()
    return f"{now[0] - before[0]:.0f} MB of its own, {now[1] - before[1]:.0f} MB mapped"


def _ask(nearest: Any, queries: Any, stored: Any, k: int, mask: Any) -> str:  # noqa: ANN401
    times, hits, total = [], 0, 0
    for i, query in enumerate(queries):
        start = time.process_time()
        seqs, _ = nearest.search(query, k, mask)
        times.append(time.process_time() - start)
        if i < 50:
            scores = stored @ query
            if mask is not None:
                scores[~mask] = -2
            wanted = np.argpartition(-scores, k)[:k]
            hits += len(set(seqs.tolist()) & set(wanted.tolist()))
            total += k
    times.sort()
    return f"{times[len(times) // 2] * 1000:.2f} / {times[int(len(times) * 0.95)] * 1000:.2f} | {hits / total:.3f}"


def _measure(folder: Path, stored: Any, queries: Any) -> None:  # noqa: ANN401
    half = stored.astype(np.float16)
    tables: Any = _Tables(half, len(half))

    @contextmanager
    def snapshots() -> Iterator[Any]:
        yield tables

    index = NearestIndex(folder, read_only=False)
    before = _resident()
    start = time.process_time()
    index.at(tables, _SPACE, stored.shape[1], len(half))
    print(f"\n{len(half):,} vectors: read in {time.process_time() - start:.2f} s CPU, {_more(before)}")
    start = time.process_time()
    sealed = index.seal(snapshots, _SPACE, stored.shape[1])
    if sealed is not None:
        print(f"sealed in {time.process_time() - start:.1f} s CPU, {sealed.stat().st_size / 1e6:.0f} MB")
        index = NearestIndex(folder, read_only=False)
        before, start = _resident(), time.process_time()
        index.at(tables, _SPACE, stored.shape[1], len(half))
        print(f"opened in {(time.process_time() - start) * 1000:.0f} ms CPU, {_more(before)}")
    nearest = index.at(tables, _SPACE, stored.shape[1], len(half))
    start = time.process_time()
    for _ in range(100):
        index.at(tables, _SPACE, stored.shape[1], len(half))
    print(f"followed in {(time.process_time() - start) * 10:.3f} ms CPU; note: {nearest.note}\n")
    print("| mask | k | CPU ms, p50 / p95 | recall |\n|---|---|---|---|")
    for share in (None, 0.99, 0.5, 0.1, 0.01, 0.001):
        mask = None if share is None else np.random.default_rng(4).random(len(half)) < share
        for k in (10, 50, 200):
            if mask is None or mask.sum() > k:
                told = _ask(nearest, queries, stored, k, mask)
                print(f"| {'none' if share is None else share} | {k} | {told} |", flush=True)
    print(f"after all searches: {_more(before)}")


def main() -> None:
    """Measure at each size."""
    faiss.omp_set_num_threads(1)
    real, queries = load(Path(sys.argv[1]))
    for size in [int(size) for size in sys.argv[2:]] or [10_000, 100_000]:
        with tempfile.TemporaryDirectory() as folder:
            _measure(Path(folder), around(real, size), queries[:_ASKED])


if __name__ == "__main__":
    main()
