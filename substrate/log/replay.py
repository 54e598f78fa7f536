"""Views, and how they follow the log: entry by entry in the append's own transaction, or by a replay of what it has.

1. How far a view has got, and in which version, `cursors.py` says.
2. A view sees every entry once, in order. A replay meets some without a body, which the first pass met whole and saw
   erased later; both must end in the same rows. In how many portions entries come makes no difference either.
3. An observer is a view that follows a table of traces too. Its rows are keyed by the size that the log had when they
   were written: so a replay hands it entries and rows in the order in which it met them first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Final, Protocol, TypeAlias, TypeGuard

from substrate.codec import read_body
from substrate.kv.api import ReadTransaction, WriteTransaction
from substrate.log.decode import stored_entry
from substrate.log.tables import BODIES, ENTRIES, SEQ_BYTES, read_seq, seq_key
from substrate.proof.encoding import Json
from substrate.proof.entry import SALT_BYTES, Entry, Kind

__all__ = [
    "BATCH",
    "Check",
    "Logged",
    "Observer",
    "TraceRow",
    "View",
    "apply_views",
    "is_observer",
    "logged",
    "next_entries",
    "observe_traces",
    "replay",
    "replay_into",
    "rows_of",
    "runs",
]

BATCH: Final = 1000
_BYTES: Final = 16 << 20
"""Of bodies that are read at once: so memory does not grow with them."""


class Logged:
    """An entry as views see it. `body` None: erased. `name`: what the body names, where the append knows it already.

    One is made for every entry: slots and a plain `__init__`, as frozen dataclasses take four times as long.
    """

    __slots__ = ("_read", "body", "kind", "name", "seq", "subject", "time")

    def __init__(  # noqa: PLR0913, PLR0917
        self, seq: int, kind: Kind, subject: bytes, time: int, body: bytes | None, name: str | None = None
    ) -> None:
        self.seq = seq
        self.kind = kind
        self.subject = subject
        self.time = time
        self.body = body
        self.name = name
        self._read: tuple[dict[str, Json], str | None] | None = None

    def read(self) -> tuple[dict[str, Json], str | None]:
        """What `read_body` says of the body, read once for all views. Nobody may change it. Empty if it was erased."""
        if self._read is None:
            self._read = ({}, None) if self.body is None else read_body(self.kind, self.body)
        return self._read


Check: TypeAlias = Callable[[ReadTransaction], None]
"""Looks at rows that do not follow from the log, such as traces. StoreDamaged if they cannot be what was written."""


class View(Protocol):
    """A set of tables that follows from the log alone.

    Another layout, or other rows from the same log, is another `version`, one higher: stores are upgraded when they are
    next opened for writing. A table that a later version no longer uses stays among its `tables`, so that it is
    emptied. So does a view that is no longer wanted: it stays in the catalogue, one version higher, and writes nothing.
    """

    name: str
    version: int
    tables: Sequence[str]

    def apply(self, transaction: WriteTransaction, entries: Sequence[Logged]) -> None:
        """Take in entries that come right after those applied before."""


TraceRow: TypeAlias = tuple[bytes, bytes | None]
"""A row of a table of traces, by its key; None: it was deleted."""


class Observer(View, Protocol):
    """A view that follows from the log and from the rows of one table of traces, in the order they were written."""

    trace: str
    """The table. A key of it begins with the size of the log when its row was first written, as `seq_key` spells it."""

    def observe(self, transaction: WriteTransaction, rows: Sequence[TraceRow]) -> None:
        """Rows were written after all entries applied so far: new ones, or others in the place of earlier ones."""


def is_observer(view: View) -> TypeGuard[Observer]:
    """Whether the view follows a table of traces too."""
    return hasattr(view, "trace")  # asking for the whole protocol takes longer than many an append


def observe_traces(
    transaction: WriteTransaction, views: Sequence[View], traces: Sequence[tuple[str, bytes, bytes | None]]
) -> None:
    """Hand rows of traces, which are written already, to the views that follow them."""
    for view in views:
        if is_observer(view) and (rows := [(key, row) for table, key, row in traces if table == view.trace]):
            view.observe(transaction, rows)


def replay_into(target: WriteTransaction, view: View, source: ReadTransaction, entries: Sequence[Logged]) -> None:
    """Apply entries of `source`, and the traces that were written among and right behind them, to the view in `target`.

    Both may be the same transaction.
    """
    if not is_observer(view):
        view.apply(target, entries)
        return
    for run, rows in runs(source, view.trace, entries):
        view.apply(target, run)
        if rows:
            view.observe(target, rows)


def runs(
    transaction: ReadTransaction, table: str, entries: Sequence[Logged]
) -> Iterator[tuple[Sequence[Logged], list[TraceRow]]]:
    """The entries in runs, each with the rows that were written right behind it."""
    if not entries:
        return
    first, last = entries[0].seq, entries[-1].seq
    done = 0
    found = transaction.scan(table, seq_key(first + 1), seq_key(last + 2))
    for size, rows in groupby(found, lambda row: read_seq(row[0][:SEQ_BYTES])):
        yield entries[done : size - first], [(key, row) for key, row in rows]
        done = size - first
    yield entries[done:], []


def replay(transaction: ReadTransaction, start: int, stop: int) -> list[Logged]:
    """The entries start..stop, as views see them: the bodies are not checked against them."""
    return [logged(*row) for row in rows_of(transaction, start, stop)]


def rows_of(transaction: ReadTransaction, start: int, stop: int) -> Iterator[tuple[int, Entry, bytes | None]]:
    """The seqs start..stop, each with its entry, and its salt and body unless they were erased."""
    seqs = range(start, stop)
    keys = [seq_key(seq) for seq in seqs]
    rows = zip(seqs, transaction.get_many(ENTRIES, keys), transaction.get_many(BODIES, keys), strict=True)
    for seq, data, row in rows:
        yield seq, stored_entry(seq, data), row


def logged(seq: int, entry: Entry, row: bytes | None) -> Logged:
    """An entry as views see it, with what is in its row of BODIES, if there is one."""
    return Logged(seq, entry.kind, entry.subject, entry.time, None if row is None else row[SALT_BYTES:])


def next_entries(transaction: ReadTransaction, start: int, size: int) -> list[Logged]:
    """Entries from `start` on, of a log of `size`: as many as one transaction should take."""
    entries: list[Logged] = []
    taken = 0
    for at, data in transaction.scan(ENTRIES, seq_key(start), seq_key(min(start + BATCH, size))):
        row = transaction.get(BODIES, at)
        entries.append(logged(read_seq(at), stored_entry(read_seq(at), data), row))
        taken += len(row or b"")
        if taken >= _BYTES:
            break
    return entries


def apply_views(transaction: WriteTransaction, views: Sequence[View], entries: Sequence[Logged]) -> None:
    """Hand entries that were appended just now to the views."""
    for view in views:
        view.apply(transaction, entries)
