"""The verb cues: whether a message asks to keep or to recall something. It needs no store."""

from __future__ import annotations

from substrate.cues.signals import read_signals
from substrate.errors import InputError, SchemaInvalid
from substrate.limits import check_size
from substrate.messages import Arg
from substrate.values.hits import Cues

__all__ = ["cues_of"]


def cues_of(text: object) -> Cues:
    """See `Memory.cues`."""
    if not isinstance(text, str):
        raise SchemaInvalid(Arg("text"), f" must be a string, not {text.__class__.__name__}")
    if not text.strip():
        raise InputError("there is nothing to read: ", Arg("text"), " is empty")
    check_size(Arg("text"), len(text), "query_characters", "characters")
    return Cues(*read_signals(text))
