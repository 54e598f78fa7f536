"""What callers hand in, turned into what the log takes: each item checked once, here, field by field.

An atom comes as a string `key = value`, as a mapping with the field names of `model.Atom`, or as an Atom. An edge
comes as a mapping or an Edge. After this, types are trusted.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Final, TypeAlias, TypeVar

from substrate.atoms.moments import read_head, read_time
from substrate.atoms.resolve import read_end
from substrate.codec import check_value
from substrate.errors import InputError, NameInvalid, SchemaInvalid, TooLarge
from substrate.limits import LIMITS, check_size
from substrate.log.expect import Expect
from substrate.messages import AN_ATOM, Arg, Save
from substrate.names import check_name, read_edge_type
from substrate.proof.encoding import Json
from substrate.proof.head import Head, Pin, SignedHead
from substrate.save.place import Place
from substrate.save.repeat import PLACE
from substrate.schema import MAX_POSITION
from substrate.values.atoms import ORIGINS, Atom
from substrate.values.edges import Edge, Window

__all__ = [
    "ATOM_FIELDS",
    "EDGE_FIELDS",
    "AtomGiven",
    "AtomInput",
    "EdgeGiven",
    "EdgeInput",
    "ExpectInput",
    "TombstoneGiven",
    "TombstoneInput",
    "fields_of",
    "name_in",
    "placed",
    "read_atom",
    "read_edge",
    "read_expect",
    "read_said",
    "read_tombstone",
    "turn_edge",
]

AtomInput: TypeAlias = "str | Mapping[str, object] | Atom"
TombstoneInput: TypeAlias = "str | Mapping[str, object]"
EdgeInput: TypeAlias = "Mapping[str, object] | Edge"
ExpectInput: TypeAlias = "Expect | Mapping[str, int | None] | Head | SignedHead | Pin | str"
_SEPARATOR: Final = " = "
_FEW, _SHORT_TEXT, _LARGE = 8, 200, 1 << 63
"""Attrs that need no further look: so many, with so many characters or such a number each at most. They are far from
any limit."""
_READ_ONLY: Final = frozenset(
    {"id", "seq", "recorded_at", "tombstoned", "reason", "confirmed_at", "superseded_by", "dangling", "damaged"}
)
"""What reading tells and writing cannot set; taken and left, so that what was read can be handed back."""
_ATOM_FIELDS: Final = frozenset(field.name for field in fields(Atom))
_EDGE_FIELDS: Final = frozenset(field.name for field in fields(Edge)) | {"valid_from", "valid_to"}
_TOMBSTONE_FIELDS: Final = frozenset({"name", "occurred_at", "reason", "actor", "origin", "session", "source"})
_Reader: TypeAlias = Callable[[object, str], Json]


@dataclass(frozen=True, slots=True)
class AtomGiven:
    """A checked atom: name, value, and the further members of its body. `parent` may be a name still.

    `cleared` are members that were given as empty: they shall not be there, even if they were.
    """

    name: str
    value: str
    members: dict[str, Json]
    cleared: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TombstoneGiven:
    """A checked tombstone: the atom by name or id (hex), and the further members of its body."""

    name: str
    members: dict[str, Json]


@dataclass(frozen=True, slots=True)
class EdgeGiven:
    """A checked edge: ends by name or by id (hex), type, and the further members of its body, as for atoms."""

    source: str
    type: str
    target: str
    members: dict[str, Json]
    cleared: tuple[str, ...] = ()


def read_atom(item: AtomInput, said: Mapping[str, str | None]) -> AtomGiven:
    """An atom to record; `said` holds actor, origin, session and source where the item has none. InputError."""
    if isinstance(item, str):
        name, value = _split(item)
        return AtomGiven(_named(name), value, {key: text for key, text in said.items() if text is not None})
    given = _mapping(item, Atom, _ATOM_FIELDS)
    name, value = given.get("name"), given.get("value")  # type: ignore[assignment]
    if not isinstance(name, str) or not isinstance(value, str):
        raise SchemaInvalid(AN_ATOM, " needs a name and a value, both strings; other JSON goes into attrs")
    if not value:
        raise SchemaInvalid("the value is empty: to take ", AN_ATOM, " out of use, tombstone it")
    check_value(value)
    name = _named(name)
    members: dict[str, Json] = {key: text for key, text in said.items() if text is not None}
    cleared = _read_members(given, _ATOM_READERS, members)
    start, end = members.get("valid_from"), members.get("valid_to")
    if isinstance(start, int) and isinstance(end, int) and start >= end:
        raise SchemaInvalid("valid_from must be earlier than valid_to")
    return AtomGiven(name, value, members, cleared)


def _named(name: str) -> str:
    """The name in its one spelling. If it is invalid, the error also says how an atom of the right name is saved."""
    try:
        return check_name(name)
    except NameInvalid as error:
        if error.suggested is None:
            raise
        raise NameInvalid(error.message, ": ", Save(error.suggested), suggested=error.suggested) from None


def read_tombstone(item: TombstoneInput, said: Mapping[str, str | None]) -> TombstoneGiven:
    """What to take out of use; `said` as for atoms. InputError."""
    given = {"name": item} if isinstance(item, str) else item
    if not isinstance(given, Mapping) or not given.keys() <= _TOMBSTONE_FIELDS:
        raise SchemaInvalid(f"a tombstone is a name, an id, or a mapping of {', '.join(sorted(_TOMBSTONE_FIELDS))}")
    members: dict[str, Json] = {key: text for key, text in said.items() if text is not None}
    _read_members(given, _TOMBSTONE_READERS, members)
    return TombstoneGiven(read_end(given.get("name"), "a tombstone"), members)


def read_edge(item: EdgeInput, said: Mapping[str, str | None]) -> EdgeGiven:
    """An edge to state; `said` as for atoms, its source being where the statement is `cited` from. InputError."""
    given = _mapping(item, Edge, _EDGE_FIELDS)
    source, target = read_end(given.get("source"), "source"), read_end(given.get("target"), "target")
    spelled = given.get("type")
    kind = read_edge_type(spelled)
    members: dict[str, Json] = {
        "cited" if key == "source" else key: text for key, text in said.items() if text is not None
    }
    if spelled != kind:
        members["label"] = _text(spelled, "type")
    cleared = _read_members(given, _EDGE_READERS, members)
    windows = _windows(given)
    if windows:
        members["windows"] = windows
    elif "windows" in given:
        cleared += ("windows",)
    return EdgeGiven(source, kind, target, members, cleared)


def turn_edge(edge: EdgeGiven, inverse: str, *, label: bool = False) -> EdgeGiven:
    """The same edge under its other name, read from its other end. With `label` it keeps how the caller spelled it."""
    members = {key: said for key, said in edge.members.items() if key != "label"}
    if label:
        members["label"] = edge.members.get("label", edge.type)
    return replace(edge, source=edge.target, type=inverse, target=edge.source, members=members)


def read_expect(given: ExpectInput | None) -> Expect:
    """What a writer expects still to hold. SchemaInvalid if it is no such thing."""
    if given is None:
        return Expect()
    if isinstance(given, Expect):
        return given
    if isinstance(given, str):
        given = read_head(given, Arg("expect"))
    if isinstance(given, Pin | SignedHead):
        given = given.head
    if isinstance(given, Head):
        return Expect(size=given.size, root=given.root)
    if isinstance(given, Mapping):
        return Expect(versions=dict(given))
    raise SchemaInvalid(Arg("expect"), " is {name: seq, or None for absent}, or a head")


def _read_members(
    given: Mapping[str, object], readers: Mapping[str, _Reader], members: dict[str, Json]
) -> tuple[str, ...]:
    """Read the fields that are given into `members`; those that are given as empty are the answer."""
    cleared: tuple[str, ...] = ()
    for field, read in readers.items():
        if field in given:
            raw = given[field]
            said = None if raw is None or raw == "" else read(raw, field)
            if said not in (None, [], {}):
                members[field] = said
            elif field not in members:
                cleared += (field,)
    return cleared


def read_said(said: Mapping[str, object]) -> dict[str, str | None]:
    """Actor, origin, session and source of a whole batch, checked as those of an item are. InputError."""
    return {
        field: None if raw is None else _origin(raw, field) if field == "origin" else _text(raw, field)
        for field, raw in said.items()
    }


def _mapping(item: object, kind: type[Atom | Edge], known: frozenset[str]) -> Mapping[str, object]:
    what = kind.__name__
    if isinstance(item, kind):
        return {field.name: getattr(item, field.name) for field in fields(kind) if field.name not in _READ_ONLY}
    if not isinstance(item, Mapping):
        also = "a string `key = value`, " if kind is Atom else ""
        raise SchemaInvalid(f"an {what.lower()} is {also}a mapping or an {what}, not {type(item).__name__}")
    for key in item:
        if key not in known:
            raise SchemaInvalid(f"an {what.lower()} has no field {str(key)[:40]!r}; it has {', '.join(sorted(known))}")
    return item


def _split(text: str) -> tuple[str, str]:
    if len(text) > LIMITS["name_bytes"] + LIMITS["value_bytes"] + len(_SEPARATOR):
        raise TooLarge("value", len(text), LIMITS["value_bytes"])
    key, separator, value = text.partition(_SEPARATOR)
    value = value.strip()
    if not separator or not value:
        raise SchemaInvalid("write an atom as `v1.fact.name = value`, with a space on both sides of = and a value")
    return key.strip(), value


def _text(raw: object, field: str) -> str | None:
    if not isinstance(raw, str):
        raise SchemaInvalid(f"{field} must be a string, not {type(raw).__name__}")
    check_size(field, len(raw), "text_characters", "characters")
    return raw.strip() or None


def _texts(raw: object, field: str) -> list[Json]:
    if not isinstance(raw, list | tuple | set | frozenset):
        raise SchemaInvalid(f"{field} must be a list of strings")
    check_size(field, len(raw), field, "items")
    limit = "tag_characters" if field == "tags" else "entity_characters"
    unique: dict[str, None] = {}
    for item in sorted(raw, key=str) if isinstance(raw, set | frozenset) else raw:
        if not isinstance(item, str) or not item.strip():
            raise SchemaInvalid(f"{field} must hold strings that are not empty")
        check_size(f"one of the {field}", len(item), limit, "characters")
        unique[item.strip()] = None
    return list(unique)


def _number(raw: object, field: str) -> float:
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not 0 <= raw <= 1:
        raise SchemaInvalid(f"{field} is a number from 0 to 1")
    return float(raw)


def _position(raw: object, field: str) -> int:
    if isinstance(raw, bool) or not isinstance(raw, int) or not 0 <= raw < MAX_POSITION:
        raise SchemaInvalid(f"{field} is a whole number from 0 on")
    return raw


def _origin(raw: object, field: str) -> str:
    if raw not in ORIGINS:
        raise SchemaInvalid(f"{field} is one of {', '.join(ORIGINS)}")
    return str(raw)


def _time(raw: object, field: str) -> int:
    return read_time(raw, field)


def _windows(given: Mapping[str, object]) -> list[Json]:
    raw = given.get("windows") or ()
    if not isinstance(raw, list | tuple):
        raise SchemaInvalid("windows must be a list of {start, end}; for one, give valid_from and valid_to")
    check_size("windows", len(raw), "windows", "items")
    ends = [_ends(window) for window in raw]
    if given.get("valid_from") is not None or given.get("valid_to") is not None:
        ends.append((given.get("valid_from"), given.get("valid_to")))
    read: list[Json] = []
    for start, end in ends:
        pair = [None if end is None else _time(end, "a window's end") for end in (start, end)]
        if pair[0] is not None and pair[1] is not None and pair[0] >= pair[1]:
            raise SchemaInvalid("a window must begin before it ends")
        read.append(list(pair))
    return read


def _ends(window: object) -> tuple[object, object]:
    if isinstance(window, Window):
        return window.start, window.end
    if isinstance(window, Mapping) and window.keys() <= {"start", "end"}:
        return window.get("start"), window.get("end")
    raise SchemaInvalid("a window is {start, end}, each a time or left out")


def _attrs(raw: object, field: str) -> dict[str, Json]:
    if not isinstance(raw, Mapping):
        raise SchemaInvalid(f"{field} must be a mapping")
    if _is_small(raw):
        return dict(raw)
    check_size(field, _depth(raw), "attrs_depth", "levels")
    check_size(field, _least_size(raw), "attrs_bytes")
    try:
        text = json.dumps(raw, ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError):
        raise SchemaInvalid(f"{field} must be JSON: strings, finite numbers, booleans, null, lists, mappings") from None
    check_size(field, len(text), "attrs_bytes")
    plain: dict[str, Json] = json.loads(text)  # tuples are lists in it, keys strings: what reading will give back
    return plain


def _is_small(raw: Mapping[object, object]) -> bool:
    """Whether these are a few short texts and numbers, as most are: JSON that needs no further look. Others get one."""
    if len(raw) > _FEW:
        return False
    for key, said in raw.items():  # a loop: a generator takes twice as long
        if type(key) is not str or len(key) > _SHORT_TEXT or not key.isascii():
            return False
        if type(said) is str:
            if len(said) > _SHORT_TEXT or not said.isascii():
                return False
        elif type(said) is not int or not -_LARGE < said < _LARGE:
            return False
    return True


def _depth(value: object, level: int = 0) -> int:
    """How deep mappings and lists are nested in each other; one more than the limit stands for all that is deeper."""
    if not isinstance(value, Mapping | list | tuple):
        return level
    if level > LIMITS["attrs_depth"]:
        return level
    inner = value.values() if isinstance(value, Mapping) else value
    return max((_depth(item, level + 1) for item in inner), default=level + 1)


def _least_size(value: object) -> int:
    """How many bytes it has as JSON, or fewer: what is far too large is refused before it is written out."""
    if isinstance(value, str):
        return len(value)
    inner = [*value.keys(), *value.values()] if isinstance(value, Mapping) else value
    if not isinstance(inner, list | tuple):
        return 1
    size = len(inner)
    for item in inner:
        size += _least_size(item)
        if size > LIMITS["attrs_bytes"]:
            break
    return size


_ATOM_READERS: Final[dict[str, _Reader]] = {
    "tags": _texts,
    "entities": _texts,
    "confidence": _number,
    "source": _text,
    "origin": _origin,
    "actor": _text,
    "session": _text,
    "occurred_at": _time,
    "valid_from": _time,
    "valid_to": _time,
    "parent": read_end,
    "position": _position,
    "attrs": _attrs,
}
_TOMBSTONE_READERS: Final[dict[str, _Reader]] = {
    "reason": _text,
    **{field: _ATOM_READERS[field] for field in ("occurred_at", "actor", "origin", "session", "source")},
}
_EDGE_READERS: Final[dict[str, _Reader]] = {
    "label": _text,
    "confidence": _number,
    "cited": _text,
    "origin": _origin,
    "actor": _text,
    "session": _text,
    "attrs": _attrs,
}
ATOM_FIELDS: Final = tuple(_ATOM_READERS)
"""What an atom may say beside its name and value."""
EDGE_FIELDS: Final = (*_EDGE_READERS, "windows")
"""What an edge may say beside its ends and type."""


_SPEAKER: Final = ("actor", "session")


def fields_of(said: Atom | Edge) -> dict[str, object]:
    """What an atom says beside its name and value, or an edge beside its ends and type, as input again.

    Fields that it does not have are None: they are cleared. Who said it stays, as far as that is told: who forgets
    that must not leave a copy. Else who saves it now says it.
    """
    known = ATOM_FIELDS if isinstance(said, Atom) else EDGE_FIELDS
    told = {key: getattr(said, key) for key in known}
    return {
        key: None if field in (None, (), {}) else field
        for key, field in told.items()
        if field is not None or key not in _SPEAKER
    }


def name_in(item: object) -> str | None:
    """The name in an item that was refused, if it has one."""
    name = item[: LIMITS["name_bytes"] + 3].partition(" = ")[0].strip() if isinstance(item, str) else None
    if isinstance(item, Mapping):
        name = item.get("name")
    try:
        return check_name(name) if isinstance(name, str) else None
    except InputError:
        return None


_Given = TypeVar("_Given", AtomGiven, EdgeGiven)


def placed(given: _Given, where: Place | None) -> _Given:
    """The same, and where it is recorded; but what the caller says of that himself holds, and limits do."""
    attrs = given.members.get("attrs", {})
    if not where or not isinstance(attrs, dict) or PLACE in attrs:
        return given
    both: dict[str, Json] = {**attrs, PLACE: dict(where)}
    if len(json.dumps(both, ensure_ascii=False).encode()) > LIMITS["attrs_bytes"]:
        return given
    return replace(given, members={**given.members, "attrs": both})
