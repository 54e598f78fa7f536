"""The passage of a text that matches best, with the places of the matched words in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple

from substrate.text.terms import Span, matching

__all__ = ["Snippet", "snippet_of", "together"]

_LENGTH: Final = 240
_LEAD: Final = 40
"""Characters that are shown, and how many of them before the first matched word."""
_LOOKED_AT: Final = 20_000
"""Characters of a text that are looked at: in a whole megabyte nobody looks for the nicest passage."""


class Snippet(NamedTuple):
    """A passage, and where in it matched words begin and end."""

    text: str
    marks: tuple[tuple[int, int], ...]


def snippet_of(text: str, terms: AbstractSet[str]) -> Snippet:
    """The passage with the most different terms. Whole, if the text is short; cut ends show as an ellipsis."""
    found = matching(text[:_LOOKED_AT], terms) if terms else []
    start, stop = 0, len(text)
    if stop > _LENGTH:
        start, _ = _best(found, terms)
        start, stop = _at_words(text, start, min(stop, start + _LENGTH))
    before, behind = "…" if start else "", "…" if stop < len(text) else ""
    shift = len(before) - start
    marks: list[tuple[int, int]] = []
    for begin, end, _ in found:
        if start <= begin and end <= stop and (not marks or begin + shift >= marks[-1][1]):
            marks.append((begin + shift, end + shift))
    return Snippet(before + text[start:stop] + behind, tuple(marks))


def together(text: str, terms: AbstractSet[str]) -> float:
    """Which share of the different terms that a text has is in one passage of it: 1 if that is all of them."""
    if len(text) <= _LENGTH:
        return 1.0
    found = matching(text[:_LOOKED_AT], terms)
    has = {term for span in found for term in span.terms if term in terms}
    return _best(found, terms)[1] / len(has) if has else 1.0


def _best(found: list[Span], terms: AbstractSet[str]) -> tuple[int, int]:
    """Where the passage with the most different terms begins, and how many: a window moved over the matched words."""
    inside: Counter[str] = Counter()
    best, most, first = 0, 0, 0
    for at, span in enumerate(found):
        inside.update(term for term in span.terms if term in terms)
        while first < at and found[first].start < span.end - (_LENGTH - _LEAD):
            inside.subtract(term for term in found[first].terms if term in terms)
            inside += Counter()  # without those that left
            first += 1
        if len(inside) > most:
            best, most = found[first].start, len(inside)
    return max(0, best - _LEAD), most


def _at_words(text: str, start: int, stop: int) -> tuple[int, int]:
    """Both ends moved to where a word begins or ends, if one does nearby."""
    if start and (space := text.find(" ", start, start + _LEAD)) >= 0:
        start = space + 1
    if stop < len(text) and (space := text.rfind(" ", stop - _LEAD, stop)) > start:
        stop = space
    return start, stop
