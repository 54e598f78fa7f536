"""What finding conflicts costs: checkpoints of 1,000 atoms with and without it, side by side. See docs/conflicts.md.

The store without it takes no claims in, and compares none: the same code, with a reader that understands nothing.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from benchmarks.atom_workload import as_fact, as_text
from benchmarks.timing import Contender, interleave, ratio
from benchmarks.workload import BATCH
from substrate.memory import Memory, open_memory

_ROUNDS = 10
_SERVICES = ("billing", "search", "checkout", "ledger", "mailer", "export", "import", "gateway")


def _sentence(number: int) -> str:
    return f"v1.fact.note_{number} = The {_SERVICES[number % 8]} service {number} runs on host h{number}.example.com"


def _crowded(number: int) -> str:
    """The worst there is: every atom speaks of one and the same, and each contradicts those it is compared with."""
    return f"v1.fact.note_{number} = The {_SERVICES[number % 8]} timeout is {number} s"


WORKS: dict[str, Callable[[int], str]] = {
    "texts": as_text,
    "short facts": as_fact,
    "sentences": _sentence,
    "eight subjects, all in conflict": _crowded,
}


@contextmanager
def _undetected() -> Iterator[None]:
    with patch("substrate.claims.read_claim", lambda *_: None):
        yield


def _save(memory: Memory, atoms: list[str], *, detect: bool) -> None:
    if detect:
        memory.checkpoint(atoms)
        return
    with _undetected():
        memory.checkpoint(atoms)


def main() -> None:
    """Measure each kind of atom, and print a line for each."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.conflicts", description=__doc__)
    parser.add_argument("--filled", type=int, default=20_000, help="atoms in each store beforehand (default 20,000)")
    filled = parser.parse_args().filled
    print(f"{'':34}{'with':>12}{'without':>12}{'ratio':>8}   CPU per atom, checkpoints of {BATCH:,}")
    for what, make in WORKS.items():
        with tempfile.TemporaryDirectory(prefix="substrate-bench-") as scratch:
            home = Path(scratch) / "home"
            stores = {
                detect: open_memory(Path(scratch) / str(detect), home=home, model="none", background=False)
                for detect in (True, False)
            }
            contenders = {}
            for detect, memory in stores.items():
                for start in range(0, filled if what != "eight subjects, all in conflict" else 0, BATCH):
                    _save(memory, [make(number) for number in range(start, start + BATCH)], detect=detect)
                contenders[str(detect)] = Contender(
                    lambda atoms, memory=memory, detect=detect: _save(memory, atoms, detect=detect),  # type: ignore[misc]
                    lambda turn: [make(filled + turn * BATCH + i) for i in range(BATCH)],  # noqa: B023
                )
            samples = interleave(contenders, _ROUNDS)
            for memory in stores.values():
                memory.close()
        cost = {name: sample.cpu / BATCH * 1e6 for name, sample in samples.items()}
        times = ratio(samples["True"].cpu_rounds, samples["False"].cpu_rounds)
        print(f"{what:34}{cost['True']:>9.0f} µs{cost['False']:>9.0f} µs{times:>8.2f}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
