"""How well an atom is supported: a number from 0 to 1, with the parts it is made of. Pure.

Each part adds to the log-odds of the atom being right: 0 is even odds, which is where a plain atom stands that an agent
saved and nobody spoke of since. So the parts are read one by one, each moves the result one way only, and none can
leave the range. What is read through its commitment is what was recorded; what is not has no evidence at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp, log, log2
from typing import Final, NamedTuple

__all__ = ["HIGH_IMPACT", "Evidence", "Grounds", "evidence_of", "weigh"]

HIGH_IMPACT: Final = 0.65
"""What an atom must reach where a mistake is dear, unless the caller says another number."""
_ORIGINS: Final = {"user": 1.0, "agent": 0.0, "ingested": -1.0}
"""Of one who does not say it, as of an agent."""
_SOURCE: Final = 0.8
_UNSAID: Final = 0.75
"""The confidence of one who does not say it."""
_SURER: Final = 2.0
_UNSURE: Final = 4.0
"""Doubt that is admitted counts for more than certainty that is claimed."""
_CONFIRMED: Final = 0.7
_REFERRED: Final = 0.3
_USED: Final = 0.15
_AGED: Final = -0.3
_HALF_LIFE_S: Final = 365 * 86_400.0
_IN_CONFLICT: Final = -1.2
_SUSPECTED: Final = log(0.9)
"""Takes a tenth at most, wherever evidence stands, and once: a detector that is wrong makes nothing doubtful."""
_STALE: Final = -1.0
_MANY: Final = 15
"""Confirmations, references, uses or conflicts beyond this many add nothing."""


@dataclass(frozen=True, slots=True)
class Grounds:
    """What is known of an atom's support. The defaults are those of a plain atom, just recorded."""

    origin: str | None = None
    has_source: bool = False
    confidence: float | None = None
    confirmations: int = 0
    """How often the same was said again."""
    references: int = 0
    """Atoms in use that refer to it."""
    uses: float = 0
    """How often it was accessed."""
    age_s: float = 0
    """Seconds since it was last recorded or said again."""
    conflicts: int = 0
    """Open ones that somebody confirmed."""
    suspicions: int = 0
    """Open ones that only the detector saw."""
    is_stale: bool = False
    """Whether what it depends on has changed since."""
    is_proven: bool = True
    """Whether its body is the one that its entry, under the signed head, commits to."""


class Evidence(NamedTuple):
    """The number, and what each part added to the log-odds, but for those that added nothing."""

    value: float
    parts: Mapping[str, float]


def weigh(grounds: Grounds) -> Evidence:
    """The evidence for an atom. It never falls when one of its grounds becomes better and the others stay."""
    doubt = _UNSAID if grounds.confidence is None else min(max(grounds.confidence, 0.0), 1.0)
    parts = {"origin": _ORIGINS.get(grounds.origin or "agent", _ORIGINS["ingested"])}
    if grounds.has_source:
        parts["source"] = _SOURCE
    parts["confidence"] = (doubt - _UNSAID) * (_SURER if doubt > _UNSAID else _UNSURE)
    if grounds.confirmations > 0:
        parts["confirmed"] = _CONFIRMED * _often(grounds.confirmations)
    if grounds.references > 0:
        parts["referred"] = _REFERRED * _often(grounds.references)
    if grounds.uses > 0:
        parts["used"] = _USED * _often(grounds.uses)
    parts["age"] = _AGED * (1 - 2 ** (-max(grounds.age_s, 0.0) / _HALF_LIFE_S))
    parts["conflict"] = _IN_CONFLICT * _often(grounds.conflicts) + (_SUSPECTED if grounds.suspicions > 0 else 0.0)
    if grounds.is_stale:
        parts["stale"] = _STALE
    said = {part: added for part, added in parts.items() if added}
    return Evidence(evidence_of(said) if grounds.is_proven else 0.0, said)


def evidence_of(parts: Mapping[str, float]) -> float:
    """The number that parts of log-odds make."""
    return 1 / (1 + exp(-sum(parts.values())))


def _often(times: float) -> float:
    """The first time counts for 1, and each doubling for as much again."""
    return log2(1 + min(times, _MANY)) if times > 0 else 0.0
