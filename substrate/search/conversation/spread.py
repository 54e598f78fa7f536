"""Hits of many kinds: of a question for an order, a summary or a list."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["spread"]

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

_SPREAD: Final = 0.9
"""How much of its score a hit loses that says just what one before it says."""


def spread(vectors: Floats | None, beside: tuple[Ints, Ints], score: Floats) -> Floats:
    """What each loses that says what a better one says, or stands beside one: taken greedily, best first."""
    lost = np.zeros(len(score), np.float32)
    if vectors is None:
        return lost
    rows = np.nan_to_num(vectors)
    rows = rows - rows.mean(axis=0)
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.float32(1e-9))
    like = np.maximum(rows @ rows.T, 0)
    for places in beside:
        has = np.flatnonzero(places >= 0)
        like[has, places[has]] = like[places[has], has] = 1
    nearest = np.zeros(len(score), np.float32)
    value = score.copy()
    for _ in range(len(score)):
        best = int(np.argmax(value))
        lost[best] = score[best] - value[best]
        np.maximum(nearest, like[best], out=nearest)
        done = np.isneginf(value)
        value = score * (1 - _SPREAD * nearest)
        value[done] = -np.inf
        value[best] = -np.inf
    return -lost
