"""How long context takes beside a hub of which every atom is a member. See docs/connections.md.

python -m benchmarks.context [10000 100000 ...]
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable
from statistics import median

from benchmarks.store_folder import new_store
from substrate.memory import Memory

_BATCH = 3_000
_CALLS = 40


def _fill(memory: Memory, size: int, chance: random.Random) -> None:
    """Atoms that are all members of one hub, and each depend on and refer to one that came before."""
    memory.checkpoint(["v1.hub.all = every one"])
    for start in range(0, size, _BATCH):
        numbers = range(start, min(start + _BATCH, size))
        edges = []
        for number in numbers:
            edges.append({"source": f"v1.fact.a{number}", "type": "member_of", "target": "v1.hub.all"})
            for kind in ("depends_on", "references") if number else ():
                target = f"v1.fact.a{chance.randrange(number)}"
                edges.append({"source": f"v1.fact.a{number}", "type": kind, "target": target})
        memory.checkpoint([f"v1.fact.a{number} = what atom {number} has to say" for number in numbers])
        memory.checkpoint(edges=edges)


def _cpu_ms(call: Callable[[int], object]) -> float:
    times = []
    for number in range(-3, _CALLS):
        began = time.process_time()
        call(number)
        times.append(1000 * (time.process_time() - began))
    return median(times[3:])


def _measure(memory: Memory, size: int, names: list[str]) -> None:
    for what, call in (
        ("context, depth 1", lambda number: memory.context(names[number])),
        ("context, depth 2", lambda number: memory.context(names[number], depth=2)),
        ("context, depth 3", lambda number: memory.context(names[number], depth=3)),
        ("context of the hub, depth 2", lambda _: memory.context("v1.hub.all", depth=2)),
        ("access, with what it depends on", lambda number: memory.access(names[number])),
    ):
        print(f"{size:>9,} atoms  {what:<32} {_cpu_ms(call):6.2f} CPU ms, p50", flush=True)


def main() -> None:
    """Measure at each size, and print a line for each question."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.context", description=__doc__)
    parser.add_argument("sizes", nargs="*", type=int, default=[10_000, 100_000], help="atoms in the store")
    for size in parser.parse_args().sizes:
        chance = random.Random(size)
        with new_store() as (memory, _):
            _fill(memory, size, chance)
            _measure(memory, size, [f"v1.fact.a{chance.randrange(size)}" for _ in range(_CALLS + 3)])


if __name__ == "__main__":
    main()
