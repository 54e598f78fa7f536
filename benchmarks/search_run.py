"""One run of a benchmark over stores that can be searched: at each size a store is made, and measured."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.arguments import read_arguments
from benchmarks.calibration import calibrate, machine
from benchmarks.elapsed import say
from benchmarks.report import Report
from benchmarks.search_stores import SearchStore, fill_search
from benchmarks.search_workload import SearchTexts, prepare
from benchmarks.table import Result

__all__ = ["run_at_sizes"]


def run_at_sizes(
    name: str, about: str | None, what: str, measure: Callable[[SearchStore, SearchTexts], list[Result]]
) -> None:
    """Measure at each size, and print one table."""
    sizes, file = read_arguments(name, about, "atoms")
    texts = prepare(say)
    results: list[Result] = []
    calibrations = {}
    with tempfile.TemporaryDirectory(prefix="substrate-bench-") as scratch:
        here = machine(Path(scratch))
        for size in sizes:
            with tempfile.TemporaryDirectory(dir=scratch) as folder:
                store = fill_search(size, Path(folder), texts, say)
                before = calibrate(Path(folder))
                say(f"{size:,} atoms: {what}")
                results += measure(store, texts)
                calibrations[size] = [before, calibrate(Path(folder))]
    Report(here, calibrations, results).tell(file)
