"""What a run of the gardener costs, in a domain of so many chunks that each state a relation.

python -m benchmarks.tending [10000 ...]

The notes are those of `benchmarks.peers.graph`: two sentences with two names each, ingested as a folder. A run states
as many relations as it may; runs go on until one states none. No model; CPU seconds of this process.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from benchmarks.peers.graph_harness import PROJECT, notes
from benchmarks.store_folder import new_store
from substrate.memory import Memory
from substrate.values.review.garden import Tended

_GOAL_S = 2.0
"""What a run may take with 10,000 chunks."""
_GOAL_AT = 10_000


_Found = TypeVar("_Found")


def _timed(call: Callable[[], _Found]) -> tuple[float, _Found]:
    began = time.process_time()
    found = call()
    return time.process_time() - began, found


def _fill(memory: Memory, folder: Path, count: int) -> None:
    pages = folder / "pages"
    pages.mkdir()
    for source, text in notes(count):
        (pages / source).write_text(text, encoding="utf-8")
    memory.ingest(pages, domain=PROJECT)


def _measure(count: int) -> None:
    with new_store() as (memory, folder):
        _fill(memory, folder, count)
        print(f"\n{count:,} chunks, load {os.getloadavg()[0]:.1f}")
        while True:
            took, tended = _timed(lambda: memory.tend(PROJECT))
            if not isinstance(tended, Tended):
                raise TypeError("nothing was to be undone")
            goal = f"; goal {_GOAL_S} s" if count == _GOAL_AT else ""
            print(f"a run: {took:.2f} s, {tended.proposed:,} proposed, {tended.accepted:,} accepted{goal}")
            if not tended.accepted:
                break
        took, pruned = _timed(lambda: memory.prune(PROJECT))
        print(f"edges that look spurious: {took:.2f} s, {pruned!r}"[:160])


def main() -> None:
    """A table for each size."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tending", description=__doc__)
    parser.add_argument("sizes", type=int, nargs="*", default=[_GOAL_AT], help="chunks (default: %(default)s)")
    for count in parser.parse_args().sizes:
        _measure(count)


if __name__ == "__main__":
    main()
