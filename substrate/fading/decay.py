"""How an atom fades: what time leaves of it, by three models. Pure.

    score = (uses + 1) ** 0.6 * f(seconds since its last use) * strength

    power_law      f = (1 + t / t0) ** -1.1, with t0 such that f is a half after the half-life
    exponential    f = exp(-l * t)
    two_component  f = 0.7 * exp(-1.603e-5 * t) + 0.3 * exp(-1.147e-6 * t): half-lives of 12 hours and 7 days

Constants and thresholds are those of CortexGraph, so that scores can be compared with its own. Its rate of the
exponential is rounded, and taken as it is where the half-life is the usual one of three days.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from substrate.errors import InputError
from substrate.messages import Arg

__all__ = [
    "DEFAULT",
    "FORGET",
    "MODELS",
    "MOST_STRENGTH",
    "OFTEN",
    "OLD_DAYS",
    "PROMOTE",
    "REVIEW",
    "SOME_USES",
    "USE_POWER",
    "Decay",
    "is_worth_keeping",
    "priority_of",
    "read_decay",
    "score_of",
]

MODELS: Final = ("power_law", "exponential", "two_component")
USE_POWER: Final = 0.6
MOST_STRENGTH: Final = 2.0
FORGET: Final = 0.05
"""Below it, an atom may be swept."""
PROMOTE: Final = 0.65
"""From it on, an atom is worth keeping; unless it is merely new."""
REVIEW: Final = (0.15, 0.35)
"""Between these, a look at an atom helps it most."""
_DAY: Final = 86_400.0
_HALF_LIFE: Final = 3 * _DAY
_SHORTEST, _LONGEST = 60.0, 36_500 * _DAY
_ALPHA: Final = 1.1
_RATE: Final = 2.673e-6
_FAST, _SLOW, _SHARE = 1.603e-5, 1.147e-6, 0.7
OLD_DAYS: Final = 1.0
SOME_USES: Final = 3
OFTEN: Final = 5
_LATELY_DAYS: Final = 14.0


@dataclass(frozen=True, slots=True)
class Decay:
    """A model and its half-life in seconds; two_component has none to choose."""

    model: str = MODELS[0]
    half_life: float = _HALF_LIFE

    @property
    def power_law_scale(self) -> float:
        """The t0 of the power law, in seconds."""
        return float(self.half_life / (2 ** (1 / _ALPHA) - 1))

    @property
    def rate(self) -> float:
        """The rate of the exponential, per second."""
        return _RATE if self.half_life == _HALF_LIFE else math.log(2) / self.half_life

    def left(self, seconds: float) -> float:
        """What is left after so long without use, 0 to 1. A time before the last use counts as none."""
        t = max(0.0, seconds)
        if self.model == "power_law":
            return float((1 + t / self.power_law_scale) ** -_ALPHA)
        if self.model == "exponential":
            return math.exp(-self.rate * t)
        return _SHARE * math.exp(-_FAST * t) + (1 - _SHARE) * math.exp(-_SLOW * t)

    def terms(self) -> tuple[tuple[float, float], ...]:
        """The model as a sum of exponentials (share, rate); empty for the power law."""
        if self.model == "exponential":
            return ((1.0, self.rate),)
        return ((_SHARE, _FAST), (1 - _SHARE, _SLOW)) if self.model == "two_component" else ()

    @property
    def power(self) -> float:
        """The exponent of the power law."""
        return -_ALPHA


DEFAULT: Final = Decay()


def score_of(decay: Decay, uses: int, seconds: float, strength: float) -> float:
    """How present an atom is that was used so often, last so long ago."""
    return float((uses + 1) ** USE_POWER) * decay.left(seconds) * strength


def priority_of(score: float) -> float:
    """How much a review would help an atom with this score: most in the middle of the zone, and not outside of it."""
    low, high = REVIEW
    middle, width = (low + high) / 2, (high - low) / 2
    return max(0.0, 1 - ((score - middle) / width) ** 2)


def is_worth_keeping(score: float, uses: int, age_days: float) -> str:
    """Why an atom should be kept for good; empty: it should not, or not yet. A new one scores high by itself."""
    if score >= PROMOTE and (uses >= SOME_USES or age_days >= OLD_DAYS):
        return f"score {score:.2f}"
    if uses >= OFTEN and age_days <= _LATELY_DAYS:
        return f"used {uses} times in {max(1, math.ceil(age_days))} days"
    return ""


def read_decay(model: object, half_life: object, before: Decay) -> Decay:
    """The choice that a caller makes; what is None stays as it was. InputError.

    A half-life is a number of days, or a text such as `36h`, `3d` or `2w`.
    """
    chosen = before.model if model is None else model
    if chosen not in MODELS or not isinstance(chosen, str):
        raise InputError(Arg("model"), f" is one of {', '.join(MODELS)}")
    if half_life is None:
        return Decay(chosen, before.half_life)
    if chosen == "two_component":
        raise InputError(Arg("half_life"), " cannot be chosen for two_component: it has two of its own. Leave it out")
    seconds = _seconds(half_life)
    if not _SHORTEST <= seconds <= _LONGEST:
        raise InputError(Arg("half_life"), " is from one minute to a hundred years, such as 3d or 36h")
    return Decay(chosen, seconds)


_UNITS: Final = {"m": 60.0, "h": 3600.0, "d": _DAY, "w": 7 * _DAY}


def _seconds(given: object) -> float:
    if isinstance(given, int | float) and not isinstance(given, bool):
        return float(given) * _DAY
    text = given.strip().lower() if isinstance(given, str) else ""
    number, unit = (text[:-1], text[-1:]) if text[-1:] in _UNITS else (text, "d")
    try:
        count = float(number)
    except ValueError:
        count = math.nan
    if not math.isfinite(count) or not number.isascii():
        raise InputError(Arg("half_life"), " is a number of days, or a time such as 3d, 36h or 90m")
    return count * _UNITS[unit]
