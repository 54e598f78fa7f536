"""The verb predict: what will be needed next, or by the rest of the session, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from substrate.atoms.resolve import name_of
from substrate.errors import InputError, SchemaInvalid
from substrate.kv.api import Kept, ReadTransaction, kept_by
from substrate.learn.forecast import Forecaster, Need
from substrate.learn.write_sessions import find_items
from substrate.log.identity import id_text
from substrate.messages import Arg
from substrate.snapshot import Snapshot
from substrate.values.predictions import Prediction, Predictions
from substrate.values.saved import Refused
from substrate.views.learned.sessions import HOLE

if TYPE_CHECKING:
    from substrate.search.objective import Match

__all__ = ["FLOOR", "HORIZONS", "check_count", "check_predict", "predict", "predict_next"]

FLOOR: Final = 0.02
"""What is less likely is not said."""
HORIZONS: Final = ("next", "session")
_MOST: Final = 1000
_SHOWN: Final = 20
"""Of the context, by name: so many of the newest are compared with the past."""
_NOTHING: Final = 1e-4


def check_count(count: object, argument: Arg) -> None:
    """InputError unless so many predictions can be asked for, by this argument."""
    if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= _MOST:
        raise InputError(argument, f" is a whole number up to {_MOST}")


def check_predict(k: object, horizon: object, floor: object) -> None:
    """InputError unless these can be asked for."""
    check_count(k, Arg("k"))
    if horizon not in HORIZONS:
        raise InputError(Arg("horizon"), f" is one of {', '.join(HORIZONS)}")
    if isinstance(floor, bool) or not isinstance(floor, int | float) or not 0 <= floor <= 1:
        raise SchemaInvalid(Arg("floor"), " is a probability: a number from 0 to 1")


def predict(  # noqa: PLR0913
    snapshot: Snapshot,
    context: Sequence[bytes],
    k: int,
    *,
    domain: bytes = HOLE,
    objective: str = "",
    match: Match | None = None,
    horizon: str = "next",
    again: bool = False,
    floor: float = FLOOR,
    skipped: Sequence[Refused] = (),
) -> Predictions:
    """See `Memory.predict`. The context by ids, what could not be found left out."""
    opened = [item for item in context if item != HOLE]
    transaction, forecaster = snapshot.transaction, Forecaster(snapshot)
    if not opened and skipped:
        needs = []  # what it is asked about is not there: what others open with is no answer to that
    elif not opened:
        needs = forecaster.opening(domain, objective, match, k)[:k]
    elif horizon == "session":
        needs = forecaster.needed(opened, domain, k)
    else:
        needs = forecaster.next(opened, domain, k, again=again, least=floor)
    names = tuple(name_of(transaction, item) or id_text(item) for item in opened[-_SHOWN:])
    return Predictions(_said(transaction, needs, floor), names, tuple(skipped))


def predict_next(snapshot: Snapshot, opened: Sequence[bytes], k: int, domain: bytes) -> tuple[Prediction, ...]:
    """What will be opened next in a session in which these were opened: no more than an access says of it."""
    return _said(snapshot.transaction, Forecaster(snapshot).next(opened, domain, k, least=FLOOR), FLOOR)


def _said(transaction: ReadTransaction, needs: Sequence[Need], floor: float) -> tuple[Prediction, ...]:
    kept = kept_by(transaction, "names of predictions")  # the same few are said again and again
    said = (_prediction(kept, transaction, need) for need in needs if need.share >= floor)
    return tuple(one for one in said if one is not None)


def context_of(transaction: ReadTransaction, names: Sequence[str], skipped: list[Refused]) -> tuple[bytes, ...]:
    """The atoms that were opened, by name or id; those that are not there are skipped, and said to be."""
    return tuple(item for item in find_items(transaction, names, Arg("context"), skipped) if item != HOLE)


def _prediction(kept: Kept, transaction: ReadTransaction, need: Need) -> Prediction | None:
    name: str | None
    said = kept.get(need.subject)
    if said is None:
        said = kept[need.subject] = name_of(transaction, need.subject), id_text(need.subject)
    name, subject = said
    if name is None:
        return None
    parts = {part: round(share, 5) for part, share in need.parts.items() if share > _NOTHING}
    return Prediction(name, round(need.share, 5), parts, subject)
