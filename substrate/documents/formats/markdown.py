"""Markdown: a chunk is a slice of the file; sections begin at headings."""

from __future__ import annotations

import re
from typing import Final

from substrate.documents.chunk import Section
from substrate.documents.formats.extracted import Extracted, decode, lines, title_from

__all__ = ["read_markdown", "sections_of"]

_HEADING: Final = re.compile(r" {0,3}(#{1,6})(?:[ \t]|[ \t#]*+\Z)")
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")
_UNDERLINE: Final = re.compile(r" {0,3}(=+|-+)[ \t]*\Z")
_LONG: Final = 1000
"""Characters of a line that is no heading any more."""


def read_markdown(data: bytes) -> Extracted:
    """The file as it is. SchemaInvalid if it is no text."""
    text = decode(data)
    sections, title = sections_of(text)
    return Extracted(text, sections, title)


def sections_of(text: str) -> tuple[tuple[Section, ...], str | None]:
    """Where headings are, but for those in blocks of code; and the first of the highest, as title."""
    found: list[tuple[Section, str]] = []
    fence = ""
    before: tuple[int, str] = (0, "")
    for start, line in lines(text.replace("\ufeff", " ", 1) if text.startswith("\ufeff") else text):
        if len(line) > _LONG:
            before = (start, "")
            continue
        opened = _FENCE.match(line)
        if opened is not None and (not fence or _closes(opened[1], fence, line)):
            fence = "" if fence else opened[1]
        elif not fence and (heading := _HEADING.match(line)) is not None:
            said = line[heading.end() :].strip(" \t").rstrip(" \t#")
            found.append((Section(start, len(heading[1])), said))
        elif not fence and before[1].strip() and (under := _UNDERLINE.match(line)) is not None:
            found.append((Section(before[0], 1 if under[1][0] == "=" else 2), before[1]))
            line = ""  # noqa: PLW2901 - an underline is nothing that can be underlined
        before = (start, "" if fence or _HEADING.match(line) else line)
    found.sort(key=lambda one: one[0])
    highest = min((section.depth for section, _ in found), default=0)
    title = next((said for section, said in found if section.depth == highest), "")
    return tuple(section for section, _ in found), title_from(title)


def _closes(ticks: str, fence: str, line: str) -> bool:
    return ticks[0] == fence[0] and len(ticks) >= len(fence) and not line.strip().strip(ticks[0])
