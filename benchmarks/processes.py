"""What is measured from outside, in child processes: what an import costs, and fsck."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable
from statistics import median

from benchmarks.stores import Stores
from benchmarks.table import Beside, Result
from substrate import fsck

__all__ = ["children_cpu", "measure_fsck", "measure_import"]

_RUNS = 15
_IMPORT = 150e-3
_PROGRAMS = {
    "bare": "pass",
    "import": "import substrate",
    "all": "import substrate; [getattr(substrate, name) for name in substrate.__all__]",
}


def children_cpu() -> float:
    """CPU seconds of all child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _cpu_of(work: Callable[[], object]) -> float:
    before = children_cpu()
    work()
    return children_cpu() - before


def _start(program: str) -> None:
    subprocess.run([sys.executable, "-c", program], check=True)  # noqa: S603 - our own interpreter


def measure_import() -> list[Result]:
    """CPU of a fresh interpreter that imports the package, less that of one that does nothing."""
    for program in _PROGRAMS.values():
        _start(program)
    times: dict[str, list[float]] = {name: [] for name in _PROGRAMS}
    for _ in range(_RUNS):
        for name, program in _PROGRAMS.items():
            times[name].append(_cpu_of(lambda program=program: _start(program)))
    bare = median(times["bare"])
    beside = [Beside("interpreter that does nothing", bare, "ms")]
    return [
        Result("import substrate: CPU", None, median(times["import"]) - bare, "ms", _IMPORT, beside),
        Result("  and load every public name: CPU", None, median(times["all"]) - bare, "ms", None, beside),
    ]


def measure_fsck(stores: Stores) -> list[Result]:
    """One check of all that is in our store by now; it must be sound."""
    reports = []
    wall = time.perf_counter()
    cpu = _cpu_of(lambda: reports.append(fsck(stores.path, home=stores.home)))
    wall = time.perf_counter() - wall
    (report,) = reports
    if not report.ok:
        raise AssertionError(f"fsck: {report.damage}")
    beside = [Beside("by wall clock", report.entries / wall, "entries/s")]
    return [Result("fsck: CPU", stores.size, report.entries / cpu, "entries/CPU-s", None, beside)]
