"""The verb list: atoms by name, page by page."""

from __future__ import annotations

from collections.abc import Iterator

from substrate.engine.moments import Moment, Time, read_time, seq_at
from substrate.engine.reading import Body, Moments, atom_of, body_of, superseders, version_at
from substrate.errors import Forgotten, InputError, SchemaInvalid, TooLarge
from substrate.kv.api import ReadTransaction
from substrate.limits import LIMITS
from substrate.log.log import Log
from substrate.model import Atom, Listing
from substrate.names import normalise
from substrate.proof.entry import Kind
from substrate.views.atoms import VersionRow, all_gaps, names, versions_of

__all__ = ["list_atoms"]


def list_atoms(  # noqa: PLR0913
    log: Log,
    prefix: str,
    *,
    limit: int,
    offset: int,
    after: str | None,
    tombstoned: bool,
    superseded: bool,
    as_of: Moment | None,
    valid_at: Time | None,
) -> Listing:
    """See `Memory.list`."""
    _check(prefix, limit, offset, after)
    at = None if valid_at is None else read_time(valid_at, "valid_at")
    with log.snapshot() as transaction:
        moments = Moments(seq_at(transaction, as_of), at, log.clock.now())
        found: list[Atom] = []
        more = False
        for version, body, out_of_use in _versions(transaction, prefix, after, moments, tombstoned=tombstoned):
            if not superseded and superseders(transaction, version.subject, moments):
                continue
            if offset:
                offset -= 1
            elif len(found) == limit:
                more = True
                break
            else:
                found.append(atom_of(transaction, version, body, moments, tombstoned=out_of_use))
        upto = moments.upto
        forgotten = 0 if upto is None else sum(gap.covers(upto) for gap in all_gaps(transaction))
        return Listing(tuple(found), found[-1].name if more and found else None, forgotten)


def _check(prefix: str, limit: int, offset: int, after: str | None) -> None:
    if not isinstance(prefix, str) or not (after is None or isinstance(after, str)):
        raise SchemaInvalid("prefix and after are strings: the beginning of a name, and a name")
    if any("\ud800" <= character <= "\udfff" for character in prefix + (after or "")):
        raise SchemaInvalid("prefix and after must not contain a lone surrogate: no name does")
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1 or not isinstance(offset, int) or offset < 0:
        raise InputError("limit is a whole number from 1 on, offset one from 0 on")
    if limit > LIMITS["list_items"]:
        raise TooLarge("limit", limit, LIMITS["list_items"], "items")


def _versions(
    transaction: ReadTransaction, prefix: str, after: str | None, moments: Moments, *, tombstoned: bool
) -> Iterator[tuple[VersionRow, Body, bool]]:
    """The version of each name that answers, with what it says; and whether the name was out of use then."""
    upto = moments.upto
    for row in names(transaction, normalise(prefix), None if after is None else normalise(after)):
        latest: VersionRow | None = row
        if upto is not None and row.seq > upto:
            latest = next(versions_of(transaction, row.subject, upto=upto), None)
        if latest is None:
            continue
        try:
            found = version_at(transaction, latest, moments)
        except Forgotten:
            continue
        if found is not None:
            yield *found, False
        elif tombstoned and latest.kind is Kind.TOMBSTONE and (last := _last_put(transaction, latest)) is not None:
            yield *last, True


def _last_put(transaction: ReadTransaction, tombstone: VersionRow) -> tuple[VersionRow, Body] | None:
    """What the atom said before it was taken out of use; None if that was erased."""
    for version in versions_of(transaction, tombstone.subject, upto=tombstone.seq):
        if version.kind is Kind.PUT and version.name is not None:
            body = body_of(transaction, version.seq)
            return None if body is None else (version, body)
    return None
