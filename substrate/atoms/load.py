"""Atoms out of a snapshot: a version and its body, as the value that users hold."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from substrate.atoms.bodies import Body
from substrate.atoms.supersedes import superseders
from substrate.errors import StoreDamaged
from substrate.log.identity import id_text
from substrate.proof.encoding import Json
from substrate.snapshot import Snapshot
from substrate.values.atoms import Atom
from substrate.values.times import from_microseconds
from substrate.views.atoms import VersionRow
from substrate.views.traces import confirmation_of

__all__ = ["atom_of", "damage_of"]


def _time(members: Mapping[str, Json], field: str) -> datetime | None:
    time = members.get(field)
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
    return Atom(
        # What is read here was checked against its commitment, and field by field, when the body was read.
        name=get("name"),  # type: ignore[arg-type]
        value=get("value"),  # type: ignore[arg-type]
        id=id_text(version.subject),
        seq=version.seq,
        recorded_at=from_microseconds(body.time),
        tags=tuple(get("tags") or ()),  # type: ignore[arg-type]
        entities=tuple(get("entities") or ()),  # type: ignore[arg-type]
        confidence=get("confidence"),  # type: ignore[arg-type]
        source=get("source"),  # type: ignore[arg-type]
        origin=get("origin"),  # type: ignore[arg-type]
        actor=get("actor"),  # type: ignore[arg-type]
        session=get("session"),  # type: ignore[arg-type]
        occurred_at=_time(members, "occurred_at"),
        valid_from=_time(members, "valid_from"),
        valid_to=_time(members, "valid_to"),
        parent=_uuid(get("parent")),
        position=get("position"),  # type: ignore[arg-type]
        attrs=get("attrs") or {},  # type: ignore[arg-type]
        tombstoned=tombstoned,
        confirmed_at=None if confirmed is None else from_microseconds(confirmed.time),
        superseded_by=superseders(snapshot, version.subject) if superseded_by is None else superseded_by,
    )
