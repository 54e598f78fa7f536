"""The human turns of a transcript of Claude Code: a file of JSON lines, of which a person typed some.

The file is foreign text. It is read line by line, and so much of it; a line that is no JSON, as the last one is while
it is being written, is left out. What a tool gave out, what the client put in, and what a sub-agent was told is no
human turn. Neither is the summary after a compaction. With a turn goes the end of what the model wrote before it.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple, cast

from substrate.errors import InputError
from substrate.files import users_file
from substrate.foreign_files import OddFile, open_file

__all__ = ["Turn", "human_turns"]

_MOST_BYTES: Final = 1 << 29
_LONGEST_LINE: Final = 1 << 20
"""Bytes. A person's turn is shorter; what tools give out may be longer, and is not read."""
_NOT_TYPED: Final = ("isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly", "toolUseResult")
"""Fields that a line has if nobody typed it."""
_MOST_ANSWERED: Final = 600
"""Characters of what the model wrote before a turn."""
_PUT_IN: Final = re.compile(
    r"^[ \t]*(?:\[Request interrupted|Caveat: The messages below|This session is being continued from"
    r"|(?:Stop|SubagentStop|TeammateIdle|TaskCompleted) hook feedback:)",
    re.MULTILINE,
)
"""What the client writes in the person's place, up to the end of the turn."""
_TAG: Final = re.compile(r"<(/?)([a-z]+(?:[-_][a-z]+)+)(?:\s[^<>]*)?>")
"""Around what the client puts into a turn: `<system-reminder>`, `<command-name>`, `<local-command-stdout>`."""
_OUTPUT: Final = re.compile(r"(?:bash|local-command)-[a-z]+|system-reminder|task-notification|user-prompt-submit-hook")
"""Names of such tags around what programs gave out. Of others a person may speak, as of the elements of a page."""


class Turn(NamedTuple):
    """What a person typed, and in which line of the file it stands, from 1."""

    text: str
    line: int
    answers: str = ""
    """The end of what the model wrote last before it: it tells an answer (`zstd.`) from an aside, and is never kept."""


def human_turns(path: Path) -> Iterator[Turn]:
    """What a person typed, in its order.

    Denied for what is no plain file; InputError if there is none, and at the end if no line is one of a transcript.
    """
    with users_file(path):
        try:
            descriptor = open_file(path)
        except OddFile as error:  # in words about transcripts: nothing here is to be removed
            raise OddFile(f"{path} is {error.kind}, not a transcript", error.kind) from None
        with os.fdopen(descriptor, "rb") as file:
            read = number = 0
            is_transcript = False
            answers = ""
            while read < _MOST_BYTES and (line := file.readline(_LONGEST_LINE)):
                read += len(line)
                number += 1
                is_tail = False
                is_transcript = is_transcript or _is_entry(line)
                while not line.endswith(b"\n") and read < _MOST_BYTES and (more := file.readline(_LONGEST_LINE)):
                    is_tail, line = True, more
                    read += len(more)
                if is_tail:
                    continue
                if b'"user"' in line and (text := _typed(line)):
                    yield Turn(text, number, answers)
                    answers = ""
                elif b'"assistant"' in line:
                    answers = _written(line)[-_MOST_ANSWERED:] or answers
            if read and not is_transcript:
                raise InputError(
                    f"{path} is not a transcript of Claude Code: no line of it is JSON with a type. "
                    "Claude Code keeps a file SESSION.jsonl per session in ~/.claude/projects"
                )


def _is_entry(line: bytes) -> bool:
    """Whether it is a line of a transcript, of whatever type. So is the begin of one that is torn or too long."""
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        return line.startswith(b'{"')
    return isinstance(said, dict) and isinstance(said.get("type"), str)


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
    put_in = _PUT_IN.search(text)
    return text if put_in is None else text[: put_in.start()].rstrip()


def _written(line: bytes) -> str:
    """What the model wrote to the person in this line; empty if it wrote nothing, or to a sub-agent."""
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(said, dict) or said.get("type") != "assistant" or any(said.get(field) for field in _NOT_TYPED):
        return ""
    message = said.get("message")
    return _text_of(message.get("content")).strip() if isinstance(message, dict) else ""


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
    """Without all from the first to the last tag that the client puts in. An element that does not end takes the rest.

    What a tool gave out may hold such tags itself: only the first and the last are surely the client's. Of a text
    that ends an element of output before one begins, nothing is surely the person's.
    """
    tags = list(_TAG.finditer(text))
    begin = next((at for at, tag in enumerate(tags) if not tag[1]), len(tags))
    if any(_OUTPUT.fullmatch(tag[2]) for tag in tags[:begin]):
        return ""
    if begin == len(tags):
        return text.strip()
    first, last = tags[begin], tags[-1]
    opened, closed = ({tag[2] for tag in tags[begin:] if bool(tag[1]) is end} for end in (False, True))
    ends = bool(last[1]) and opened <= closed
    return (text[: first.start()] + (text[last.end() :] if ends else "")).strip()
