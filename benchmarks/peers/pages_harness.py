"""What the child process of each ingester does: all pages, the same pages again, questions; and the CPU time of each.

Standard library only: it runs in the environment of each peer.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

__all__ = ["DIMENSIONS", "PROJECT", "Ingester", "run"]

DIMENSIONS = 512
"""Of a vector, which HydraMem has by default."""
PROJECT = "handbook"


class Ingester(Protocol):
    """A store of documents. Making it opens an empty one in a folder; `about` says how it was set up."""

    about: str

    def ingest(self, pages: Path) -> int:
        """Take in the files of a folder, until they can be searched; how many chunks were written."""

    def search(self, query: str) -> list[str]:
        """The sources of the five best chunks, best first."""


def run(make: type[Any]) -> None:
    """Measure what `make` gives in an empty folder, as the command line says."""
    parser = argparse.ArgumentParser()
    parser.add_argument("pages", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--vectors", choices=("stub", "none"), default="stub")
    arguments = parser.parse_args()
    questions = json.loads(arguments.questions.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory(prefix="substrate-pages-") as folder:
        found = _measure(make(Path(folder), arguments.vectors), arguments.pages, questions)
    arguments.out.write_text(json.dumps(found), encoding="utf-8")


def _measure(ingester: Ingester, pages: Path, questions: list[tuple[str, list[str]]]) -> dict[str, Any]:
    times, load = [cpu()], os.getloadavg()[0]
    written = ingester.ingest(pages)
    times.append(cpu())
    again = ingester.ingest(pages)
    times.append(cpu())
    sources, asked = [], [times[-1]]
    for query, _ in questions:
        sources.append(ingester.search(query))
        asked.append(cpu())
    warm = sorted(after - before for before, after in pairwise(asked[1:]))
    wanted = [set(names) for _, names in questions]
    right = [bool(names & {Path(one).name for one in found}) for names, found in zip(wanted, sources, strict=True)]
    return {
        "about": ingester.about,
        "python": platform.python_version(),
        "chunks": written,
        "chunks_again": again,
        "start": times[0],
        "ingest": times[1] - times[0],
        "again": times[2] - times[1],
        "first_search": asked[1] - asked[0],
        "search": warm[len(warm) // 2],
        "found": sum(right) / len(right),
        "load": max(load, os.getloadavg()[0]),
    }


def cpu() -> float:
    """CPU seconds of this process, all its threads, and the children that ended; the kernel's time too."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)
