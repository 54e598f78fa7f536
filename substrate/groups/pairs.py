"""Which rows of vectors lie near each other. Pure: arrays in, pairs out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Floats", "Pair", "in_blocks", "one_by_one"]

Floats = NDArray[np.float32]
Tell = Callable[[int], None]

_BLOCK: Final = 1024
"""Rows that are compared with all others at once."""
EACH: Final = 128
"""Of what is near a row, so many of the nearest are kept. A group is smaller than that, and single link needs fewer."""


class Pair(NamedTuple):
    """Two rows, the first before the second, and their inner product."""

    first: int
    second: int
    similarity: float


def in_blocks(vectors: Floats, threshold: float, tell: Tell, rows: NDArray[np.int64] | None = None) -> list[Pair]:
    """All pairs of rows of length one that are at least so near; with `rows`, those that have one of these rows.

    `tell` is called with how many rows are done. The work grows with the square of their number.
    """
    meant = np.arange(len(vectors)) if rows is None else rows
    is_meant = np.zeros(len(vectors), np.bool_)
    is_meant[meant] = True
    pairs: list[Pair] = []
    for at in range(0, len(meant), _BLOCK):
        block = meant[at : at + _BLOCK]
        likeness = vectors[block] @ vectors.T
        # A pair of two rows that are both meant is seen from both: it counts where the first of them is looked at.
        for place, row in enumerate(block.tolist()):
            near = np.flatnonzero(likeness[place] >= threshold)
            near = near[(near > row) | ~is_meant[near]]
            if len(near) > EACH:
                near = near[np.argsort(-likeness[place, near], kind="stable")[:EACH]]
            pairs += [_pair(row, other, float(likeness[place, other])) for other in near.tolist()]
        tell(at + len(block))
    return pairs


def one_by_one(
    vectors: Floats, threshold: float, tell: Tell, nearest: Callable[[Floats], NDArray[np.int64]]
) -> list[Pair]:
    """The same, where all with all would be too many: `nearest` gives some rows that lie near a vector.

    A vector of zeros stands for none, and lies near nothing.
    """
    found: dict[tuple[int, int], float] = {}
    has_vector = (vectors != 0).sum(axis=1).tolist()
    for row, vector in enumerate(vectors):
        others = nearest(vector) if has_vector[row] else np.empty(0, np.int64)
        others = others[others != row]
        likeness = vectors[others] @ vector
        for other, similarity in zip(others.tolist(), likeness.tolist(), strict=True):
            if similarity >= threshold:
                found[min(row, other), max(row, other)] = similarity
        if not row % _BLOCK:
            tell(row)
    tell(len(vectors))
    return [Pair(first, second, similarity) for (first, second), similarity in found.items()]


def _pair(row: int, other: int, similarity: float) -> Pair:
    return Pair(min(row, other), max(row, other), similarity)
