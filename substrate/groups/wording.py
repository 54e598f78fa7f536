"""Texts as vectors of their words, for what has no vector of a model yet; and what keeps two texts apart.

The similarity of two texts is the root of the cosine of their words, each weighed by how rare it is among the texts:
measured on notes that were said twice, a threshold then means about the same as for vectors of a model.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from math import log, sqrt
from typing import Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from substrate.groups.pairs import Pair, Tell, in_blocks
from substrate.text.terms import query_terms

__all__ = ["Wordings", "apart", "differ"]

_WIDTH: Final = 512
"""Words are thrown into so many places. What meets by chance there is found out: pairs are compared word by word."""
_CHANCE: Final = 0.15
_APART: Final = 0.85
"""What is left of the similarity of two texts that differ in a number, or of which one says no."""
_NUMBER: Final = re.compile(r"\d+(?:[.,:/-]\d+)*")
_NO: Final = re.compile(r"\b(?:not|never|no|without|nor|cannot)\b|n['\u2019]t\b", re.IGNORECASE)


class Wordings:
    """The words of some texts."""

    def __init__(self, texts: Sequence[str]) -> None:
        """Of each text the words that say something, with how rare they are among all these texts."""
        terms = [Counter(term.term for term in query_terms(text)) for text in texts]
        having = Counter(term for one in terms for term in one)
        rare = {term: log(1 + len(texts) / count) for term, count in having.items()}
        self._weights = [_unit({term: rare[term] * sqrt(often) for term, often in one.items()}) for one in terms]

    def near(self, threshold: float, tell: Tell, rows: NDArray[np.int64]) -> list[Pair]:
        """The pairs that have one of these texts, and whose similarity is at least so much."""
        vectors = np.zeros((len(self._weights), _WIDTH), np.float32)
        for row, weights in enumerate(self._weights):
            for term, weight in weights.items():
                thrown = crc32(term.encode())
                vectors[row, thrown % _WIDTH] += weight if thrown & (1 << 20) else -weight
        likely = in_blocks(vectors, threshold**2 - _CHANCE, tell, rows)
        exact = (Pair(one.first, one.second, self.similarity(one.first, one.second)) for one in likely)
        return [pair for pair in exact if pair.similarity >= threshold]

    def similarity(self, first: int, second: int) -> float:
        """How alike two texts are, from 0 to 1."""
        few, many = sorted((self._weights[first], self._weights[second]), key=len)
        cosine = sum(weight * many.get(term, 0.0) for term, weight in few.items())
        return sqrt(min(1.0, cosine))


def _unit(weights: Mapping[str, float]) -> dict[str, float]:
    length = sqrt(sum(weight * weight for weight in weights.values()))
    return {term: weight / length for term, weight in weights.items()} if length else {}


def differ(text: str) -> tuple[frozenset[str], bool]:
    """What tells a text from one that reads like it: the numbers in it, and whether it says no."""
    numbers = frozenset(number.replace(",", "") for number in _NUMBER.findall(text))
    return numbers, len(_NO.findall(text)) % 2 == 1


def apart(similarity: float, first: tuple[frozenset[str], bool], second: tuple[frozenset[str], bool]) -> float:
    """The similarity of two texts that are told apart like this: less, if each has a number that the other has not."""
    (numbers, says_no), (others, other_says_no) = first, second
    has_other = bool(numbers - others) and bool(others - numbers)
    return similarity * _APART if has_other or says_no != other_says_no else similarity
