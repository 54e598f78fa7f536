"""How long a writer waits while another process forgets on a large store: `python -m benchmarks.forget_wait FOLDER`.

FOLDER is made, and filled up to --megabytes, if it is not there. Then one process saves without pause, one note at a
time, while this one forgets three atoms, and the store is compacted each time. Printed: each forget, and of the waits
of the writer the median, the 99th percentile and the worst; how many notes that were saved are not there; and with
--check whether fsck finds the store sound.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import time
from pathlib import Path

import substrate
from substrate import fsck

_BATCH = 500
_WORDS = 200
_FORGETS = 3


def _fill(store: Path, home: Path, megabytes: int) -> None:
    generator = random.Random(17)
    vocabulary = [f"word{number}" for number in range(20_000)]
    with substrate.open(store, home=home, model="none") as memory:
        number = 0
        while memory.stats().bytes < megabytes << 20:
            for _ in range(10):
                atoms = []
                for _ in range(_BATCH):
                    text = " ".join(generator.choices(vocabulary, k=_WORDS))
                    atoms.append({"name": f"v1.fact.filled_{number}", "value": text})
                    number += 1
                memory.checkpoint(atoms)
    _say(f"filled with {number:,} atoms")


def _write(store: Path, home: Path) -> None:
    """Save one note after the other until the standard input ends; a line for each: how long it took."""
    import select  # noqa: PLC0415 - the child's own

    with substrate.open(store, home=home, model="none") as memory:
        run = time.time_ns()
        number = 0
        while not select.select([sys.stdin], [], [], 0)[0]:
            start = time.perf_counter()
            memory.checkpoint([{"name": f"v1.fact.r{run}_{number}", "value": f"note {number}"}])
            _say(f"v1.fact.r{run}_{number} {time.perf_counter() - start:.6f}")
            number += 1


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    """Fill, forget, and tell."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.forget_wait", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--megabytes", type=int, default=1024)
    parser.add_argument("--forgets", type=int, default=_FORGETS)
    parser.add_argument("--check", action="store_true", help="run fsck at the end: minutes for a large store")
    parser.add_argument("--write", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    store, home = given.folder / "store", given.folder / "home"
    if given.write:
        _write(store, home)
        return
    if not store.exists():
        _fill(store, home, given.megabytes)
    if not given.forgets:
        return
    command = [sys.executable, "-m", "benchmarks.forget_wait", str(given.folder), "--write"]
    with (
        substrate.open(store, home=home, model="none") as memory,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as writer,  # noqa: S603
    ):
        assert writer.stdin is not None  # noqa: S101
        assert writer.stdout is not None  # noqa: S101
        writer.stdout.readline()
        names = [atom.name for atom in memory.list(prefix="v1.fact.filled", limit=1000)][: given.forgets]
        for name in names:
            start = time.perf_counter()
            forgot = memory.forget(name)
            _say(f"forget: {time.perf_counter() - start:.2f} s, compacted: {forgot.compacted}")
        writer.stdin.close()
        lines = [line.split() for line in writer.stdout]
        waits = sorted(float(wait) for _, wait in lines)
        size = memory.stats().bytes
        lost = [name for name, _ in lines if not memory.access(name)]
    _say(
        f"{len(waits):,} saves on {size / 1e6:,.0f} MB: median {waits[len(waits) // 2] * 1e3:.0f} ms, "
        f"p99 {waits[len(waits) * 99 // 100]:.2f} s, worst {waits[-1]:.2f} s; lost: {len(lost)}"
    )
    if given.check:
        report = fsck(store, home=home)
        _say(f"fsck: {report.damage or 'sound'}, {report.entries:,} entries")


if __name__ == "__main__":
    main()
