"""The verb entity: which entity of a domain is meant by a name, an alias, an id or the name of its atom; one rule.

A name that one text alone mentions has no atom yet, and is an entity of the directory all the same: its `id` is None.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import compress, islice
from typing import Final

from substrate.atoms.domains import domain_name
from substrate.atoms.meant.near_names import or_near
from substrate.atoms.resolve import ATOM_ID, resolve
from substrate.entities.lookup import Lookup
from substrate.entities.naming import ENTITY, entity_name, entity_prefix
from substrate.errors import NotFound, SchemaInvalid
from substrate.limits import check_size
from substrate.messages import Arg
from substrate.proof.entry import Kind
from substrate.search.directory.page import list_entities
from substrate.search.index import SearchIndex
from substrate.snapshot import Snapshot
from substrate.text.canonical import canonical, is_canonical_key
from substrate.text.quote import in_quotes
from substrate.values.entities import EntityEntry
from substrate.views.atoms import VersionRow

__all__ = ["entities_in", "find_entity", "known_entity", "mentioned_entity"]

_WORDS: Final = 60
"""Words of a text in which names are looked for."""
_LONGEST: Final = 4
"""Words of a name that is looked for in a text."""
_SHOWN: Final = 80
_WORD: Final = re.compile(r"\w+(?:[.+#_/&-]\w+)*[+#]*")


def find_entity(snapshot: Snapshot, index: SearchIndex, text: str, domain: str | None) -> EntityEntry:
    """See `Memory.entity`."""
    home = domain_name(domain)
    found = known_entity(snapshot, index, text, home) or mentioned_entity(snapshot, index, text, home)
    if found is None:
        prefix = entity_prefix(home)
        near = or_near(snapshot.transaction, _name_like(home, text), under=prefix)
        raise NotFound(f"there is no entity {in_quotes(text[:_SHOWN])} in the ", Arg("domain"), f" {_told(home)}{near}")
    return found


def known_entity(snapshot: Snapshot, index: SearchIndex, text: object, home: str) -> EntityEntry | None:
    """The same of entities that have an atom in use; `home` is the name of the domain. SchemaInvalid, TooLarge."""
    if not isinstance(text, str) or not text.strip():
        raise SchemaInvalid("an entity is given by its name, an alias or its id, as a text that is not empty")
    check_size("the name of an entity", len(text), "text_characters", "characters")
    transaction = snapshot.transaction
    rows = index.entities
    if ATOM_ID.fullmatch(text) or text.startswith(ENTITY):
        row = _by_id(snapshot, text)
        found = [] if row is None else [one.entry for one in rows.of(transaction, [row])]
        return next((entry for entry in found if entry.atom.startswith(entity_prefix(home))), None)
    if not is_canonical_key(text):
        return None
    lookup = Lookup(transaction, home, snapshot.upto)
    (own,) = lookup.named([text])
    if own is None or own.kind is not Kind.PUT:
        known = next(lookup.aliased(text), None)
        own = None if known is None else known.row
    return None if own is None else next((one.entry for one in rows.of(transaction, [own])), None)


def _by_id(snapshot: Snapshot, text: str) -> VersionRow | None:
    try:
        row = resolve(snapshot.transaction, text, snapshot.upto, suggests=False)
    except NotFound:
        return None
    return row if row.kind is Kind.PUT and str(row.name).startswith(ENTITY) else None


def mentioned_entity(snapshot: Snapshot, index: SearchIndex, text: str, home: str) -> EntityEntry | None:
    """One that texts mention, and that has no atom. `text`: its name, or the name that its atom will have."""
    prefix = entity_prefix(home)
    form = text.removeprefix(prefix) if text.startswith(prefix) else text
    if not is_canonical_key(form) or ATOM_ID.fullmatch(text):
        return None
    page = list_entities(snapshot, index, domain=home, prefix=form, limit=1, offset=0, after=None)
    return next((one for one in page if one.id is None and canonical(one.name) == canonical(form)), None)


def entities_in(snapshot: Snapshot, index: SearchIndex, text: str, domain: str | None) -> tuple[EntityEntry, ...]:
    """The entities of a domain that a text names, in any case, in their order; of names that overlap the longest.

    Only those that have an atom.
    """
    home = domain_name(domain)
    places = [found.span() for found in islice(_WORD.finditer(text), _WORDS)]
    slices = [(at, size) for at in range(len(places)) for size in range(min(_LONGEST, len(places) - at), 0, -1)]
    texts = [text[places[at][0] : places[at + size - 1][1]] for at, size in slices]
    can_name = [is_canonical_key(named) for named in texts]  # `_` is a word, and no name
    slices, texts = list(compress(slices, can_name)), list(compress(texts, can_name))
    lookup = Lookup(snapshot.transaction, home, snapshot.upto)
    own = lookup.named(texts)
    lookup.read_listed([one for one, row in zip(texts, own, strict=True) if row is None])
    found: dict[str, VersionRow] = {}
    free = 0
    for (at, size), named, row in zip(slices, texts, own, strict=True):
        if at < free:
            continue
        if row is None or row.kind is not Kind.PUT:
            row = next(_aliased(lookup, named), None)  # noqa: PLW2901
        if row is not None:
            found[str(row.name)] = row
            free = at + size
    return tuple(one.entry for one in index.entities.of(snapshot.transaction, list(found.values())))


def _aliased(lookup: Lookup, text: str) -> Iterator[VersionRow]:
    return (known.row for known in lookup.aliased(text))


def _name_like(home: str, text: str) -> str:
    return entity_name(home, text) if is_canonical_key(text) and not ATOM_ID.fullmatch(text) else entity_prefix(home)


def _told(home: str) -> str:
    return in_quotes(home.split(".", 2)[2])
