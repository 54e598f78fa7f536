"""The verb diff: what became of atoms and edges between two moments. Reads the entries in between, not the store."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

from substrate.atoms.links import edge_of
from substrate.atoms.load import atom_of
from substrate.atoms.resolve import name_of
from substrate.atoms.validity import version_at
from substrate.codec import read_forget
from substrate.errors import Forgotten, InputError, SchemaInvalid
from substrate.kv.api import ReadTransaction
from substrate.limits import check_limit
from substrate.log.replay import BATCH, replay
from substrate.messages import Arg
from substrate.names import normalise
from substrate.proof.entry import Kind
from substrate.snapshot import Snapshot
from substrate.values.atoms import Atom
from substrate.values.edges import Edge
from substrate.values.growth import Change, Diff
from substrate.veil import bare, hidden_in
from substrate.views.atoms import VersionRow, latest_version
from substrate.views.edges import Link, statement_at

__all__ = ["diff"]


def diff(before: Snapshot, after: Snapshot, *, prefix: str, limit: int | None) -> Diff:
    """See `Memory.diff`. The two are of one transaction."""
    if limit is not None:
        check_limit(limit)
    if not isinstance(prefix, str):
        raise SchemaInvalid(Arg("prefix"), " is a string: the beginning of a name")
    prefix = normalise(prefix)
    if before.upto is None:
        raise InputError(Arg("start"), " is needed: a seq, a time or a head")
    first, last = before.upto, after.upto or 0
    if first > last:
        raise InputError(Arg("start"), f" (entry {first}) is after ", Arg("stop"), f" (entry {last})")
    touched = _touched(before.transaction, first, last)
    changes: list[Change] = []
    while touched and len(changes) != limit:
        kind, subject = touched.pop()
        change = (_atom_change if kind is Kind.PUT else _edge_change)(subject, before, after)
        if change is not None and _is_wanted(change, prefix):
            changes.append(change)
    return Diff(tuple(reversed(changes)), first, last, len(touched) or None)


def _touched(transaction: ReadTransaction, first: int, last: int) -> list[tuple[Kind, bytes]]:
    """Atoms (PUT) and edges (EDGE) that the entries after `first` until `last` are about, by the last of them."""
    touched: dict[tuple[Kind, bytes], None] = {}
    for key in _subjects(transaction, first, last):
        touched.pop(key, None)
        touched[key] = None
    return list(touched)


def _subjects(transaction: ReadTransaction, first: int, last: int) -> Iterator[tuple[Kind, bytes]]:
    for start in range(first + 1, last + 1, BATCH):
        for entry in replay(transaction, start, min(start + BATCH, last + 1)):
            if entry.kind in (Kind.PUT, Kind.TOMBSTONE):
                yield Kind.PUT, entry.subject
            elif entry.kind in (Kind.EDGE, Kind.UNEDGE):
                yield Kind.EDGE, entry.subject
            elif entry.kind is Kind.FORGET and entry.body is not None:
                _, key, edges = read_forget(entry.body)
                for edge in edges:
                    yield Kind.EDGE, edge
                if key is not None:
                    yield Kind.PUT, entry.subject


def _is_wanted(change: Change, prefix: str) -> bool:
    if not prefix or change.name is None:
        return not prefix
    edge = change.after or change.before
    ends = (edge.source, edge.target) if isinstance(edge, Edge) else (change.name,)
    return any(end.startswith(prefix) for end in ends)


def _atom_change(subject: bytes, start: Snapshot, stop: Snapshot) -> Change | None:
    rows = [latest_version(snapshot.transaction, subject, snapshot.upto) for snapshot in (start, stop)]
    name = name_of(stop.transaction, subject)
    said = str(UUID(bytes=subject))
    hidden = hidden_in(stop.transaction)
    if hidden is not None and subject in hidden.atoms:
        return None
    if rows[1] is None:
        return Change("forgotten", None, said)
    try:
        before, after = (
            None if row is None else _atom(snapshot, row) for row, snapshot in zip(rows, (start, stop), strict=True)
        )
    except Forgotten:
        return Change("forgotten", name, said)
    if (None if before is None else before.seq) == (None if after is None else after.seq):
        return None
    if after is None:
        kind = "tombstoned"
    elif before is not None:
        kind = "changed"
    else:
        kind = "added" if rows[0] is None else "revived"
    return Change(kind, name, said, before, after)


def _atom(snapshot: Snapshot, row: VersionRow) -> Atom | None:
    found = version_at(snapshot, row)
    return None if found is None else atom_of(snapshot, *found)


def _edge_change(subject: bytes, start: Snapshot, stop: Snapshot) -> Change | None:
    links = [statement_at(snapshot.transaction, subject, snapshot.upto or 0) for snapshot in (start, stop)]
    said = str(UUID(bytes=subject))
    if links[1] is None and statement_at(bare(stop.transaction), subject, stop.upto or 0) is not None:
        return None  # it is hidden
    if links[1] is None or not links[1].type or (links[0] is not None and not links[0].type):
        return Change("edge_forgotten", None, said)
    before, after = (_edge(snapshot, link) for link, snapshot in zip(links, (start, stop), strict=True))
    if (None if before is None else before.seq) == (None if after is None else after.seq):
        return None
    edge = after or before
    kind = "edge_removed" if after is None else "edge_added" if before is None else "edge_changed"
    name = None if edge is None else f"{edge.source} {edge.type} {edge.target}"
    return Change(kind, name, said, before, after)


def _edge(snapshot: Snapshot, link: Link | None) -> Edge | None:
    return None if link is None or link.kind is Kind.UNEDGE else edge_of(snapshot, link, {})
