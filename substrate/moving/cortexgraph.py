"""What CortexGraph keeps: `memories.jsonl` and `relations.jsonl` in one folder, or a database with the same fields.

    {"id": ..., "content": ..., "meta": {"tags", "source", "context", "extra"}, "entities": [...], "created_at": ...,
     "last_used": ..., "use_count": ..., "strength": ..., "status": active | promoted | archived}
    {"id": ..., "from_memory_id": ..., "to_memory_id": ..., "relation_type": ..., "strength": ..., "metadata": {...}}

Of an id the last line counts; `_deleted` takes it back. A memory becomes a note under the name that it would get if it
were saved here, so the same text is one note; its uses become touches, at the time of the last one. A relation becomes
an edge. A last line that was cut off, which stops the original, is skipped and told.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

from substrate.errors import InputError, SchemaInvalid
from substrate.files import bounded_lines, users_file
from substrate.limits import LIMITS
from substrate.moving.line import Fields, Line, Lines, Read, at_line
from substrate.save.remember import Statement
from substrate.values.times import from_microseconds
from substrate.views.touches import HUNDREDTHS, Touch, TouchKind

__all__ = ["ACTOR", "is_cortexgraph", "open_cortexgraph"]

ACTOR: Final = "mcp:cortexgraph:import"
"""Whose notes they are: what that surface tidies up, it may tidy up of these too."""
_MEMORIES, _RELATIONS = "memories.jsonl", "relations.jsonl"
_DATABASE: Final = b"SQLite format 3\x00"
_DATABASES: Final = ("cortexgraph.db", "memories.db")
_PROMOTED: Final = "status:promoted"
_ARCHIVED: Final = "archived"
_JSON_COLUMNS: Final = ("meta", "entities", "tags", "metadata")
_SECOND: Final = 1_000_000
_LATEST: Final = 253_402_300_799
"""The last second of the year 9999."""
_MOST_USES: Final = 2**32 - 1
_Said = Mapping[str, object]
_Place = tuple[int, _Said]
"""A line number, or the number of a row, and what it says."""


def is_cortexgraph(path: Path) -> bool:
    """Whether this is a folder of CortexGraph, one of its two files, or its database."""
    if path.is_dir():
        return any((path / name).is_file() for name in (_MEMORIES, *_DATABASES))
    with path.open("rb") as file:
        first = file.readline(LIMITS["line_bytes"])
    if first.startswith(_DATABASE):
        return _is_database(path)
    try:
        said = json.loads(first)
    except (ValueError, RecursionError):
        return False
    if not isinstance(said, dict) or "id" not in said:
        return False
    return {"from_memory_id", "to_memory_id"} <= said.keys() or (
        "content" in said and bool({"use_count", "last_used"} & said.keys())
    )


@contextmanager
def open_cortexgraph(path: Path) -> Iterator[Lines]:
    """The lines of such a folder or file; of a file of memories with the relations beside it. InputError."""
    with users_file(path):
        if not path.exists():
            raise InputError(f"there is no file {path}")
        if path.is_dir():
            path = next((found for name in (_MEMORIES, *_DATABASES) if (found := path / name).is_file()), path)
            if path.is_dir():
                raise InputError(f"{path} has no {_MEMORIES}, and no {_DATABASES[0]}")
        if _begins_as_database(path):
            with closing(_connected(path)) as database:
                yield Lines(_of_database(database), 0)
        else:
            yield Lines(_of_files(path), 0)


def _of_files(path: Path) -> Iterator[Read]:
    """Memories, then the relations between them."""
    memories = path if path.name != _RELATIONS else path.with_name(_MEMORIES)
    names: dict[str, str] = {}
    if memories.is_file():
        yield from _memories(_last_lines(memories), names)
    relations = path.with_name(_RELATIONS)
    if relations.is_file():
        yield from _relations(_last_lines(relations), names)


def _last_lines(path: Path) -> Iterator[_Place | Read]:
    """The last line of each id that is not deleted, in order. Two passes: the first one sees which lines count."""
    last: dict[str, int] = {}
    for number, text in _texts(path):
        said = _object(text)
        if said is not None and isinstance(said.get("id"), str):
            last[str(said["id"])] = number
    for number, text in _texts(path):
        said = _object(text)
        if said is None or not isinstance(said.get("id"), str):
            reason = "it is not a JSON object with an id; the last line of a file may have been cut off"
            yield at_line(number, SchemaInvalid.code, f"of {path.name}: {reason}")
        elif last[str(said["id"])] == number and not said.get("_deleted"):
            yield number, said


def _texts(path: Path) -> Iterator[tuple[int, str]]:
    try:
        with path.open(encoding="utf-8-sig") as file:
            for number, text in enumerate(bounded_lines(file, LIMITS["line_bytes"]), 1):
                if text.strip():
                    yield number, text
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text") from None


def _object(text: str) -> _Said | None:
    try:
        said = json.loads(text) if len(text) <= LIMITS["line_bytes"] else None
    except (ValueError, RecursionError):
        return None
    return said if isinstance(said, dict) else None


# -- a database --------------------------------------------------------------------------------------------------------


def _begins_as_database(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_DATABASE)) == _DATABASE


def _connected(path: Path) -> sqlite3.Connection:
    """The database, for reading; nothing that its schema says is run."""
    database = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
    database.execute("PRAGMA trusted_schema = OFF")
    database.execute("PRAGMA query_only = ON")
    return database


def _is_database(path: Path) -> bool:
    try:
        with closing(_connected(path)) as database:
            return {"id", "content", "use_count"} <= set(_columns(database, "memories"))
    except sqlite3.Error:
        return False


def _columns(database: sqlite3.Connection, table: str) -> list[str]:
    """The columns of a plain table; none if there is no such one."""
    known = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
    if database.execute(known, (table,)).fetchone() is None:
        return []
    return [str(row[1]) for row in database.execute(f"PRAGMA table_info({table})")]


def _of_database(database: sqlite3.Connection) -> Iterator[Read]:
    names: dict[str, str] = {}
    try:
        if not {"id", "content"} <= set(_columns(database, "memories")):
            raise InputError("this database has no table of memories: it is not CortexGraph's")
        yield from _memories(_rows(database, "memories"), names)
        if {"from_memory_id", "to_memory_id"} <= set(_columns(database, "relations")):
            yield from _relations(_rows(database, "relations"), names)
    except sqlite3.Error as error:
        raise InputError(f"the database cannot be read: {error}") from None


def _rows(database: sqlite3.Connection, table: str) -> Iterator[_Place]:
    # The name of the table is one of two that stand above.
    found = database.execute(f"SELECT * FROM {table} ORDER BY rowid")  # noqa: S608
    columns = [str(column[0]) for column in found.description]  # also those that are generated
    for number, row in enumerate(found, 1):
        said: dict[str, object] = dict(zip(columns, row, strict=True))
        for column in _JSON_COLUMNS:
            if isinstance(text := said.get(column), str):
                said[column] = _value(text)
        yield number, said


def _value(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


# -- what a line says --------------------------------------------------------------------------------------------------


def _memories(places: Iterator[_Place | Read], names: dict[str, str]) -> Iterator[Read]:
    """`names` gets the name of each memory by its id."""
    for place in places:
        if not isinstance(place, tuple):
            yield place
            continue
        number, said = place
        identity, content = said.get("id"), said.get("content")
        if not isinstance(identity, str) or not isinstance(content, str) or not content.strip():
            yield at_line(number, SchemaInvalid.code, "it has no id, or no content")
            continue
        name = Statement(content.strip(), "note", is_typed=True).names()[-2]
        names[identity] = name
        fields = _fields(said, identity, name, content.strip())
        yield Line(number, "put", fields, len(content), touches=_touches(said))
        if said.get("status") == _ARCHIVED:
            yield Line(number, "tombstone", {"name": name, "reason": _ARCHIVED}, 0)


def _fields(said: _Said, identity: str, name: str, content: str) -> Fields:
    meta = said.get("meta")
    meta = meta if isinstance(meta, dict) else {}
    attrs: dict[str, object] = {"imported": {"from": "cortexgraph", "id": identity}}
    context, extra = meta.get("context", said.get("context")), meta.get("extra")
    attrs |= {"context": context} if isinstance(context, str) and context else {}
    attrs |= {"meta": extra} if isinstance(extra, dict) and extra else {}
    tags = _listed(meta.get("tags", said.get("tags")), LIMITS["tags"])
    if said.get("status") == "promoted":
        tags = [*tags[: LIMITS["tags"] - 1], _PROMOTED]
        attrs |= {"promoted_to": path} if isinstance(path := said.get("promoted_to"), str) and path else {}
    fields: Fields = {"name": name, "value": content, "tags": tags, "attrs": attrs}
    fields["entities"] = _listed(said.get("entities"), LIMITS["entities"])
    source = meta.get("source", said.get("source"))
    fields |= {"source": source} if isinstance(source, str) and source else {}
    created = _time(said.get("created_at"))
    return fields | ({} if created is None else {"occurred_at": from_microseconds(created)})


def _listed(said: object, most: int) -> list[str]:
    texts = [text for text in said if isinstance(text, str) and text.strip()] if isinstance(said, list) else []
    return list(dict.fromkeys(texts))[:most]


def _touches(said: _Said) -> tuple[Touch, ...]:
    """With which strength it was saved, and how often it was used: as one trace, at the time of the last use."""
    created = _time(said.get("created_at"))
    last = _time(said.get("last_used"))
    last = created if last is None else last
    if last is None:
        return ()
    strength = said.get("strength")
    strong = float(strength) if isinstance(strength, int | float) and 1 <= strength <= 2 else 1.0  # noqa: PLR2004
    uses = said.get("use_count")
    times = min(uses, _MOST_USES) if isinstance(uses, int) and not isinstance(uses, bool) and uses > 0 else 0
    begun = last if created is None else created
    saved = Touch(b"", begun, 0, round(strong * HUNDREDTHS), TouchKind.SAVED)
    return (saved, Touch(b"", last, times)) if times or last != begun else (saved,)


def _time(said: object) -> int | None:
    """Seconds since 1970, in microseconds."""
    if isinstance(said, bool) or not isinstance(said, int | float) or not 0 < said <= _LATEST:
        return None
    return int(said * _SECOND)


def _relations(places: Iterator[_Place | Read], names: Mapping[str, str]) -> Iterator[Read]:
    for place in places:
        if not isinstance(place, tuple):
            yield place
            continue
        number, said = place
        ends = [names.get(str(said.get(word))) for word in ("from_memory_id", "to_memory_id")]
        kind = said.get("relation_type")
        if None in ends or ends[0] == ends[1] or not isinstance(kind, str) or not kind:
            yield at_line(number, SchemaInvalid.code, "a relation to a memory that is not there, or to itself")
            continue
        edge: Fields = {"source": ends[0], "type": kind, "target": ends[1]}
        edge |= {"attrs": attrs} if isinstance(attrs := said.get("metadata"), dict) and attrs else {}
        strength: Any = said.get("strength")
        if isinstance(strength, int | float) and not isinstance(strength, bool) and 0 <= strength <= 1:
            edge["confidence"] = float(strength)
        yield Line(number, "edge", edge, 100)
