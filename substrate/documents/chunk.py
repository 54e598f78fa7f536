"""A text, cut into chunks that joined are the text, character for character. Pure.

1. No overlap and nothing left out: ranking looks at the chunks beside a hit, so none needs to repeat another.
2. A chunk has at most MOST characters, and seldom fewer than LEAST: about what the model that embeds takes in at once.
3. The best place for a cut is where a section begins, then a blank line, a line's end, a sentence's end, a space; at
   last anywhere. Never between a carriage return and its newline.
4. Among equal places the text around them decides, not how far they are from the beginning. So a change moves the cuts
   beside it, and a few chunks on they are where they were: a document that is ingested again records little.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Final, NamedTuple

__all__ = ["LEAST", "MOST", "Section", "chunks"]

MOST: Final = 1600
"""Characters of a chunk."""
LEAST: Final = 800
"""Characters before a cut, but for one where a section begins, or at the end of the text."""
_LEAST_SECTION: Final = 400
_AROUND: Final = 12
"""Characters behind a place that decide among equal ones."""
_TRIES: Final = 100
"""Places that are tried until one is not inside of a letter; there are texts that are one letter with many accents."""
_JOINER: Final = "\u200d"

_LINE_END: Final = r"(?:\r\n|\n|\r)"
_PLACES: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_LINE_END}(?:[ \t]*{_LINE_END})+",  # blank lines
        _LINE_END,
        r"""[.!?…]["'”’)\]]*\s+|[。！？｡]["'”’」』）)\]]*""",  # noqa: RUF001 - sentence ends of several scripts
        r"\s+",
    )
)


class Section(NamedTuple):
    """Where a section of a text begins: an offset, and how deep it is (1: a chapter)."""

    start: int
    depth: int


def chunks(text: str, sections: Sequence[Section] = ()) -> list[str]:
    """The chunks of a text; none of an empty one. `sections`: where its sections begin, in order."""
    starts = [section.start for section in sections]
    found: list[str] = []
    at = 0
    while at < len(text):
        end = _cut(text, at, sections, starts) if len(text) - at > MOST else len(text)
        found.append(text[at:end])
        at = end
    return found


def _cut(text: str, at: int, sections: Sequence[Section], starts: Sequence[int]) -> int:
    """Where the chunk that begins at `at` ends. The text goes on for longer than a chunk."""
    stop = at + MOST
    inside = sections[bisect_left(starts, at + _LEAST_SECTION) : bisect_right(starts, stop)]
    if inside:
        highest = min(section.depth for section in inside)
        return _chosen(text, [section.start for section in inside if section.depth == highest])
    first = at + LEAST
    for pattern in _PLACES:
        ends = [found.end() for found in pattern.finditer(text, first - 1, stop)]
        places = [end for end in ends if end >= first and _is_between(text, end)]
        if places:
            return _chosen(text, places)
    anywhere = [place for place in range(first, stop + 1) if _is_between(text, place)]
    best = _chosen(text, anywhere)
    for _ in range(_TRIES):
        if not _is_inside_letter(text, best):
            return best
        anywhere.remove(best)
        best = _chosen(text, anywhere)
    return best


def _chosen(text: str, places: Sequence[int]) -> int:
    """One of several places that are as good: the text behind it says which, and of equal ones it is the last."""
    return min(reversed(places), key=lambda place: text[place : place + _AROUND])


def _is_between(text: str, place: int) -> bool:
    return not (text[place - 1] == "\r" and text[place] == "\n")


def _is_inside_letter(text: str, place: int) -> bool:
    """Whether what people see as one letter would be cut: an accent from its base, a joined emoji."""
    behind = text[place]
    return behind == _JOINER or text[place - 1] == _JOINER or unicodedata.category(behind).startswith("M")
