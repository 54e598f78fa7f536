"""What the touches of one atom come to at a moment: for one who asks about a few, without columns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from substrate.fading.decay import MOST_STRENGTH, Decay, score_of
from substrate.kv.api import ReadTransaction
from substrate.views.touches import HUNDREDTHS, Touch, TouchKind, touches_of

__all__ = ["UsesOfOne", "uses_by", "uses_of"]

_SECOND = 1_000_000


class UsesOfOne(NamedTuple):
    """How often an atom was used, when last (in microseconds), and how strong that made it."""

    uses: int
    last: int
    strength: float

    def score(self, decay: Decay, now: int) -> float:
        """At a time in microseconds."""
        return score_of(decay, self.uses, (now - self.last) / _SECOND, self.strength)


def uses_of(transaction: ReadTransaction, subject: bytes, recorded: int, until: int | None = None) -> UsesOfOne:
    """By the touches up to the time `until`. Without any, it was last used when it was recorded."""
    return uses_by(touches_of(transaction, subject), recorded, until)


def uses_by(touches: Iterable[Touch], recorded: int, until: int | None = None) -> UsesOfOne:
    """The same, of touches in the order in which they were written."""
    count, strength, last = 0, HUNDREDTHS, None
    for touch in touches:
        if touch.kind is TouchKind.ARCHIVED or (until is not None and touch.time > until):
            continue
        last = touch.time if last is None else max(last, touch.time)
        if touch.kind is TouchKind.SAVED:
            strength = touch.strength
        else:
            count += touch.times
            strength = min(strength + touch.strength, round(MOST_STRENGTH * HUNDREDTHS))
    return UsesOfOne(count, recorded if last is None else last, min(strength / HUNDREDTHS, MOST_STRENGTH))
