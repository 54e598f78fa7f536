"""Traces: which checkpoints are parts of one work, such as an import of many lines, or the undo of it.

    choices   "part:", first entry of the checkpoint (8) -> JSON: the verb; the first entry of the part before it, if
              there is one; of an undo that is not at its end: the first entry of the last part of what it takes back

A row is written in the transaction of its checkpoint. It holds numbers alone, so that a forget need not look here.
Versions before this one wrote none. Without it, an undo takes back that checkpoint alone. What an import of a table
recorded before it is known by its session, and told.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final

from substrate.kv.api import ReadTransaction
from substrate.log.tables import CHOICES, HEADS, read_seq, seq_key
from substrate.views.traces import Trace

__all__ = ["Part", "find_part", "last_part", "parts_between", "parts_until"]

_KEY: Final = b"part:"
_VERBS: Final = ("import", "undo")


@dataclass(frozen=True, slots=True)
class Part:
    """What is said of a checkpoint that is a part of something."""

    verb: str
    after: int | None = None
    """The first entry of the part before it; None: it is the first part."""
    undoes: int | None = None
    """Of an undo that goes on after it: the first entry of the last part of what is taken back."""

    def row(self, start: int) -> Trace:
        """The row that says it of the checkpoint which begins with the entry `start`."""
        said = {"verb": self.verb, "after": self.after, "undoes": self.undoes}
        return CHOICES, _KEY + seq_key(start), json.dumps(said, sort_keys=True, separators=(",", ":")).encode()


def find_part(transaction: ReadTransaction, start: int) -> Part | None:
    """What is said of the checkpoint that begins with this entry. A trace is not believed blindly."""
    row = transaction.get(CHOICES, _KEY + seq_key(start))
    try:
        said = {} if row is None else json.loads(row)
        verb, after, undoes = (said.get(word) for word in ("verb", "after", "undoes"))
    except (ValueError, AttributeError):
        return None
    if verb not in _VERBS or not all(one is None or (type(one) is int and 0 <= one < start) for one in (after, undoes)):
        return None
    return Part(verb, after, undoes)


def last_part(transaction: ReadTransaction, size: int) -> int | None:
    """The first entry of the last checkpoint that is a part of something, in a log of this size."""
    last = next(transaction.scan(CHOICES, _KEY, _KEY + seq_key(size), reverse=True, limit=1), None)
    return None if last is None else read_seq(last[0].removeprefix(_KEY))


def parts_between(transaction: ReadTransaction, start: int, stop: int) -> list[int]:
    """The first entries of the checkpoints from `start` to `stop` that are parts of something, in order."""
    rows = transaction.scan(CHOICES, _KEY + seq_key(start), _KEY + seq_key(stop))
    return [read_seq(key.removeprefix(_KEY)) for key, _ in rows]


def parts_until(transaction: ReadTransaction, last: int) -> list[range]:
    """The entries of each part of the work whose last part begins with the entry `last`, in order."""
    found = [_entries_from(transaction, last)]
    while (part := find_part(transaction, found[-1].start)) is not None and part.after is not None:
        found.append(_entries_from(transaction, part.after))
    return found[::-1]


def _entries_from(transaction: ReadTransaction, start: int) -> range:
    """The entries of the checkpoint that begins with this one."""
    ends = (read_seq(size) for size, _ in transaction.scan(HEADS, seq_key(start + 1), limit=1))
    return range(start, next(ends, start + 1))
