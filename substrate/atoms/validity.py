"""Which version held in the world at a time, out of those that are known.

Versions of one value in a row are one statement that was refined: the newest of them says when it holds. Where it does
not say from when, it holds from when it occurred; else from when its value was first recorded, and from ever if that
was the first thing the atom said. Versions that an undo took back never held: they are passed over.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from substrate.atoms.bodies import Body, VersionFound, require_body, time_of
from substrate.atoms.resolve import refused
from substrate.kv.api import ReadTransaction
from substrate.proof.entry import Kind
from substrate.schema import UNDOES
from substrate.snapshot import Snapshot
from substrate.views.atoms import VersionRow, versions_of

__all__ = ["Span", "spans", "stands", "version_at"]


@dataclass(frozen=True, slots=True)
class Span:
    """The newest of the versions of one value in a row, and when it holds: from `start` until, not including, `end`."""

    version: VersionRow
    body: Body
    start: int | None
    end: int | None

    def holds_at(self, time: int) -> bool:
        """Whether `time` lies in it."""
        return (self.start is None or self.start <= time) and (self.end is None or time < self.end)


def spans(transaction: ReadTransaction, versions: Iterable[VersionRow]) -> Iterator[Span | VersionRow]:
    """What an atom's versions, given newest first, say; tombstones and gaps as they are, in between."""
    newest: VersionFound | None = None
    since = undone = 0
    for version in versions:
        if undone:
            undone -= 1
            continue
        if version.name is None or version.kind is Kind.TOMBSTONE:
            if newest is not None:
                yield _span(newest, since)
                newest = None
            undone = 0 if version.name is None else _undoes(require_body(transaction, version.seq))
            yield version
            continue
        body = require_body(transaction, version.seq)
        undone = _undoes(body)
        if newest is not None and newest[1].members.get("value") != body.members.get("value"):
            yield _span(newest, since)
            newest = None
        newest, since = newest or (version, body), body.time
    if newest is not None:
        yield _span(newest, None)


def _undoes(body: Body) -> int:
    """How many of the versions before never held."""
    count = body.members.get(UNDOES)
    return count if isinstance(count, int) else 0


def _span(found: VersionFound, since: int | None) -> Span:
    members = found[1].members
    start, end = members.get("valid_from", members.get("occurred_at", since)), members.get("valid_to")
    return Span(*found, start if isinstance(start, int) else None, end if isinstance(end, int) else None)


def version_at(snapshot: Snapshot, latest: VersionRow) -> VersionFound | None:
    """The version that answers, with what it says. None if the atom was out of use then, or did not hold.

    `latest` is the version known at `moments.upto`. Forgotten if what would answer, or may, was erased.
    """
    if snapshot.valid_at is not None:
        found, ended = _valid_version(snapshot.transaction, latest, snapshot.valid_at)
        if ended is not None and ended.kind is Kind.PUT:
            raise refused(snapshot.transaction, ended)
        return found
    if latest.kind is Kind.TOMBSTONE:
        return None
    if latest.name is None:
        raise refused(snapshot.transaction, latest)
    return latest, require_body(snapshot.transaction, latest.seq)


def stands(snapshot: Snapshot, latest: VersionRow) -> bool | None:
    """Whether a version of the atom answers, or may have: what was erased is taken to have held. False: out of use.

    None: it is in use, but what it says does not hold at `snapshot.valid_at`. `latest` as in `version_at`.
    """
    if snapshot.valid_at is None:
        return latest.kind is Kind.PUT
    found, ended = _valid_version(snapshot.transaction, latest, snapshot.valid_at)
    if found is None and ended is None:
        return None
    return ended is None or ended.kind is Kind.PUT


def _valid_version(
    transaction: ReadTransaction, latest: VersionRow, at: int
) -> tuple[VersionFound | None, VersionRow | None]:
    """The version that holds at a time; or the row because of which none does: a tombstone, or an erased version."""
    erased: VersionRow | None = None
    for found in spans(transaction, versions_of(transaction, latest.subject, upto=latest.seq)):
        if isinstance(found, Span):
            if found.holds_at(at):
                return (found.version, found.body), None
        elif found.kind is Kind.PUT:
            erased = erased or found
            if time_of(transaction, found.seq) <= at:
                break  # what was erased may have held; what came before it was not what held
        elif _out_of_use_from(transaction, found) <= at:
            return None, found
    return None, erased


def _out_of_use_from(transaction: ReadTransaction, tombstone: VersionRow) -> int:
    """From when a tombstone holds: from when it says that the thing ended, else from when it was recorded."""
    if tombstone.name is None:
        return time_of(transaction, tombstone.seq)
    body = require_body(transaction, tombstone.seq)
    said = body.members.get("occurred_at")
    return said if isinstance(said, int) else body.time
