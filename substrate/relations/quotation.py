"""Whether what is quoted of a text is said there: whole clauses, in a sentence whose rest takes nothing of it back.

Words that are cut out of a sentence can say its contrary: of `It is false that A uses B` the end is `A uses B`.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import Final

from substrate.relations.clauses import END
from substrate.relations.grounding import is_denied, is_doubted

__all__ = ["is_said"]

_SIGNS: Final = ".,:;!?|()\u2013\u2014"
_JOINS: Final = r"(?:and|but|so|while|because)"
_FILLING: Final = "\"'*_>#-"
"""What may stand between a clause and what comes before it, beside spaces and line ends."""
_BREAKS: Final = re.compile(r"[\n\r]|\s-")
_BEFORE: Final = re.compile(rf"(?:[{_SIGNS}]|\b{_JOINS})$", re.IGNORECASE)
_LONGEST_JOIN: Final = 12
_PLACES: Final = 100
"""Where a quotation stands so often, the first places are enough."""
_BEHIND: Final = re.compile(rf"[ \t\"'*_]*(?:$|[\n\r{_SIGNS}]|-\s|{_JOINS}\b)", re.IGNORECASE)
_WORD: Final = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?")


def is_said(quote: str, text: str) -> bool:
    """Whether the quotation stands in the text as whole clauses, and the rest of its sentence does not deny it.

    Spaces and line ends are alike within it. A question says nothing; neither does what follows a word of doubt.
    """
    words = quote.strip().rstrip(_SIGNS).split()
    if not words:
        return False
    places = re.finditer(r"\s+".join(map(re.escape, words)), text)
    return any(_stands(text, place.start(), place.end()) for place in islice(places, _PLACES))


def _begins_clause(text: str, at: int) -> bool:
    """Whether a clause begins there. In one pass: a text from anywhere may have thousands of line ends or dashes."""
    start = at
    while start and (text[start - 1].isspace() or text[start - 1] in _FILLING):
        start -= 1
    if not start or _BREAKS.search(text, start, at):
        return True
    return _BEFORE.search(text[max(0, start - _LONGEST_JOIN) : start]) is not None


def _stands(text: str, start: int, end: int) -> bool:
    if not _begins_clause(text, start) or _BEHIND.match(text, end) is None:
        return False
    begins, ends, asks = 0, len(text), False
    for one in END.finditer(text):
        if one.end() <= start:
            begins = one.end()
        elif one.start() >= end:
            ends, asks = one.start(), "?" in one[0]
            break
    before, behind = ([word.lower() for word in _WORD.findall(part)] for part in (text[begins:start], text[end:ends]))
    return not (asks or is_denied(before) or is_doubted(before) or is_denied(behind))
