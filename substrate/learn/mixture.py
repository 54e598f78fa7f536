"""The mixture: parts that each say who is needed, weighed by how far each was right. Pure.

A part is a mapping from atoms to shares that sum to at most one; what is missing to one it leaves to the others. The
weights are learnt online by expectation and maximisation: after each session a part gains by what it explained of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from math import frexp, ldexp, sqrt
from typing import Final, Literal, NamedTuple, TypeAlias, TypeVar

from substrate.views.learned.counts import Tally

__all__ = [
    "PRIORS",
    "Explained",
    "Part",
    "Parts",
    "Scaled",
    "Wide",
    "best",
    "explain",
    "highest",
    "improved",
    "in_factors",
    "leading",
    "mix",
    "question_of",
    "weights_of",
]

Key = TypeVar("Key", bytes, int)
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
        "taught": 0.1,
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
_BITS: Final = 16
"""To so many bits factors are rounded up, to be bounds that stay the same for a quarter of an hour."""
_SURELY: Final = 1 - 2 ** (3 - _BITS)
"""By more than what rounding up adds: what is below such a part of a bound is below what that is a bound of."""


class Scaled(Mapping[bytes, float]):
    """Amounts, each times a factor: a part that is not written out as shares, since few of these are ever asked for."""

    __slots__ = ("amounts", "factor")

    def __init__(self, amounts: Mapping[bytes, float], total: float) -> None:
        """Shares of a total."""
        self.amounts = amounts
        self.factor = 1 / total

    def __getitem__(self, item: bytes) -> float:
        return self.amounts[item] * self.factor

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.amounts)

    def __len__(self) -> int:
        return len(self.amounts)

    def __contains__(self, item: object) -> bool:
        return item in self.amounts

    def get(self, item: bytes, default: float | None = None) -> float | None:  # type: ignore[override]
        """The share of an atom. That of `Mapping` raises an error on the way, and catches it."""
        amount = self.amounts.get(item)
        return default if amount is None else amount * self.factor


class Wide(Scaled):
    """What a whole domain says: one of a row's two counts, each times a factor.

    Such a part names hundreds of atoms, and is the same at call after call. So who looks for the best need not look at
    all of it: see `leading`.
    """

    __slots__ = ("tally", "which")

    def __init__(self, tally: Tally, which: Literal[0, 1], total: float) -> None:
        """Shares of a total."""
        super().__init__(tally.by_target(which), total)
        self.tally = tally
        self.which = which


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
    mixed: defaultdict[bytes, float] = defaultdict(float)
    for name, part in parts.items():
        weight = weights.get(name, 0.0)
        if weight >= _SLIGHT:
            shares: Mapping[bytes, float] = part
            if isinstance(part, Scaled):
                shares, weight = part.amounts, weight * part.factor
            for item, share in shares.items():
                mixed[item] += weight * share
    for item in mixed.keys() & gone:
        del mixed[item]
    return mixed


def leading(
    parts: Parts, weights: Mapping[str, float], count: int, gone: Container[bytes] = ()
) -> list[tuple[bytes, float]]:
    """The same as `best(mix(parts, weights, gone), count)`; of atoms that cannot be among them, less is added up.

    An atom that has `least` has all of it of wide parts, or half of it of wide parts, or half of it of the others.
    Where the longest of these adds little to any atom, that little is taken from `least`, and the part is left out.
    """
    said = [(part, weights.get(name, 0.0)) for name, part in parts.items() if part]
    said = [(part, weight) for part, weight in said if weight >= _SLIGHT]
    rows = [(part.tally, part.which, _rounded_up(weight * part.factor)) for part, weight in said if type(part) is Wide]
    wide = _bounds(tuple(rows))
    longest, narrow, unit = _narrow([(part, weight) for part, weight in said if type(part) is not Wide])
    in_order = (bound for item, bound in wide.items() if item not in gone)
    least = next(islice(in_order, max(0, count - 1), None), 0.0) * _SURELY  # rounded up: an atom may have less
    most = max(longest.values(), default=0.0) * unit
    if 2 * most >= least:
        longest, narrow, most = {}, _added(dict(longest), narrow), 0.0
    half = (least - most) / 2
    others = [item for item, amount in narrow.items() if amount * unit >= half and item not in gone]
    if len(others) > count:
        told = sorted([narrow[item] for item in others], reverse=True)[count - 1] * unit
        least = max(least, told * _SURELY)
        half = (least - most) / 2
        others = [item for item in others if narrow[item] * unit >= half]
    first = []
    for item, bound in wide.items():
        if bound < half:
            break
        if (bound >= 2 * half or item in narrow) and item not in gone:
            first.append(item)
    some = (*first, *others)
    bounds = {at: wide.get(at, 0.0) + (narrow.get(at, 0.0) + longest.get(at, 0.0)) * unit for at in some}
    if len(bounds) > count:
        least = sorted(bounds.values(), reverse=True)[count - 1] * _SURELY
    summed = [(*in_factors(part), weight) for part, weight in said]
    return best(
        {
            item: sum([weight * (amounts.get(item, 0.0) * factor) for amounts, factor, weight in summed])
            for item, bound in bounds.items()
            if bound >= least
        },
        count,
    )


def in_factors(part: Part) -> tuple[Mapping[bytes, float], float]:
    """A part as amounts, and what each is to be multiplied by: who asks for many asks these."""
    return (part.amounts, part.factor) if isinstance(part, Scaled) else (part, 1.0)


def _narrow(said: Sequence[tuple[Part, float]]) -> tuple[Mapping[bytes, float], dict[bytes, float], float]:
    """The longest of parts that are not wide, what the others say together, and the unit that both are in.

    It is that of the longest: so that one is not multiplied out.
    """
    if not said:
        return {}, {}, 1.0
    factors = [(*in_factors(part), weight) for part, weight in said]
    whole = [(amounts, weight * factor) for amounts, factor, weight in factors]
    whole.sort(key=lambda one: -len(one[0]))
    longest, unit = whole[0]
    narrow: dict[bytes, float] = {}
    for amounts, weight in whole[1:]:
        _added(narrow, amounts, weight / unit)
    return longest, narrow, unit


def _added(narrow: dict[bytes, float], amounts: Mapping[bytes, float], factor: float = 1.0) -> dict[bytes, float]:
    for item, amount in amounts.items():
        if item in narrow:  # twice as fast as a default, of atoms that are mostly new
            narrow[item] += factor * amount
        else:
            narrow[item] = factor * amount
    return narrow


@lru_cache(32)
def _bounds(rows: tuple[tuple[Tally, Literal[0, 1], float], ...]) -> dict[bytes, float]:
    """What each atom has by these counts and factors together, the highest first."""
    bounds: defaultdict[bytes, float] = defaultdict(float)
    for tally, which, factor in rows:
        for item, count in tally.by_target(which).items():
            bounds[item] += count * factor
    return dict(sorted(bounds.items(), key=lambda item: -item[1]))


def _rounded_up(factor: float) -> float:
    share, power = frexp(factor)
    return ldexp(int(share * 2**_BITS) + 2, power - _BITS)  # by more than what rounding may take from a sum


def best(mixed: Mapping[bytes, float], count: int) -> list[tuple[bytes, float]]:
    """The highest shares, in an order that does not depend on how they were found."""
    return [(item, share) for share, item in sorted(highest(mixed, count), reverse=True)]


def highest(amounts: Mapping[Key, float], count: int) -> list[tuple[float, Key]]:
    """So many of the highest amounts, each with its key; of equal ones those with the highest keys. In no order."""
    if len(amounts) <= count:
        return [(amount, key) for key, amount in amounts.items()]
    if count <= 0:
        return []
    # To sort numbers alone is several times faster than a heap of pairs.
    least = sorted(amounts.values(), reverse=True)[count - 1]
    above = [(amount, key) for key, amount in amounts.items() if amount > least]
    equal = sorted([key for key, amount in amounts.items() if amount == least], reverse=True)
    return above + [(least, key) for key in equal[: count - len(above)]]


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
