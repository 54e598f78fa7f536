"""The verb history: every version of an atom, what was erased among them as gaps."""

from __future__ import annotations

from collections.abc import Iterator

from substrate.engine.intake import read_end
from substrate.engine.moments import Moment, Time, read_time, seq_at
from substrate.engine.reading import Moments, atom_of, body_of, holds, time_of
from substrate.errors import NotFound, StoreDamaged
from substrate.kv.api import ReadTransaction
from substrate.log.heads import map_salt
from substrate.log.log import Log
from substrate.model import History, Version, from_microseconds
from substrate.proof.entry import Kind
from substrate.proof.hashes import map_key
from substrate.views.atoms import VersionRow, find_name, gap_of, gaps_of, versions_of

__all__ = ["history"]


def history(log: Log, name: str, *, as_of: Moment | None, valid_at: Time | None) -> History:
    """See `Memory.history`."""
    name = read_end(name, "name")
    at = None if valid_at is None else read_time(valid_at, "valid_at")
    with log.snapshot() as transaction:
        moments = Moments(seq_at(transaction, as_of), at, log.clock.now())
        versions = list(_gaps(transaction, name))
        subject = _subject(transaction, name)
        rows = [] if subject is None else list(versions_of(transaction, subject))[::-1]
        if not versions and not rows:
            raise NotFound(f"there never was a {name} here")
        versions += [_version(transaction, row, moments) for row in rows]
        if moments.upto is not None:
            versions = [version for version in versions if version.seq <= moments.upto]
        if at is not None:
            first = versions[0].seq if versions else -1
            versions = [version for version in versions if _holds(transaction, version, at, first)]
        return History(tuple(versions))


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


def _version(transaction: ReadTransaction, row: VersionRow, moments: Moments) -> Version:
    if row.name is None:
        recorded_at = from_microseconds(time_of(transaction, row.seq))
        return Version(row.seq, recorded_at, "gap", forgotten_by=row.forgotten_by)
    body = body_of(transaction, row.seq)
    if body is None:
        raise StoreDamaged(f"the body of version {row.seq} is gone without a forget entry; run fsck")
    actor = body.members.get("actor")
    said = actor if isinstance(actor, str) else None
    recorded_at = from_microseconds(body.time)
    if row.kind is Kind.TOMBSTONE:
        return Version(row.seq, recorded_at, "tombstone", actor=said)
    return Version(row.seq, recorded_at, "put", atom_of(transaction, row, body, moments), said)


def _holds(transaction: ReadTransaction, version: Version, at: int, first: int) -> bool:
    if version.atom is None:
        return False
    body = body_of(transaction, version.seq)
    return body is not None and holds(body, at, first=version.seq == first)
