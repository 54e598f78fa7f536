"""The first search of a process that just began, and the memory that it takes: measured from inside a child."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.search_stores import SearchStore
from benchmarks.table import Beside, Result

__all__ = ["measure_fresh"]

_TIMES = 5
_WALL, _CPU = 0, 1
"""Places in a mark."""
_TARGET, _MEANING_TARGET = 0.3, 0.6
"""CPU seconds: by words, after the open; by meaning, from the start of the process."""
_ROOT = Path(__file__).resolve().parents[1]
_CHILD = """
import json, resource, sys, time
path, home, query, wait = sys.argv[1:]
def now():
    return time.perf_counter(), time.process_time()
marks = [now()]
import substrate
marks.append(now())
memory = substrate.open(path, home=home, read_only=True)
marks.append(now())
found = memory.search(query, limit=10, wait=60 if wait == "yes" else 0)
marks.append(now())
status = dict(line.split(":", 1) for line in open("/proc/self/status")) if sys.platform == "linux" else {}
rss = int(status.get("VmRSS", "0").split()[0]) * 1024
private = int(status.get("RssAnon", "0").split()[0]) * 1024
print(json.dumps({"marks": marks, "rss": rss, "private": private, "meaning": found.meaning, "hits": len(list(found))}))
"""


def _child(store: SearchStore, query: str, *, model: bool) -> dict[str, Any]:
    own = {"PYTHONPATH": str(_ROOT)} | ({} if model else {"SUBSTRATE_MODEL": "none"})
    command = [sys.executable, "-c", _CHILD, str(store.path), str(store.home), query, "yes" if model else "no"]
    done = subprocess.run(  # noqa: S603
        command, env={**os.environ, **own}, stdout=subprocess.PIPE, text=True, check=True
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    if not found["hits"] or (model and found["meaning"]):
        raise AssertionError(f"the child found {found['hits']} atoms; by meaning: {found['meaning'] or 'yes'}")
    return found


def measure_fresh(store: SearchStore, query: str) -> list[Result]:
    """By words alone, and until the first answer by meaning; resident memory after each."""
    by_words = [_child(store, query, model=False) for _ in range(_TIMES)]
    by_meaning = [_child(store, query, model=True) for _ in range(3)]

    def took(runs: list[dict[str, Any]], since: int, until: int, clock: int = _WALL) -> float:
        return median(run["marks"][until][clock] - run["marks"][since][clock] for run in runs)

    parts = [
        Beside("wall", took(by_words, 2, 3), "ms"),
        Beside("CPU of import substrate before it", took(by_words, 0, 1, _CPU), "ms"),
        Beside("CPU of open before it", took(by_words, 1, 2, _CPU), "ms"),
    ]
    memory = [
        Beside("of it, not pages of files", median(run["private"] for run in by_meaning) / 1e6, "MB"),
        Beside("after a search by words alone", median(run["rss"] for run in by_words) / 1e6, "MB"),
    ]
    return [
        Result(
            "first search after the open, by words: CPU",
            store.size,
            took(by_words, 2, 3, _CPU),
            "ms",
            _TARGET,
            parts,
        ),
        Result(
            "first answer by meaning in a fresh process: CPU",
            store.size,
            took(by_meaning, 0, 3, _CPU),
            "ms",
            _MEANING_TARGET,
            [Beside("wall", took(by_meaning, 0, 3), "ms")],
        ),
        Result(
            "resident memory after a search",
            store.size,
            median(run["rss"] for run in by_meaning) / 1e6,
            "MB",
            beside=memory,
        ),
    ]
