"""The verb access: one atom, as it is, was known, or was true; with its proof."""

from __future__ import annotations

from substrate.engine.moments import Moment, Time, read_time, seq_at
from substrate.engine.reading import Moments, atom_of, resolve, version_at
from substrate.errors import NotFound
from substrate.log.log import Log
from substrate.log.prove import prove_name, prove_recorded
from substrate.model import Access

__all__ = ["access"]


def access(
    log: Log, name: str, *, as_of: Moment | None = None, valid_at: Time | None = None, proof: bool = False
) -> Access:
    """See `Memory.access`."""
    at = None if valid_at is None else read_time(valid_at, "valid_at")
    with log.snapshot() as transaction:
        moments = Moments(seq_at(transaction, as_of), at, log.clock.now())
        latest = resolve(transaction, name, moments.upto)
        found = version_at(transaction, latest, moments)
        if found is None:
            why = f"it was tombstoned by entry {latest.seq}" if at is None else f"it did not hold at {valid_at}"
            raise NotFound(f"there is no {name}: {why}; its history shows what it was")
        atom = atom_of(transaction, *found, moments)
        if not proof:
            return Access(atom)
        if as_of is None and valid_at is None:
            return Access(atom, prove_name(transaction, atom.name))
        return Access(atom, prove_recorded(transaction, atom.seq))
