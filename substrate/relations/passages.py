"""Whether two passages contradict each other: sentence by sentence, by what each claims.

A pair of sentences is in conflict if their claims contradict each other, or if one is the other denied. It agrees if
both claim the same. Of most pairs neither can be told, and that is said.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple

from substrate.claims.compare import contradiction
from substrate.claims.read import Claim, read_claim
from substrate.claims.words import CLAUSE, DOUBT, content_of, undenied, words_of
from substrate.relations.clauses import sentences_of

__all__ = ["AGREE", "CANNOT_TELL", "CONFLICT", "Pair", "compare_passages"]

CONFLICT: Final = "conflict"
AGREE: Final = "agree"
CANNOT_TELL: Final = "cannot tell"
_MOST: Final = 64
"""Sentences of each passage that are compared."""
_NAME: Final = "v1.note.1"
"""A name that says nothing: the sentence says what it is about."""
_SINCE: Final = re.compile(r"(?:since|as of|from)\s+[^,]{1,30},\s+(?=.*\bno longer\b)", re.IGNORECASE)
"""What a sentence begins with that denies what holds, and says since when: it is denied now all the same."""
_LONGEST: Final = 20
"""Words of a sentence that is compared word by word."""


class Pair(NamedTuple):
    """A sentence of each, what they are to each other, and why."""

    verdict: str
    first: str
    second: str
    kind: str
    """value, number, date or negation; of an agreement `same`."""
    reason: str


class _Said(NamedTuple):
    text: str
    claim: Claim | None
    words: frozenset[str]
    """Those that say something; empty if it is no plain statement."""
    affirmed: bool
    since: str
    """What it begins with to say since when it is denied; not part of the others."""


def compare_passages(first: str, second: str) -> tuple[Pair, ...]:
    """All pairs of which something can be told, conflicts first."""
    ours, theirs = (
        [_said(text) for text in islice((" ".join(one.split()) for one in sentences_of(passage)), _MOST)]
        for passage in (first, second)
    )
    pairs = [pair for one in ours for other in theirs if (pair := _pair(one, other)) is not None]
    return tuple(sorted(pairs, key=lambda pair: pair.verdict != CONFLICT))


@lru_cache(maxsize=1024)
def _said(text: str) -> _Said:
    lead = _SINCE.match(text)
    since = "" if lead is None else lead[0]
    plainly = text[len(since) :]
    words = words_of(plainly)
    marks = 0
    for word in words:
        marks |= word.marks
    affirmed, kept = undenied(words) if words else (True, [])
    plain = bool(kept) and len(words) <= _LONGEST and not marks & (DOUBT | CLAUSE)
    return _Said(
        text, read_claim(_NAME, plainly), frozenset(content_of(kept)) if plain else frozenset(), affirmed, since
    )


def _pair(one: _Said, other: _Said) -> Pair | None:
    if one.since and other.since and one.since.lower() != other.since.lower():
        return None  # two times
    if one.claim is not None and other.claim is not None:
        found = contradiction(one.claim, other.claim)
        if found is not None:
            return Pair(CONFLICT, one.text, other.text, found.kind, found.reason)
    if one.words and one.words == other.words:
        if one.affirmed != other.affirmed:
            return Pair(CONFLICT, one.text, other.text, "negation", f"“{one.text}” contradicts “{other.text}”")
        return Pair(AGREE, one.text, other.text, "same", "both say the same")
    if one.claim is not None and other.claim is not None and _is_same(one.claim, other.claim):
        return Pair(AGREE, one.text, other.text, "same", f"{one.claim.written} is {other.claim.written}")
    return None


def _is_same(one: Claim, other: Claim) -> bool:
    """Whether two claims say the same of the same."""
    if one.kind != other.kind or one.topic != other.topic or one.affirmed != other.affirmed or not one.topic:
        return False
    if one.amount is not None and other.amount is not None:
        return one.amount.dimension == other.amount.dimension and one.amount.number == other.amount.number
    if one.day is not None and other.day is not None:
        return one.day == other.day
    return one.kind == "truth" or (bool(one.thing) and one.thing == other.thing)
