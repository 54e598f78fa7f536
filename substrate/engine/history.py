"""The verb history: every version of an atom, what was erased among them as gaps."""

from __future__ import annotations

from collections.abc import Iterator

from substrate.engine.intake import read_end
from substrate.engine.likeness import or_near
from substrate.engine.moments import Moment, Time
from substrate.engine.paging import check_limit
from substrate.engine.reading import Moments, atom_of, moments_of, require_body, superseders, time_of
from substrate.engine.validity import Span, spans
from substrate.errors import NotFound
from substrate.kv.api import ReadTransaction
from substrate.log.heads import map_salt
from substrate.log.log import Log
from substrate.model import History, Version, from_microseconds
from substrate.proof.entry import Kind
from substrate.proof.hashes import map_key
from substrate.views.atoms import VersionRow, find_name, gap_of, gaps_of, versions_of

__all__ = ["history"]


def history(log: Log, name: str, *, as_of: Moment | None, valid_at: Time | None, limit: int) -> History:
    """See `Memory.history`."""
    check_limit(limit)
    name = read_end(name, "name")
    with log.snapshot() as transaction:
        moments = moments_of(transaction, log.clock, as_of, valid_at)
        gaps = list(_gaps(transaction, name))
        subject = _subject(transaction, name)
        rows = [] if subject is None else list(versions_of(transaction, subject))
        if not gaps and not rows:
            raise NotFound(f"there never was a {name} here{or_near(transaction, name)}")
        if moments.upto is not None:
            gaps = [gap for gap in gaps if gap.seq <= moments.upto]
            rows = [row for row in rows if row.seq <= moments.upto]
        if moments.valid_at is not None:
            held = {span.version.seq for span in _spans(transaction, rows) if span.holds_at(moments.valid_at)}
            gaps, rows = [], [row for row in rows if row.seq in held]
        superseded_by = () if subject is None else superseders(transaction, subject, moments)
        shown = [_version(transaction, row, moments, superseded_by) for row in reversed(rows[:limit])]
        older = gaps[len(gaps) - min(len(gaps), limit - len(shown)) :]
        return History((*older, *shown), more=len(older) + len(shown) < len(gaps) + len(rows))


def _subject(transaction: ReadTransaction, name: str) -> bytes | None:
    if "." not in name:
        return bytes.fromhex(name)
    row = find_name(transaction, name)
    return None if row is None else row.subject


def _gaps(transaction: ReadTransaction, name: str) -> Iterator[Version]:
    """What the name was before it was forgotten, as far as that is left."""
    if "." in name:
        gaps = gaps_of(transaction, map_key(map_salt(transaction), name))
    else:
        gap = gap_of(transaction, bytes.fromhex(name))
        gaps = [] if gap is None else [gap]
    for gap in gaps:
        for seq in gap.versions:
            recorded_at = from_microseconds(time_of(transaction, seq))
            yield Version(seq, recorded_at, "gap", forgotten_by=gap.seq)


def _version(
    transaction: ReadTransaction, row: VersionRow, moments: Moments, superseded_by: tuple[str, ...]
) -> Version:
    if row.name is None:
        recorded_at = from_microseconds(time_of(transaction, row.seq))
        return Version(row.seq, recorded_at, "gap", forgotten_by=row.forgotten_by)
    body = require_body(transaction, row.seq)
    actor = body.members.get("actor")
    said = actor if isinstance(actor, str) else None
    recorded_at = from_microseconds(body.time)
    if row.kind is Kind.TOMBSTONE:
        return Version(row.seq, recorded_at, "tombstone", actor=said)
    atom = atom_of(transaction, row, body, moments, superseded_by=superseded_by)
    return Version(row.seq, recorded_at, "put", atom, said)


def _spans(transaction: ReadTransaction, rows: list[VersionRow]) -> Iterator[Span]:
    for found in spans(transaction, rows):
        if isinstance(found, Span):
            yield found
