"""Nearest vectors: the exact scan against compressed ones, on real vectors. See docs/decisions/0009-nearest.md.

    python benchmarks/near_corpus.py FOLDER          # once: embeds some 20,000 real sentences
    OMP_NUM_THREADS=1 python benchmarks/nearest.py FOLDER 20000 100000 1000000

Up to as many as there are, vectors are real; the rest are made up around them (near_corpus.around), and the table says
so. Queries are real and not stored. CPU time, one thread, one query at a time; recall@10 is against the exact scan.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import faiss
import numpy as np
from near_corpus import around, load

Search = Callable[[Any, int], Any]
_ASKED = 200


def _exact(stored: Any, queries: Any, k: int) -> Any:  # noqa: ANN401
    best = [np.argpartition(-(stored @ query), k)[:k] for query in queries]
    return np.array(best)


def _refined(index: Any, half: Any, factor: int) -> Search:  # noqa: ANN401
    """Candidates by codes, `factor` for each that is wanted, scored again with half floats."""

    def search(query: Any, k: int) -> Any:  # noqa: ANN401
        _, (found,) = index.search(query[None], min(factor * k, len(half)))
        found = found[found >= 0]
        scores = half[found].astype(np.float32) @ query
        return found[np.argsort(-scores)[:k]]

    return search


def _plain(index: Any) -> Search:  # noqa: ANN401
    return lambda query, k: index.search(query[None], k)[1][0]


def _measure(search: Search, queries: Any, truth: Any, k: int) -> tuple[float, float]:  # noqa: ANN401
    """CPU ms (p50), and recall."""
    times, hits = [], 0
    for query, wanted in zip(queries, truth, strict=True):
        start = time.process_time()
        found = search(query, k)
        times.append(time.process_time() - start)
        hits += len(set(found.tolist()) & set(wanted.tolist()))
    return sorted(times)[len(times) // 2] * 1000, hits / truth.size


def _build(spec: str, stored: Any, train: int = 20_000) -> tuple[Any, float, int]:  # noqa: ANN401
    """The index, CPU seconds to build it, its bytes."""
    start = time.process_time()
    index = faiss.index_factory(stored.shape[1], spec, faiss.METRIC_INNER_PRODUCT)
    rng = np.random.default_rng(3)
    if not index.is_trained:
        index.train(stored[rng.choice(len(stored), min(train, len(stored)), replace=False)])
    for at in range(0, len(stored), 10_000):
        index.add(stored[at : at + 10_000])
    seconds = time.process_time() - start
    return index, seconds, len(faiss.serialize_index(index)) if index.ntotal <= 200_000 else -1


def _candidates(count: int) -> list[tuple[str, str, list[int]]]:
    plain = [("exact, float32", "Flat", [0]), ("exact, half", "SQfp16", [0]), ("SQ8", "SQ8", [0])]
    fast = [
        (f"{spec}, again x{{}}", spec, [2, 4, 8, 16]) for spec in ("PQ96x4fs", "PQ128x4fs", "PQ192x4fs", "RaBitQfs")
    ]
    # OPQ before PQ was left out: learning the rotation at 20,000 had not ended after several minutes.
    other = [("{}, 32 lists probed", f"IVF{int(4 * count**0.5)},SQfp16", [0])]
    if count <= 20_000:
        other.append(("HNSW16", "HNSW16,SQfp16", [0]))
    return [*plain, *fast, *other]


def main() -> None:
    """Print a table for each size."""
    faiss.omp_set_num_threads(1)
    folder, sizes = Path(sys.argv[1]), [int(size) for size in sys.argv[2:]] or [20_000, 100_000]
    real, queries = load(folder)
    queries = queries[:_ASKED]
    for size in sizes:
        stored = around(real, size)
        half = stored.astype(np.float16)
        print(f"\n{len(stored):,} vectors ({min(len(real), len(stored)):,} real), {len(queries)} real queries\n")
        print("| index | CPU ms, k=10 | recall@10 | CPU ms, k=200 | recall@200 | build s | MB |")
        print("|---|---|---|---|---|---|---|")
        truths = {k: _exact(stored, queries, k) for k in (10, 200)}
        for label, spec, factors in _candidates(len(stored)):
            index, seconds, size_bytes = _build(spec, stored)
            if spec.startswith("IVF"):
                index.nprobe = 32
            if spec.startswith("HNSW"):
                index.hnsw.efSearch = 64
            for factor in factors:
                search = _refined(index, half, factor) if factor else _plain(index)
                near, far = (_measure(search, queries, truths[k], k) for k in (10, 200))
                name = label.format(factor) if factor else label.format(spec) if "{}" in label else label
                megabytes = f"{size_bytes / 1e6:.0f}" if size_bytes >= 0 else "-"
                told = f"{near[0]:.2f} | {near[1]:.3f} | {far[0]:.2f} | {far[1]:.3f}"
                print(f"| {name} | {told} | {seconds:.1f} | {megabytes} |", flush=True)
            del index


if __name__ == "__main__":
    main()
