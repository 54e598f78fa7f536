"""`make bench`, its second half: atoms, edges, time and care beside raw LMDB and SQLite. See docs/benchmarks.md."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from benchmarks.atom_care import measure_atom_opening, measure_care, measure_forget
from benchmarks.atom_profile import WORKS, profile
from benchmarks.atom_reads import measure_atom_growth, measure_atom_reads, measure_slow_reads
from benchmarks.atom_stores import AtomStores, fill_atoms
from benchmarks.atom_writes import measure_atom_writes
from benchmarks.calibration import Calibration, calibrate, machine
from benchmarks.elapsed import say
from benchmarks.report import Report
from benchmarks.sizes import file_size
from benchmarks.table import Result

_SIZES = [10_000, 100_000, 1_000_000]
_SMALLEST = 10_000
_COMPARED = (100_000, 1_000_000)
"""The sizes between which the cost of an access with proof must hardly grow."""


def _measure_size(stores: AtomStores) -> list[Result]:
    return file_size(stores.size, "atom", stores.path, stores.raw, stores.sqlite.file_bytes())


def _measure(size: int, folder: Path) -> tuple[list[Result], AtomStores, list[Calibration]]:
    stores = fill_atoms(size, folder, say)
    before = calibrate(folder)
    say(f"{size:,} atoms: {before}")
    results = []
    for what, measure in (
        ("file size", _measure_size),
        ("reads", measure_atom_reads),
        ("diff and stats", measure_slow_reads),
        ("checkpoints", measure_atom_writes),
        ("forget", measure_forget),
        ("opening", measure_atom_opening),
        ("care of the whole store", measure_care),
    ):
        say(f"{size:,} atoms: {what}")
        results += measure(stores)
    return results, stores, [before, calibrate(folder)]


def main() -> None:
    """Measure at each size, and print one table; or profile one kind of work."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.atoms", description=__doc__)
    parser.add_argument("sizes", nargs="*", type=int, help=f"atoms in the store (default: {_SIZES})")
    parser.add_argument("--json", type=Path, metavar="FILE", help="save the results there too")
    parser.add_argument("--profile", choices=WORKS, help="instead, say where the time goes; at the first size")
    arguments = parser.parse_args()
    sizes = arguments.sizes or _SIZES
    if min(sizes) < _SMALLEST:
        parser.error(f"a size is at least {_SMALLEST}")
    results, calibrations, measured = [], {}, {}
    with tempfile.TemporaryDirectory(prefix="substrate-bench-") as scratch:
        if arguments.profile is not None:
            profile(arguments.profile, sizes[0], Path(scratch), say)
            return
        about = machine(Path(scratch))
        for size in sizes:
            folder = Path(tempfile.mkdtemp(dir=scratch))
            found, measured[size], calibrations[size] = _measure(size, folder)
            results += found
        if measured.keys() >= set(_COMPARED):
            say("growth")
            results += measure_atom_growth(*(measured[size] for size in _COMPARED))
    Report(about, calibrations, results).tell(arguments.json)


if __name__ == "__main__":
    main()
