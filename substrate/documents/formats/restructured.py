"""reStructuredText: a chunk is a slice of the file; sections begin at underlined titles."""

from __future__ import annotations

import re
from typing import Final

from substrate.documents.chunk import Section
from substrate.documents.formats.extracted import MOST_SECTIONS, Extracted, decode, lines, title_from

__all__ = ["read_restructured"]

_ADORNMENT: Final = re.compile(r"([!-/:-@\[-`{-~])\1+[ \t]*\Z")
_LONG: Final = 1000


def read_restructured(data: bytes) -> Extracted:
    """The file as it is. SchemaInvalid if it is no text.

    A kind of underline (and overline) is as deep as it is the n-th that the file uses.
    """
    text = decode(data)
    depths: dict[str, int] = {}
    found: list[tuple[Section, str]] = []
    above = before = (0, "")
    for row in lines(text):
        if len(found) >= MOST_SECTIONS:
            break
        (top, first), (start, said), under = above, before, row[1]
        above, before = before, row
        if not 0 < len(said.strip()) <= _LONG or not _underlines(said.rstrip(), under) or _ADORNMENT.match(said):
            continue
        over = first.rstrip() == under.rstrip()
        depth = depths.setdefault(under[0] * (2 if over else 1), len(depths) + 1)
        found.append((Section(top if over else start, min(depth, 6)), said))
    title = next((said for section, said in found if section.depth == 1), "")
    return Extracted(text, tuple(section for section, _ in found), title_from(title))


def _underlines(said: str, under: str) -> bool:
    return len(under) <= _LONG and len(under.rstrip()) >= len(said) and _ADORNMENT.match(under) is not None
