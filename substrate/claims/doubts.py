"""Words that leave open what a sentence says, and the names and nouns that look like them.

`Will owns it`, `in May` and `the Pro plan is` leave nothing open.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from substrate.claims.lexicon import COPULAS, DETERMINERS
from substrate.claims.words import DOUBT, SILENCE, Word

__all__ = ["with_nouns"]

_MONTH: Final = "May"
_NAMES: Final = frozenset(("Will", "Hope"))
_WHO: Final = frozenset(("i", "we", "you", "they", "to", "and", "who"))
"""Behind these `plan` is a verb."""


def with_nouns(words: Sequence[Word]) -> list[Word]:
    """The words; names and nouns among them say something, and leave nothing open."""
    return [
        word._replace(marks=word.marks & ~(DOUBT | SILENCE)) if word.marks & DOUBT and _is_noun(words, i) else word
        for i, word in enumerate(words)
    ]


def _is_noun(words: Sequence[Word], i: int) -> bool:
    raw, lower = words[i].raw, words[i].lower
    before = words[i - 1] if i else None
    behind = words[i + 1].lower if i + 1 < len(words) else ""
    if raw == _MONTH:
        return i > 0
    if raw in _NAMES:
        return behind in COPULAS or behind.endswith("s")
    if lower == "planning":
        return before is not None and before.lower in DETERMINERS and behind not in COPULAS
    if lower != "plan" or before is None or before.lower in _WHO or behind == "to":
        return False
    if before.lower.endswith("s") and before.raw[:1].islower() and before.lower not in DETERMINERS:
        return False  # `our customers plan a move`
    return not (behind in COPULAS and words[i + 2 : i + 3] and words[i + 2].lower == "to")  # `the plan is to move`
