"""How much two atoms of different domains have to do with each other: parts from 0 to 1, and all together. Pure.

Each part is about as likely to be worth a look as its number says, and they are taken as independent: two weak ones
make a stronger one, and no number of them makes more than 1. What is stated already takes away from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import log, prod
from typing import Final

__all__ = ["FLOOR", "STATED", "meaning_part", "neighbours_part", "together", "words_part"]

FLOOR: Final = 0.15
"""Below, nothing is suggested."""
STATED: Final = -0.25
"""What a chain of two edges from one to the other takes away."""

_UNRELATED: Final = 0.3
_SAME: Final = 0.9
"""Cosines: texts that have nothing to do with each other reach the first, rewordings the second."""
_RAREST: Final = log(10_000)
"""The idf from which on a word that is no name says all that it can say."""
_NAME: Final = 0.8
_WORD: Final = 0.2
_NEIGHBOUR: Final = 0.5
"""What the best shared name, other word or neighbour counts alone. A word may be rare here and ordinary elsewhere."""


def meaning_part(cosine: float) -> float:
    """By how near their vectors are."""
    return min(1.0, max(0.0, (cosine - _UNRELATED) / (_SAME - _UNRELATED)))


def words_part(words: Iterable[tuple[float, bool]], versions: int) -> float:
    """By the rare words that both have: the idf of each among so many versions, and whether it is a name.

    A name is as rare as it is among these. Another word must be rare anywhere: in a small store none is.
    """
    rarest = log(1 + max(versions, 1))
    return _any(
        _NAME * _share(idf, rarest) ** 2 if is_name else _WORD * _share(idf, _RAREST) ** 2 for idf, is_name in words
    )


def neighbours_part(degrees: Iterable[int]) -> float:
    """By the atoms that both are joined to in the same way; each with how many are joined to it so. Hubs say little."""
    return _any(_NEIGHBOUR / (1 + log(max(1, degree))) for degree in degrees)


def together(parts: Mapping[str, float]) -> float:
    """All parts, those below 0 taken away at the end."""
    return min(1.0, max(0.0, _any(part for part in parts.values() if part > 0) + min(0.0, *parts.values(), 0.0)))


def _share(idf: float, most: float) -> float:
    return min(1.0, max(0.0, idf) / most)


def _any(chances: Iterable[float]) -> float:
    return 1 - prod(1 - chance for chance in chances)
