"""By which model a store lets atoms fade: a choice that is kept in it, and holds for all who have it open."""

from __future__ import annotations

import json
from typing import Final

from substrate.errors import InputError
from substrate.fading.decay import DEFAULT, Decay, read_decay
from substrate.kv.api import ReadTransaction
from substrate.log.append import Decision
from substrate.log.log import Log
from substrate.log.tables import CHOICES
from substrate.values.review.fading import FadingModel

__all__ = ["choose_decay", "decay_of", "told_model"]

_KEY: Final = b"fading"
_DAY: Final = 86_400


def decay_of(transaction: ReadTransaction) -> Decay:
    """The choice of this store. What cannot be read counts as none made."""
    row = transaction.get(CHOICES, _KEY)
    if row is None:
        return DEFAULT
    try:
        said = json.loads(row)
        decay = read_decay(said["model"], None, DEFAULT)
        days = None if decay.model == "two_component" else float(said["half_life"]) / _DAY
        return read_decay(decay.model, days, DEFAULT)
    except (ValueError, LookupError, TypeError, RecursionError, InputError):
        return DEFAULT


def choose_decay(log: Log, model: object, half_life: object) -> FadingModel:
    """See `Memory.use_fading`."""
    chosen: list[Decay] = []

    def plan(transaction: ReadTransaction, _: int) -> Decision:
        decay = read_decay(model, half_life, decay_of(transaction))
        chosen.append(decay)
        row = json.dumps({"model": decay.model, "half_life": decay.half_life}, sort_keys=True).encode()
        return Decision((), [(CHOICES, _KEY, None if decay == DEFAULT else row)])

    read_decay(model, half_life, DEFAULT)  # what cannot be takes no lock
    log.decide(plan)
    return told_model(chosen[-1])


def told_model(decay: Decay) -> FadingModel:
    """As users hold it."""
    return FadingModel(decay.model, None if decay.model == "two_component" else decay.half_life / _DAY)
