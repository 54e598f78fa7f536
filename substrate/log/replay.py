"""Views, and how they follow the log: entry by entry in the append's own transaction, or by a replay of what it has.

1. How far a view has got, its applied seq, is a row of META, written with the view's own rows.
2. A view sees every entry once, in order. A replay meets some without a body, which the first pass met whole and saw
   erased later; both must end in the same rows.
3. Who appends must know every view the store has, or that view would silently miss what was appended.
4. An observer is a view that follows a table of traces too. Its rows are keyed by the size that the log had when they
   were written: so a replay hands it entries and rows in the order in which it met them first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Final, NamedTuple, Protocol, TypeAlias, TypeGuard

from substrate.errors import Denied
from substrate.kv.api import ReadTransaction, WriteTransaction
from substrate.log.stored import stored_entry
from substrate.log.tables import BODIES, ENTRIES, META, SEQ_BYTES, read_seq, seq_key
from substrate.proof.entry import SALT_BYTES, Kind

__all__ = [
    "APPLIED",
    "BATCH",
    "Check",
    "Logged",
    "Observer",
    "TraceRow",
    "View",
    "apply_views",
    "catch_up",
    "check_views",
    "is_behind",
    "mark_applied",
    "observe_traces",
    "replay",
    "replay_into",
]

APPLIED: Final = b"applied:"
BATCH: Final = 1000


class Logged(NamedTuple):
    """An entry as views see it. `body` None: erased. `name`: what the body names, where the append knows it already.

    A tuple: one is made for every entry, and frozen dataclasses take four times as long.
    """

    seq: int
    kind: Kind
    subject: bytes
    time: int
    body: bytes | None
    name: str | None = None


Check: TypeAlias = Callable[[ReadTransaction], None]
"""Looks at rows that do not follow from the log, such as traces. StoreDamaged if they cannot be what was written."""


class View(Protocol):
    """A set of tables that follows from the log alone."""

    name: str
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


def _observes(view: View) -> TypeGuard[Observer]:
    return hasattr(view, "trace")  # asking for the whole protocol takes longer than many an append


def observe_traces(
    transaction: WriteTransaction, views: Sequence[View], traces: Sequence[tuple[str, bytes, bytes | None]]
) -> None:
    """Hand rows of traces, which are written already, to the views that follow them."""
    for view in views:
        if _observes(view) and (rows := [(key, row) for table, key, row in traces if table == view.trace]):
            view.observe(transaction, rows)


def replay_into(target: WriteTransaction, view: View, source: ReadTransaction, entries: Sequence[Logged]) -> None:
    """Apply entries of `source`, and the traces that were written among and right behind them, to the view in `target`.

    Both may be the same transaction.
    """
    if not _observes(view):
        view.apply(target, entries)
        return
    for run, rows in _runs(source, view.trace, entries):
        view.apply(target, run)
        if rows:
            view.observe(target, rows)


def _runs(
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
    """The entries start..stop, as views see them."""
    keys = [seq_key(seq) for seq in range(start, stop)]
    rows = zip(keys, transaction.get_many(ENTRIES, keys), transaction.get_many(BODIES, keys), strict=True)
    logged = []
    for at, data, row in rows:
        entry = stored_entry(read_seq(at), data)
        body = None if row is None else row[SALT_BYTES:]
        logged.append(Logged(read_seq(at), entry.kind, entry.subject, entry.time, body))
    return logged


def apply_views(transaction: WriteTransaction, views: Sequence[View], entries: Sequence[Logged], size: int) -> None:
    """Hand entries to the views, after which the log has `size` of them."""
    for view in views:
        view.apply(transaction, entries)
    mark_applied(transaction, views, size)


def mark_applied(transaction: WriteTransaction, views: Sequence[View], size: int) -> None:
    """Write down that the views have all of the log's first `size` entries."""
    for view in views:
        transaction.put(META, APPLIED + view.name.encode(), seq_key(size))


def is_behind(transaction: ReadTransaction, views: Sequence[View], size: int) -> bool:
    """Whether one of the views lacks entries that the log has. StoreDamaged if one is ahead of the log."""
    return any(_applied(transaction, view) < size for view in views)


def catch_up(transaction: WriteTransaction, views: Sequence[View], size: int) -> None:
    """On return every view has all `size` entries of the log."""
    for view in views:
        for start in range(_applied(transaction, view), size, BATCH):
            stop = min(start + BATCH, size)
            replay_into(transaction, view, transaction, replay(transaction, start, stop))
    mark_applied(transaction, views, size)


def check_views(transaction: ReadTransaction, views: Sequence[View], size: int) -> None:
    """Denied unless just the views of this store are given and all have followed: else one would miss entries."""
    known = {at.removeprefix(APPLIED).decode() for at, _ in transaction.scan(META, APPLIED, APPLIED + b"\xff")}
    if known != {view.name for view in views} or is_behind(transaction, views, size):
        raise Denied(
            f"this store has the views {sorted(known) or 'none'}; open it with just these, and all will follow"
        )


def _applied(transaction: ReadTransaction, view: View) -> int:
    row = transaction.get(META, APPLIED + view.name.encode())
    return 0 if row is None else read_seq(row)
