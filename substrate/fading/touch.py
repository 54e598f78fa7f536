"""The verb touch: an atom was used, so it fades from now on anew, and more slowly than before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from substrate.atoms.bodies import time_of
from substrate.atoms.renames import renamed_to
from substrate.atoms.resolve import resolve
from substrate.errors import NotFound
from substrate.fading.choice import decay_of
from substrate.fading.decay import MOST_STRENGTH
from substrate.fading.pace import paced, paced_until
from substrate.fading.uses import uses_of
from substrate.kv.api import ReadTransaction
from substrate.limits import LIMITS, check_size
from substrate.log.append import Decision
from substrate.log.log import Log
from substrate.messages import Arg, Verb
from substrate.proof.entry import Kind
from substrate.values.review.fading import Touched, TouchedAtom
from substrate.views.atoms import VersionRow, latest_version
from substrate.views.touches import HUNDREDTHS, Touch, touch_traces

__all__ = ["BOOST", "in_use", "touch"]

BOOST: Final = 10
"""Hundredths of strength that a touch adds, if it is asked to."""


def touch(
    log: Log, names: Sequence[str], *, boost: bool = False, every: float | None = None, actor: str | None = None
) -> Touched:
    """See `Memory.touch`. `actor` is whose touches `every` is about."""
    check_size(Arg("names"), len(names), "names", "items", f"at most {LIMITS['names']} at once")
    told: list[TouchedAtom] = []

    def plan(transaction: ReadTransaction, time: int) -> Decision:
        if every is not None and time < paced_until(transaction, actor, every):
            return Decision()
        decay, touches = decay_of(transaction), []
        for name in dict.fromkeys(names):
            version = in_use(transaction, name)
            before = uses_of(transaction, version.subject, time_of(transaction, version.seq))
            now = max(time, before.last)  # a clock that steps back makes nothing older
            added = Touch(version.subject, now, strength=BOOST if boost else 0)
            touches.append(added)
            strength = min(MOST_STRENGTH, round(before.strength + added.strength / HUNDREDTHS, 2))
            after = before._replace(uses=before.uses + 1, last=now, strength=strength)
            told.append(
                TouchedAtom(
                    name=version.name or "",
                    id=str(UUID(bytes=version.subject)),
                    before=before.score(decay, now),
                    after=after.score(decay, now),
                    uses=after.uses,
                    strength=after.strength,
                )
            )
        pace = [] if every is None else [paced(actor, time)]
        return Decision((), [*touch_traces(transaction, touches), *pace])

    log.decide(plan)
    return Touched(tuple(told))


def in_use(transaction: ReadTransaction, name: str) -> VersionRow:
    """The current version of the atom of this name or id; of one that was renamed, of what it is called now.

    NotFound if it is out of use, Forgotten.
    """
    version = resolve(transaction, name)
    if version.kind is not Kind.PUT:
        new = renamed_to(transaction, version.subject)
        latest = None if new is None else latest_version(transaction, new)
        if latest is None or latest.kind is not Kind.PUT:
            told = version.name or name
            raise NotFound(f"{told} is out of use; to have it in use again, record it with ", Verb("checkpoint"))
        version = latest
    return version
