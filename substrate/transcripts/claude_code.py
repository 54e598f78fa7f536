"""The human turns of a transcript of Claude Code: a file of JSON lines, of which a person typed some.

The file is foreign text. It is read line by line, and so much of it; a line that is no JSON, as the last one is while
it is being written, is left out. What a tool gave out, what the client put in, and what a sub-agent was told is no
human turn. Neither is the summary after a compaction.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple, cast

from substrate.files import users_file
from substrate.foreign_files import open_file

__all__ = ["Turn", "human_turns"]

_MOST_BYTES: Final = 1 << 29
_LONGEST_LINE: Final = 1 << 20
"""Bytes. A person's turn is shorter; what tools give out may be longer, and is not read."""
_NOT_TYPED: Final = ("isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly", "toolUseResult")
"""Fields that a line has if nobody typed it."""
_PUT_IN: Final = ("[Request interrupted", "Caveat: The messages below", "This session is being continued from")
"""What the client writes in the person's place."""
_ELEMENT: Final = re.compile(r"<([a-z]+(?:[-_][a-z]+)+)>")
"""What the client puts into a turn: `<system-reminder>`, `<command-name>`, `<local-command-stdout>`."""


class Turn(NamedTuple):
    """What a person typed, and in which line of the file it stands, from 1."""

    text: str
    line: int


def human_turns(path: Path) -> Iterator[Turn]:
    """What a person typed, in its order. Denied for what is no plain file; InputError if there is none."""
    with users_file(path):
        descriptor = open_file(path)
        with os.fdopen(descriptor, "rb") as file:
            read = number = 0
            while read < _MOST_BYTES and (line := file.readline(_LONGEST_LINE)):
                read += len(line)
                number += 1
                is_whole = line.endswith(b"\n")
                while not line.endswith(b"\n") and (more := file.readline(_LONGEST_LINE)):
                    is_whole, line = False, more
                    read += len(more)
                if (is_whole or len(line) < _LONGEST_LINE) and b'"user"' in line:
                    text = _typed(line)
                    if text:
                        yield Turn(text, number)


def _typed(line: bytes) -> str:
    """What the person typed in this line; empty if nobody did."""
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(said, dict) or said.get("type") != "user" or any(said.get(field) for field in _NOT_TYPED):
        return ""
    message = said.get("message")
    if not isinstance(message, dict) or message.get("role") != "user":
        return ""
    text = _text_of(message.get("content"))
    return "" if text.startswith(_PUT_IN) else text


def _text_of(content: object) -> str:
    """The text of a message: a string, or what its parts of text say. Empty if a tool's result is among them."""
    if isinstance(content, str):
        return _without_elements(content)
    if not isinstance(content, list):
        return ""
    parts = [cast("Mapping[str, object]", part) for part in content if isinstance(part, dict)]
    if any(part.get("type") == "tool_result" for part in parts):
        return ""
    texts = [text for part in parts if part.get("type") == "text" and isinstance(text := part.get("text"), str)]
    return "\n\n".join(filter(None, (_without_elements(text) for text in texts)))


def _without_elements(text: str) -> str:
    """Without what stands between tags that the client puts in. One that does not end takes the rest."""
    own, at = [], 0
    while (begin := _ELEMENT.search(text, at)) is not None:
        own.append(text[at : begin.start()])
        end = f"</{begin[1]}>"
        found = text.find(end, begin.end())
        at = len(text) if found < 0 else found + len(end)
    return "".join([*own, text[at:]]).strip()
