"""What the child process of each graph does: notes one by one, relations, walks, a search after a write, a document.

Standard library only: it runs in the environment of each peer. CPU time of the process, all its threads.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import resource
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any, Protocol

__all__ = ["DIMENSIONS", "PROJECT", "Graph", "Note", "run"]

DIMENSIONS = 512
PROJECT = "handbook"
_SEED = 7
_LAST = 50
"""Notes at the end whose cost is told."""
_FIRST = (
    "Amber Basil Cedar Delta Ember Fjord Grove Heron Indigo Jasper Kestrel Lotus Maple Nectar Onyx Pearl Quartz Raven"
)
_SECOND = (
    "Engine Ledger Gateway Scheduler Archive Beacon Cluster Dispatcher Exporter Firewall Harvester Indexer Journal"
)
_THIRD = (
    "Alpha Bravo Charlie Echo Foxtrot Golf Hotel India Juliet Kilo Lima Mike Oscar Papa Romeo Sierra Tango Victor "
    "Whiskey Yankee"
)
_VERBS = ("uses", "depends on", "replaces", "writes to")

Note = tuple[str, str]
"""A source, and a text of two sentences with two names in it."""


class Graph(Protocol):
    """A store. Making it opens an empty one in a folder; `about` says how it was set up."""

    about: str

    def remember(self, source: str, text: str) -> str:
        """Keep a note; the id of its document."""

    def settle(self) -> None:
        """What is left to do until all notes can be found by their vectors."""

    def join(self, pairs: list[tuple[str, str]]) -> None:
        """State a relation between the entities of each pair of names."""

    def search(self, query: str, traversal: str) -> list[str]:
        """The texts of the five best chunks, with two hops: `bfs` or `ppr`."""

    def document(self, name: str) -> str:
        """The text of a document."""


def names(count: int) -> list[str]:
    """Of the entities of so many notes, one for two of them: as every extractor finds them, three words each."""
    words = (
        f"{first} {second} {third}"
        for third in _THIRD.split()
        for first in _FIRST.split()
        for second in _SECOND.split()
    )
    return list(islice(words, max(200, count // 2)))


def notes(count: int) -> Iterator[Note]:
    """The same on every machine."""
    draw, known = random.Random(_SEED), names(count)
    for number in range(count):
        first, second = draw.sample(known, 2)
        verb = draw.choice(_VERBS)
        said = f"The {first} {verb} the {second} since ticket {10_000 + number}. Nobody has asked about it yet."
        yield f"note-{number}.md", said


def run(make: type[Any]) -> None:
    """Measure what `make` gives in an empty folder, as the command line says."""
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--notes", type=int, required=True)
    parser.add_argument("--calls", type=int, default=10)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="substrate-graph-") as folder:
        found = _measure(make(Path(folder)), arguments.notes, arguments.calls)
    arguments.out.write_text(json.dumps(found), encoding="utf-8")


def _measure(graph: Graph, count: int, calls: int) -> dict[str, Any]:
    draw, load = random.Random(_SEED + 1), os.getloadavg()[0]
    written, costs, documents = list(notes(count)), [], []
    for number, (source, text) in enumerate(written, 1):
        before = _cpu()
        documents.append(graph.remember(source, text))
        if number % _LAST == 0 or number == count:
            graph.settle()
        costs.append(_cpu() - before)
    known = names(count)
    graph.join([(one, draw.choice(known)) for one in known for _ in range(3)])
    asked = [draw.choice(written)[1].split(" since")[0].removeprefix("The ") for _ in range(calls)]
    told: dict[str, Any] = {"remember": sum(costs[-_LAST:]) / min(_LAST, len(costs))}
    right = 0
    for traversal in ("bfs", "ppr"):
        graph.search(asked[0], traversal)
        told[traversal] = median(_timed(partial(graph.search, query, traversal)) for query in asked)
    for _ in range(calls):
        wanted = draw.choice(written)[1]
        right += wanted in graph.search(wanted[:90], "bfs")
    for traversal in ("bfs", "ppr"):
        after = []
        for number in range(max(2, calls // 3)):
            graph.remember(
                f"late-{traversal}-{number}.md", f"The Amber Engine uses the Late {traversal.title()} {number}."
            )
            graph.settle()
            after.append(_timed(partial(graph.search, asked[number % calls], traversal)))
        told[f"{traversal}_after_write"] = median(after)
    told["document"] = median(_timed(partial(graph.document, one)) for one in draw.sample(documents, calls))
    return told | {
        "about": graph.about,
        "python": platform.python_version(),
        "found": right / calls,
        "load": max(load, os.getloadavg()[0]),
    }


def _timed(call: Callable[[], object]) -> float:
    before = _cpu()
    call()
    return _cpu() - before


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
