"""Which chunks of a document stay where they are when its text changes, and where new ones stand. Pure.

A chunk's position is its name, so it never moves: positions are far apart, and what is new between two chunks gets a
position between theirs. Only where there is no room left, a few chunks beside it get other positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Final

__all__ = ["STEP", "align"]

STEP: Final = 1000
"""How far apart chunks stand that are new together."""
_ROOM: Final = 64
"""How far apart they stand where it was crowded."""


def align(old: Sequence[tuple[int, str]], new: Sequence[str]) -> list[int]:
    """A position for each of the new texts, ascending. `old`: the positions of now, ascending, with their texts.

    A text that is there already keeps its position where that is possible; one that took another's place gets its.
    """
    return _filled(_matched(old, new))


def _matched(old: Sequence[tuple[int, str]], new: Sequence[str]) -> list[int | None]:
    """The positions that stay; None where a text is new between others."""
    texts = [text for _, text in old]
    first = 0
    while first < min(len(texts), len(new)) and texts[first] == new[first]:
        first += 1
    last = 0
    while last < min(len(texts), len(new)) - first and texts[-1 - last] == new[-1 - last]:
        last += 1
    positions: list[int | None] = [None] * len(new)
    for at in range(first):
        positions[at] = old[at][0]
    for at in range(1, last + 1):
        positions[-at] = old[-at][0]
    if first + last in (len(texts), len(new)):
        return positions  # nothing changed between, or something came or went: no text takes another's place
    # Texts that come very often are no anchors for it: that bounds the time it takes.
    inner = SequenceMatcher(None, texts[first : len(texts) - last], list(new[first : len(new) - last]))
    for tag, i1, i2, j1, j2 in inner.get_opcodes():
        if tag in ("equal", "replace"):
            for step in range(min(i2 - i1, j2 - j1)):
                positions[first + j1 + step] = old[first + i1 + step][0]
    return positions


def _filled(positions: list[int | None]) -> list[int]:
    """The same, with positions between their neighbours' where there was none."""
    at = 0
    while at < len(positions):
        stop = at
        while stop < len(positions) and positions[stop] is None:
            stop += 1
        if stop > at:
            at, stop = _with_room(positions, at, stop)
            low = (positions[at - 1] if at else None) or 0
            high = positions[stop] if stop < len(positions) else None
            step = STEP if high is None else (high - low) / (stop - at + 1)
            positions[at:stop] = [low + int(step * (i + 1)) for i in range(stop - at)]
        at = stop + 1
    return [position for position in positions if position is not None]


def _with_room(positions: list[int | None], at: int, stop: int) -> tuple[int, int]:
    """From where to where positions are given out: just what is new; or, if there is no room, those beside it too.

    Then there is room for more to come, so that those beside it move seldom.
    """
    is_crowded = False
    while stop < len(positions):
        low = (positions[at - 1] if at else None) or 0
        room, count = (positions[stop] or 0) - low, stop - at
        if room > count * (_ROOM if is_crowded else 1):
            break
        is_crowded = True
        at, stop = max(at - count, 0), min(stop + count, len(positions))
        while stop < len(positions) and positions[stop] is None:
            stop += 1
    return at, stop
