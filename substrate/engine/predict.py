"""The verb predict: what will be needed next, or by the rest of the session, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from substrate.engine.forecasting import Forecaster, Match
from substrate.engine.observing import find_items
from substrate.engine.reading import name_of
from substrate.errors import InputError, SchemaInvalid
from substrate.kv.api import ReadTransaction
from substrate.learned import Predictions
from substrate.log.log import Log
from substrate.markov.needs import Need
from substrate.model import Refused
from substrate.prediction import Prediction
from substrate.views.sessions import HOLE

__all__ = ["FLOOR", "HORIZONS", "check_predict", "predict"]

FLOOR: Final = 0.02
"""What is less likely is not said."""
HORIZONS: Final = ("next", "session")
_MOST: Final = 1000
_SHOWN: Final = 20
"""Of the context, by name: so many of the newest are compared with the past."""
_NOTHING: Final = 1e-4


def check_predict(k: object, horizon: object, floor: object) -> None:
    """InputError unless these can be asked for."""
    if isinstance(k, bool) or not isinstance(k, int) or not 0 <= k <= _MOST:
        raise InputError(f"k is a whole number up to {_MOST}")
    if horizon not in HORIZONS:
        raise InputError(f"horizon is one of {', '.join(HORIZONS)}")
    if isinstance(floor, bool) or not isinstance(floor, int | float) or not 0 <= floor <= 1:
        raise SchemaInvalid("floor is a probability: a number from 0 to 1")


def predict(  # noqa: PLR0913
    transaction: ReadTransaction,
    log: Log,
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
    forecaster = Forecaster(transaction, log)
    if not opened and skipped:
        needs = []  # what it is asked about is not there: what others open with is no answer to that
    elif not opened:
        needs = forecaster.opening(domain, objective, match, k)
    elif horizon == "session":
        needs = forecaster.needed(opened, domain, k)
    else:
        needs = forecaster.next(opened, domain, k, again=again)
    said = (_prediction(transaction, need) for need in needs if need.share >= floor)
    names = tuple(name_of(transaction, item) or str(UUID(bytes=item)) for item in opened[-_SHOWN:])
    return Predictions(tuple(one for one in said if one is not None), names, tuple(skipped))


def context_of(transaction: ReadTransaction, names: Sequence[str], skipped: list[Refused]) -> tuple[bytes, ...]:
    """The atoms that were opened, by name or id; those that are not there are skipped, and said to be."""
    return tuple(item for item in find_items(transaction, names, "context", skipped) if item != HOLE)


def _prediction(transaction: ReadTransaction, need: Need) -> Prediction | None:
    name = name_of(transaction, need.subject)
    if name is None:
        return None
    parts = {part: round(share, 5) for part, share in need.parts.items() if share > _NOTHING}
    return Prediction(name, round(need.share, 5), parts, str(UUID(bytes=need.subject)))
