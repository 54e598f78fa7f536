r"""Stored text in which nothing is hidden: the one alphabet of characters that a reader cannot see, or that act.

A text can hold sequences that move a cursor, end a line, turn the order of writing round, or spell a message unseen. It
can fool a person at a terminal, a person in front of a page, and an agent. So all of them get the same alphabet
escaped, and each face only picks a notation:

    as_number     ‹202E›     pages
    as_escape     \u202e     terminals
    as_json       \u202e     JSON, and all texts for agents: what was escaped can be read back

The alphabet is a fixed list, so that every version of Python and every browser agrees on it. It has controls, line and
paragraph separators, direction marks, all that Unicode wants drawn as nothing (zero-width characters, tags, variation
selectors, fillers), halves of pairs, noncharacters, and planes that have no characters at all. A character of a living
block that is not assigned yet is not in it: it shows as a box, or is a new emoji.

Four kinds are left alone where they belong, and escaped elsewhere:

- One of the selectors FE0E and FE0F chooses between the forms of an emoji. After another selector or a joiner it is
  escaped: 256 selectors make a byte each, so that a run of them spells any text.
- A joiner (200C, 200D) is part of writing Persian, Hindi and emoji. It stays after a character that can be joined.
- The blank of Braille (2800) stays after a letter of Braille.
- What the caller keeps, such as the line ends of a text that is shown in lines.
"""  # noqa: RUF002 - the notation of pages

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

__all__ = ["HIDDEN", "as_escape", "as_json", "as_number", "runs", "visible"]

_ALWAYS: Final = (
    r"\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e"
    r"\u2060-\u206f\u3164\ud800-\udfff\ufdd0-\ufdef\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffc\ufffe\uffff"
    r"\U00013430-\U0001343f\U00013441\U00013442\U00016fe4\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a\U0001fffe\U0001ffff\U0002fffe\U0002ffff"
    r"\U0003fffe-\U000effff\U000ffffe\U000fffff\U0010fffe\U0010ffff"
)
_SELECTORS: Final = r"\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef"
_JOINED: Final = (
    r"\u0600-\u109f\u1780-\u18af\u1900-\u1cff\u2190-\u2bff\ua800-\uabff\ufb50-\ufdff\ufe70-\ufefc"
    r"\U00010a00-\U00011fff\U0001e900-\U0001e95f\U0001f000-\U0001faff"
)
"""Scripts whose letters join or stack, and emoji."""

HIDDEN: Final = re.compile(
    rf"[{_ALWAYS}\u2800\ufe0e\ufe0f\u200c\u200d]"  # first, so that a text is scanned without branches
    r"(?<![\u2801-\u28ff]\u2800)"
    rf"(?:(?<![\ufe0e\ufe0f])|(?<=[{_SELECTORS}\u200c\u200d][\ufe0e\ufe0f]))"
    rf"(?<![{_JOINED}][\u200c\u200d])(?<![{_JOINED}]\ufe0f[\u200c\u200d])"
)
"""One such character. It looks at those before it, so it must be given the whole text."""


def as_number(character: str) -> str:
    """For pages: ‹202E›."""  # noqa: RUF002 - as in the widgets' shared/page.js
    return f"‹{ord(character):04X}›"  # noqa: RUF001


def as_escape(character: str) -> str:
    r"""For terminals, as Python writes it: \x1b, \u202e, \U000e0041."""
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


def as_json(character: str) -> str:
    r"""As JSON writes it: \u202e, or two halves. In a JSON text it is still the same character."""
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def visible(text: str, keep: str = "", escape: Callable[[str], str] = as_escape) -> str:
    """The text with every hidden character in this notation. The characters of `keep` pass as they are."""
    if text.isascii() and text.isprintable():
        return text
    return HIDDEN.sub(lambda found: found[0] if found[0] in keep else escape(found[0]), text)


def runs(text: str, keep: str = "", escape: Callable[[str], str] = as_escape) -> Iterator[tuple[str, bool]]:
    """The same text in runs, for a face that sets escapes apart: what shows (False), and each escape (True)."""
    start = 0
    for found in HIDDEN.finditer(text):
        if found[0] in keep:
            continue
        if found.start() > start:
            yield text[start : found.start()], False
        yield escape(found[0]), True
        start = found.end()
    if start < len(text):
        yield text[start:], False
