"""The verb access: one atom, as it is, was known, or was true; with its proof."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias
from uuid import UUID

from substrate.codec import decode_body
from substrate.engine.moments import Moment, Time
from substrate.engine.reading import Body, Moments, atom_of, moments_of, resolve
from substrate.engine.staleness import stale_because
from substrate.engine.validity import version_at
from substrate.errors import NotFound
from substrate.kv.api import ReadTransaction
from substrate.log.log import Log
from substrate.log.prove import prove_name, prove_recorded
from substrate.model import Access
from substrate.names import check_name
from substrate.prediction import Prediction
from substrate.proof.entry import decode_entry
from substrate.views.atoms import VersionRow

__all__ = ["Foresee", "access"]

Foresee: TypeAlias = Callable[[ReadTransaction, bytes], tuple[Prediction, ...]]
"""What will be needed next when an atom, given by its id, is opened."""


def access(  # noqa: PLR0913
    log: Log,
    name: str,
    *,
    as_of: Moment | None = None,
    valid_at: Time | None = None,
    proof: bool = False,
    foresee: Foresee | None = None,
) -> Access:
    """See `Memory.access`. `foresee` tells what will be needed next; it is asked for reads of now."""
    with log.snapshot() as transaction:
        found = _access(transaction, log, name, as_of, valid_at, proof=proof)
        if foresee is None or as_of is not None or valid_at is not None:
            return found
        return replace(found, predictions=foresee(transaction, UUID(found.atom.id).bytes))


def _access(  # noqa: PLR0913
    transaction: ReadTransaction, log: Log, name: str, as_of: Moment | None, valid_at: Time | None, *, proof: bool
) -> Access:
    moments = moments_of(transaction, log.clock, as_of, valid_at)
    if proof and as_of is None and valid_at is None and isinstance(name, str) and "." in name:
        proven = _proven(transaction, check_name(name), moments)
        if proven is not None:
            return proven
    latest = resolve(transaction, name, moments.upto)
    found = version_at(transaction, latest, moments)
    if found is None:
        why = f"it was tombstoned by entry {latest.seq}" if valid_at is None else f"it did not hold at {valid_at}"
        raise NotFound(f"there is no {name}: {why}; its history shows what it was")
    atom = atom_of(transaction, *found, moments)
    if as_of is not None or valid_at is not None:
        return Access(atom, prove_recorded(transaction, atom.seq) if proof else None)
    bundle = prove_name(transaction, atom.name) if proof else None
    return Access(atom, bundle, _stale(transaction, latest.subject, moments))


def _proven(transaction: ReadTransaction, name: str, moments: Moments) -> Access | None:
    """The current version, read out of its own proof: nothing is looked up twice. None if there is no such version."""
    bundle = prove_name(transaction, name)
    if bundle.claim != "current" or bundle.entry is None or bundle.opening is None:
        return None
    entry = decode_entry(bundle.entry.data)
    version = VersionRow(entry.subject, bundle.entry.seq, entry.kind, name)
    atom = atom_of(transaction, version, Body(decode_body(bundle.opening.body), entry.time), moments)
    return Access(atom, bundle, _stale(transaction, entry.subject, moments))


def _stale(transaction: ReadTransaction, subject: bytes, moments: Moments) -> tuple[str, ...]:
    return tuple(stale.reason for stale in stale_because(transaction, subject, moments))
