"""The names of entities.

    v1.entity.<domain>.<canonical>      value: the name as it is shown; attrs: type, aliases

The domain is escaped as a part (`a.b` is `a%2Eb`), the canonical form as a rest (`names.escape_rest`): so no two
domains and no two forms share a name.

An entity that has aliases lists all its names among its own `entities`, when it is saved. So it is found by each of
them where mentions are found, in the postings; no further table is needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from substrate.atoms.domains import DOMAIN
from substrate.errors import SchemaInvalid
from substrate.limits import LIMITS
from substrate.names import escape_part, escape_rest, unescape_rest
from substrate.proof.encoding import Json
from substrate.text.canonical import canonical, is_canonical_key, spelling

__all__ = [
    "ENTITY",
    "INGESTED",
    "EntityName",
    "aliases_of",
    "entity_name",
    "entity_prefix",
    "names_of",
    "read_name",
    "with_names",
]

ENTITY: Final = "v1.entity."
"""What the names of entities begin with."""
INGESTED: Final = "ingested"
"""The origin of what was read out of a text, by nobody."""


class EntityName(NamedTuple):
    """The name of an entity's atom, read: the domain by what follows `v1.domain.`, and the canonical form."""

    domain: str
    form: str


def entity_prefix(domain: str) -> str:
    """What the names of a domain's entities begin with. `domain`: the name of its atom."""
    return f"{ENTITY}{escape_part(domain.removeprefix(DOMAIN))}."


def entity_name(domain: str, name: str) -> str:
    """The name of the atom of an entity. SchemaInvalid if nothing can be told apart by its name."""
    return entity_prefix(domain) + escape_rest(canonical(name))


def read_name(name: str) -> EntityName | None:
    """None if it is not the name of an entity in a domain."""
    part, dot, rest = name.removeprefix(ENTITY).partition(".")
    if not name.startswith(ENTITY) or not dot or not part or not rest:
        return None
    return EntityName(unescape_rest(part), unescape_rest(rest))


def aliases_of(attrs: Json) -> tuple[str, ...]:
    """The aliases in the attrs of an entity, each by its spelling; what can be none is left out."""
    listed = attrs.get("aliases") if isinstance(attrs, Mapping) else None
    if not isinstance(listed, list):
        return ()
    spelt = (spelling(alias) for alias in listed if isinstance(alias, str) and is_canonical_key(alias))
    return tuple(dict.fromkeys(alias for alias in spelt if is_canonical_key(alias)))


def names_of(name: str, value: str, attrs: Json) -> tuple[str, ...]:
    """Every name of an entity, the one that is shown first: each form once. `name` is that of its atom."""
    read = read_name(name)
    listed = (spelling(value), *(() if read is None else (read.form,)), *aliases_of(attrs))
    forms: dict[str, str] = {}
    for text in listed:
        if is_canonical_key(text):
            forms.setdefault(canonical(text), text)
    return tuple(forms.values())


def with_names(said: dict[str, Json], known: Mapping[str, Json] | None) -> dict[str, Json]:
    """What is to be recorded of an atom; of an entity with several names, with all of them among its `entities`.

    `known`: what was recorded before, whose names go if it has them no more. SchemaInvalid if its aliases are no list
    of names.
    """
    name = str(said["name"])
    read = read_name(name) if name.startswith(ENTITY) else None
    if read is None:
        return said
    _check_aliases(said.get("attrs"))
    if "entities" not in said and _has_one_name(read, said):
        return said
    names = names_of(name, str(said["value"]), said.get("attrs"))
    before = () if known is None else names_of(name, str(known.get("value")), known.get("attrs"))
    listed = said.get("entities")
    texts = [text for text in listed if isinstance(text, str)] if isinstance(listed, list) else []
    own = {canonical(text) for text in (*names, *before)}
    others = [text for text in texts if not is_canonical_key(text) or canonical(text) not in own]
    entities: list[Json] = [*others, *(names if len(names) > 1 else ())]
    if len(entities) > LIMITS["entities"]:
        raise SchemaInvalid(f"an entity has at most {LIMITS['entities']} names, with the entities that it lists")
    rest = {key: member for key, member in said.items() if key != "entities"}
    return {**rest, "entities": entities} if entities else rest


def _has_one_name(read: EntityName, said: Mapping[str, Json]) -> bool:
    """Whether its value is its name, and it has no other, as most: they are seen at a glance."""
    attrs = said.get("attrs")
    value = spelling(str(said["value"]))
    return (
        not (isinstance(attrs, Mapping) and "aliases" in attrs)
        and is_canonical_key(value)
        and canonical(value) == read.form
    )


def _check_aliases(attrs: Json) -> None:
    given = attrs.get("aliases") if isinstance(attrs, Mapping) else None
    if given is None:
        return
    if not isinstance(given, list):
        raise SchemaInvalid("the aliases of an entity must be a list of names")
    for alias in given:
        if not isinstance(alias, str):
            raise SchemaInvalid("an alias of an entity must be a name")
        canonical(alias)
        if len(alias) > LIMITS["entity_characters"]:
            raise SchemaInvalid(f"an alias has at most {LIMITS['entity_characters']} characters")
