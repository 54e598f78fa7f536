"""Whether a store is observed: a choice that is kept in it, and holds for all who have it open."""

from __future__ import annotations

from typing import Final

from substrate.errors import SchemaInvalid
from substrate.kv.api import ReadTransaction
from substrate.log.append import Decision
from substrate.log.log import Log
from substrate.log.tables import CHOICES
from substrate.messages import Arg

__all__ = ["is_watched", "watch"]

_KEY: Final = b"watch"
_OFF: Final = b"off"


def is_watched(transaction: ReadTransaction) -> bool:
    """Whether what is accessed may be written down and learnt from."""
    return transaction.get(CHOICES, _KEY) != _OFF


def watch(log: Log, *, on: bool) -> None:
    """See `Memory.watch`. SchemaInvalid for anything but True and False: `"off"` must not switch it on."""
    if not isinstance(on, bool):
        raise SchemaInvalid(Arg("on"), f" is True or False, not {type(on).__name__}")
    log.decide(lambda _, __: Decision((), [(CHOICES, _KEY, None if on else _OFF)]))
