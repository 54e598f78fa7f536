"""The verb edge_map: the atoms with most edges, and the edges that hold between them, for who draws them."""

from __future__ import annotations

from heapq import nsmallest
from itertools import islice

from substrate.atoms.bodies import bodies_of
from substrate.atoms.links import End, edge_of, holding
from substrate.limits import check_limit
from substrate.log.identity import id_text
from substrate.names import type_of
from substrate.proof.entry import Kind
from substrate.snapshot import Snapshot
from substrate.values.review.garden import EdgeMap, EntityNode
from substrate.views.atoms import VersionRow, latest_version
from substrate.views.cards import joined_atoms
from substrate.views.edges import Link, links_of

__all__ = ["edge_map"]

_SPARE = 2
"""How many times as many atoms are looked at as are wanted: some are out of use, or joined to none of the others."""
_LABELLED = ("document", "entity")
"""Types of atoms that are known by what they say."""
_TITLE = 80
"""Characters of a value that may be a title."""


def edge_map(snapshot: Snapshot, *, limit: int) -> EdgeMap:
    """See `Memory.edge_map`."""
    check_limit(limit)
    transaction = snapshot.transaction
    joined = list(joined_atoms(transaction))
    first = nsmallest(limit * _SPARE, joined, key=lambda one: (-one[1], one[0]))
    rows = {atom: row for atom, _ in first if (row := latest_version(transaction, atom)) and row.kind is Kind.PUT}
    links: list[Link] = []
    for atom in rows:
        inside = [link for link in links_of(transaction, atom, out=True) if link.target in rows]
        links += holding(snapshot, inside)
    met = {atom for link in links for atom in (link.source, link.target)}
    listed = dict(islice(((atom, row) for atom, row in rows.items() if atom in met), limit))
    links = [link for link in links if link.source in listed and link.target in listed]
    count = dict(first)
    listed = dict(sorted(listed.items(), key=lambda one: (-count[one[0]], str(one[1].name))))  # ids differ by store
    ends: dict[bytes, End] = {}
    edges = (edge_of(snapshot, link, ends) for link in links)
    labels = _labels(snapshot, list(listed.values()))
    nodes = tuple(
        EntityNode(str(row.name), label, id_text(atom), type_of(str(row.name)), count[atom])
        for (atom, row), label in zip(listed.items(), labels, strict=True)
    )
    return EdgeMap(tuple(edge for edge in edges if edge is not None), nodes, len(joined) - len(nodes))


def _labels(snapshot: Snapshot, rows: list[VersionRow]) -> list[str]:
    """What each is called in a picture: its title if it has one, else its name without what all names begin with."""
    labels = []
    for row, body in zip(rows, bodies_of(snapshot.transaction, [row.seq for row in rows]), strict=True):
        name = str(row.name)
        value = None if body is None or body.damage is not None else body.members.get("value")
        titled = type_of(name) in _LABELLED and isinstance(value, str) and len(value) <= _TITLE
        labels.append(str(value) if titled else name.split(".", 2)[-1])
    return labels
