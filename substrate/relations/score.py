"""What a graph says of a relation: the score that HydraMem calls SR-MKG, with the true topology of both ends.

    score = 0.4 confidence + 0.4 jaccard + 0.05 typed - 0.3 isolated, from 0 to 1
    jaccard = common / (degree of one + degree of the other - common)

It never falls when confidence rises, nor when the two have one more neighbour in common.
"""

from __future__ import annotations

from typing import Final, NamedTuple

__all__ = ["HIGH", "LOW", "UNSAID", "Topology", "graph_score", "is_typed"]

HIGH: Final = 0.7
"""From here on the graph alone is enough."""
LOW: Final = 0.3
"""Below, the graph speaks against it."""
UNSAID: Final = 0.5
"""The confidence of who says none."""
_CONFIDENCE: Final = 0.4
_COMMON: Final = 0.4
_TYPED: Final = 0.05
_ISOLATED: Final = 0.3
_UNTYPED: Final = frozenset(("related_to", "related", "unknown", "associated_with", ""))


class Topology(NamedTuple):
    """How two atoms stand in a graph: neighbours of each, and those of both. A relation between the two counts not."""

    common: int = 0
    degrees: tuple[int, int] = (0, 0)


def is_typed(kind: str) -> bool:
    """Whether a type says more than that two things have to do with each other."""
    return kind not in _UNTYPED


def graph_score(confidence: float | None, kind: str, topology: Topology) -> float:
    """From 0 to 1. None, and 0, is a confidence that nobody said."""
    common, (one, other) = topology
    union = one + other - common
    score = _CONFIDENCE * (confidence or UNSAID) + _COMMON * (common / union if union > 0 else 0.0)
    score += _TYPED * is_typed(kind) - _ISOLATED * (not one or not other)
    return round(min(1.0, max(0.0, score)), 6)
