"""Standing instructions of the user among the hits of a question that they govern."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from substrate.search.conversation.turns import Turns
from substrate.views.turns import STANDING

__all__ = ["rules_in", "standing"]

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

_RULES: Final = 4
_RULE: Final = 0.7
"""So many instructions join the hits of a question, at this share of the best score."""
_KIND: Final = 0.3
"""How near an instruction must be to a question that does not ask for work."""
_RULES_READ: Final = 64


def rules_in(standing: Ints, mask: Mask) -> Ints:
    """Those of the standing instructions that the mask has, the newest."""
    return standing[mask[standing]][-_RULES_READ:] if len(standing) else standing


def standing(turns: Turns, vectors: Floats | None, query: Floats | None, score: Floats) -> Floats:
    """What is added to the instructions that govern the question: all do, if it asks for work, and else the near."""
    added = np.zeros(len(score), np.float32)
    rules = np.flatnonzero(turns.flags & STANDING != 0)
    if not len(rules):
        return added
    near = np.zeros(len(rules), np.float32)
    if vectors is not None and query is not None:
        near = np.nan_to_num(vectors[rules] @ query)
    if not turns.addressed.work:
        rules, near = rules[near >= _KIND], near[near >= _KIND]
    rules = rules[np.argsort(-near, kind="stable")[:_RULES]]
    added[rules] = np.maximum(0, _RULE * score.max() - score[rules])
    return added
