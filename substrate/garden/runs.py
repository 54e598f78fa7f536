"""What is kept of each run of the gardener: numbers alone, as rows of the store's choices.

    tend:<number of the run>  ->  JSON: the id of the domain, when, which entries, how many of what

Nothing of what was tended stands in them, so that to forget an atom need not look here. A row is written in the
transaction of the run's checkpoint: there is a run, with all that it did, or there is none. Of a domain that a client
may not see there was no run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from typing import Final

from substrate.kv.api import ReadTransaction, behind
from substrate.log.tables import CHOICES
from substrate.veil import hidden_in
from substrate.views.traces import Trace

__all__ = ["Counts", "Run", "find_run", "next_number", "runs_of"]

_KEY: Final = b"tend:"
_DIGITS: Final = 10


@dataclass(frozen=True, slots=True)
class Counts:
    """How many of what, in one run."""

    candidates_proposed: int = 0
    relations_accepted: int = 0
    relations_rejected: int = 0
    sessions_considered: int = 0
    sessions_used: int = 0
    session_entries_considered: int = 0
    session_entries_used: int = 0
    session_entries_filtered: int = 0
    """Entities accessed in sessions that no pair of `sessions.REPEATS` sessions has."""
    nodes_pruned: int = 0
    edges_pruned: int = 0


@dataclass(frozen=True, slots=True)
class Run:
    """One run, as it is kept."""

    number: int
    domain: str
    """The id of the domain's atom, in hexadecimal."""
    time: int
    start: int
    stop: int
    """Its entries: start <= seq < stop. The same if it wrote none."""
    counts: Counts
    undone: int = 0
    """Its undo is a checkpoint that ends before this seq; 0: it was not undone."""

    def row(self) -> Trace:
        """The row that keeps it."""
        said = {key: value for key, value in asdict(self).items() if key != "number"}
        return CHOICES, _key(self.number), json.dumps(said, sort_keys=True, separators=(",", ":")).encode()


def _key(number: int) -> bytes:
    return _KEY + f"{number:0{_DIGITS}d}".encode()


def find_run(transaction: ReadTransaction, number: int) -> Run | None:
    """The run of this number."""
    key = _key(number)
    run = _read(key, transaction.get(CHOICES, key))
    return run if run is not None and _is_seen(transaction, run) else None


def next_number(transaction: ReadTransaction) -> int:
    """The number of the next run. Call it under the write lock."""
    last = next(transaction.scan(CHOICES, _KEY, behind(_KEY), reverse=True, limit=1), None)
    return 1 if last is None else int(last[0].removeprefix(_KEY)) + 1


def runs_of(transaction: ReadTransaction, domain: bytes | None = None) -> Iterator[Run]:
    """Every run, or those of a domain, the last first."""
    for key, row in transaction.scan(CHOICES, _KEY, behind(_KEY), reverse=True):
        run = _read(key, row)
        if run is not None and (domain is None or run.domain == domain.hex()) and _is_seen(transaction, run):
            yield run


def _is_seen(transaction: ReadTransaction, run: Run) -> bool:
    hidden = hidden_in(transaction)
    return hidden is None or bytes.fromhex(run.domain) not in hidden.atoms


def _read(key: bytes, row: bytes | None) -> Run | None:
    """None of what was not written here: a trace is not believed blindly."""
    try:
        said = json.loads(row or b"")
        counted = {item.name: int(said["counts"].get(item.name, 0)) for item in fields(Counts)}
        numbers = {word: int(said[word]) for word in ("time", "start", "stop", "undone")}
        domain = bytes.fromhex(str(said["domain"])).hex()
        return Run(int(key.removeprefix(_KEY)), domain, counts=Counts(**counted), **numbers)
    except (ValueError, LookupError, TypeError, AttributeError):
        return None
