"""What is embedded for a version of an atom: the words of its name, and its value."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["name_words", "text_of"]

_ID: Final = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_WORD: Final = re.compile(r"[^\W_]+")
_HUMP: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_HEX_LETTERS: Final = 8
_HEX: Final = re.compile(rf"[0-9a-fA-F]{{{_HEX_LETTERS},}}")
_SMALL: Final = re.compile(rf"(?<![a-z0-9])(?![a-f]{{{_HEX_LETTERS},}}(?![a-z0-9]))[a-z]{{2,}}(?![a-z0-9])")
"""A word of small Latin letters: what `_is_word` says of a part, in one look."""


def text_of(name: str, value: str) -> str:
    """The text whose vectors stand for this version: `payment provider: Stripe` for v1.fact.payment_provider = Stripe.

    A short value alone says little, so the words of the name come first. A text that is cut into pieces has them in its
    first piece only: a long value speaks for itself.
    """
    words = name_words(name)
    return f"{words}: {value}" if words else value


def name_words(name: str) -> str:
    """The words of a name, without version and type, and without what is no word: ids, numbers, single letters."""
    rest = name.split(".", 2)[-1]
    if "-" in rest:
        rest = _ID.sub(" ", rest)
    if rest.islower():  # no word has humps
        if rest.isascii():
            return " ".join(_SMALL.findall(rest))
    else:
        rest = _HUMP.sub(" ", rest)
    return " ".join([part for part in _WORD.findall(rest) if _is_word(part)])


def _is_word(part: str) -> bool:
    if not part.isalpha() and any(character.isdigit() for character in part):  # no letter is a digit
        return False
    if len(part) >= _HEX_LETTERS and _HEX.fullmatch(part):
        return False
    # A single letter is an index; a single character of a script without cases may well be a word.
    return len(part) > 1 or part.lower() == part.upper()
