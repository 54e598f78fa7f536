"""How far some atoms have faded that are named, in use or not: without columns, so it costs what they cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from substrate.atoms.bodies import body_of, require_body, time_of
from substrate.atoms.load import atom_of
from substrate.atoms.renames import renamed_to
from substrate.atoms.resolve import refused, resolve
from substrate.fading.choice import decay_of, told_model
from substrate.fading.decay import priority_of
from substrate.fading.uses import uses_of
from substrate.limits import check_size
from substrate.messages import Arg
from substrate.proof.entry import Kind
from substrate.snapshot import Snapshot
from substrate.values.review.fading import FadingAtom, FadingAtoms
from substrate.values.times import from_microseconds
from substrate.views.atoms import VersionRow, latest_version, versions_of

__all__ = ["ARCHIVED", "PROMOTED_TAG", "fading_of", "fading_of_version", "last_version"]

PROMOTED_TAG: Final = "status:promoted"
ARCHIVED: Final = "archived"
"""Why a tombstone was set: the note was put away."""
_REMOVED: Final = "removed"
_DAY: Final = 86_400_000_000


def fading_of(snapshot: Snapshot, names: Sequence[str]) -> FadingAtoms:
    """These atoms, in their order. NotFound, Forgotten if one is not there."""
    check_size(Arg("names"), len(names), "names", "items")
    items = [_fading(snapshot, name) for name in names]
    count = len(items)
    return FadingAtoms(
        items=tuple(items),
        model=told_model(decay_of(snapshot.transaction)),
        total=count,
        mean_score=sum(one.score for one in items) / max(1, count),
        mean_uses=sum(one.uses for one in items) / max(1, count),
    )


def _fading(snapshot: Snapshot, name: str) -> FadingAtom:
    return fading_of_version(snapshot, last_version(snapshot, name))


def last_version(snapshot: Snapshot, name: str) -> VersionRow:
    """The last version of the atom of this name or id; of one that was renamed, of what it is called now."""
    transaction = snapshot.transaction
    version = resolve(transaction, name, snapshot.upto, asked=snapshot.asked)
    if version.kind is Kind.TOMBSTONE and (new := renamed_to(transaction, version.subject, snapshot.upto)) is not None:
        version = latest_version(transaction, new, snapshot.upto) or version
    return version


def fading_of_version(snapshot: Snapshot, version: VersionRow) -> FadingAtom:
    """The atom of this version, which is its last at the moment; of one out of use, with what it said last."""
    transaction = snapshot.transaction
    versions = list(versions_of(transaction, version.subject, upto=snapshot.upto))
    said = next((one for one in versions if one.kind is Kind.PUT), version)
    if said.kind is not Kind.PUT or said.name is None:
        raise refused(transaction, said)
    body = require_body(transaction, said.seq)
    atom = atom_of(snapshot, said, body, tombstoned=version.kind is not Kind.PUT)
    status = "promoted" if PROMOTED_TAG in atom.tags else "active"
    if version.kind is not Kind.PUT:
        stone = body_of(transaction, version.seq)
        status = ARCHIVED if stone is not None and stone.members.get("reason") == ARCHIVED else _REMOVED
    until = None if snapshot.upto is None else snapshot.at
    uses = uses_of(transaction, version.subject, body.time, until)
    created = time_of(transaction, versions[-1].seq)
    score = uses.score(decay_of(transaction), snapshot.at)
    return FadingAtom(
        atom=atom,
        score=score,
        uses=uses.uses,
        strength=uses.strength,
        last_used=from_microseconds(uses.last),
        created_at=from_microseconds(created),
        age_days=max(0, snapshot.at - created) / _DAY,
        status=status,
        priority=priority_of(score),
    )
