"""`make bench`, its third part: search, beside the time that its model takes. See docs/benchmarks.md."""

from __future__ import annotations

import tempfile
from importlib.metadata import version
from pathlib import Path

from benchmarks.arguments import read_arguments
from benchmarks.calibration import Calibration, calibrate, machine
from benchmarks.elapsed import say
from benchmarks.report import Report
from benchmarks.search_fresh import measure_fresh
from benchmarks.search_reads import measure_recall, measure_searches
from benchmarks.search_stores import fill_search
from benchmarks.search_workload import REAL, SearchTexts, prepare
from benchmarks.search_writes import measure_bulk, measure_checkpoints
from benchmarks.table import Result


def _measure(size: int, folder: Path, texts: SearchTexts) -> tuple[list[Result], list[Calibration]]:
    store = fill_search(size, folder, texts, say)
    before = calibrate(folder)
    say(f"{size:,} atoms: {before}")
    results = []
    for what, measure in (
        ("recall", lambda: measure_recall(store, texts)),
        ("fresh processes", lambda: measure_fresh(store, texts.questions[0])),
        ("searches", lambda: measure_searches(store, texts)),
        ("checkpoints", lambda: measure_checkpoints(store, texts)),
    ):
        say(f"{size:,} atoms: {what}")
        results += measure()
    return results, [before, calibrate(folder)]


def main() -> None:
    """Measure at each size, and print one table."""
    sizes, file = read_arguments("search", __doc__, "atoms")
    texts = prepare(say)
    results, calibrations = [], {}
    with tempfile.TemporaryDirectory(prefix="substrate-bench-") as scratch:
        about = [
            *machine(Path(scratch)),
            "; ".join(f"{name} {version(name)}" for name in ("numpy", "onnxruntime", "faiss-cpu", "PyStemmer")),
            f"the first {REAL:,} texts and their vectors are real (docstrings, MiniLM); more are made around them",
        ]
        for size in sizes:
            with tempfile.TemporaryDirectory(dir=scratch) as folder:
                found, calibrations[size] = _measure(size, Path(folder), texts)
            results += found
        say("embedding in bulk")
        results += measure_bulk(texts)
    Report(about, calibrations, results).tell(file)


if __name__ == "__main__":
    main()
