"""Embedding beside onnxruntime's own time for the same tokens: `python -m benchmarks.embedding [rounds]`.

Both are measured in the same rounds, by CPU time. Loads the default model; exports it first if it never was.
"""
# ruff: noqa: SLF001 - what is measured lies inside

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from statistics import median

import numpy as np

from substrate.embed.embedder import Embedder
from substrate.embed.load import load

QUERIES = [
    "who handles our payments now",
    "what did we decide about the launch date",
    "Ada's phone number",
    "how do I rotate the signing key of the staging server without downtime",
]
WORDS = [
    "the",
    "invoice",
    "payment",
    "provider",
    "launch",
    "is",
    "due",
    "on",
    "monday",
    "customer",
    "asked",
    "for",
    "more",
    "time",
    "server",
    "key",
    "rotation",
]


def texts(count: int) -> list[str]:
    """Mostly short, some long: lengths as atoms have them."""
    draw = random.Random(7)
    return [" ".join(draw.choices(WORDS, k=min(400, int(draw.lognormvariate(3, 0.8)) + 1))) for _ in range(count)]


def cpu(work: Callable[[], object]) -> float:
    """CPU seconds of one call."""
    before = time.process_time()
    work()
    return time.process_time() - before


def measure_queries(embedder: Embedder, rounds: int) -> tuple[float, float]:
    """Median of `embed_query` and of the bare run of the same tokens."""
    ours, bare = [], []
    for _ in range(rounds):
        for query in QUERIES:
            ids = [*embedder._before, *embedder._tokens(query).ids, *embedder._after]
            tokens = np.array([ids], np.int64)
            mask = np.ones_like(tokens)
            ours.append(cpu(lambda query=query: embedder.embed_query(query)))
            bare.append(cpu(lambda tokens=tokens, mask=mask: embedder._run(tokens, mask)))
    return median(ours), median(bare)


def measure_bulk(embedder: Embedder, rounds: int) -> tuple[float, float, float]:
    """Texts per CPU second: ours, the bare runs of the same batches, and bare runs of 64 unsorted texts each."""
    many = texts(256)
    rows = [embedder._tokens(text).ids[: embedder._window] for text in many]
    ready = [padded(embedder, [rows[i] for i in batch]) for batch in embedder._batches(rows)]
    plain = [padded(embedder, rows[at : at + 64]) for at in range(0, len(rows), 64)]
    times: tuple[list[float], list[float], list[float]] = ([], [], [])
    for _ in range(rounds):
        times[0].append(cpu(lambda: embedder.embed(many)))
        times[1].append(cpu(lambda: [embedder._run(*batch) for batch in ready]))
        times[2].append(cpu(lambda: [embedder._run(*batch) for batch in plain]))
    ours, bare, unsorted = (len(many) / min(some) for some in times)
    return ours, bare, unsorted


def padded(embedder: Embedder, rows: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    """A batch as the session takes it."""
    full = [[*embedder._before, *row, *embedder._after] for row in rows]
    ids = np.zeros((len(full), max(map(len, full))), np.int64)
    mask = np.zeros_like(ids)
    for i, row in enumerate(full):
        ids[i, : len(row)] = row
        mask[i, : len(row)] = 1
    return ids, mask


def main() -> None:
    """Print the table."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    before = time.process_time()
    embedder = load()
    loaded = time.process_time() - before
    print(f"{embedder}; loaded in {loaded:.2f} s CPU")
    measure_queries(embedder, 2)
    ours, bare = measure_queries(embedder, 10 * rounds)
    print(
        f"one query, median: {ours * 1000:.2f} ms CPU; bare onnxruntime {bare * 1000:.2f} ms; ratio {ours / bare:.3f}"
    )
    bulk, own, unsorted = measure_bulk(embedder, rounds)
    print(f"bulk: {bulk:.1f} texts per CPU-s; bare onnxruntime {own:.1f}; ratio of costs {own / bulk:.3f}")
    print(f"      batches of 64 as they come: {unsorted:.1f} texts per CPU-s")


if __name__ == "__main__":
    main()
