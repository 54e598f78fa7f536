"""What every peer's child process does: add the documents, ask the questions, write what was found and what it cost.

Standard library only: it runs in the environment of each peer.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

__all__ = ["Document", "K", "Peer", "run"]

K = 10
_BATCH = 500
_GRACE = 0.3
"""The share of the time that is kept for questions."""

Document = Mapping[str, Any]
"""id, text, session, timestamp; the last two are None for a sentence that belongs to no conversation."""


class Peer(Protocol):
    """A store with search. Making it loads its model; `about` says how it was set up, in a few words."""

    about: str

    def add(self, documents: Sequence[Document]) -> None:
        """Take in some."""

    def finish(self) -> None:
        """Called once, when all were added."""

    def search(self, query: str) -> list[str]:
        """The ids of the ten best, best first."""


def run(make: type[Any]) -> None:
    """Measure the peer that `make` gives in an empty folder, as the command line says."""
    parser = argparse.ArgumentParser()
    parser.add_argument("documents", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seconds", type=float, default=1200, help="CPU seconds; then no more are added or asked")
    arguments = parser.parse_args()
    given = json.loads(arguments.documents.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory(prefix="substrate-peer-") as folder:
        found = _measure(make, Path(folder), given["documents"], given["questions"], arguments.seconds)
    arguments.out.write_text(json.dumps(found), encoding="utf-8")


def _measure(
    make: type[Any], folder: Path, documents: Sequence[Document], questions: Sequence[Mapping[str, Any]], seconds: float
) -> dict[str, Any]:
    began, loads = time.process_time(), [os.getloadavg()[0]]
    peer: Peer = make(folder)
    loading = time.process_time() - began
    until, added, adding = time.process_time() + seconds * (1 - _GRACE), 0, 0.0
    while added < len(documents) and time.process_time() < until:
        part = documents[added : added + _BATCH]
        before = time.process_time()
        peer.add(part)
        adding += time.process_time() - before
        added += len(part)
        print(f"{added:,} of {len(documents):,} documents, {adding:.0f} CPU s", file=sys.stderr, flush=True)
    before = time.process_time()
    peer.finish()
    adding += time.process_time() - before
    loads.append(os.getloadavg()[0])
    peer.search(questions[0]["text"])  # what is loaded by the first question counts as loading
    until, asking, answers, walls = time.process_time() + seconds * _GRACE, 0.0, {}, []
    for question in questions:
        if time.process_time() > until:
            break
        before, wall = time.process_time(), time.perf_counter()
        answers[question["id"]] = peer.search(question["text"])
        walls.append(time.perf_counter() - wall)
        asking += time.process_time() - before
    loads.append(os.getloadavg()[0])
    return {
        "about": peer.about,
        "python": platform.python_version(),
        "documents": added,
        "questions": len(answers),
        "cpu_s_loading": loading,
        "cpu_ms_per_document": 1000 * adding / max(added, 1),
        "cpu_ms_per_query": 1000 * asking / max(len(answers), 1),
        "wall_ms_per_query_p50": 1000 * sorted(walls)[len(walls) // 2] if walls else None,
        "load": max(loads),
        "answers": answers,
    }
