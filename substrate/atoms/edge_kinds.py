"""The table of edge types: which other name a type has when it is read from its other end, and what it may join.

`A has_member B` is `B member_of A`: one edge with two names. The types that mean something to the engine are kept under
its own name, whichever was used. Any other edge is kept as it was first stated, and found by both names.

A store adds rows by the atom `v1.schema.edges`, whose value is JSON:

    {"strict": false, "types": {"works_for": {"inverse": "employs", "from": ["person"], "to": ["company"]}}}

`from` and `to` are the types of atoms that it may lead from and to; left out: any. The engine's own types join any: who
may save could else keep others from superseding. With `strict`, an edge of a type that is in neither table is refused.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from substrate.atoms.bodies import body_of
from substrate.errors import InputError, SchemaInvalid
from substrate.kv.api import ReadTransaction
from substrate.names import EDGE_TYPE, read_edge_type
from substrate.proof.entry import Kind
from substrate.text.quote import in_quotes
from substrate.values.edges import (
    CONSISTENT_WITH,
    CONTRADICTS,
    DEPENDS_ON,
    DERIVED_FROM,
    MEMBER_OF,
    PRODUCED_BY,
    REFERENCES,
    RENAMED_TO,
    SUPERSEDES,
)
from substrate.views.atoms import find_name, latest_version
from substrate.views.edges import Link, links_of

__all__ = ["BUILT_IN", "SCHEMA", "EdgeKind", "EdgeKinds", "edge_kinds", "links_named", "read_edge_kinds"]

SCHEMA: Final = "v1.schema.edges"
"""The atom that adds rows."""
_MOST: Final = 1000
"""Rows that it may add."""
_MEMBERS: Final = frozenset({"strict", "types"})
_ROW: Final = frozenset({"inverse", "from", "to"})


class EdgeKind(NamedTuple):
    """One row: a type, its other name (itself if both ends are alike), and the types of atoms that it may join."""

    type: str
    inverse: str | None = None
    sources: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()

    def turned(self) -> EdgeKind | None:
        """The same row under its other name."""
        return None if self.inverse is None else EdgeKind(self.inverse, self.type, self.targets, self.sources)


_OWN: Final = (
    EdgeKind(SUPERSEDES, "superseded_by"),
    EdgeKind(MEMBER_OF, "has_member"),
    EdgeKind(DEPENDS_ON, "required_by"),
    EdgeKind(DERIVED_FROM, "has_derivation"),
    EdgeKind(PRODUCED_BY, "produces"),
    EdgeKind(REFERENCES, "referenced_by"),
    EdgeKind("constrains", "constrained_by"),
    EdgeKind(CONSISTENT_WITH, CONSISTENT_WITH),
    EdgeKind(CONTRADICTS, CONTRADICTS),
    EdgeKind(RENAMED_TO, "renamed_from"),
)
"""The types that mean something to the engine: kept under these names."""
_WELL_KNOWN: Final = (
    EdgeKind("part_of", "has_part"),
    EdgeKind("child_of", "parent_of"),
    EdgeKind("causes", "caused_by"),
    EdgeKind("supports", "supported_by"),
    EdgeKind("related", "related"),
    EdgeKind("related_to", "related_to"),
    EdgeKind("same_as", "same_as"),
    EdgeKind("precedes", "preceded_by"),
    EdgeKind("mentions", "mentioned_in"),
    EdgeKind("has_decision", "decision_of"),
    EdgeKind("consolidated_from", "consolidated_into"),
    EdgeKind("owns", "owned_by"),
    EdgeKind("uses", "used_by"),
    EdgeKind("creates", "created_by"),
    EdgeKind("blocks", "blocked_by"),
    EdgeKind("implements", "implemented_by"),
    EdgeKind("works_for", "employs"),
    EdgeKind("located_in", "location_of"),
)


class EdgeKinds:
    """The rows that hold in a store: those built in, and those it adds."""

    def __init__(self, added: Iterable[EdgeKind] = (), *, strict: bool = False) -> None:
        self._strict = strict
        self._rows: dict[str, EdgeKind] = {}
        for row in (*_OWN, *_WELL_KNOWN, *added):
            for named in (row, row.turned()):
                if named is not None:
                    self._rows[named.type] = named

    def __getitem__(self, kind: str) -> EdgeKind:
        """The row of a type; of one that is in no table, a row that says nothing."""
        return self._rows.get(kind) or EdgeKind(kind)

    def inverse(self, kind: str) -> str | None:
        """The other name of a type, if it has one. The inverse of the inverse is the type itself."""
        return self[kind].inverse

    def is_own(self, kind: str) -> bool:
        """Whether it means something to the engine, and so is kept under this name, whichever is used."""
        return kind in _OWN_TYPES

    def check(self, kind: str, source: str | None, target: str | None) -> None:
        """InputError if the table does not let an edge of this type join atoms of these types (None: not known)."""
        row = self._rows.get(kind)
        if row is None:
            if self._strict:
                raise InputError(f"there is no edge type {kind} here: {SCHEMA} is strict. Add it there, or use another")
            return
        for end, allowed, word in ((source, row.sources, "from"), (target, row.targets, "to")):
            if allowed and end is not None and end not in allowed:
                raise InputError(
                    f"an edge {kind} leads {word} {' or '.join(allowed)}, not {word} {end}: {SCHEMA} says so"
                )


_OWN_TYPES: Final = frozenset(row.type for row in _OWN if row.type != row.inverse)
_OWN_NAMES: Final = frozenset(name for row in _OWN for name in (row.type, row.inverse))
BUILT_IN: Final = EdgeKinds()


def edge_kinds(transaction: ReadTransaction, upto: int | None = None, value: str | None = None) -> EdgeKinds:
    """The rows as they were known after seq `upto` (None: are), or with what is about to be recorded as their `value`.

    SchemaInvalid if a log from elsewhere holds a table that says nothing clear.
    """
    if value is None:
        value = _stored(transaction, upto)
    return BUILT_IN if value is None else read_edge_kinds(value)


def _stored(transaction: ReadTransaction, upto: int | None) -> str | None:
    row = find_name(transaction, SCHEMA)
    if row is not None and upto is not None and row.seq > upto:
        row = latest_version(transaction, row.subject, upto)
    if row is None or row.kind is not Kind.PUT or row.name is None:
        return None
    body = body_of(transaction, row.seq)
    value = None if body is None else body.members.get("value")
    return value if isinstance(value, str) else None


def links_named(
    transaction: ReadTransaction, atom: bytes, kind: str | None, *, out: bool, upto: int | None = None
) -> Iterator[Link]:
    """As `links_of`, of a type by either of its names: also those that lead the other way under the other name.

    One whose both ends are alike, or are this atom, may come twice.
    """
    yield from links_of(transaction, atom, out=out, kind=kind, upto=upto)
    if kind is not None:
        try:
            inverse = edge_kinds(transaction, upto).inverse(kind)
        except SchemaInvalid:  # it was not checked when it came in: to read, what is built in is enough
            inverse = BUILT_IN.inverse(kind)
        if inverse is not None:
            yield from links_of(transaction, atom, out=not out, kind=inverse, upto=upto)


# -- the atom that adds rows -------------------------------------------------------------------------------------------


@lru_cache(maxsize=8)
def read_edge_kinds(value: str) -> EdgeKinds:
    """The table with the rows that this value adds. SchemaInvalid, saying what is wrong, if it is no such value."""
    try:
        said = json.loads(value)
    except (ValueError, RecursionError):
        raise SchemaInvalid(f'the value of {SCHEMA} is not JSON: write {{"types": {{"works_for": {{}}}}}}') from None
    members = _mapping(said, SCHEMA, _MEMBERS)
    strict, types = members.get("strict", False), members.get("types", {})
    if not isinstance(strict, bool):
        raise SchemaInvalid(f"strict in {SCHEMA} must be true or false")
    if not isinstance(types, Mapping) or len(types) > _MOST:
        raise SchemaInvalid(f"types in {SCHEMA} must be an object of at most {_MOST:,} types")
    added: dict[str, EdgeKind] = {}
    for spelled, row in types.items():
        kind = _row(spelled, row)
        for named in (kind, kind.turned()):
            if named is None:
                continue
            if named.type in added and added[named.type] != named:
                raise SchemaInvalid(f"{named.type} stands twice in {SCHEMA}: as a type, or as the inverse of one")
            added[named.type] = named
    return EdgeKinds(added.values(), strict=strict)


def _row(spelled: str, said: object) -> EdgeKind:
    kind = _type(spelled)
    members = _mapping(said, f"the row of {kind} in {SCHEMA}", _ROW)
    inverse = members.get("inverse")
    known = BUILT_IN.inverse(kind)
    named = known if inverse is None else _type(inverse)
    if known is not None and named != known:
        raise SchemaInvalid(f"the inverse of {kind} is {known}: {SCHEMA} cannot give it another one")
    if named is not None and BUILT_IN.inverse(named) not in (None, kind):
        raise SchemaInvalid(f"{named} is the inverse of {BUILT_IN.inverse(named)} already: give {kind} another one")
    row = EdgeKind(kind, named, _ends(members, "from", kind), _ends(members, "to", kind))
    if (row.sources or row.targets) and kind in _OWN_NAMES:
        raise SchemaInvalid(f"{kind} means something to the engine: {SCHEMA} cannot say what it may join")
    if named == kind and row.sources != row.targets:
        raise SchemaInvalid(f"{kind} is its own inverse: from and to must be the same")
    return row


def _type(spelled: object) -> str:
    if not isinstance(spelled, str):
        raise SchemaInvalid(f"an inverse in {SCHEMA} must be the name of an edge type, such as employs")
    return read_edge_type(spelled)


def _mapping(said: object, what: str, known: frozenset[str]) -> Mapping[str, object]:
    if not isinstance(said, Mapping):
        raise SchemaInvalid(f"{what} must be a JSON object with {', '.join(sorted(known))}")
    if unknown := sorted(said.keys() - known):
        raise SchemaInvalid(f"{what} has no member {in_quotes(unknown[0][:40])}; it has {', '.join(sorted(known))}")
    return said


def _ends(members: Mapping[str, object], word: str, kind: str) -> tuple[str, ...]:
    said = members.get(word, ())
    listed = (said,) if isinstance(said, str) else tuple(said) if isinstance(said, list | tuple) else (None,)
    if not all(isinstance(one, str) and EDGE_TYPE.fullmatch(one) for one in listed):
        raise SchemaInvalid(f"{word} of {kind} must be a list of types of atoms, such as person")
    return tuple(sorted({str(one) for one in listed}))
