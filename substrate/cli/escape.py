"""What is stored may be hostile: a value can hold the sequences that move a cursor, retitle a window or hide a text.

On a terminal every character that does something instead of showing something, or shows nothing at all, is shown as its
escape. In a pipe values
go out as they are: programs want the exact text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from substrate.blanks import BLANK

__all__ = ["in_json", "parts", "visible"]

# Joiners are part of writing Persian, Hindi and emoji, and move nothing.
_JOINERS = "\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"
_PLAIN = re.compile(r"[ -~]*")


def _shows(character: str) -> bool:
    """Whether it only shows something: neither a control, nor a direction mark, nor half of a pair, nor unassigned."""
    return character.isprintable() or character in _JOINERS or unicodedata.category(character) == "Zs"


def parts(text: str, keep: str = "") -> Iterator[tuple[str, bool]]:
    """The text in runs: what can be shown (False), and the escapes of what cannot (True). `keep` passes as it is."""
    run = ""
    blanks = {found.start() for found in BLANK.finditer(text)}
    for at, character in enumerate(text):
        if (_shows(character) and at not in blanks) or character in keep:
            run += character
            continue
        if run:
            yield run, False
            run = ""
        yield character.encode("unicode_escape", "surrogatepass").decode("ascii"), True
    if run:
        yield run, False


def visible(text: str, keep: str = "") -> str:
    """The text with everything escaped that would do something on a terminal."""
    if _PLAIN.fullmatch(text):
        return text
    return "".join(part for part, _ in parts(text, keep))


def in_json(document: str) -> str:
    """JSON that is safe to show on a terminal and still the same document: the rest is in JSON's escapes."""
    return "".join(part if not escaped else _json_escape(part) for part, escaped in parts(document, keep="\n\t"))


def _json_escape(escaped: str) -> str:
    character = escaped.encode("ascii").decode("unicode_escape")
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
