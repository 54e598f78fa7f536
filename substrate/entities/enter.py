"""Names that were found in texts, or given: which entities of a domain they are, and atoms of those that are new.

The one way in which texts get their `entities`, for documents and for surfaces:

    entered = enter(transaction, "v1.domain.handbook", [extract(chunk) for chunk in chunks])
    entered.fields[i]       what chunk i says in `entities`
    entered.atoms           goes into the same checkpoint
    entered.names           is given as `waiting` to what goes into the same checkpoint after it

1. A name that an entity has, as its own or as an alias, is that entity. For an alias its own name is listed, so that
   all mentions of an entity stand together.
2. Any other name that was found is a mention, and no more, as long as one text alone lists it. It becomes an atom, with
   the origin `ingested`, with the second text: most names of a text come once, and an atom for each would cost more
   than the text. A name that a caller gives becomes an atom at once.
3. A name whose entity was taken out of use by a person or an agent is left out: it was said to be none. One that was
   taken out by an ingest comes back.
4. A name too long for the name of an atom is listed, and gets no atom.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from substrate.atoms.bodies import body_of
from substrate.entities.lookup import Lookup
from substrate.entities.naming import INGESTED, entity_name
from substrate.kv.api import ReadTransaction
from substrate.limits import LIMITS
from substrate.proof.entry import Kind
from substrate.text.canonical import canonical, spelling
from substrate.text.extract import Entity
from substrate.views.atoms import VersionRow

__all__ = ["Entered", "enter"]

_GIVEN: Final = "name"
"""What a name is that was given without a kind."""
_NOBODY: Final[Mapping[str, bool]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Entered:
    """Of each text what it lists as its `entities`; the atoms that are not there yet; names that had no room."""

    fields: tuple[tuple[str, ...], ...]
    atoms: tuple[Mapping[str, object], ...]
    more: int = 0
    """Names beyond the hundred that a text can list: they are neither listed nor made atoms."""
    names: Mapping[str, bool] = field(default_factory=dict)
    """Names that had no atom, by form: whether one is made of it in this checkpoint."""
    new: int = 0
    """How many of these no text had listed before."""


def enter(
    transaction: ReadTransaction,
    domain: str,
    texts: Sequence[Iterable[Entity | str]],
    *,
    besides: Collection[bytes] = (),
    waiting: Mapping[str, bool] = _NOBODY,
) -> Entered:
    """What is listed by texts with these names, and which atoms it takes. `domain`: the name of the domain's atom.

    `besides`: the ids of atoms that these texts are new versions of. What they say until now is no other mention.
    `waiting`: the `names` of what waits to be written in the same checkpoint. SchemaInvalid if a name that was given is
    none.
    """
    named: dict[str, Entity] = {}
    given_names: set[str] = set()
    rows: list[list[str]] = []
    more = 0
    for text in texts:
        forms: dict[str, None] = {}
        for given in text:
            entity = given if isinstance(given, Entity) else Entity(spelling(given), _GIVEN)
            form = canonical(entity.name)
            if entity is not given:
                given_names.add(form)
            named.setdefault(form, entity)
            forms[form] = None
        more += max(0, len(forms) - LIMITS["entities"])
        rows.append(list(forms)[: LIMITS["entities"]])
    listed = Counter(form for forms in rows for form in forms)
    lookup = Lookup(transaction, domain)
    shown: dict[str, str] = {}
    atoms: list[Mapping[str, object]] = []
    names: dict[str, bool] = {}
    new = 0
    latest = lookup.named(list(listed), are_forms=True)
    lookup.read_listed([named[form].name for form, row in zip(listed, latest, strict=True) if row is None])
    for form, row in zip(listed, latest, strict=True):
        entity = named[form]
        if row is not None and row.kind is Kind.PUT:
            shown[form] = entity.name
        elif row is None or _was_ingested(transaction, row):
            known = next(lookup.aliased(entity.name), None)
            shown[form] = entity.name if known is None else known.names[0]
            if known is not None:
                continue
            is_known = row is not None or form in waiting or lookup.is_listed(entity.name)
            new += not is_known
            is_other = is_known and (row is not None or form in waiting or lookup.is_listed(entity.name, besides))
            names[form] = is_other or listed[form] > 1 or form in given_names
            if names[form] and not waiting.get(form) and (atom := _atom(domain, entity)) is not None:
                atoms.append(atom)
    fields = (tuple(dict.fromkeys(shown[form] for form in forms if form in shown)) for forms in rows)
    return Entered(tuple(fields), tuple(atoms), more, names, new)


def _was_ingested(transaction: ReadTransaction, tombstone: VersionRow) -> bool:
    """Whether what took it out of use was an ingest, which found no mention of it any more."""
    body = body_of(transaction, tombstone.seq)
    return body is not None and body.members.get("origin") == INGESTED


def _atom(domain: str, entity: Entity) -> Mapping[str, object] | None:
    name = entity_name(domain, entity.name)
    if len(name.encode()) > LIMITS["name_bytes"]:
        return None
    return {"name": name, "value": entity.name, "origin": INGESTED, "attrs": {"type": entity.kind}}
