"""Markdown: a chunk is a slice of the file, front matter among it; sections begin at headings."""

from __future__ import annotations

import re
from typing import Final

from substrate.documents.chunk import Section
from substrate.documents.formats.extracted import MOST_SECTIONS, Extracted, decode, title_from
from substrate.documents.formats.front_matter import find_front_matter, unread_front_matter

__all__ = ["read_markdown", "sections_of"]

_LINE: Final = re.compile(r"[\r\n]( {0,3}+[#`~=-][^\r\n]*+)")
"""A line that may be a heading, an underline, or the fence of a block of code. All others are passed over."""
_HEADING: Final = re.compile(r" {0,3}(#{1,6})(?:[ \t]|[ \t#]*+\Z)")
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")
_UNDERLINE: Final = re.compile(r" {0,3}(=+|-+)[ \t]*\Z")
_LONG: Final = 1000
"""Characters of a line that is no heading any more."""


def read_markdown(data: bytes) -> Extracted:
    """The file as it is. SchemaInvalid if it is no text."""
    text = decode(data)
    front = find_front_matter(text)
    if front is None:
        return Extracted(text, *sections_of(text), unread=unread_front_matter(text))
    sections, title = sections_of(text[front.end :])
    moved = tuple(Section(section.start + front.end, section.depth) for section in sections)
    return Extracted(text, moved, front.fields.title or title, fields=front.fields)


def sections_of(text: str) -> tuple[tuple[Section, ...], str | None]:
    """Where headings are, but for those in blocks of code; and the first of the highest, as title."""
    found: list[tuple[Section, str]] = []
    text = "\n" + (" " + text[1:] if text.startswith("\ufeff") else text)  # a line begins behind the end of another
    fence, taken = "", -1  # where the last line begins that is a heading, an underline, or in a block of code
    for match in _LINE.finditer(text):
        if len(found) >= MOST_SECTIONS:
            break
        start, line = match.start(1), match[1]
        if len(line) > _LONG:
            continue
        opened = _FENCE.match(line)
        if opened is not None and (not fence or _closes(opened[1], fence, line)):
            fence = "" if fence else opened[1]
        elif not fence and (heading := _HEADING.match(line)) is not None:
            said = line[heading.end() :].strip(" \t").rstrip(" \t#")
            found.append((Section(start - 1, len(heading[1])), said))
            taken = start
        elif not fence and (under := _UNDERLINE.match(line)) is not None:
            above, said = _line_above(text, start)
            if above > taken and said.strip():
                found.append((Section(above - 1, 1 if under[1][0] == "=" else 2), said))
                taken = start  # an underline is nothing that can be underlined
    found.sort(key=lambda one: one[0])
    highest = min((section.depth for section, _ in found), default=0)
    title = next((said for section, said in found if section.depth == highest), "")
    return tuple(section for section, _ in found), title_from(title)


def _line_above(text: str, start: int) -> tuple[int, str]:
    """Where the line before the one that begins here begins, and what it says; nothing if it is too long."""
    end = start - (2 if text[max(0, start - 2) : start] == "\r\n" else 1)
    least = max(0, end - _LONG - 1)
    begin = max(text.rfind("\n", least, end), text.rfind("\r", least, end)) + 1
    return begin, text[begin:end] if begin > 0 and end - begin <= _LONG else ""


def _closes(ticks: str, fence: str, line: str) -> bool:
    return ticks[0] == fence[0] and len(ticks) >= len(fence) and not line.strip().strip(ticks[0])
