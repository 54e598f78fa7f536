"""What words of a line mean: numbers, moments, edges, files. As on the command line, whose readers do it.

They are loaded when they are first needed, since the whole command line comes with them.
"""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Callable
from typing import TypeVar

from substrate.errors import InputError

__all__ = ["edge", "expectation", "fraction", "moment", "number", "seqs", "unedge"]

_Value = TypeVar("_Value")


def number(text: str) -> int:
    """A whole number from 0 on."""
    from substrate.cli.inputs import parse_number  # noqa: PLC0415

    return _read(parse_number, text)


def fraction(text: str) -> float:
    """A number from 0 to 1."""
    from substrate.cli.inputs import parse_fraction  # noqa: PLC0415

    return _read(parse_fraction, text)


def moment(text: str) -> str:
    """A seq, a time, or, for @FILE, the text of a pin or head."""
    from substrate.cli.inputs import parse_moment  # noqa: PLC0415

    return _read(parse_moment, text)


def seqs(text: str) -> range:
    """A range START:STOP, without STOP itself."""
    from substrate.cli.inputs import parse_seqs  # noqa: PLC0415

    return _read(parse_seqs, text)


def edge(text: str) -> dict[str, object]:
    """An edge: SOURCE TYPE TARGET, or a JSON object."""
    from substrate.cli.inputs import parse_edge  # noqa: PLC0415

    return _read(parse_edge, text)


def unedge(text: str) -> dict[str, object] | str:
    """An edge, or the id of one."""
    from substrate.cli.inputs import parse_unedge  # noqa: PLC0415

    return _read(parse_unedge, text)


def expectation(text: str) -> tuple[str, int | None] | str:
    """NAME=SEQ or NAME=absent; or, for @FILE, the text of a pin."""
    from substrate.cli.inputs import parse_expect  # noqa: PLC0415

    return _read(parse_expect, text)


def _read(parse: Callable[[str], _Value], text: str) -> _Value:
    try:
        return parse(text)
    except InputError as error:
        raise ArgumentTypeError(str(error)) from None  # argparse names the argument before it
