"""What it costs to remember one more note, beside what it costs in a small store.

python -m benchmarks.remember [4000 100000 ...]

The notes are those of `benchmarks.peers.graph`, with vectors made of hashes. All but the last are ingested as folders;
the last 200 come one by one, and their vectors are made 50 at a time. CPU ms of this process, the median of four times
50. All sizes are measured in one store and one run, from the smallest on.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from statistics import median

from benchmarks.peers.graph_harness import PROJECT, Note, notes
from benchmarks.peers.substrate_graph import Substrate

_AT_ONCE = 5_000
_TIMES, _EACH = 4, 50
_GOAL = 1.3
"""What the largest store may take, of what the smallest does."""


def _seed(graph: Substrate, coming: Iterator[Note], count: int) -> None:
    while count > 0:
        with tempfile.TemporaryDirectory(prefix="substrate-notes-") as folder:
            for source, text in islice(coming, min(count, _AT_ONCE)):
                (Path(folder) / source).write_text(text, encoding="utf-8")
            graph.memory.ingest(Path(folder), source="bulk", domain=PROJECT)
        graph.settle()
        count -= _AT_ONCE


def _measure(graph: Substrate, coming: Iterator[Note]) -> float:
    costs = []
    for _ in range(_TIMES):
        began = time.process_time()
        for source, text in islice(coming, _EACH):
            graph.remember(source, text)
        graph.settle()
        costs.append((time.process_time() - began) / _EACH)
    return 1000 * median(costs)


def main() -> None:
    """A line for each size."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.remember", description=__doc__)
    parser.add_argument("sizes", type=int, nargs="*", default=[4_000, 100_000], help="notes (default: %(default)s)")
    sizes = sorted(parser.parse_args().sizes)
    coming = notes(sizes[-1] + len(sizes) * _TIMES * _EACH)
    first, have = None, 0
    with tempfile.TemporaryDirectory(prefix="substrate-remember-") as folder:
        graph = Substrate(Path(folder))
        for size in sizes:
            _seed(graph, coming, size - have)
            took = _measure(graph, coming)
            have = max(size, have) + _TIMES * _EACH
            first = first or took
            print(f"{size:,} notes: {took:.2f} ms, {took / first:.2f} x (goal {_GOAL}), load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
