"""What fading costs: a touch, all scores, a search that decay re-ranks, a dry run of a sweep, a page of the graph.

python -m benchmarks.fading [10000 100000 ...]

Notes are those of the surface cortexgraph, each with a strength; a tenth of them was touched. All calls of one size are
made in turns, in one run, by words alone: what is compared was taken at the same load. CPU time, the median of each.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import substrate
from substrate.clock import ManualClock
from substrate.memory import Memory
from substrate.save.batch import Batch
from substrate.save.checkpoint import checkpoint
from substrate.surfaces.cortexgraph.ranking import Looked, look, rank

_BATCH = 2_000
_CALLS = 20
_WORDS = 5_000
_DAY = 24 * 3600 * 1_000_000
_ACTOR = "mcp:cortexgraph:bench"


def _fill(memory: Memory, clock: ManualClock, size: int, chance: random.Random) -> None:
    """Notes of the last sixty days, in order."""
    words = [f"w{number}" for number in range(_WORDS)]
    said = {"actor": _ACTOR, "origin": "agent", "session": None, "source": None}
    for start in range(0, size, _BATCH):
        numbers = range(start, min(start + _BATCH, size))
        atoms = [{"name": f"v1.note.n{one}", "value": " ".join(chance.choices(words, k=12))} for one in numbers]
        checkpoint(memory._store.log, Batch(atoms=atoms, strength=120), said=said)  # noqa: SLF001 - one by one takes long
        for first in range(start, numbers.stop, 1000):
            memory.touch([f"v1.note.n{chance.randrange(first, min(first + 1000, numbers.stop))}" for _ in range(100)])
        clock.time += 60 * _DAY * len(numbers) // size


def _calls(memory: Memory, size: int, chance: random.Random) -> dict[str, Callable[[int], object]]:
    asked = [" ".join(f"w{chance.randrange(_WORDS)}" for _ in range(3)) for _ in range(_CALLS)]
    names = [f"v1.note.n{chance.randrange(size)}" for _ in range(_CALLS)]

    def searched(number: int) -> object:
        return rank(look(memory, Looked(asked[number], ("active", "promoted"), (), 10, by_meaning=False))[0])

    return {
        "checkpoint of one note": lambda number: memory.checkpoint([f"v1.note.more{number} = {asked[number]}"]),
        "touch": lambda number: memory.touch(names[number]),
        "all scores, after a touch": lambda _: memory.fading(limit=1),
        "all scores again": lambda _: memory.fading(limit=1),
        "search": lambda number: memory.search(asked[number], meaning=False),
        "search_memory": searched,
        "a page of read_graph": lambda _: [memory.edges(one.name) for one in memory.fading(order="recent", limit=10)],
        "gc, dry run": lambda _: memory.sweep(dry_run=True),
    }


def _measure(size: int, folder: Path) -> None:
    chance, clock = random.Random(size), ManualClock()
    with substrate.open(folder / str(size), home=folder / "home", model="none", clock=clock) as memory:
        _fill(memory, clock, size, chance)
        calls = _calls(memory, size, chance)
        times: dict[str, list[float]] = {name: [] for name in calls}
        for number in range(_CALLS):
            for name, call in calls.items():
                start = time.process_time()
                call(number)
                times[name].append(1000 * (time.process_time() - start))
        took = {name: median(samples) for name, samples in times.items()}
        swept = memory.sweep(dry_run=True).total
        print(f"{size:,} notes, of which {swept:,} have faded")
        for name, ms in took.items():
            first = f"   first {times[name][0]:8.1f} ms"
            against = "search" if "search" in name else "checkpoint of one note"
            print(f"  {name:28} {ms:8.2f} ms   {ms / took[against]:6.2f} x {against}{first}")


def main() -> None:
    """Measure each size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", nargs="*", type=int, default=[10_000, 100_000])
    with tempfile.TemporaryDirectory() as folder:
        for size in parser.parse_args().sizes:
            _measure(size, Path(folder))


if __name__ == "__main__":
    main()
