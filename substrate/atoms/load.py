"""Atoms out of a snapshot: a version and its body, as the value that users hold."""

from __future__ import annotations

from datetime import datetime

from substrate.atoms.bodies import Body
from substrate.atoms.supersedes import superseders
from substrate.errors import StoreDamaged
from substrate.log.identity import id_text
from substrate.proof.encoding import Json
from substrate.snapshot import Snapshot
from substrate.values.atoms import Atom, atom_of_fields
from substrate.values.times import from_microseconds
from substrate.views.atoms import VersionRow
from substrate.views.traces import confirmation_of

__all__ = ["atom_of", "damage_of"]


def _time(time: Json) -> datetime | None:
    return from_microseconds(time) if isinstance(time, int) else None


def _uuid(text: Json) -> str | None:
    return id_text(bytes.fromhex(text)) if isinstance(text, str) else None


def _damaged(version: VersionRow, body: Body, *, tombstoned: bool) -> Atom:
    said = id_text(version.subject)
    return Atom(
        name=str(body.members.get("name", said)),
        value="",
        id=said,
        seq=version.seq,
        recorded_at=from_microseconds(body.time),
        tombstoned=tombstoned,
        damaged=body.damage,
    )


def damage_of(atom: Atom) -> StoreDamaged:
    """The error for an atom that was asked for and is damaged: what is wrong, and what to do."""
    return StoreDamaged(
        f"entry {atom.seq} of {atom.name} does not fit the schema ({atom.damaged}), so it is not shown. ",
        f"To erase it, call forget with the id {atom.id}; its history shows other versions",
    )


def atom_of(
    snapshot: Snapshot,
    version: VersionRow,
    body: Body,
    *,
    tombstoned: bool = False,
    superseded_by: tuple[str, ...] | None = None,
) -> Atom:
    """The atom that this version is, as it was seen at these moments. `superseded_by`: if the caller knows it.

    One whose body is damaged says so, and nothing else of what the body says.
    """
    members = body.members
    if body.damage is not None:
        return _damaged(version, body, tombstoned=tombstoned)
    confirmed = None
    if snapshot.upto is None:
        confirmed = confirmation_of(snapshot.transaction, version.subject, version.seq)
    get = members.get
    occurred, start, end = get("occurred_at"), get("valid_from"), get("valid_to")
    parent = get("parent")
    # What is read here was checked against its commitment, and field by field, when the body was read.
    return atom_of_fields((
        get("name"),
        get("value"),
        id_text(version.subject),
        version.seq,
        from_microseconds(body.time),
        tuple(get("tags") or ()),  # type: ignore[arg-type]
        tuple(get("entities") or ()),  # type: ignore[arg-type]
        get("confidence"),
        get("source"),
        get("origin"),
        get("actor"),
        get("session"),
        None if occurred is None else _time(occurred),
        None if start is None else _time(start),
        None if end is None else _time(end),
        None if parent is None else _uuid(parent),
        get("position"),
        get("attrs") or {},
        tombstoned,
        None,
        None if confirmed is None else from_microseconds(confirmed.time),
        superseders(snapshot, version.subject) if superseded_by is None else superseded_by,
        None,
    ))  # fmt: skip
