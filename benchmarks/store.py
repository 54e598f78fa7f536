"""`make bench`: the store beside its physical limits. How to read the numbers: docs/benchmarks.md."""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks.arguments import read_arguments
from benchmarks.calibration import Calibration, calibrate, machine
from benchmarks.elapsed import say
from benchmarks.processes import measure_fsck, measure_import
from benchmarks.reads import measure_growth, measure_opening, measure_reads
from benchmarks.report import Report
from benchmarks.sizes import measure_sizes
from benchmarks.stores import Stores, fill
from benchmarks.table import Result
from benchmarks.writes import measure_writes

_COMPARED = (100_000, 1_000_000)
"""The sizes between which the cost of a proof must hardly grow."""


def _measure(size: int, folder: Path) -> tuple[list[Result], Stores, list[Calibration]]:
    stores = fill(size, folder, say)
    before = calibrate(folder)
    say(f"{size:,} entries: {before}")
    results = measure_sizes(stores)
    for what, measure in (
        ("proofs", measure_reads),
        ("appends", measure_writes),
        ("opening", measure_opening),
        ("fsck", measure_fsck),
    ):
        say(f"{size:,} entries: {what}")
        results += measure(stores)
    return results, stores, [before, calibrate(folder)]


def main() -> None:
    """Measure at each size, and print one table."""
    sizes, file = read_arguments("store", __doc__, "entries", smallest=1_000)
    say("import")
    results = measure_import()
    calibrations, measured = {}, {}
    with tempfile.TemporaryDirectory(prefix="substrate-bench-") as scratch:
        about = machine(Path(scratch))
        for size in sizes:
            folder = Path(tempfile.mkdtemp(dir=scratch))
            found, measured[size], calibrations[size] = _measure(size, folder)
            results += found
        if measured.keys() >= set(_COMPARED):
            results += measure_growth(*(measured[size] for size in _COMPARED))
    Report(about, calibrations, results).tell(file)


if __name__ == "__main__":
    main()
