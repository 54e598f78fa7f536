"""Front matter: the fields in YAML at the top of a Markdown file, between two lines `---`. Pure.

Anybody may have written the file. So only its first 64 KiB are looked at; anchors and aliases, which can stand for
gigabytes, are refused, and so is what is nested deeper than attrs can be. What cannot be read is no front matter: the
text is taken in all the same. Values are those of YAML 1.2: `no` and `2024-05-01` are texts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from substrate.atoms.moments import read_time
from substrate.errors import InputError
from substrate.limits import LIMITS
from substrate.proof.encoding import Json

__all__ = ["Fields", "FrontMatter", "find_front_matter", "unread_front_matter"]

_MOST: Final = 65_536
"""Characters of front matter; longer, it is none."""
_BEGIN: Final = re.compile("\ufeff?---[ \\t]*+\\r?\\n")
_END: Final = re.compile(r"(?:^|(?<=\n))(?:---|\.\.\.)[ \t]*+(?:\r?\n|\r?\Z)")
_FIELD: Final = re.compile(r"\s*+[\w-][\w .-]{0,60}:(?:\s|\Z)")
"""How a first line begins that is one of front matter, and no text between two lines of dashes."""
_DEEP: Final = 7
"""Lists and mappings in each other, the front matter among them: what attrs have room for."""
_RECORDED: Final = 16_384
"""Bytes of JSON of the fields that are kept as they are."""
_NULLS: Final = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS: Final = {word: said for said in (True, False) for word in (str(said), str(said).lower(), str(said).upper())}
_NUMBER: Final = re.compile(r"[-+]?(?:0|[1-9]\d{0,14}|(?=\.?\d)\d{0,15}\.\d{0,15}(?:[eE][-+]?\d{1,2})?)")
_BETWEEN_TAGS: Final = re.compile(r"[\s,]+")
_CONTROL: Final = re.compile("[\\x00-\\x1f\\x7f-\\x9f]")
_ALIASES: Final = 50
_LABEL: Final = 200
"""Characters of a title or an alias."""


class FrontMatter(NamedTuple):
    """What the front matter of a text says, and where the text behind it begins."""

    fields: Fields
    end: int


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields that mean something here, and all others."""

    title: str | None = None
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    occurred_at: str | None = None
    rest: Mapping[str, Json] = field(default_factory=dict)
    dropped: tuple[str, ...] = ()
    """Names of fields that had no room, or not all of them."""


def find_front_matter(text: str) -> FrontMatter | None:
    """The front matter of a text; None if it has none that can be read."""
    begin = _BEGIN.match(text)
    end = None if begin is None else _END.search(text, begin.end(), begin.end() + _MOST)
    if begin is None or end is None:
        return None
    said = _read(text[begin.end() : end.start()])
    return None if said is None else FrontMatter(_fields(said), end.end())


def unread_front_matter(text: str) -> str:
    """Why what looks like front matter at the top of a text is none; empty if nothing does, or it was read."""
    begin = _BEGIN.match(text)
    if begin is None or _FIELD.match(text, begin.end()) is None:
        return ""
    end = _END.search(text, begin.end(), begin.end() + _MOST)
    if end is None:
        return f"no line --- ends it within {_MOST:,} characters"
    import yaml  # noqa: PLC0415

    try:
        said = _built(yaml, text[begin.end() : end.start()])
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        return "it is not valid YAML" if mark is None else f"line {mark.line + 2} is not valid YAML"
    except (yaml.YAMLError, ValueError):
        return "it is not valid YAML"
    except (_Refused, RecursionError):
        return "it has anchors, aliases or keys that are not read, or is nested too deeply"
    return "" if isinstance(said, dict) else "it is not a list of fields"


class _Refused(Exception):
    """It is YAML that is not read here."""


def _read(block: str) -> Mapping[str, Json] | None:
    """A block of YAML that is a mapping; None if it is none, or cannot be read."""
    import yaml  # noqa: PLC0415 - only those who ingest such files pay for it

    try:
        said = _built(yaml, block)
    except (yaml.YAMLError, _Refused, ValueError, RecursionError):
        return None
    return said if isinstance(said, dict) else None


def _built(yaml: Any, block: str) -> Json:  # noqa: ANN401 - it is imported late
    """The value of a block, made of the parser's events one by one: nothing is expanded, and depth takes no stack."""
    top: list[Json] = []
    opened: list[list[Json] | dict[str, Json]] = [top]
    keys: list[str | None] = [None]
    for event in yaml.parse(block, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        kind = type(event).__name__
        if kind == "AliasEvent" or getattr(event, "anchor", None) is not None:
            raise _Refused
        if kind in {"SequenceEndEvent", "MappingEndEvent"}:
            opened.pop()
            keys.pop()
        elif kind == "ScalarEvent":
            said = _scalar(event.value, is_plain=event.implicit[0])
            if isinstance(opened[-1], dict) and keys[-1] is None:
                keys[-1] = event.value
            else:
                _put(opened[-1], keys, said)
        elif kind in {"SequenceStartEvent", "MappingStartEvent"}:
            inner: list[Json] | dict[str, Json] = [] if kind == "SequenceStartEvent" else {}
            _put(opened[-1], keys, inner)
            opened.append(inner)
            keys.append(None)
            if len(opened) > _DEEP + 1:
                raise _Refused
    return top[0] if len(top) == 1 else None  # several documents, or none


def _put(into: list[Json] | dict[str, Json], keys: list[str | None], said: Json) -> None:
    """Put a value into the innermost list or mapping, there under the key that waits for it."""
    if isinstance(into, list):
        into.append(said)
    elif (key := keys[-1]) is None:
        raise _Refused  # a key that is no text
    else:
        into[key] = said
        keys[-1] = None


def _scalar(said: str, *, is_plain: bool) -> Json:
    if "\x00" in said:
        raise _Refused
    if not said.isascii():
        said.encode()  # half a character is a ValueError
    if not is_plain:
        return said
    if said in _NULLS:
        return None
    if said in _BOOLEANS:
        return _BOOLEANS[said]
    if _NUMBER.fullmatch(said):
        return float(said) if any(sign in said for sign in ".eE") else int(said)
    return said


def _fields(said: Mapping[str, Json]) -> Fields:
    title: str | None = None
    occurred_at: str | None = None
    tags: dict[str, None] = {}
    aliases: dict[str, None] = {}
    rest: dict[str, Json] = {}
    dropped: list[str] = []
    room = _RECORDED
    for key, value in said.items():
        word = key.strip().casefold()
        shown = _label(key) or "?"
        if word == "title" and title is None and isinstance(value, str | int | float) and _label(str(value)):
            title = _label(str(value))
        elif word in ("tags", "tag") and (found := _tags(value)) is not None:
            tags |= dict.fromkeys(found)
            if len(tags) > LIMITS["tags"] or any(len(tag) > LIMITS["tag_characters"] for tag in tags):
                tags = dict.fromkeys([tag for tag in tags if len(tag) <= LIMITS["tag_characters"]][: LIMITS["tags"]])
                dropped.append(shown)
        elif word in ("aliases", "alias") and (found := _aliases(value)) is not None:
            aliases |= dict.fromkeys(found)
            if len(aliases) > _ALIASES or _size(list(aliases)) > _RECORDED // 2:
                aliases = {}
                dropped.append(shown)
        elif word in ("created", "date") and occurred_at is None and _is_time(value):
            occurred_at = str(value)
        else:
            size = _size({key: value})
            if size > room:
                dropped.append(shown)
            else:
                rest[key] = value
                room -= size
    return Fields(title, tuple(tags), tuple(aliases), occurred_at, rest, tuple(dropped))


def _size(value: Json) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode())


def _label(text: str) -> str | None:
    """A text in one line without control characters, not too long; None if nothing is left."""
    return " ".join(_CONTROL.sub(" ", text[: 10 * _LABEL]).split())[:_LABEL].rstrip() or None


def _texts(value: Json) -> list[str] | None:
    """The texts of a list; None if it is no list, or holds lists or mappings."""
    if not isinstance(value, list) or any(isinstance(one, list | dict) for one in value):
        return None
    return [str(one) for one in value if one is not None]


def _tags(value: Json) -> list[str] | None:
    said = _BETWEEN_TAGS.split(value) if isinstance(value, str) else [] if value is None else _texts(value)
    if said is None:
        return None
    return [tag for one in said if (tag := " ".join(one.split()).lstrip("#").strip())]


def _aliases(value: Json) -> list[str] | None:
    said = value.split(",") if isinstance(value, str) else [] if value is None else _texts(value)
    return None if said is None else [alias for one in said if (alias := _label(one))]


def _is_time(value: Json) -> bool:
    """Whether it is a time in ISO 8601, which an atom can have."""
    if not isinstance(value, str):
        return False
    try:
        read_time(value, "created")
    except InputError:
        return False
    return True
