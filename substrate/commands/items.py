"""What a checkpoint saves, from JSON or lines; edges; and the sessions that observe takes in.

What cannot be read is refused with where and why, but without what it was: it may be a secret in the wrong place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NoReturn, TypeAlias

from substrate.errors import InputError

__all__ = ["Item", "Items", "read_edge", "read_items", "read_sessions", "read_unedge"]

_END = r"(?:v[1-9][0-9]{0,5}\.[a-z][a-z0-9_]*\..+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"
_EDGE = re.compile(rf"({_END})\s+([a-z][a-z0-9_]*)\s+({_END})", re.DOTALL)
_PLAIN = r"(?:v[1-9][0-9]{0,5}\.[a-z][a-z0-9_]*\.\S+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"
_PLAIN_EDGE = re.compile(rf"({_PLAIN})\s+([A-Za-z][\w -]*?)\s+({_PLAIN})")
_TYPE = re.compile(r"\s+([a-z][a-z0-9_]*)\s+(?=v[1-9][0-9]{0,5}\.|[0-9a-f]{8}-)")
_MEMBERS = ("atoms", "edges", "tombstones", "unedges")
Item: TypeAlias = str | dict[str, object]


def read_edge(text: str) -> dict[str, object]:
    """An edge from `SOURCE TYPE TARGET` or a JSON object. Names may hold spaces, if there is one way to read it."""
    if text.lstrip().startswith("{"):
        return _object(text, "an edge")
    text = text.strip()
    plain = _PLAIN_EDGE.fullmatch(text)
    if plain is not None:  # ends without spaces: what stands between them is the type, `depends on` as well
        return {"source": plain[1], "type": plain[2], "target": plain[3]}
    found = [(text[: at.start()], at[1], text[at.end() :]) for at in _TYPE.finditer(text)]
    found = [(source, kind, target) for source, kind, target in found if _EDGE.fullmatch(f"{source} {kind} {target}")]
    if len(found) != 1:
        why = "can be read in more than one way: give it as a JSON object" if found else "is not one"
        raise InputError(
            f"an edge reads 'SOURCE TYPE TARGET', two names with a word in lower_snake_case between them; this {why}"
        )
    source, kind, target = found[0]
    return {"source": source, "type": kind, "target": target}


def read_unedge(text: str) -> dict[str, object] | str:
    """An edge as above, or an edge's id."""
    return text.strip() if re.fullmatch(r"[0-9a-fA-F-]{36}", text.strip()) else read_edge(text)


# -- what a checkpoint takes -------------------------------------------------------------------------------------


@dataclass(slots=True)
class Items:
    """What is to be saved; and for each, by its place in the batch (`atoms[0]`), the line in which it stood."""

    atoms: list[Item] = field(default_factory=list)
    edges: list[dict[str, object]] = field(default_factory=list)
    tombstones: list[str | dict[str, object]] = field(default_factory=list)
    unedges: list[Item] = field(default_factory=list)
    lines: dict[str, int] = field(default_factory=dict)

    @property
    def empty(self) -> bool:
        """Whether there is nothing to save."""
        return not (self.atoms or self.edges or self.tombstones or self.unedges)


def read_items(text: str) -> Items:
    """The items in a text: one JSON document, or lines, each of `name = value` or an atom in JSON.

    A document is a list of atoms, an atom, or an object with `atoms`, `edges`, `tombstones`, `unedges`.
    InputError with the number of the line that cannot be read.
    """
    document = _whole(text)
    if isinstance(document, list):
        return _from_document({"atoms": document})
    if isinstance(document, dict):
        return _from_document(document if document.keys() & set(_MEMBERS) else {"atoms": [document]})
    items = Items()
    # Not splitlines, which knows eight more ends of a line: none of them may make two atoms of one.
    for number, line in enumerate(re.split("\r?\n", text), start=1):
        if line.strip():
            items.lines[f"atoms[{len(items.atoms)}]"] = number
            items.atoms.append(_object(line, f"line {number}") if line.lstrip().startswith("{") else line)
    return items


def read_sessions(text: str) -> tuple[list[dict[str, object]], list[int]]:
    """The sessions in a text, a JSON object in each line; and the number of the line where each stood.

    InputError with the number of the line that cannot be read.
    """
    lines = [(number, line) for number, line in enumerate(re.split("\r?\n", text), start=1) if line.strip()]
    return [_object(line, f"line {number}") for number, line in lines], [number for number, _ in lines]


def _whole(text: str) -> object:
    """The one JSON document that the text is, or None if it is lines."""
    if not text.lstrip().startswith(("[", "{")):
        return None
    try:
        return _json(text)
    except ValueError as error:
        first = text.strip().split("\n", 1)[0]
        if first.startswith("{") and _is_object(first):
            return None
        raise InputError(f"the input is not JSON: {error}") from None


def _is_object(line: str) -> bool:
    try:
        return isinstance(_json(line), dict)
    except ValueError:
        return False


def _from_document(document: Mapping[str, object]) -> Items:
    if unknown := document.keys() - set(_MEMBERS):
        known = ", ".join(_MEMBERS)
        raise InputError(
            f"this JSON object has the members {known}; this one has {len(unknown)} that are none of these"
        )
    items = Items()
    for member in _MEMBERS:
        found = document.get(member, [])
        if not isinstance(found, list):
            raise InputError(f"{member} must be a list")
        for at, item in enumerate(found):
            if not isinstance(item, str | dict):
                raise InputError(f"{member}[{at}] must be a string or an object")
            _take(items, member, item)
    return items


def _take(items: Items, member: str, item: Item) -> None:
    match member, item:
        case "atoms", _:
            items.atoms.append(item)
        case "tombstones", _:
            items.tombstones.append(item)
        case "edges", _:
            items.edges.append(read_edge(item) if isinstance(item, str) else item)
        case _:
            items.unedges.append(read_unedge(item) if isinstance(item, str) else item)


def _object(text: str, what: str) -> dict[str, object]:
    try:
        value = _json(text)
    except ValueError as error:
        raise InputError(f"{what} is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise InputError(f"{what} must be a JSON object")
    return value


def _json(text: str) -> object:
    """The value. ValueError, which says where and not what, also for a member that is there twice, NaN and the like."""
    try:
        value: object = json.loads(text, object_pairs_hook=_once, parse_constant=_no_number)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    return value


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("an object has the same member twice")
    return members


def _no_number(_: str) -> NoReturn:
    raise ValueError("NaN and infinity are not valid JSON")
