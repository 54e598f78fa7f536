"""The entities of a domain, the edges that hold between them, and the chunks that mention them, out of one snapshot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, islice
from typing import Final, NamedTuple

from substrate.atoms.bodies import Body, bodies_of
from substrate.atoms.links import holding
from substrate.documents.naming import CHUNK
from substrate.entities.naming import entity_prefix, names_of
from substrate.proof.entry import Kind
from substrate.snapshot import Snapshot
from substrate.text.canonical import canonical, is_canonical_key
from substrate.views.atoms import VersionRow, names
from substrate.views.edges import Link, links_of

__all__ = ["EntityGraph", "Mention", "mentions_in", "read_graph"]

_STRIDE: Final = 256
"""Bodies that are read at once."""
_CROWD: Final = 24
"""Entities of a chunk that are paired: a list of names says nothing about each pair of them."""


class Mention(NamedTuple):
    """A chunk in use, what it says, and the entities that it lists, in their order."""

    row: VersionRow
    body: Body
    entities: tuple[bytes, ...]


@dataclass(frozen=True)
class EntityGraph:
    """What is known between the entities of one domain."""

    snapshot: Snapshot
    domain: str
    entities: dict[bytes, tuple[VersionRow, Body]] = field(default_factory=dict)
    """Those in use, by id, in the order of their names."""

    @cached_property
    def names(self) -> dict[bytes, tuple[str, ...]]:
        """Every name of each, the one that is shown first."""
        return {
            subject: names_of(str(row.name), str(body.members.get("value")), body.members.get("attrs"))
            for subject, (row, body) in self.entities.items()
        }

    @cached_property
    def forms(self) -> dict[str, bytes]:
        """Whose name this canonical form is. A name of its own comes before an alias of another."""
        forms: dict[str, bytes] = {}
        for place in range(max(map(len, self.names.values()), default=0)):
            for subject, spelt in self.names.items():
                if place < len(spelt):
                    forms.setdefault(canonical(spelt[place]), subject)
        return forms

    @cached_property
    def links(self) -> list[Link]:
        """The edges between two of them that hold, in the order of their names."""
        found: list[Link] = []
        for subject in self.entities:
            links = links_of(self.snapshot.transaction, subject, out=True, kind=None, upto=self.snapshot.upto)
            inside = [link for link in links if link.target in self.entities]
            found += holding(self.snapshot, inside)
        return found

    @cached_property
    def neighbours(self) -> dict[bytes, set[bytes]]:
        """What edges join each to, in whichever direction."""
        around: dict[bytes, set[bytes]] = {subject: set() for subject in self.entities}
        for link in self.links:
            if link.source != link.target:
                around[link.source].add(link.target)
                around[link.target].add(link.source)
        return around

    def together(self) -> Counter[frozenset[bytes]]:
        """How many chunks list both of two entities."""
        counts: Counter[frozenset[bytes]] = Counter()
        for mention in mentions_in(self):
            counts.update(map(frozenset, combinations(mention.entities[:_CROWD], 2)))
        return counts


def read_graph(snapshot: Snapshot, domain: str) -> EntityGraph:
    """The graph of a domain. `domain`: the name of its atom."""
    rows = (row for row in names(snapshot.transaction, entity_prefix(domain)) if row.kind is Kind.PUT)
    entities: dict[bytes, tuple[VersionRow, Body]] = {}
    while some := list(islice(rows, _STRIDE)):
        for row, body in zip(some, bodies_of(snapshot.transaction, [row.seq for row in some]), strict=True):
            if body is not None and body.damage is None:
                entities[row.subject] = (row, body)
    return EntityGraph(snapshot, domain, entities)


def mentions_in(graph: EntityGraph) -> Iterator[Mention]:
    """The chunks of the domain that are in use and list one of its entities, in the order of their names."""
    prefix = CHUNK + entity_prefix(graph.domain).split(".", 2)[2]
    rows = (row for row in names(graph.snapshot.transaction, prefix) if row.kind is Kind.PUT)
    while some := list(islice(rows, _STRIDE)):
        for row, body in zip(some, bodies_of(graph.snapshot.transaction, [row.seq for row in some]), strict=True):
            listed = None if body is None or body.damage is not None else body.members.get("entities")
            if body is None or not isinstance(listed, list):
                continue
            spelt = (str(text) for text in listed)
            found = (graph.forms.get(canonical(text)) for text in spelt if is_canonical_key(text))
            entities = tuple(dict.fromkeys(subject for subject in found if subject is not None))
            if entities:
                yield Mention(row, body, entities)
