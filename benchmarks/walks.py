"""What walks cost: a search with 0 to 2 hops, with PageRank, and a path, in stores where atoms are joined at random.

python -m benchmarks.walks [10000 100000 ...]

Every atom states three edges to atoms before it, each with a confidence; so the mean atom has six. All questions of one
size are asked in turns, in one run, by words alone: what is compared was taken at the same load.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median

import substrate
from substrate.memory import Memory

_BATCH = 3_000
_CALLS = 60
_WORDS = 5_000
_KINDS = ("depends_on", "references", "causes")
_MOST_MS = {"hops 1": 3.0, "hops 2": 3.0, "pagerank, hops 2": 5.0, "path": 5.0}
"""What each may take, a search in addition to one without hops."""


def _fill(memory: Memory, size: int, chance: random.Random) -> None:
    words = [f"w{number}" for number in range(_WORDS)]
    for start in range(0, size, _BATCH):
        numbers = range(start, min(start + _BATCH, size))
        memory.checkpoint([f"v1.fact.a{number} = {' '.join(chance.choices(words, k=8))}" for number in numbers])
        memory.checkpoint(edges=[_edge(number, kind, chance) for number in numbers for kind in _KINDS if number])


def _edge(number: int, kind: str, chance: random.Random) -> dict[str, object]:
    target = f"v1.fact.a{chance.randrange(number)}"
    confidence = round(chance.uniform(0.5, 1), 2)
    return {"source": f"v1.fact.a{number}", "type": kind, "target": target, "confidence": confidence}


def _questions(memory: Memory, size: int, chance: random.Random) -> Mapping[str, Callable[[int], object]]:
    asked = [" ".join(f"w{chance.randrange(_WORDS)}" for _ in range(3)) for _ in range(_CALLS)]
    ends = [[f"v1.fact.a{chance.randrange(size)}" for _ in range(2)] for _ in range(_CALLS)]
    return {
        "hops 0": lambda number: memory.search(asked[number]),
        "hops 1": lambda number: memory.search(asked[number], hops=1),
        "hops 2": lambda number: memory.search(asked[number], hops=2),
        "hops 3": lambda number: memory.search(asked[number], hops=3),
        "pagerank, hops 2": lambda number: memory.search(asked[number], hops=2, walk="pagerank"),
        "path": lambda number: memory.path(*ends[number]),
    }


def _measure(questions: Mapping[str, Callable[[int], object]]) -> dict[str, list[float]]:
    """CPU milliseconds of each, sorted; the first calls are not counted."""
    for call in questions.values():
        for number in range(3):
            call(number)
    times: dict[str, list[float]] = {what: [] for what in questions}
    for number in range(_CALLS):
        for what, call in questions.items():
            began = time.process_time()
            call(number)
            times[what].append(1000 * (time.process_time() - began))
    return {what: sorted(taken) for what, taken in times.items()}


def _report(size: int, times: Mapping[str, list[float]]) -> None:
    base = median(times["hops 0"])
    for what, taken in times.items():
        middle = median(taken)
        added = middle if what == "path" else middle - base
        bound = _MOST_MS.get(what)
        verdict = "" if bound is None else f"  {added:+5.2f} of {bound:.0f} ms{'' if added <= bound else ': too much'}"
        print(
            f"{size:>9,} atoms  {what:<17} {middle:6.2f} CPU ms, p50; {taken[int(0.95 * len(taken))]:6.2f} p95; "
            f"{middle / base:5.2f} x hops 0{verdict}",
            flush=True,
        )


def main() -> None:
    """Measure at each size, and print a line for each question."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.walks", description=__doc__.splitlines()[0])
    parser.add_argument("sizes", nargs="*", type=int, default=[10_000, 100_000], help="atoms in the store")
    for size in parser.parse_args().sizes:
        chance = random.Random(size)
        with tempfile.TemporaryDirectory(prefix="substrate-bench-") as scratch:
            folder = Path(scratch)
            with substrate.open(folder / "store", home=folder / "home", model="none", background=False) as memory:
                _fill(memory, size, chance)
                _report(size, _measure(_questions(memory, size, chance)))


if __name__ == "__main__":
    main()
