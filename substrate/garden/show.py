"""The graph of a domain for who draws it: entities by how many edges they have, and the edges between them."""

from __future__ import annotations

from substrate.atoms.bodies import Body
from substrate.atoms.domains import DOMAIN
from substrate.atoms.links import End, edge_of
from substrate.entities.naming import ENTITY
from substrate.garden.graph import read_graph
from substrate.limits import check_limit
from substrate.log.identity import id_text
from substrate.names import type_of, unescape_rest
from substrate.snapshot import Snapshot
from substrate.values.review.garden import EntityMap, EntityNode
from substrate.views.atoms import VersionRow
from substrate.views.counts import counts_by_domain

__all__ = ["entity_map"]


def entity_map(snapshot: Snapshot, domain: str, *, limit: int) -> EntityMap:
    """See `Memory.entity_map`. `domain`: the name of its atom."""
    check_limit(limit)
    graph = read_graph(snapshot, domain)
    around = graph.neighbours
    ranked = sorted(graph.entities, key=lambda subject: -len(around[subject]))
    listed = ranked[:limit]
    inside, ends = set(listed), dict[bytes, End]()
    links = [link for link in graph.links if link.source in inside and link.target in inside]
    edges = (edge_of(snapshot, link, ends) for link in links)
    kind = type_of(f"{ENTITY}x.x")
    counted = counts_by_domain(snapshot.transaction)
    domains = sorted(DOMAIN + unescape_rest(of) for of, what, count in counted if what == kind and count.live)
    nodes = tuple(_node(graph.entities[subject], graph.names[subject], len(around[subject])) for subject in listed)
    return EntityMap(
        tuple(edge for edge in edges if edge is not None), domain, nodes, len(ranked) - len(listed), tuple(domains)
    )


def _node(entity: tuple[VersionRow, Body], spelt: tuple[str, ...], edges: int) -> EntityNode:
    row, body = entity
    attrs = body.members.get("attrs")
    kind = attrs.get("type") if isinstance(attrs, dict) else None
    label = spelt[0] if spelt else str(body.members.get("value"))
    return EntityNode(str(row.name), label, id_text(row.subject), kind if isinstance(kind, str) else None, edges)
