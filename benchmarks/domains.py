"""What domains, cards and counts cost: `python -m benchmarks.domains --atoms 10000 100000`.

For each size a store with one atom in two in a domain by edge, one in four by name, and the rest in none. One in ten
has an edge to a smaller domain. Medians of CPU time of calls that take turns, so that a busy machine slows all alike;
ratios are of calls of the same run.

- search in the domain by unrestricted search; after a write by before it
- list of 100, access, stats, counts of one domain
- a checkpoint of 1 and of 1,000; what that cost before, `python -m benchmarks.checkouts` tells
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import substrate
from substrate.clock import ManualClock
from substrate.views.counts import counts_by_domain

WORDS: Final = 20_000
BATCH: Final = 6000
START: Final = 1_700_000_000_000_000
DOMAIN: Final = "big"
TENTH: Final = "tenth"
AFTER: Final = "after a write"


class Store:
    """A store of so many atoms, with what is called on it."""

    def __init__(self, folder: Path, atoms: int) -> None:
        self._chance = random.Random(7)
        self._next = 0
        clock = ManualClock(START)
        self.memory = substrate.open(
            folder / "store", home=folder / "home", clock=clock, model="none", background=False
        )
        self.memory.checkpoint([f"v1.domain.{domain} = all about it" for domain in (DOMAIN, TENTH)])
        while self._next < atoms:
            self.write(min(BATCH, atoms - self._next))

    def write(self, count: int) -> None:
        """Record atoms, with their edges to the domains."""
        numbers = range(self._next, self._next + count)
        self._next += count
        edges = [
            {"source": _name(number), "type": "member_of", "target": f"v1.domain.{domain}"}
            for number in numbers
            for domain, member in ((DOMAIN, number % 2 == 0), (TENTH, number % 10 == 3))
            if member
        ]
        self.memory.checkpoint([{"name": _name(number), "value": self.text(16)} for number in numbers], edges=edges)

    def text(self, words: int) -> str:
        """Some words; few of them are frequent, as in any language."""
        return " ".join(f"w{int(WORDS * self._chance.random() ** 3)}" for _ in range(words))

    def name(self) -> str:
        """One of the atoms."""
        return _name(self._chance.randrange(self._next))

    def count(self) -> int:
        """How many atoms the domain has by name."""
        with self.memory._store.log.snapshot() as transaction:  # noqa: SLF001 - no verb tells it of one domain
            return sum(count.live for _, _, count in counts_by_domain(transaction, DOMAIN))


def _name(number: int) -> str:
    return f"v1.chunk.{DOMAIN}.n{number}" if number % 4 == 1 else f"v1.fact.n{number}"


def calls_of(store: Store) -> Mapping[str, tuple[int, Callable[[], object]]]:
    """What is measured, and how many calls are taken together."""
    memory = store.memory
    return {
        "search": (1, lambda: memory.search(store.text(3))),
        "search in the domain": (1, lambda: memory.search(store.text(3), domain=DOMAIN)),
        "search in a tenth": (1, lambda: memory.search(store.text(3), domain=TENTH)),
        f"search {AFTER}": (1, lambda: memory.search(store.text(3))),
        f"search in the domain {AFTER}": (1, lambda: memory.search(store.text(3), domain=DOMAIN)),
        f"search in a tenth {AFTER}": (1, lambda: memory.search(store.text(3), domain=TENTH)),
        "list of 100": (5, lambda: memory.list("v1.fact.n", limit=100)),
        "access": (100, lambda: memory.access(store.name(), predictions=0)),
        "stats": (5, memory.stats),
        "counts of a domain": (20, store.count),
        "checkpoint of 1": (1, lambda: store.write(1)),
        "checkpoint of 1,000": (1, lambda: store.write(1000)),
    }


def measure(store: Store, rounds: int) -> dict[str, float]:
    """CPU milliseconds of each call: the median."""
    took: dict[str, list[float]] = {}
    for number in range(rounds):
        for name, (times, call) in calls_of(store).items():
            if name.endswith("1,000") and number % 10:
                continue
            if name.endswith(AFTER):
                store.write(1)
            begun = time.process_time()
            for _ in range(times):
                call()
            took.setdefault(name, []).append(1000 * (time.process_time() - begun) / times)
    return {name: statistics.median(one) for name, one in took.items()}


def main() -> None:
    """See the top of the file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--atoms", nargs="+", type=int, default=[10_000, 100_000])
    parser.add_argument("--rounds", type=int, default=60)
    args = parser.parse_args()
    for atoms in args.atoms:
        with tempfile.TemporaryDirectory() as folder:
            store = Store(Path(folder), atoms)
            begun = time.process_time()
            store.memory.search("w1")
            first = time.process_time()
            store.memory.search("w1", domain=DOMAIN)
            first_in_domain = time.process_time()
            with store.memory.session(observe=False):
                took = measure(store, args.rounds)
            store.memory.close()
        print(f"\n{atoms:,} atoms, {atoms * 3 // 4:,} of them in the domain; CPU ms, medians of {args.rounds}")
        print(f"{'first search, columns loaded':40}{1000 * (first - begun):10.2f}")
        print(f"{'first in the domain, edges loaded':40}{1000 * (first_in_domain - first):10.2f}")
        plain = took["search"]
        for name, spent in took.items():
            ratio = f"   {spent / plain:.2f} x search" if name.startswith("search ") else ""
            print(f"{name:40}{spent:10.3f}{ratio}", flush=True)


if __name__ == "__main__":
    main()
