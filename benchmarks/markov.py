"""`make bench`, its fourth part: learning from sessions, and predicting. See docs/benchmarks.md."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from benchmarks.arguments import read_arguments
from benchmarks.calibration import calibrate, machine
from benchmarks.markov_work import measure_learning
from benchmarks.report import Report
from benchmarks.search_stores import fill_search
from benchmarks.search_workload import prepare

_BEGAN = time.monotonic()


def _say(text: str) -> None:
    print(f"[{time.monotonic() - _BEGAN:6.0f} s] {text}", file=sys.stderr, flush=True)


def main() -> None:
    """Measure at each size, and print one table."""
    sizes, file = read_arguments("markov", __doc__, "atoms")
    texts = prepare(_say)
    results, calibrations = [], {}
    with tempfile.TemporaryDirectory(prefix="substrate-bench-") as scratch:
        about = machine(Path(scratch))
        for size in sizes:
            with tempfile.TemporaryDirectory(dir=scratch) as folder:
                store = fill_search(size, Path(folder), texts, _say)
                before = calibrate(Path(folder))
                _say(f"{size:,} atoms: learning and predicting")
                results += measure_learning(store, texts)
                calibrations[size] = [before, calibrate(Path(folder))]
    report = Report(about, calibrations, results)
    report.show(time.monotonic() - _BEGAN)
    if file is not None:
        report.save(file)


if __name__ == "__main__":
    main()
