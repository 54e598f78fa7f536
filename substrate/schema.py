"""What each kind of body must hold: the one table of it. Pure.

A log may come from anywhere. That it is signed says who wrote it, not that it makes sense: types and ranges are looked
at here before anything is made of them. Members that are not known stay allowed: a later version may have added them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Final, TypeAlias, TypeGuard

from substrate.clock import FIRST_TIME, LAST_TIME
from substrate.errors import InputError
from substrate.limits import LIMITS
from substrate.names import EDGE_TYPE, check_name
from substrate.proof.encoding import Json
from substrate.proof.entry import ID_BYTES, MAX_TIME, Kind
from substrate.proof.hashes import HASH_BYTES

__all__ = [
    "MAX_POSITION",
    "MOST_WEIGHT",
    "ORIGINS",
    "RENAMED",
    "UNDOES",
    "is_id",
    "is_name",
    "is_plain",
    "is_position",
    "is_share",
    "is_stated",
    "is_time",
    "misfit",
]

ORIGINS: Final = ("user", "agent", "ingested")
"""Types of edges, and types of atoms, are spelt so."""
MAX_POSITION: Final = 2**53
MOST_WEIGHT: Final = 3
RENAMED: Final = "renamed"
"""What a tombstone says, true, if the atom goes on under another name: what was learnt of it stays."""
UNDOES: Final = "undoes"
"""What a version says that takes a checkpoint back: how many versions before it came with that. They never held."""
_MOST_DIMENSIONS: Final = 2**16
_ID: Final = re.compile(rf"[0-9a-f]{{{2 * ID_BYTES}}}")
_HASH: Final = re.compile(rf"[0-9a-f]{{{2 * HASH_BYTES}}}")
_HEX: Final = re.compile(r"(?:[0-9a-f]{2})+")
_DEPTH: Final = LIMITS["body_depth"]
_SCALARS: Final = (str, int)
_LISTS: Final = (list, tuple)
_EDGE_TYPE: Final = 2 * LIMITS["edge_type_characters"]
"""As it is stored: `dependsOn` gets an underscore before each capital."""

# What is looked at here was made by `json`: types are exact, and comparing them is faster than `isinstance`. This runs
# for every body that is read.


def is_name(said: object) -> bool:
    """Whether it is a name in its one spelling."""
    try:
        return type(said) is str and check_name(said) == said
    except InputError:
        return False


def is_time(said: object) -> bool:
    """Whether it is a time that users can hold: microseconds since 1970, of the years 1 to 9999."""
    return type(said) is int and FIRST_TIME <= said <= LAST_TIME


def is_plain(value: object, levels: int = _DEPTH) -> bool:
    """Whether JSON can hold it without changing it, within so many levels; all numbers are finite."""
    if value is None or isinstance(value, _SCALARS):
        return True
    if isinstance(value, float):
        return isfinite(value)
    if isinstance(value, dict) or isinstance(value, Mapping):  # noqa: SIM101 - a Mapping takes ten times as long to tell
        for key in value:
            if not isinstance(key, str):
                return False
        value = list(value.values())
    if not isinstance(value, _LISTS) or levels <= 0:
        return False
    for item in value:  # noqa: SIM110 - a loop, the commonest case first: this runs for every field of every atom
        if not isinstance(item, str) and not is_plain(item, levels - 1):
            return False
    return True


def _is_true(said: object) -> bool:
    return said is True


def _is_text(said: object) -> bool:
    return type(said) is str


def _is_texts(said: object) -> bool:
    if type(said) is not list:
        return False
    for one in said:  # noqa: SIM110 - a generator takes three times as long
        if type(one) is not str:
            return False
    return True


def is_share(said: object) -> TypeGuard[float]:
    """Whether it is a number from 0 to 1."""
    return type(said) in (float, int) and 0 <= said <= 1  # type: ignore[operator]


def is_position(said: object) -> TypeGuard[int]:
    """Whether it is the place of a part in a whole."""
    return type(said) is int and 0 <= said < MAX_POSITION


def _is_origin(said: object) -> bool:
    return type(said) is str and said in ORIGINS


def is_id(said: object) -> TypeGuard[str]:
    """Whether it is the id of an atom or edge, as bodies spell it."""
    return type(said) is str and _ID.fullmatch(said) is not None


def _is_ids(said: object) -> bool:
    return type(said) is list and all(map(is_id, said))


def _is_hash(said: object) -> bool:
    return type(said) is str and _HASH.fullmatch(said) is not None


def _is_hex(said: object) -> bool:
    return type(said) is str and _HEX.fullmatch(said) is not None


def _is_seqs(said: object) -> bool:
    return type(said) is list and all(type(seq) is int and 0 <= seq <= MAX_TIME for seq in said)


def _is_edge_type(said: object) -> bool:
    return type(said) is str and len(said) <= _EDGE_TYPE and EDGE_TYPE.fullmatch(said) is not None


def _is_attrs(said: object) -> bool:
    return type(said) is dict and is_plain(said)


def _is_windows(said: object) -> bool:
    return type(said) is list and all(
        type(ends) is list and len(ends) == 2 and all(end is None or is_time(end) for end in ends)  # noqa: PLR2004
        for ends in said
    )


def _is_weight(said: object) -> bool:
    return type(said) is int and 1 <= said <= MOST_WEIGHT


def _is_dimensions(said: object) -> bool:
    return type(said) is int and 0 < said <= _MOST_DIMENSIONS


def _is_restored(said: object) -> bool:
    return (
        type(said) is dict
        and said.keys() == {"origin", "size", "root"}
        and type(said["origin"]) is str
        and _is_log(said)
    )


def _is_abandoned(said: object) -> bool:
    return said is None or (type(said) is dict and said.keys() == {"size", "root"} and _is_log(said))


def _is_log(said: Mapping[str, object]) -> bool:
    return type(said["size"]) is int and 0 <= said["size"] <= MAX_TIME and _is_hash(said["root"])


_Rule: TypeAlias = Callable[[object], bool]
_Rules: TypeAlias = Mapping[str, _Rule]

_WORDS: Final[Mapping[_Rule, str]] = {
    is_name: "is not a valid name",
    is_plain: f"is not JSON of at most {_DEPTH} levels",
    is_time: "is not a time of the years 1 to 9999, in microseconds",
    _is_text: "is not a text",
    _is_texts: "is not a list of texts",
    is_share: "is not a number from 0 to 1",
    is_position: "is not a whole number from 0 on",
    _is_origin: f"is not one of {', '.join(ORIGINS)}",
    is_id: "is not an id",
    _is_ids: "is not a list of ids",
    _is_hash: "is not a hash",
    _is_hex: "is not hexadecimal",
    _is_seqs: "is not a list of seqs",
    _is_edge_type: "is not the type of an edge",
    _is_attrs: f"is not JSON of at most {_DEPTH} levels",
    _is_windows: "is not a list of pairs of times",
    _is_weight: f"is not a whole number from 1 to {MOST_WEIGHT}",
    _is_dimensions: f"is not a whole number from 1 to {_MOST_DIMENSIONS}",
    _is_restored: "does not name a log: origin, size and root",
    _is_abandoned: "does not name a log: size and root",
}
_WHO: Final[_Rules] = {"origin": _is_origin, "actor": _is_text, "session": _is_text}
_ENDS: Final[_Rules] = {"source": is_id, "type": _is_edge_type, "target": is_id}
_TAUGHT: Final[_Rules] = {"atoms": _is_ids, "weight": _is_weight}
_MODEL: Final[_Rules] = {"model": _is_text, "digest": _is_text, "dimensions": _is_dimensions, "space": _is_hex}
_SAID: Final[_Rules] = {
    **_WHO,
    "occurred_at": is_time,
    "valid_from": is_time,
    "valid_to": is_time,
    "tags": _is_texts,
    "entities": _is_texts,
    "confidence": is_share,
    "source": _is_text,
    "parent": is_id,
    "position": is_position,
    "attrs": _is_attrs,
    UNDOES: is_position,
}
_STATED: Final[_Rules] = {
    **_WHO,
    "label": _is_text,
    "confidence": is_share,
    "attrs": _is_attrs,
    "cited": _is_text,
    "windows": _is_windows,
    UNDOES: is_position,
}
_LEARNT: Final[_Rules] = {**_TAUGHT, "domain": is_id, "objective": _is_text, "after": is_id, **_WHO}

# What a training or a model does not say is passed over, and does no harm.
_NEEDED: Final[Mapping[int, _Rules]] = {
    Kind.PUT: {"name": is_name, "value": _is_text},
    Kind.TOMBSTONE: {"name": is_name},
    Kind.EDGE: _ENDS,
    Kind.UNEDGE: _ENDS,
    Kind.TRAIN: {},
    Kind.FORGET: {"erased": _is_seqs},
    Kind.MODEL: {},
    Kind.KEY: {"vkey": _is_text},
}
_MAY: Final[Mapping[int, _Rules]] = {
    Kind.PUT: _SAID,
    Kind.TOMBSTONE: {**_SAID, "reason": _is_text, RENAMED: _is_true},
    Kind.EDGE: _STATED,
    Kind.UNEDGE: _STATED,
    Kind.TRAIN: _LEARNT,
    Kind.FORGET: {"key": _is_hash, "edges": _is_ids},
    Kind.MODEL: _MODEL,
    Kind.KEY: {"restored_from": _is_restored, "abandoned": _is_abandoned},
}
# By the number of the kind: members of an Enum are slow keys.
_RULES: Final = [{**_MAY.get(kind, {}), **_NEEDED.get(kind, {})} for kind in (0, *Kind)]
_FREE: Final = [frozenset(field for field, rule in rules.items() if rule is _is_text) for rules in _RULES]
_MUST: Final = [tuple(_NEEDED.get(kind, {})) for kind in (0, *Kind)]


def is_stated(members: Mapping[str, Json]) -> bool:
    """Whether these are the ends and the type of an edge, whatever else is said of it."""
    return all(field in members and rule(members[field]) for field, rule in _ENDS.items())


def misfit(kind: Kind, members: Mapping[str, Json]) -> str | None:
    """What does not fit in the body of an entry of this kind, in words that hold nothing of it; None if all does."""
    rules, free = _RULES[kind], _FREE[kind]
    for field, said in members.items():
        if type(said) is str and field in free:  # most are: not worth a call
            continue
        rule = rules.get(field, is_plain)
        if not rule(said):
            return f"{field} {_WORDS[rule]}" if field in rules else f"a member {_WORDS[rule]}"
    for field in _MUST[kind]:
        if field not in members:
            return f"{field} is missing"
    return None
