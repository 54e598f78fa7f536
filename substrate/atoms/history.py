"""The verb history: every version of an atom, what was erased among them as gaps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from substrate.atoms.bodies import require_body, time_of
from substrate.atoms.load import atom_of
from substrate.atoms.meant.near_names import or_near
from substrate.atoms.renames import renamed_from
from substrate.atoms.resolve import name_of, read_end
from substrate.atoms.supersedes import superseders
from substrate.atoms.validity import Span, spans, taken_back
from substrate.errors import NotFound
from substrate.kv.api import ReadTransaction
from substrate.limits import check_limit
from substrate.log.heads import place_of
from substrate.messages import Arg
from substrate.proof.entry import Kind
from substrate.snapshot import Snapshot
from substrate.values.atoms import History, Version
from substrate.values.times import from_microseconds
from substrate.views.atoms import VersionRow, find_name, gap_of, gaps_of, versions_of

__all__ = ["history"]


def history(snapshot: Snapshot, name: str, *, limit: int) -> History:
    """See `Memory.history`."""
    check_limit(limit)
    name = read_end(name, Arg("name"))
    transaction = snapshot.transaction
    gaps = list(_gaps(transaction, name))
    subject = _subject(transaction, name)
    rows = [] if subject is None else list(versions_of(transaction, subject))
    if not gaps and not rows:
        raise NotFound(f"there never was a {name} here{or_near(transaction, name)}")
    if snapshot.upto is not None:
        gaps = [gap for gap in gaps if gap.seq <= snapshot.upto]
        rows = [row for row in rows if row.seq <= snapshot.upto]
    if snapshot.valid_at is not None:
        held = {span.version.seq for span in _spans(transaction, rows) if span.holds_at(snapshot.valid_at)}
        gaps, rows = [], [row for row in rows if row.seq in held]
        undone: Mapping[int, int] = {}
    else:
        undone = taken_back(transaction, rows)
    superseded_by = () if subject is None else superseders(snapshot, subject)
    versions = (_version(snapshot, row, superseded_by) for row in reversed(rows[:limit]))
    shown = [replace(one, taken_back_by=undone.get(one.seq)) if undone else one for one in versions]
    older = gaps[len(gaps) - min(len(gaps), limit - len(shown)) :]
    more = len(older) + len(shown) < len(gaps) + len(rows)
    return History((*older, *shown), more, None if subject is None else _name_before(transaction, subject))


def _name_before(transaction: ReadTransaction, subject: bytes) -> str | None:
    names = (name_of(transaction, before) for before in renamed_from(transaction, subject))
    return next((name for name in names if name is not None), None)


def _subject(transaction: ReadTransaction, name: str) -> bytes | None:
    if "." not in name:
        return bytes.fromhex(name)
    row = find_name(transaction, name)
    return None if row is None else row.subject


def _gaps(transaction: ReadTransaction, name: str) -> Iterator[Version]:
    """What the name was before it was forgotten, as far as that is left."""
    if "." in name:
        gaps = gaps_of(transaction, place_of(transaction, name))
    else:
        gap = gap_of(transaction, bytes.fromhex(name))
        gaps = [] if gap is None else [gap]
    for gap in gaps:
        for seq in gap.versions:
            recorded_at = from_microseconds(time_of(transaction, seq))
            yield Version(seq, recorded_at, "gap", forgotten_by=gap.seq)


def _version(snapshot: Snapshot, row: VersionRow, superseded_by: tuple[str, ...]) -> Version:
    if row.name is None:
        recorded_at = from_microseconds(time_of(snapshot.transaction, row.seq))
        return Version(row.seq, recorded_at, "gap", forgotten_by=row.forgotten_by)
    body = require_body(snapshot.transaction, row.seq)
    actor = body.members.get("actor")
    said = actor if isinstance(actor, str) else None
    recorded_at = from_microseconds(body.time)
    if row.kind is Kind.TOMBSTONE:
        reason = body.members.get("reason")
        return Version(
            row.seq, recorded_at, "tombstone", actor=said, reason=reason if isinstance(reason, str) else None
        )
    atom = atom_of(snapshot, row, body, superseded_by=superseded_by)
    return Version(row.seq, recorded_at, "put", atom, said)


def _spans(transaction: ReadTransaction, rows: list[VersionRow]) -> Iterator[Span]:
    for found in spans(transaction, rows):
        if isinstance(found, Span):
            yield found
