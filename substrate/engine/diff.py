"""The verb diff: what became of atoms and edges between two moments. Reads the entries in between, not the store."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

from substrate.codec import decode_body
from substrate.engine.moments import Moment, Time, last_seq
from substrate.engine.paging import check_limit
from substrate.engine.reading import Moments, atom_of, edge_of, moments_of, name_of
from substrate.engine.validity import version_at
from substrate.errors import Forgotten, InputError, SchemaInvalid
from substrate.growth import Change, Diff
from substrate.kv.api import ReadTransaction
from substrate.log.log import Log
from substrate.log.replay import BATCH, replay
from substrate.model import Atom, Edge
from substrate.names import normalise
from substrate.proof.entry import Kind
from substrate.views.atoms import VersionRow, versions_of
from substrate.views.edges import Link, statement_at

__all__ = ["diff"]


def diff(  # noqa: PLR0913
    log: Log, start: Moment, stop: Moment | None, *, prefix: str, valid_at: Time | None, limit: int | None
) -> Diff:
    """See `Memory.diff`."""
    if limit is not None:
        check_limit(limit)
    if not isinstance(prefix, str):
        raise SchemaInvalid("prefix is a string: the beginning of a name")
    prefix = normalise(prefix)
    with log.snapshot() as transaction:
        before = moments_of(transaction, log.clock, start, valid_at, "start")
        if before.upto is None:
            raise InputError("start is needed: a seq, a time or a head")
        after = moments_of(transaction, log.clock, last_seq(transaction) if stop is None else stop, valid_at, "stop")
        first, last = before.upto, after.upto or 0
        if first > last:
            raise InputError(f"start (entry {first}) is after stop (entry {last})")
        touched = _touched(transaction, first, last)
        changes: list[Change] = []
        while touched and len(changes) != limit:
            kind, subject = touched.pop()
            change = (_atom_change if kind is Kind.PUT else _edge_change)(transaction, subject, before, after)
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
                members = decode_body(entry.body)
                whole = members.get("edges")
                for edge in whole if isinstance(whole, list) else []:
                    yield Kind.EDGE, bytes.fromhex(str(edge))
                if "key" in members:
                    yield Kind.PUT, entry.subject


def _is_wanted(change: Change, prefix: str) -> bool:
    if not prefix or change.name is None:
        return not prefix
    edge = change.after or change.before
    ends = (edge.source, edge.target) if isinstance(edge, Edge) else (change.name,)
    return any(end.startswith(prefix) for end in ends)


def _atom_change(transaction: ReadTransaction, subject: bytes, start: Moments, stop: Moments) -> Change | None:
    rows = [next(versions_of(transaction, subject, upto=moments.upto), None) for moments in (start, stop)]
    name = name_of(transaction, subject)
    said = str(UUID(bytes=subject))
    if rows[1] is None:
        return Change("forgotten", None, said)
    try:
        before, after = (
            None if row is None else _atom(transaction, row, moments)
            for row, moments in zip(rows, (start, stop), strict=True)
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


def _atom(transaction: ReadTransaction, row: VersionRow, moments: Moments) -> Atom | None:
    found = version_at(transaction, row, moments)
    return None if found is None else atom_of(transaction, *found, moments)


def _edge_change(transaction: ReadTransaction, subject: bytes, start: Moments, stop: Moments) -> Change | None:
    links = [statement_at(transaction, subject, moments.upto or 0) for moments in (start, stop)]
    said = str(UUID(bytes=subject))
    if links[1] is None or not links[1].type or (links[0] is not None and not links[0].type):
        return Change("edge_forgotten", None, said)
    before, after = (_edge(transaction, link, moments) for link, moments in zip(links, (start, stop), strict=True))
    if (None if before is None else before.seq) == (None if after is None else after.seq):
        return None
    edge = after or before
    kind = "edge_removed" if after is None else "edge_added" if before is None else "edge_changed"
    name = None if edge is None else f"{edge.source} {edge.type} {edge.target}"
    return Change(kind, name, said, before, after)


def _edge(transaction: ReadTransaction, link: Link | None, moments: Moments) -> Edge | None:
    return None if link is None or link.kind is Kind.UNEDGE else edge_of(transaction, link, moments, {})
