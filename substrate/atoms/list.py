"""The verb list: atoms by name, page by page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final, TypeAlias

from substrate.atoms.bodies import Body, VersionFound, body_of, kind_of, require_bodies
from substrate.atoms.load import atom_of
from substrate.atoms.supersedes import is_superseded, superseders
from substrate.atoms.validity import version_at
from substrate.errors import Forgotten
from substrate.kv.api import ReadTransaction
from substrate.limits import check_limit, check_prefix
from substrate.names import normalise
from substrate.proof.entry import Kind
from substrate.snapshot import Snapshot
from substrate.values.atoms import Atom, Listing
from substrate.views.atoms import VersionRow, gaps_at, latest_version, names, versions_of
from substrate.views.cards import Card, cards_of

__all__ = ["COUNTED", "list_atoms"]

_Listed: TypeAlias = tuple[VersionRow | None, Body | None, bool, Card | None]
"""A version and what it says (neither: it was erased); whether its name was out of use then; its card, if known."""

Among: TypeAlias = Sequence[bool] | None
_AT_ONCE: Final = 128
"""Names whose bodies are read at once."""
_FEW_MORE: Final = 16
"""The same after those that a caller wants: mostly a few of these were left out, and so many replace them."""
COUNTED: Final = 10_000
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
    among: Among = None,
) -> Listing:
    """See `Memory.list`. `among`: whether each version, by its seq, passes the filters; None: there are none."""
    check_limit(limit, offset)
    check_prefix(prefix, after)
    transaction = snapshot.transaction
    found: list[Atom] = []
    last = None
    more = False
    gaps = 0
    for version, body, out_of_use, card in _versions(snapshot, prefix, after, tombstoned=tombstoned, most=limit + 1):
        if version is None or body is None:
            gaps += 1
            continue
        if among is not None and not among[version.seq]:
            continue
        by = superseders(snapshot, version.subject, card) if superseded else ()
        if not superseded and (card is None or card.superseded) and is_superseded(snapshot, version.subject):
            continue
        if offset:
            offset -= 1
        elif len(found) == limit:
            more = True
            break
        else:
            atom = atom_of(snapshot, version, body, tombstoned=out_of_use, superseded_by=by)
            found.append(_with_reason(snapshot, version, atom) if out_of_use else atom)
            last = version.name
    upto = snapshot.upto
    forgotten = _forgotten(transaction, upto) if upto is not None and after is None else 0
    total = _total(snapshot, prefix, among, tombstoned=tombstoned, superseded=superseded) if count else None
    return Listing(tuple(found), last if more else None, forgotten, gaps, total)


def _total(snapshot: Snapshot, prefix: str, among: Among, *, tombstoned: bool, superseded: bool) -> int | None:
    """How many atoms a listing has on all its pages; None if more names begin so than are counted."""
    rows = list(islice(names(snapshot.transaction, normalise(prefix)), COUNTED + 1))
    if len(rows) > COUNTED:
        return None
    if tombstoned or snapshot.upto is not None or snapshot.valid_at is not None:
        listed = _versions(snapshot, prefix, None, tombstoned=tombstoned)
        versions = [version for version, _, _, _ in listed if version is not None]
    else:
        versions = [row for row in rows if row.kind is Kind.PUT]  # what they say need not be read
    found = [version.subject for version in versions if among is None or among[version.seq]]
    if superseded:
        return len(found)
    cards = cards_of(snapshot.transaction, found)
    return sum(not card.superseded or not is_superseded(snapshot, one) for one, card in zip(found, cards, strict=True))


def _versions(
    snapshot: Snapshot, prefix: str, after: str | None, *, tombstoned: bool, most: int = _AT_ONCE
) -> Iterator[_Listed]:
    """The version of each name that answers, with what it says.

    Neither version nor body: it was erased. `most`: how many the caller will probably take; so many are read at once.
    """
    rows = names(snapshot.transaction, normalise(prefix), None if after is None else normalise(after))
    if not snapshot.is_now:
        yield from _versions_then(snapshot, rows, tombstoned=tombstoned)
        return
    at_once, then = min(most, _AT_ONCE), _FEW_MORE
    while some := list(islice(rows, at_once)):
        at_once, then = then, min(2 * then, _AT_ONCE)
        live = [row.seq for row in some if row.kind is Kind.PUT]
        bodies = iter(require_bodies(snapshot.transaction, live))
        cards = cards_of(snapshot.transaction, [row.subject for row in some])
        for row, card in zip(some, cards, strict=True):
            if row.kind is Kind.PUT:
                yield row, next(bodies), False, card
            elif tombstoned and (said := _last_put(snapshot.transaction, row)) is not None:
                yield *said, True, card


def _versions_then(snapshot: Snapshot, rows: Iterable[VersionRow], *, tombstoned: bool) -> Iterator[_Listed]:
    """The same of another moment, one by one."""
    upto = snapshot.upto
    for row in rows:
        latest: VersionRow | None = row
        if upto is not None and row.seq > upto:
            latest = latest_version(snapshot.transaction, row.subject, upto)
        if latest is None:
            continue
        try:
            found = version_at(snapshot, latest)
        except Forgotten:
            yield None, None, False, None
            continue
        if found is not None:
            yield *found, False, None
        elif (
            tombstoned
            and latest.kind is Kind.TOMBSTONE
            and (last := _last_put(snapshot.transaction, latest)) is not None
        ):
            yield *last, True, None


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
