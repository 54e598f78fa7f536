"""Who wrote an atom: whether all of it came through one surface.

What tidies up by itself (sweep, merge, promote, tend, prune) may touch only what its own surface has written. It asks
here, and never goes by type or name: no sweep takes a person's note for unused because nobody touched it.
"""

from __future__ import annotations

from collections.abc import Iterable

from substrate.atoms.bodies import bodies_of
from substrate.snapshot import Snapshot
from substrate.values.actors import surface_of
from substrate.views.atoms import versions_of
from substrate.views.traces import confirmation_of

__all__ = ["written_by"]


def written_by(snapshot: Snapshot, surface: str, subjects: Iterable[bytes], *, said_again: bool = False) -> list[bytes]:
    """Those of these atoms that came from this surface and from nobody else, in their order.

    The actor in the body of each version says so, tombstones included. If in doubt, an atom is not the surface's: one
    with a version that was forgotten or does not fit the schema, and one whose value was said again, since who did that
    is not recorded; unless `said_again` lets these pass, for what takes nothing away.
    """
    return [subject for subject in subjects if _is_all_of(snapshot, surface, subject, said_again=said_again)]


def _is_all_of(snapshot: Snapshot, surface: str, subject: bytes, *, said_again: bool) -> bool:
    transaction = snapshot.transaction
    versions = list(versions_of(transaction, subject))
    if not versions:
        return False
    for body in bodies_of(transaction, [version.seq for version in versions]):
        actor = None if body is None or body.damage is not None else body.members.get("actor")
        if not isinstance(actor, str) or surface_of(actor) != surface:
            return False
    return said_again or confirmation_of(transaction, subject, versions[0].seq) is None
