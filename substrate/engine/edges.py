"""The verb edges: what is stated between an atom and others."""

from __future__ import annotations

from itertools import chain

from substrate.engine.intake import read_edge_type, read_end
from substrate.engine.moments import Moment, Time, read_time, seq_at
from substrate.engine.reading import End, Moments, edge_of, find_subject, resolve
from substrate.errors import InputError, NotFound, TooLarge
from substrate.limits import LIMITS
from substrate.log.log import Log
from substrate.model import Edge, Edges
from substrate.views.edges import is_linked, links_of

__all__ = ["edges"]

_DIRECTIONS = {"out": (True,), "in": (False,), "both": (True, False)}


def edges(  # noqa: PLR0913
    log: Log,
    name: str,
    *,
    direction: str,
    type: str | None,  # noqa: A002 - the word for it
    as_of: Moment | None,
    valid_at: Time | None,
    limit: int,
) -> Edges:
    """See `Memory.edges`."""
    if direction not in _DIRECTIONS:
        raise InputError("direction is in, out or both")
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
        raise InputError("limit is a whole number from 1 on")
    if limit > LIMITS["list_items"]:
        raise TooLarge("limit", limit, LIMITS["list_items"], "items")
    name = read_end(name, "name")
    kind = None if type is None else read_edge_type(type)
    at = None if valid_at is None else read_time(valid_at, "valid_at")
    with log.snapshot() as transaction:
        moments = Moments(seq_at(transaction, as_of), at, log.clock.now())
        try:
            subject = resolve(transaction, name, None).subject
        except NotFound:
            subject = find_subject(transaction, name)
            if not is_linked(transaction, subject):
                raise
        links = chain.from_iterable(
            links_of(transaction, subject, out=out, kind=kind, upto=moments.upto) for out in _DIRECTIONS[direction]
        )
        found: dict[str, Edge] = {}
        ends: dict[bytes, End] = {}
        for link in links:
            edge = edge_of(transaction, link, moments, ends)
            if edge is not None and len(found) == limit and edge.id not in found:
                return Edges(tuple(found.values()), more=True)
            if edge is not None:
                found[edge.id] = edge  # one from an atom to itself comes both ways
        return Edges(tuple(found.values()))
