"""Atoms with their scores, a curve, and what was done, as the page shows them: plain dictionaries. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from substrate.fading.decay import FORGET, PROMOTE, REVIEW
from substrate.result import iso

if TYPE_CHECKING:
    from substrate.values.review.fading import FadingAtom, FadingCurve, FadingModel, Swept, Touched

__all__ = ["THRESHOLDS", "Told", "atoms_shown", "curve_shown", "model_shown", "swept_shown", "touched_shown"]

Told = dict[str, object]
THRESHOLDS: Final = {"forget": FORGET, "review": list(REVIEW), "promote": PROMOTE}
_DAY: Final = timedelta(days=1)
_CHARACTERS: Final = 300
"""Of a value."""


def atoms_shown(items: Iterable[FadingAtom]) -> list[Told]:
    """A row for each."""
    return [
        {
            "name": one.name,
            "value": one.atom.value[:_CHARACTERS],
            "score": one.score,
            "uses": one.uses,
            "strength": one.strength,
            "last": iso(one.last_used),
            "idle": max(0.0, one.age_days - (one.last_used - one.created_at) / _DAY),
            "status": one.status,
        }
        for one in items
    ]


def curve_shown(curve: FadingCurve) -> Told:
    """Points, uses and falls of one atom. Times are milliseconds since 1970, as a page counts them."""
    (faded,) = atoms_shown([curve.faded])
    return faded | {
        "now": curve.now.timestamp() * 1000,
        "points": [[one.time.timestamp() * 1000, one.score] for one in curve.items],
        "touches": [
            {"time": one.time.timestamp() * 1000, "score": one.score, "times": one.times, "kind": one.kind}
            for one in curve.uses
        ],
        "falls": [{"when": iso(one.time), "score": one.score, "means": one.means} for one in curve.falls],
    }


def model_shown(model: FadingModel) -> str:
    """How the store fades, in words."""
    name = model.model.replace("_", " ")
    return name if model.half_life is None else f"{name}, half-life {model.half_life:g} days"


def touched_shown(touched: Touched) -> str:
    """What a touch did."""
    (one,) = touched
    return f"{one.name}: the score rose from {one.before:.2f} to {one.after:.2f}."


def swept_shown(swept: Swept) -> str:
    """What a sweep did."""
    notes = f"{swept.total:,} {'note' if swept.total == 1 else 'notes'}"
    done = "put away: their status is archived" if swept.archived else "taken out of use"
    return f"{notes} {done}. Nothing is erased." if swept.total else "Nothing has faded that far any more."
