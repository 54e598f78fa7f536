"""The verb access: one atom, as it is, was known, or was true; with its proof."""

from __future__ import annotations

from dataclasses import replace

from substrate.atoms.bodies import Body
from substrate.atoms.load import atom_of, damage_of
from substrate.atoms.renames import renamed_to
from substrate.atoms.resolve import resolve
from substrate.atoms.stale import stale_because
from substrate.atoms.supersedes import superseders
from substrate.atoms.validity import recorded_since, version_at
from substrate.codec import read_body
from substrate.errors import NotFound
from substrate.log.identity import id_text
from substrate.log.prove import prove_name, prove_recorded
from substrate.names import check_known_name
from substrate.proof.entry import decode_entry
from substrate.result import iso
from substrate.snapshot import Snapshot
from substrate.text.quote import if_needed
from substrate.values.atoms import Access
from substrate.values.times import from_microseconds
from substrate.veil import hidden_in
from substrate.views.atoms import VersionRow, find_name
from substrate.views.cards import Card, card_of

__all__ = ["access"]


def access(snapshot: Snapshot, name: str, *, proof: bool = False) -> Access:
    """See `Memory.access`. What will be needed next, it does not say."""
    transaction = snapshot.transaction
    if proof and snapshot.is_now and isinstance(name, str) and "." in name:
        proven = _proven(snapshot, check_known_name(name))
        if proven is not None:
            return proven
    latest = resolve(transaction, name, snapshot.upto, asked=snapshot.asked)
    found = version_at(snapshot, latest)
    if found is None and (new := renamed_to(transaction, latest.subject, snapshot.upto)) is not None:
        there = access(snapshot, id_text(new), proof=proof)
        return replace(there, renamed_from=latest.name if latest.name is not None else name)
    if found is None:
        raise NotFound(f"there is no {name}: {_why(snapshot, latest)}; its history shows what it was")
    card = card_of(transaction, latest.subject)
    atom = atom_of(snapshot, *found, superseded_by=superseders(snapshot, latest.subject, card))
    if atom.damaged is not None:
        raise damage_of(atom)
    if not snapshot.is_now:
        since = None if snapshot.upto is None else from_microseconds(recorded_since(transaction, found[0]))
        return Access(atom, prove_recorded(transaction, atom.seq) if proof else None, since=since)
    bundle = prove_name(transaction, atom.name) if proof else None
    return Access(atom, bundle, _stale(snapshot, latest.subject, card))


def _why(snapshot: Snapshot, latest: VersionRow) -> str:
    if snapshot.valid_at is None:
        return f"it was tombstoned by entry {latest.seq}"
    by = ", ".join(map(if_needed, superseders(snapshot, latest.subject)))
    return f"it did not hold at {iso(from_microseconds(snapshot.valid_at))}" + (
        f", {by} did in its place" if by else ""
    )


def _proven(snapshot: Snapshot, name: str) -> Access | None:
    """The current version, read out of its own proof: nothing is looked up twice. None if there is no such version."""
    if hidden_in(snapshot.transaction) is not None and find_name(snapshot.transaction, name) is None:
        return None  # the map has no veil
    bundle = prove_name(snapshot.transaction, name)
    if bundle.claim != "current" or bundle.entry is None or bundle.opening is None:
        return None
    entry = decode_entry(bundle.entry.data)
    version = VersionRow(entry.subject, bundle.entry.seq, entry.kind, name)
    members, damage = read_body(entry.kind, bundle.opening.body)
    card = card_of(snapshot.transaction, entry.subject)
    by = superseders(snapshot, entry.subject, card)
    atom = atom_of(snapshot, version, Body(members, entry.time, damage), superseded_by=by)
    if atom.damaged is not None:
        raise damage_of(atom)
    return Access(atom, bundle, _stale(snapshot, entry.subject, card))


def _stale(snapshot: Snapshot, subject: bytes, card: Card) -> tuple[str, ...]:
    return tuple([stale.reason for stale in stale_because(snapshot, subject, card)])
