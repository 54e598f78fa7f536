r"""Stored text where something is typed or asked: quoted so that it is never syntax, and never speaks for itself.

    as_word      one word of a command to paste, which every shell and a line of `%memory` take literally
    in_quotes    a name within a sentence for a person: where it begins and ends is beyond doubt
    if_needed    the same, but a plain name such as `v1.fact.currency` stays bare

A word has three forms. `v1.fact.currency` stays bare. What holds anything else than letters, digits and `_@%+=:,./-` is
put in single quotes, in which nothing has a meaning; a single quote in it is `'\''`, as in any shell. What holds a
character that cannot be seen is `$'...'`, where `\\`, `\u202e` and `\U000e0041` stand for one character each: bash, zsh
and `%memory` read that. A single quote in it is `\u0027`, so that a shell which does not know the form runs nothing.
"""

from __future__ import annotations

import json
import re
from typing import Final

from substrate.text.visible import HIDDEN, as_json, visible

__all__ = [
    "ESCAPED_WORD",
    "QUOTE",
    "QUOTED_WORD",
    "as_command",
    "as_word",
    "if_needed",
    "in_quotes",
    "is_seen",
    "unescaped",
]

_BARE: Final = re.compile(r"[\w@%+:,./-][\w@%+=:,./-]*")
"""Not `=ls`: zsh makes a path of it."""
QUOTE: Final = r"'\''"
"""A single quote within single quotes."""
QUOTED_WORD: Final = re.compile(r"'((?:[^']|'\\'')*+)'(?=\s|\Z)")
"""A word in single quotes, of which some may be within."""
_PLAIN: Final = re.compile(r"[\w.-]*[\w-]")
ESCAPED_WORD: Final = re.compile(r"\$'((?:[^\\']|\\.)*+)'(?=\s|\Z)", re.DOTALL)
"""A word in the form `$'...'`."""
_WIDE: Final = 0x10000
_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([\\']))")


def is_seen(text: str) -> bool:
    """Whether every character of the text can be seen."""
    return HIDDEN.search(text) is None


def as_word(text: str) -> str:
    """The text as one word of a command, taken literally by shells and `%memory`."""
    seen = is_seen(text)
    if seen and _BARE.fullmatch(text):
        return text
    if seen:
        return "'" + text.replace("'", QUOTE) + "'"
    return "$'" + visible(text.replace("\\", r"\\").replace("'", r"\u0027"), escape=_by_number) + "'"


def as_command(*words: str) -> str:
    """A command to paste, of these words."""
    return " ".join(map(as_word, words))


def unescaped(text: str) -> str:
    """What stands between the quotes of `$'...'`, with each escape as the character that it stands for.

    ValueError if an escape stands for none.
    """
    if "\\" in _ESCAPE.sub("", text):
        raise ValueError(r"after a backslash comes \, ', u and four digits, or U and eight")
    return _ESCAPE.sub(lambda found: found[3] or chr(int(found[1] or found[2], 16)), text)


def in_quotes(text: str) -> str:
    """The text within a sentence, in double quotes. Those in it are escaped, and so is what cannot be seen."""
    return visible(json.dumps(text, ensure_ascii=False), escape=as_json)


def if_needed(text: str) -> str:
    """The text in a list within a sentence: in quotes if it holds anything but letters, digits and `_.-`."""
    return text if is_seen(text) and _PLAIN.fullmatch(text) else in_quotes(text)


def _by_number(character: str) -> str:
    r"""Not by two digits, as in `\xad`: that is a byte to a shell."""
    code = ord(character)
    return f"\\u{code:04x}" if code < _WIDE else f"\\U{code:08x}"
