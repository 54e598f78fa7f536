"""Mixing weights: how far each part of the model was right so far, for each question and amount of evidence.

    mixing   question, a digit -> JSON: the part's name to its weight

A trace, and not worked out from the others: it says how predictions did that were made then. Names and texts are not
in it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite
from typing import Final

from substrate.errors import StoreDamaged
from substrate.kv.api import ReadTransaction
from substrate.kv.decoded import Decoded
from substrate.log.tables import MIXING
from substrate.messages import FSCK

__all__ = ["check_mixing", "mixing_row", "read_mixing"]

_MOST: Final = 1.0 + 1e-6
"""A weight that is nothing cannot be either: it could never grow again."""


def read_mixing(transaction: ReadTransaction, question: str) -> dict[str, float]:
    """The weights for a question (with its evidence), not to be changed; empty if none were learnt yet."""
    key = question.encode()
    row = transaction.get(MIXING, key)
    return {} if row is None else _WEIGHTS(key, row)


def _weights(row: bytes) -> dict[str, float]:
    try:
        said = json.loads(row)
        weights = {str(part): float(weight) for part, weight in said.items()}
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError):
        raise StoreDamaged("a row of mixing weights is malformed; run ", FSCK) from None
    if not all(isfinite(weight) and 0 < weight <= _MOST for weight in weights.values()):
        raise StoreDamaged("a row of mixing weights holds an invalid share; run ", FSCK)
    return weights


_WEIGHTS: Final = Decoded(_weights, 2**16)


def mixing_row(question: str, weights: Mapping[str, float]) -> tuple[str, bytes, bytes | None]:
    """The row that keeps them."""
    shares = {part: round(weight, 6) for part, weight in weights.items()}
    return MIXING, question.encode(), json.dumps(shares, sort_keys=True, separators=(",", ":")).encode()


def check_mixing(transaction: ReadTransaction) -> None:
    """StoreDamaged if a row is malformed."""
    for key, _ in transaction.scan(MIXING):
        read_mixing(transaction, key.decode("utf-8", "replace"))
