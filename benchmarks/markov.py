"""`make bench`, its fourth part: learning from sessions, and predicting. See docs/benchmarks.md."""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks.arguments import read_arguments
from benchmarks.calibration import calibrate, machine
from benchmarks.elapsed import elapsed, say
from benchmarks.markov_work import measure_learning
from benchmarks.report import Report
from benchmarks.search_stores import fill_search
from benchmarks.search_workload import prepare


def main() -> None:
    """Measure at each size, and print one table."""
    sizes, file = read_arguments("markov", __doc__, "atoms")
    texts = prepare(say)
    results, calibrations = [], {}
    with tempfile.TemporaryDirectory(prefix="substrate-bench-") as scratch:
        about = machine(Path(scratch))
        for size in sizes:
            with tempfile.TemporaryDirectory(dir=scratch) as folder:
                store = fill_search(size, Path(folder), texts, say)
                before = calibrate(Path(folder))
                say(f"{size:,} atoms: learning and predicting")
                results += measure_learning(store, texts)
                calibrations[size] = [before, calibrate(Path(folder))]
    report = Report(about, calibrations, results)
    report.show(elapsed())
    if file is not None:
        report.save(file)


if __name__ == "__main__":
    main()
