"""What a word means: a number, a moment, a range of seqs, an expectation.

What cannot be read is refused with why, but without what it was: it may be a secret in the wrong place.
"""

from __future__ import annotations

import time
from argparse import Namespace
from typing import TYPE_CHECKING

from substrate.commands.files import read_text
from substrate.errors import InputError, ProofInvalid
from substrate.result import iso

if TYPE_CHECKING:
    from collections.abc import Sequence

    from substrate.proof.head import Pin

__all__ = [
    "column",
    "expectation",
    "expected",
    "fraction",
    "moment",
    "number",
    "score",
    "seconds",
    "seqs",
    "time_said",
    "times_read",
]

_MOST_DIGITS = 19
"""Of a seq."""


def number(text: str) -> int:
    """A whole number from 0 on."""
    if not text.isdecimal() or not text.isascii() or len(text) > _MOST_DIGITS:
        raise InputError("not a whole number, or too large a one")
    return int(text)


def fraction(text: str) -> float:
    """A number from 0 to 1."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise InputError("not a number from 0 to 1")
    return number


def column(text: str) -> tuple[str, str]:
    """A field and the column that it stands in: `value=remark`."""
    field, equals, name = text.partition("=")
    if not equals or not field.strip() or not name.strip():
        raise InputError("not a field and a column, such as value=remark")
    return field.strip(), name.strip()


def seconds(text: str) -> float:
    """A number of seconds, above 0."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise InputError("not a number of seconds above 0, such as 2")
    return number


def score(text: str) -> float:
    """Any number."""
    try:
        return float(text)
    except ValueError:
        raise InputError("not a number, such as 0.3") from None


def moment(text: str) -> str:
    """A moment as the engine reads it: a seq, a time (in words, too), or, for @FILE, the text of a pin or head."""
    if text.startswith("@"):
        return read_text(text[1:], "the pin or head")
    if text.isdecimal() and len(text) > _MOST_DIGITS:
        raise InputError("this number is larger than any log")
    return time_said(text)


class TimeInWords(str):
    """A time in ISO 8601, and the words that it was given as."""

    __slots__ = ("said",)
    said: str


def time_said(text: str) -> str:
    """A time as the engine reads it. Of words, such as `2 weeks ago`, the time that they mean now."""
    from substrate.atoms.moments import in_words  # noqa: PLC0415 - loads the engine

    found = in_words(text, time.time_ns() // 1000)
    if found is None:
        return text
    read = TimeInWords(iso(found))
    read.said = text
    return read


def times_read(given: Namespace) -> list[str]:
    """What a person is told of times that were given in words: which times they were taken for."""
    return [f"{said.said}: {said}" for said in vars(given).values() if isinstance(said, TimeInWords)]


def seqs(text: str) -> range:
    """A range of seqs, START:STOP, without STOP itself."""
    start, colon, stop = text.partition(":")
    if not colon or not start.isdecimal() or not stop.isdecimal() or int(start) >= int(stop):
        raise InputError("a range of seqs reads START:STOP, two whole numbers, the second one larger and not included")
    return range(int(start), int(stop))


def expectation(text: str) -> tuple[str, int | None] | str:
    """NAME=SEQ or NAME=absent; or, for @FILE, the text of a pin."""
    if text.startswith("@"):
        return read_text(text[1:], "the pin")
    name, equals, said = text.rpartition("=")
    if not equals or not (said == "absent" or said.isdecimal()):
        raise InputError("an expectation reads NAME=SEQ, NAME=absent, or @FILE with a pin in it")
    return name.strip(), None if said == "absent" else int(said)


def expected(given: Sequence[tuple[str, int | None] | str]) -> dict[str, int | None] | Pin | None:
    """All that --expect says: seqs by name, or one pin; None if it says nothing."""
    pins = [item for item in given if isinstance(item, str)]
    if not pins:
        return dict(item for item in given if not isinstance(item, str)) or None
    if len(given) > 1:
        raise InputError("--expect takes either one pin or any number of names")
    from substrate.proof.head import Pin  # noqa: PLC0415 - loads cryptography, which few need

    try:
        return Pin.parse(pins[0])
    except ProofInvalid as error:
        raise InputError(f"--expect: {error}") from None
