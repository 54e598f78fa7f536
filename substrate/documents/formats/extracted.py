"""What reading a file gives, and how bytes become text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from substrate.documents.chunk import Section
from substrate.documents.formats.front_matter import Fields
from substrate.errors import SchemaInvalid

__all__ = ["MOST_SECTIONS", "Extracted", "decode", "lines", "title_from"]

_LINE: Final = re.compile(r"([^\r\n]*)(\r\n|\n|\r|\Z)")
MOST_SECTIONS: Final = 50_000
"""Sections of a text that are looked for. Behind the last of them it is cut as a text without any."""
_TITLE: Final = 200
"""Characters of a title."""


@dataclass(frozen=True, slots=True)
class Extracted:
    """The text of a file. `exact`: it is the file itself, and its UTF-8 is the file's bytes.

    `fields`: what it says of itself, before its text; None: nothing. `unread`: why that could not be read.
    """

    text: str
    sections: tuple[Section, ...] = ()
    title: str | None = None
    exact: bool = True
    fields: Fields | None = None
    unread: str = ""


def decode(data: bytes) -> str:
    """The text of bytes in UTF-8; a byte order mark stays in it. SchemaInvalid if they are no text."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise SchemaInvalid(
            f"it is not UTF-8 at byte {error.start}: save it as UTF-8, such as by iconv -f LATIN1 -t UTF-8"
        ) from None
    if "\x00" in text:
        raise SchemaInvalid(f"it holds a NUL at character {text.index(chr(0))}: it is not a text")
    return text


def lines(text: str) -> Iterator[tuple[int, str]]:
    """Where each line begins, and what it says, without its end. One by one: there may be millions."""
    for match in _LINE.finditer(text):
        if match.start() < len(text):
            yield match.start(), match[1]


def title_from(text: str) -> str | None:
    """A text as a title: in one line, and not too long; None if nothing is left."""
    said = " ".join(text.replace("\ufeff", " ").split())
    return (said if len(said) <= _TITLE else said[: _TITLE - 1].rstrip() + "…") or None
