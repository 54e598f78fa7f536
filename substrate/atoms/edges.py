"""The verb edges: what is stated between an atom and others."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

from substrate.atoms.edge_kinds import links_named
from substrate.atoms.links import End, edge_of
from substrate.atoms.meant.titles import titles_of
from substrate.atoms.resolve import find_subject, read_end, resolve
from substrate.errors import InputError, NotFound
from substrate.limits import check_limit
from substrate.messages import Arg
from substrate.names import read_edge_type
from substrate.snapshot import Snapshot
from substrate.values.edges import Edge, Edges
from substrate.views.edges import is_linked

__all__ = ["edges"]

_DIRECTIONS = {"out": (True,), "in": (False,), "both": (True, False)}


def edges(  # noqa: PLR0913
    snapshot: Snapshot,
    name: str,
    *,
    direction: str,
    type: str | None,  # noqa: A002 - the word for it
    limit: int,
    offset: int,
) -> Edges:
    """See `Memory.edges`."""
    if not isinstance(direction, str) or direction not in _DIRECTIONS:
        raise InputError(Arg("direction"), " is in, out or both")
    check_limit(limit, offset)
    name = read_end(name, Arg("name"))
    kind = None if type is None else read_edge_type(type)
    transaction = snapshot.transaction
    try:
        subject = resolve(transaction, name, None).subject
    except NotFound:
        subject = find_subject(transaction, name)
        if not is_linked(transaction, subject):
            raise
    links = chain.from_iterable(
        links_named(transaction, subject, kind, out=out, upto=snapshot.upto) for out in _DIRECTIONS[direction]
    )
    seen: set[bytes] = set()  # one from an atom to itself comes both ways, and one whose both ends are alike
    ends: dict[bytes, End] = {}
    shown: list[Edge] = []
    for link in links:
        if link.edge in seen:
            continue
        seen.add(link.edge)
        edge = edge_of(snapshot, link, ends)
        if edge is None:
            continue
        if offset:
            offset -= 1
        elif len(shown) == limit:
            return _titled(snapshot, Edges(tuple(shown), more=True))
        else:
            shown.append(edge)
    return _titled(snapshot, Edges(tuple(shown)))


def _titled(snapshot: Snapshot, found: Edges) -> Edges:
    names = (name for edge in found for name in (edge.source, edge.target))
    return replace(found, titles=titles_of(snapshot.transaction, names))
