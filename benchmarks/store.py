"""`make bench`: the store beside its physical limits. How to read the numbers: docs/benchmarks.md."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from benchmarks.calibration import Calibration, calibrate, machine
from benchmarks.processes import measure_fsck, measure_import
from benchmarks.reads import measure_growth, measure_opening, measure_reads
from benchmarks.sizes import measure_sizes
from benchmarks.stores import Stores, fill
from benchmarks.table import Result, as_json, as_text
from benchmarks.writes import measure_writes

_SIZES = [10_000, 100_000, 1_000_000]
_SMALLEST = 1_000
_COMPARED = (100_000, 1_000_000)
"""The sizes between which the cost of a proof must hardly grow."""
_STEADY = 1.25
"""How far SHA-256 may go apart between calibrations before the run is called unsteady."""
_BEGAN = time.monotonic()


def _say(text: str) -> None:
    print(f"[{time.monotonic() - _BEGAN:6.0f} s] {text}", file=sys.stderr, flush=True)


def _measure(size: int, folder: Path) -> tuple[list[Result], Stores, list[Calibration]]:
    stores = fill(size, folder, _say)
    before = calibrate(folder)
    _say(f"{size:,} entries: {before}")
    results = measure_sizes(stores)
    for what, measure in (
        ("proofs", measure_reads),
        ("appends", measure_writes),
        ("opening", measure_opening),
        ("fsck", measure_fsck),
    ):
        _say(f"{size:,} entries: {what}")
        results += measure(stores)
    return results, stores, [before, calibrate(folder)]


def main() -> None:
    """Measure at each size, and print one table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.store", description=__doc__)
    parser.add_argument("sizes", nargs="*", type=int, help=f"entries in the store (default: {_SIZES})")
    parser.add_argument("--json", type=Path, metavar="FILE", help="save the results there too")
    arguments = parser.parse_args()
    sizes = arguments.sizes or _SIZES
    if min(sizes) < _SMALLEST:
        parser.error(f"a size is at least {_SMALLEST}")
    _say("import")
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
    works = list(dict.fromkeys(result.work for result in results))
    results.sort(key=lambda result: works.index(result.work))
    print("\n".join([*about, *_lines(calibrations)]))
    print()
    print(as_text(results))
    judged = [result.met for result in results if result.met is not None]
    print(f"\n{judged.count(True)} of {len(judged)} targets met; {time.monotonic() - _BEGAN:.0f} s")
    if arguments.json is not None:
        calibration = {size: [asdict(line) for line in lines] for size, lines in calibrations.items()}
        saved = {"machine": about, "calibration": calibration, "results": as_json(results)}
        arguments.json.write_text(json.dumps(saved, indent=1) + "\n", encoding="utf-8")


def _lines(calibrations: Mapping[int, Sequence[Calibration]]) -> list[str]:
    lines = [
        f"calibration {when} {size:,}: {line}"
        for size, pair in calibrations.items()
        for when, line in zip(("before", "after"), pair, strict=True)
    ]
    taken = [line for pair in calibrations.values() for line in pair]
    hashing = [line.sha256 for line in taken]
    if max(hashing) > _STEADY * min(hashing) or max(line.load for line in taken) > (os.cpu_count() or 1):
        lines.append("UNSTEADY: the machine was busy, or not equally fast throughout; compare ratios, and run again")
    return lines


if __name__ == "__main__":
    main()
