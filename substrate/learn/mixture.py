"""The mixture: parts that each say who is needed, weighed by how far each was right. Pure.

A part is a mapping from atoms to shares that sum to at most one; what is missing to one it leaves to the others. The
weights are learnt online by expectation and maximisation: after each session a part gains by what it explained of it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from heapq import nlargest
from math import sqrt
from typing import Final, NamedTuple, TypeAlias

__all__ = ["PRIORS", "Explained", "Part", "Parts", "best", "explain", "improved", "mix", "question_of", "weights_of"]

Part: TypeAlias = Mapping[bytes, float]
Parts: TypeAlias = Mapping[str, Part]

PRIORS: Final[dict[str, dict[str, float]]] = {
    "next": {
        "next": 0.24,
        "skip": 0.12,
        "spread": 0.06,
        "episodes": 0.15,
        "start": 0.05,
        "usage": 0.05,
        "recent": 0.06,
        "repeat": 0.22,
        "edges": 0.05,
    },
    "new": {
        "next": 0.3,
        "skip": 0.13,
        "spread": 0.07,
        "episodes": 0.2,
        "start": 0.08,
        "usage": 0.09,
        "recent": 0.08,
        "edges": 0.05,
    },
    "need": {
        "next": 0.1,
        "skip": 0.15,
        "spread": 0.1,
        "episodes": 0.25,
        "start": 0.1,
        "usage": 0.15,
        "recent": 0.1,
        "edges": 0.05,
    },
    "goal": {
        "goals": 0.35,
        "match": 0.2,
        "seeds": 0.15,
        "start": 0.07,
        "usage": 0.1,
        "recent": 0.08,
        "edges": 0.05,
    },
}
"""What a store begins with, by question: the next atom, the next new one, what the session needs, the same by its
objective. Round numbers between those that different kinds of work led to."""
_LEAST: Final = 1e-5
"""A weight that is nothing could never grow again."""
_SLIGHT: Final = 1e-4
"""What has less weight is not worth adding up."""
_MOST_EVIDENCE: Final = 2


class Explained(NamedTuple):
    """What parts explained of what happened: the share of each, summed up over so many targets."""

    shares: dict[str, float]
    targets: int


def question_of(question: str, opened: int) -> str:
    """Under which name the weights for a question are kept, with so many atoms open."""
    return f"{question}{min(opened, _MOST_EVIDENCE)}"


def weights_of(question: str, learnt: Mapping[str, float]) -> dict[str, float]:
    """The weights in force: those learnt, and of parts that are not among them what the prior says."""
    prior = PRIORS[question.rstrip("0123456789")]
    weights = {part: learnt.get(part, share) for part, share in prior.items()}
    total = sum(weights.values())
    return {part: weight / total for part, weight in weights.items()}


def mix(parts: Parts, weights: Mapping[str, float], gone: Collection[bytes] = ()) -> dict[bytes, float]:
    """The shares of all parts together, but for some atoms."""
    mixed: dict[bytes, float] = {}
    for name, part in parts.items():
        weight = weights.get(name, 0.0)
        if weight >= _SLIGHT:
            for item, share in part.items():
                mixed[item] = mixed.get(item, 0.0) + weight * share
    for item in gone:
        mixed.pop(item, None)
    return mixed


def best(mixed: Mapping[bytes, float], count: int) -> list[tuple[bytes, float]]:
    """The highest shares, in an order that does not depend on how they were found."""
    found = nlargest(count, zip(mixed.values(), mixed.keys(), strict=True))
    return [(item, share) for share, item in found]


def explain(parts: Parts, weights: Mapping[str, float], targets: Collection[bytes]) -> Explained | None:
    """What each part explained of these targets; None if nothing was."""
    shares: dict[str, float] = dict.fromkeys(weights, 0.0)
    explained = 0
    for target in targets:
        said = {name: weights.get(name, 0.0) * part.get(target, 0.0) for name, part in parts.items()}
        total = sum(said.values())
        if total > 0:
            explained += 1
            for name, share in said.items():
                shares[name] = shares.get(name, 0.0) + share / total
    return Explained(shares, explained) if explained else None


def improved(weights: Mapping[str, float], explained: Explained) -> dict[str, float]:
    """The weights after that: a step towards what was explained, the longer the more targets there were."""
    step = min(0.2, 0.02 * sqrt(explained.targets))
    moved = {
        name: (1 - step) * weight + step * explained.shares.get(name, 0.0) / explained.targets + _LEAST
        for name, weight in weights.items()
    }
    total = sum(moved.values())
    return {name: weight / total for name, weight in moved.items()}
