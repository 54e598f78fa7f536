"""The verb stale: the atoms that are to be reviewed, and why."""

from __future__ import annotations

from substrate.engine.paging import check_limit, check_prefix
from substrate.engine.reading import atom_of, moments_of, require_body, superseders
from substrate.engine.staleness import stale_because
from substrate.findings import StaleAtom, StaleAtoms, StaleReason
from substrate.log.log import Log
from substrate.names import normalise
from substrate.proof.entry import Kind
from substrate.views.atoms import names

__all__ = ["stale_atoms"]


def stale_atoms(log: Log, prefix: str, *, limit: int, after: str | None) -> StaleAtoms:
    """See `Memory.stale`."""
    check_limit(limit)
    check_prefix(prefix, after)
    with log.snapshot() as transaction:
        moments = moments_of(transaction, log.clock, None, None)
        found: list[StaleAtom] = []
        for version in names(transaction, normalise(prefix), None if after is None else normalise(after)):
            if version.kind is not Kind.PUT:
                continue
            because = stale_because(transaction, version.subject, moments)
            if not because or superseders(transaction, version.subject, moments):
                continue
            if len(found) == limit:
                return StaleAtoms(tuple(found), found[-1].name)
            atom = atom_of(transaction, version, require_body(transaction, version.seq), moments, superseded_by=())
            reasons = (StaleReason(why.name, why.change, why.seq, why.path, why.reason) for why in because)
            found.append(StaleAtom(atom, tuple(reasons)))
        return StaleAtoms(tuple(found))
