"""What a policy costs: the same searches by a client that sees all, and by clients from whom some atoms are hidden.

python -m benchmarks.tiers [10000 100000 ...]

Three clients ask in turns, in one run, by words alone: one under no policy, one under a policy in a store where no
domain says a tier, and one from whom a tenth of the atoms is hidden. Then each asks after a write of its own: what is
hidden follows the log. CPU time.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Mapping
from statistics import median
from uuid import uuid4

from benchmarks.store_folder import new_store
from substrate.memory import Memory
from substrate.policy import Policy

_BATCH = 5_000
_CALLS = 60
_WORDS = 5_000
_SHARE = 10
_WARM = "warm"
_MOST = 1.1
"""Of a search without a policy."""


def _fill(memory: Memory, size: int, chance: random.Random) -> None:
    words = [f"w{number}" for number in range(_WORDS)]
    memory.checkpoint(["v1.domain.vault = hidden", "v1.domain.shop = open"])
    for start in range(0, size, _BATCH):
        numbers = range(start, min(start + _BATCH, size))
        memory.checkpoint([f"v1.fact.a{number} = {' '.join(chance.choices(words, k=8))}" for number in numbers])
        domains = {number: "shop" if number % _SHARE else "vault" for number in numbers}
        memory.checkpoint(
            edges=[
                {"source": f"v1.fact.a{number}", "type": "member_of", "target": f"v1.domain.{domain}"}
                for number, domain in domains.items()
            ]
        )


def _measure(asking: Mapping[str, Callable[[int], object]], prepare: Callable[[int], object]) -> dict[str, float]:
    """Median CPU milliseconds of each, asked in turns; the first calls are not counted."""
    for number in range(3):
        for call in asking.values():
            call(number)
    times: dict[str, list[float]] = {what: [] for what in asking}
    order = list(asking)
    for number in range(_CALLS):
        for what in order:
            prepare(number)
            began = time.process_time()
            asking[what](number)
            times[what].append(1000 * (time.process_time() - began))
        order.append(order.pop(0))
    return {what: median(taken) for what, taken in times.items()}


def _search(memory: Memory, asked: list[str]) -> Callable[[int], object]:
    return lambda number: memory.search(asked[number])


def _report(size: int, when: str, times: Mapping[str, float]) -> None:
    base = next(iter(times.values()))
    for what, taken in times.items():
        print(f"{size:>9,}  {when:<18} {what:<28} {taken:8.3f} ms  {taken / base:5.2f} x")
    worst = max(times.values()) / base
    if when == _WARM:
        print(f"{'':>9}  {worst:.2f} x of at most {_MOST}{'' if worst <= _MOST else ': too much'}")


def run(size: int) -> None:
    """Measure one size."""
    chance = random.Random(7)
    asked = [" ".join(f"w{chance.randrange(_WORDS)}" for _ in range(3)) for _ in range(_CALLS)]
    with new_store() as (memory, _):
        _fill(memory, size, chance)
        agent = memory.client("agent", policy=Policy())
        clients = {"no policy": memory, "under one, nothing hidden": agent}
        _report(size, _WARM, _measure({what: _search(one, asked) for what, one in clients.items()}, lambda _: None))
        memory.set_tier("vault", "sensitive")
        clients = {"no policy": memory, "under one, a tenth hidden": agent}
        asking = {what: _search(one, asked) for what, one in clients.items()}
        _report(size, _WARM, _measure(asking, lambda _: None))
        _report(
            size,
            "after each write",
            _measure(asking, lambda _: memory.checkpoint([f"v1.note.{uuid4().hex} = x"])),
        )


def main() -> None:
    """Measure the sizes that are given."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", nargs="*", type=int, default=[10_000, 100_000])
    for size in parser.parse_args().sizes:
        run(size)


if __name__ == "__main__":
    main()
