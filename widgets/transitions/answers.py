"""What is around an atom, as the page shows it: plain dictionaries, and what changed by a training. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from substrate.values.predictions import Around, Observed, Prediction, Trained
from substrate.values.saved import Refused

__all__ = ["Shares", "graph_shown", "observed_shown", "shares_of", "trained_shown"]

Shares: TypeAlias = Mapping[tuple[str, str], float]
"""How likely each atom around was, by side (after, before) and name."""
_SLIGHT: Final = 0.005
"""A change that is not worth telling: half of a percent."""


def shares_of(around: Around) -> Shares:
    """What there is, to be compared with what will be."""
    return {
        (side, one.name): one.probability
        for side, ones in (("after", around.after), ("before", around.before))
        for one in ones
    }


def graph_shown(around: Around, earlier: Shares | None) -> dict[str, object]:
    """The graph. Where it was something else `earlier`, each atom says what (`was`); what is new was nothing."""

    def nodes(side: str, ones: Iterable[Prediction]) -> list[dict[str, object]]:
        return [_node(one, None if earlier is None else earlier.get((side, one.name), 0.0)) for one in ones]

    return {
        "name": around.name,
        "part": around.part or "",
        "after": nodes("after", around.after),
        "before": nodes("before", around.before),
        "more": around.more,
    }


def _node(one: Prediction, was: float | None) -> dict[str, object]:
    said = {"name": one.name, "probability": one.probability, "parts": dict(one.parts)}
    is_same = was is None or (was > 0 and abs(was - one.probability) < _SLIGHT)
    return said if is_same else {**said, "was": was}


def trained_shown(trained: Trained) -> dict[str, object]:
    """What was learnt, and what was skipped and why."""
    return {
        "ok": bool(trained.learnt),
        "learnt": list(trained.learnt),
        "passes": trained.passes,
        "seq": trained.seq,
        "objective": trained.objective or "",
        "skipped": _skipped(trained.skipped),
    }


def observed_shown(observed: Observed) -> dict[str, object]:
    """How much was taken in, and the first of what was skipped."""
    return {
        "ok": True,
        "sessions": observed.sessions,
        "accesses": observed.accesses,
        "skipped": _skipped(observed.skipped[:20]),
        "skipped_in_all": len(observed.skipped),
    }


def _skipped(skipped: Iterable[Refused]) -> list[dict[str, str]]:
    return [{"name": one.name or one.item, "why": one.reason} for one in skipped]
