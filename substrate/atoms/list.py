"""The verb list: atoms by name, page by page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Final

from substrate.atoms.bodies import Body, VersionFound, body_of, kind_of
from substrate.atoms.load import atom_of
from substrate.atoms.supersedes import is_superseded
from substrate.atoms.validity import version_at
from substrate.errors import Forgotten
from substrate.kv.api import ReadTransaction
from substrate.limits import check_limit, check_prefix
from substrate.names import normalise
from substrate.proof.entry import Kind
from substrate.snapshot import Snapshot
from substrate.values.atoms import Atom, Listing
from substrate.views.atoms import VersionRow, gaps_at, names, versions_of

__all__ = ["list_atoms"]

_COUNTED: Final = 10_000
"""Names, those out of use among them, up to which the atoms of a listing are counted: a fraction of a second."""


def list_atoms(  # noqa: PLR0913
    snapshot: Snapshot,
    prefix: str,
    *,
    limit: int,
    offset: int,
    after: str | None,
    tombstoned: bool,
    superseded: bool,
    count: bool,
) -> Listing:
    """See `Memory.list`."""
    check_limit(limit, offset)
    check_prefix(prefix, after)
    transaction = snapshot.transaction
    found: list[Atom] = []
    last = None
    more = False
    gaps = 0
    for version, body, out_of_use in _versions(snapshot, prefix, after, tombstoned=tombstoned):
        if version is None or body is None:
            gaps += 1
            continue
        if not superseded and is_superseded(snapshot, version.subject):
            continue
        if offset:
            offset -= 1
        elif len(found) == limit:
            more = True
            break
        else:
            atom = atom_of(snapshot, version, body, tombstoned=out_of_use)
            found.append(_with_reason(snapshot, version, atom) if out_of_use else atom)
            last = version.name
    upto = snapshot.upto
    forgotten = _forgotten(transaction, upto) if upto is not None and after is None else 0
    total = _total(snapshot, prefix, tombstoned=tombstoned, superseded=superseded) if count else None
    return Listing(tuple(found), last if more else None, forgotten, gaps, total)


def _total(snapshot: Snapshot, prefix: str, *, tombstoned: bool, superseded: bool) -> int | None:
    """How many atoms a listing has on all its pages; None if more names begin so than are counted."""
    rows = list(islice(names(snapshot.transaction, normalise(prefix)), _COUNTED + 1))
    if len(rows) > _COUNTED:
        return None
    if tombstoned or snapshot.upto is not None or snapshot.valid_at is not None:
        listed = _versions(snapshot, prefix, None, tombstoned=tombstoned)
        found = [version.subject for version, _, _ in listed if version is not None]
    else:
        found = [row.subject for row in rows if row.kind is Kind.PUT]  # what they say need not be read
    return len(found) if superseded else sum(not is_superseded(snapshot, one) for one in found)


def _versions(
    snapshot: Snapshot, prefix: str, after: str | None, *, tombstoned: bool
) -> Iterator[tuple[VersionRow | None, Body | None, bool]]:
    """The version of each name that answers, with what it says; and whether the name was out of use then.

    Neither version nor body: it was erased.
    """
    upto = snapshot.upto
    for row in names(snapshot.transaction, normalise(prefix), None if after is None else normalise(after)):
        latest: VersionRow | None = row
        if upto is not None and row.seq > upto:
            latest = next(versions_of(snapshot.transaction, row.subject, upto=upto), None)
        if latest is None:
            continue
        try:
            found = version_at(snapshot, latest)
        except Forgotten:
            yield None, None, False
            continue
        if found is not None:
            yield *found, False
        elif (
            tombstoned
            and latest.kind is Kind.TOMBSTONE
            and (last := _last_put(snapshot.transaction, latest)) is not None
        ):
            yield *last, True


def _last_put(transaction: ReadTransaction, tombstone: VersionRow) -> VersionFound | None:
    """What the atom said before it was taken out of use; None if that was erased."""
    for version in versions_of(transaction, tombstone.subject, upto=tombstone.seq):
        if version.kind is Kind.PUT and version.name is not None:
            body = body_of(transaction, version.seq)
            return None if body is None else (version, body)
    return None


def _with_reason(snapshot: Snapshot, version: VersionRow, atom: Atom) -> Atom:
    """The same, and why it was taken out of use, if its tombstone says so."""
    tombstone = next(versions_of(snapshot.transaction, version.subject, upto=snapshot.upto))
    body = None if tombstone.name is None else body_of(snapshot.transaction, tombstone.seq)
    reason = None if body is None else body.members.get("reason")
    return replace(atom, reason=reason) if isinstance(reason, str) else atom


def _forgotten(transaction: ReadTransaction, upto: int) -> int:
    """How many atoms were in use after seq `upto` and are forgotten now. What an entry is, stays when its body goes."""
    last = (max(seq for seq in gap.versions if seq <= upto) for gap in gaps_at(transaction, upto))
    return sum(kind_of(transaction, seq) is Kind.PUT for seq in last)
