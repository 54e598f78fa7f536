"""Which version held in the world at a time, out of those that are known.

Versions of one value in a row are one statement that was refined: the newest of them says when it holds. Where it does
not say from when, it holds from when it occurred; else from when its value was first recorded, and from ever if that
was the first thing the atom said.

Versions that an undo took back never held, and answer no question about the past. A version says how many of those
before it are taken back by it. One that is taken back itself takes back nothing any more: a second undo does again what
the first took back. `search/columns/documents.py` says the same of all atoms at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeVar

from substrate.atoms.bodies import Body, VersionFound, body_of, require_body, time_of
from substrate.atoms.resolve import refused
from substrate.kv.api import ReadTransaction
from substrate.proof.encoding import Json
from substrate.proof.entry import Kind
from substrate.schema import UNDOES
from substrate.snapshot import Snapshot
from substrate.values.actors import is_person
from substrate.views.atoms import VersionRow, versions_of
from substrate.views.edges import Link, stated_again
from substrate.views.words import undoing

__all__ = [
    "Span",
    "all_taken_back",
    "is_persons_word",
    "is_undone",
    "not_undone",
    "recorded_since",
    "spans",
    "stands",
    "taken_back",
    "version_at",
]

_Version = TypeVar("_Version", bound=VersionRow | Link)


@dataclass(frozen=True, slots=True)
class Span:
    """The newest of the versions of one value in a row, and when it holds: from `start` until, not including, `end`."""

    version: VersionRow
    body: Body
    since: int
    """When the first of these versions was recorded."""
    start: int | None
    end: int | None

    def holds_at(self, time: int) -> bool:
        """Whether `time` lies in it."""
        return (self.start is None or self.start <= time) and (self.end is None or time < self.end)


def spans(transaction: ReadTransaction, versions: Iterable[VersionRow]) -> Iterator[Span | VersionRow]:
    """What an atom's versions, given newest first, say; tombstones and gaps as they are, in between."""
    newest: VersionFound | None = None
    since = 0
    for version, body in _standing(transaction, versions):
        if body is None or version.kind is Kind.TOMBSTONE:
            if newest is not None:
                yield _span(newest, since, since)
                newest = None
            yield version
            continue
        if newest is not None and newest[1].members.get("value") != body.members.get("value"):
            yield _span(newest, since, since)
            newest = None
        newest, since = newest or (version, body), body.time
    if newest is not None:
        yield _span(newest, since, None)


def _standing(transaction: ReadTransaction, versions: Iterable[VersionRow]) -> Iterator[tuple[VersionRow, Body | None]]:
    """The versions of an atom, given newest first, that no undo took back, with what they say; None: it was erased.

    A tombstone that took back all there was before it ended nothing: it is passed over too, unless it is the last word.
    """
    stones: list[tuple[VersionRow, Body | None]] = []
    undone, is_first = 0, True
    for version in versions:
        if undone:
            undone -= 1
            continue
        body = None if version.name is None else require_body(transaction, version.seq)
        undone = _undoes(body)
        if undone and version.kind is Kind.TOMBSTONE:
            stones.append((version, body))
            continue
        yield from stones
        yield version, body
        stones.clear()
        is_first = False
    if is_first:
        yield from stones[:1]


def _undoes(body: Body | None) -> int:
    """How many of the versions before it a version takes back."""
    count = None if body is None else body.members.get(UNDOES)
    return count if isinstance(count, int) else 0


def _span(found: VersionFound, since: int, otherwise: int | None) -> Span:
    """The span of a value that was first recorded at `since`, and holds from `otherwise` on where it does not say."""
    members = found[1].members
    start, end = members.get("valid_from", members.get("occurred_at", otherwise)), members.get("valid_to")
    return Span(*found, since, start if isinstance(start, int) else None, end if isinstance(end, int) else None)


def recorded_since(transaction: ReadTransaction, version: VersionRow) -> int:
    """When the value of a version was first recorded: by it, or by one of those before it that say the same."""
    span = next(spans(transaction, versions_of(transaction, version.subject, upto=version.seq)))
    return span.since if isinstance(span, Span) else time_of(transaction, version.seq)


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


def not_undone(transaction: ReadTransaction, versions: Iterable[_Version]) -> Iterator[tuple[_Version, Body]]:
    """The versions of an atom or edge, given newest first, that no undo took back, with what they say.

    They are read one by one as they are asked for. Those that were erased are left out.
    """
    undone = 0
    for version in versions:
        if undone:
            undone -= 1
            continue
        body = None if _is_erased(version) else body_of(transaction, version.seq)
        undone = _undoes(body)
        if body is not None:
            yield version, body


def is_persons_word(transaction: ReadTransaction, subject: bytes, seq: int, said: Mapping[str, Json]) -> bool:
    """Whether a person said the value of this version: in it, or before others only added to it."""
    if is_person(said):
        return True
    for version, body in not_undone(transaction, versions_of(transaction, subject, upto=seq)):
        if version.kind is not Kind.PUT or body.members.get("value") != said.get("value"):
            break
        if is_person(body.members):
            return True
    return False


def taken_back(transaction: ReadTransaction, versions: Sequence[VersionRow | Link]) -> dict[int, int]:
    """The seqs of the versions of an atom or edge, given newest first, that an undo took back, each with its seq."""
    gone: dict[int, int] = {}
    undone = by = 0
    for version in versions:
        if undone:
            undone -= 1
            gone[version.seq] = by
        elif not _is_erased(version):
            undone, by = _undoes(body_of(transaction, version.seq)), version.seq
    return gone


def _is_erased(version: VersionRow | Link) -> bool:
    return not version.type if isinstance(version, Link) else version.name is None


def is_undone(transaction: ReadTransaction, subject: bytes) -> bool:
    """Whether an undo took back all that an atom ever said: then it was never there. What was erased is not told."""
    rows = list(versions_of(transaction, subject))
    gone = taken_back(transaction, rows)
    return bool(gone) and all(row.seq in gone for row in rows if row.kind is Kind.PUT)


def all_taken_back(transaction: ReadTransaction) -> frozenset[int]:
    """The seqs of the versions of all atoms and edges that were taken back."""
    subjects = dict.fromkeys(undoing(transaction))
    atoms = (taken_back(transaction, list(versions_of(transaction, subject))) for subject in subjects)
    edges = (taken_back(transaction, statements) for statements in stated_again(transaction))
    return frozenset(seq for gone in chain(atoms, edges) for seq in gone)
