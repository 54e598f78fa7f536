"""The verb fading_curve: the score of one atom over time, as it was, and as it will be if nobody uses it."""

from __future__ import annotations

from bisect import bisect_right
from typing import Final

from substrate.atoms.bodies import time_of
from substrate.fading.choice import decay_of, told_model
from substrate.fading.decay import FORGET, PROMOTE, REVIEW, Decay
from substrate.fading.named import fading_of, last_version
from substrate.fading.uses import UsesOfOne, uses_by
from substrate.proof.entry import Kind
from substrate.snapshot import Snapshot
from substrate.values.review.fading import FadingCurve, FadingFall, FadingPoint, FadingUse
from substrate.values.times import from_microseconds
from substrate.views.atoms import versions_of
from substrate.views.touches import Touch, TouchKind, touches_of

__all__ = ["fading_curve"]

_SECOND: Final = 1_000_000
_DAY: Final = 86_400 * _SECOND
_STEPS: Final = 120
"""Points that lie at equal distances."""
_USES: Final = 100
"""Touches that have points of their own."""
_LEAST_AHEAD, _MOST_AHEAD = 7 * _DAY, 120 * _DAY
_NEVER_S: Final = 36_525 * 86_400
"""A hundred years."""
_THRESHOLDS: Final = (
    (PROMOTE, "not worth keeping by its score alone"),
    (REVIEW[1], "due for review"),
    (REVIEW[0], "past its review"),
    (FORGET, "a sweep may take it"),
)


def fading_curve(snapshot: Snapshot, name: str) -> FadingCurve:
    """See `Memory.fading_curve`. Every point is what `fading` says of that moment."""
    transaction, now = snapshot.transaction, snapshot.at
    (faded,) = fading_of(snapshot, [name])
    decay = decay_of(transaction)
    subject = last_version(snapshot, name).subject
    versions = versions_of(transaction, subject, upto=snapshot.upto)
    recorded = sorted(time_of(transaction, one.seq) for one in versions if one.kind is Kind.PUT)
    until = now if snapshot.upto is not None else None
    touches = [one for one in touches_of(transaction, subject) if one.kind is not TouchKind.ARCHIVED]
    touches = [one for one in touches if until is None or one.time <= until]

    def uses_at(time: int) -> UsesOfOne:
        said = recorded[max(0, bisect_right(recorded, time) - 1)]
        return uses_by(touches, said, time if time < now else None)  # a clock may have stepped back

    falls = _falls(decay, uses_at(now), now)
    events = sorted({*recorded, *(one.time for one in touches)})[-_USES:]
    start = min(recorded[0], *(one.time for one in touches), now)  # imported touches are older than the record
    moments = _moments(start, now, _end(start, now, falls), [time for time in events if time > start])
    return FadingCurve(
        items=tuple(FadingPoint(from_microseconds(time), uses_at(time).score(decay, time)) for time in moments),
        faded=faded,
        model=told_model(decay),
        now=from_microseconds(now),
        uses=tuple(_use(one, uses_at(one.time).score(decay, one.time)) for one in _last(touches)),
        falls=falls,
    )


def _moments(start: int, now: int, end: int, events: list[int]) -> list[int]:
    """The moments that have a point."""
    steps = (start + (end - start) * step // _STEPS for step in range(_STEPS + 1))
    return sorted({*steps, now, *events, *(time - 1 for time in events)})


def _end(start: int, now: int, falls: tuple[FadingFall, ...]) -> int:
    """Where the curve ends: behind the last fall, but not so far ahead that the past has no room."""
    last = max((round(one.time.timestamp() * _SECOND) for one in falls), default=now)
    most = max(_MOST_AHEAD, now - start)
    return now + max(_LEAST_AHEAD, (now - start) // 4, min(most, (last - now) * 11 // 10))


def _last(touches: list[Touch]) -> list[Touch]:
    return sorted(touches, key=lambda one: one.time)[-_USES:]


def _use(touch: Touch, score: float) -> FadingUse:
    kind = "saved" if touch.kind is TouchKind.SAVED else "used"
    return FadingUse(from_microseconds(touch.time), score, touch.times, kind)


def _falls(decay: Decay, uses: UsesOfOne, now: int) -> tuple[FadingFall, ...]:
    """The thresholds that are still to come. Scores only fall, so halving finds when."""
    found = []
    for threshold, means in _THRESHOLDS:
        low, high = 0.0, float(_NEVER_S)
        if uses.score(decay, now) < threshold or uses.score(decay, now + _NEVER_S * _SECOND) >= threshold:
            continue
        while high - low > 1:
            middle = (low + high) / 2
            is_above = uses.score(decay, now + round(middle * _SECOND)) >= threshold
            low, high = (middle, high) if is_above else (low, middle)
        found.append(FadingFall(from_microseconds(now + round(high * _SECOND)), threshold, means))
    return tuple(found)
