"""The verb context: what surrounds some atoms, by stated edges in both directions, and by arcs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Final
from uuid import UUID

from substrate.engine.arcs import Arcs
from substrate.engine.asked import find_asked, read_names
from substrate.engine.intake import check_limit, read_edge_type
from substrate.engine.moments import Moment, Time
from substrate.engine.reading import End, Moments, edge_of, holding, is_live, moments_of, name_of, superseders
from substrate.engine.staleness import stale_because
from substrate.engine.validity import version_at
from substrate.errors import Forgotten, InputError, TooLarge
from substrate.findings import Arc, Context, Reached
from substrate.kv.api import ReadTransaction
from substrate.limits import LIMITS
from substrate.log.log import Log
from substrate.model import Edge
from substrate.proof.entry import Kind
from substrate.views.atoms import VersionRow, gap_of, versions_of
from substrate.views.edges import Link, links_of

__all__ = ["context"]

_HUB: Final = 100
"""Edges that are followed out of, and as many into, an atom that was reached. Of the atoms asked about: all."""
_AT_ONCE: Final = 32
_SHOWN: Final = 200
"""Characters of a value."""
_ARCS: Final = 100
"""On a page."""
_ARCS_OF_ONE: Final = 5
"""Of an atom that was reached; of those asked about all."""


def context(  # noqa: PLR0913
    log: Log,
    keys: str | Iterable[str],
    *,
    depth: int,
    limit: int,
    offset: int,
    type: str | None,  # noqa: A002 - the word for it
    as_of: Moment | None,
    valid_at: Time | None,
    arcs: Arcs,
) -> Context:
    """See `Memory.context`."""
    names = read_names(keys, "keys")
    _check(depth, limit, offset)
    kind = None if type is None else read_edge_type(type)
    with log.snapshot() as transaction:
        moments = moments_of(transaction, log.clock, as_of, valid_at)
        asked = find_asked(transaction, names, moments, expected=True)
        around = _Around(transaction, moments, depth, kind)
        links = list(islice(around.links(asked.subjects), offset, offset + limit + 1))
        more, links = len(links) > limit, links[:limit]
        ends: dict[bytes, End] = {}
        edges = (edge_of(transaction, link, moments, ends) for link in links)
        page = _Page(transaction, moments, {link.edge: edge for link, edge in zip(links, edges, strict=True) if edge})
        places = {
            subject: place
            for subject, place in around.places.items()
            if (place.via is None and not offset) or (place.via is not None and place.via.edge in page.edges)
        }
        return Context(
            tuple(page.edges.values()),
            tuple(page.reached(subject, place) for subject, place in places.items()),
            tuple(page.arcs(arcs, {subject: place for subject, place in places.items() if place.distance < depth})),
            asked.missing,
            tuple(page.name(subject) for subject, at in around.cut.items() if offset <= at < offset + limit),
            more,
        )


def _check(depth: object, limit: int, offset: int) -> None:
    deepest = LIMITS["context_depth"]
    if isinstance(depth, bool) or not isinstance(depth, int) or not 1 <= depth <= deepest:
        raise InputError(f"depth is a whole number from 1 to {deepest}: how many edges to follow")
    check_limit(limit, offset)
    furthest = LIMITS["context_edges"]
    if offset + limit > furthest:
        raise TooLarge("offset and limit together", offset + limit, furthest, "edges: ask for a type, or use edges")


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an atom stands: how far from those asked about, and by which edge it was reached first."""

    distance: int
    via: Link | None = None


class _Around:
    """Breadth first: every edge once, the nearest first; those of an atom by direction, type and other end."""

    def __init__(self, transaction: ReadTransaction, moments: Moments, depth: int, kind: str | None) -> None:
        self._transaction = transaction
        self._moments = moments
        self._depth = depth
        self._kind = kind
        self._seen: set[bytes] = set()
        self.places: dict[bytes, _Place] = {}
        """All that was reached so far, in this order."""
        self.cut: dict[bytes, int] = {}
        """Atoms of which not all edges are followed, each with the number of the last edge that is."""

    def links(self, starts: Iterable[bytes]) -> Iterator[Link]:
        """The edges that hold, as they are asked for: what nobody asks for is not read."""
        self.places = {subject: _Place(0) for subject in starts}
        frontier = list(self.places)
        for distance in range(self._depth):
            following: list[bytes] = []
            for subject in frontier:
                for link in self._edges(subject, distance):
                    other = link.target if link.source == subject else link.source
                    if other not in self.places:
                        self.places[other] = _Place(distance + 1, link)
                        following.append(other)
                    yield link
            frontier = following

    def _edges(self, subject: bytes, distance: int) -> Iterator[Link]:
        """The edges of an atom that were not met before. Behind what is out of use nothing is looked for."""
        if distance and _is_tombstoned(self._transaction, subject, self._moments.upto):
            return
        for out in (True, False):
            links = links_of(self._transaction, subject, out=out, kind=self._kind, upto=self._moments.upto)
            if distance:
                yield from self._fresh(islice(links, _HUB))
                if next(links, None) is not None:
                    self.cut[subject] = max(0, len(self._seen) - 1)
            else:
                yield from self._fresh(links)

    def _fresh(self, links: Iterator[Link]) -> Iterator[Link]:
        while some := list(islice(links, _AT_ONCE)):
            for link in holding(
                self._transaction, [link for link in some if link.edge not in self._seen], self._moments
            ):
                self._seen.add(link.edge)
                yield link


def _is_tombstoned(transaction: ReadTransaction, subject: bytes, upto: int | None) -> bool:
    latest = next(versions_of(transaction, subject, upto=upto), None)
    return latest is not None and latest.kind is Kind.TOMBSTONE


class _Page:
    """What is told of the atoms of one page."""

    def __init__(self, transaction: ReadTransaction, moments: Moments, edges: Mapping[bytes, Edge]) -> None:
        self._transaction = transaction
        self._moments = moments
        self.edges = edges

    def name(self, subject: bytes) -> str:
        """Its name; its id, if nobody knows it."""
        return name_of(self._transaction, subject) or str(UUID(bytes=subject))

    def reached(self, subject: bytes, place: _Place) -> Reached:
        """The atom, as it was at the moments."""
        latest = next(versions_of(self._transaction, subject, upto=self._moments.upto), None)
        value, absent = self._said(subject, latest)
        edge = None if place.via is None else self.edges[place.via.edge]
        is_now = self._moments.upto is None and self._moments.valid_at is None
        stale = stale_because(self._transaction, subject, self._moments) if is_now and not absent else ()
        return Reached(
            (latest.name if latest is not None else None) or self.name(subject),
            place.distance,
            value,
            str(UUID(bytes=subject)),
            "" if edge is None else f"{edge.source} {edge.type} {edge.target}",
            () if latest is None else superseders(self._transaction, subject, self._moments),
            absent,
            tuple(why.reason for why in stale),
        )

    def _said(self, subject: bytes, latest: VersionRow | None) -> tuple[str, str]:
        """The value, shortened; or why there is none."""
        if latest is None:
            return "", "dangling" if gap_of(self._transaction, subject) is None else "forgotten"
        try:
            found = version_at(self._transaction, latest, self._moments)
        except Forgotten:
            return "", "forgotten"
        if found is None:
            return "", "tombstoned" if latest.kind is Kind.TOMBSTONE else "not valid then"
        value = str(found[1].members.get("value"))
        return value if len(value) <= _SHOWN else value[: _SHOWN - 1] + "…", ""

    def arcs(self, arcs: Arcs, places: Mapping[bytes, _Place]) -> Iterator[Arc]:
        """Arcs out of these atoms to others in use; there are none of the past."""
        if self._moments.upto is None:
            yield from islice(self._arcs(arcs, places), _ARCS)

    def _arcs(self, arcs: Arcs, places: Mapping[bytes, _Place]) -> Iterator[Arc]:
        for subject, place in places.items():
            shares = arcs(self._transaction, subject).items()
            live = ((target, share) for target, share in shares if is_live(self._transaction, target, None))
            for target, share in islice(live, _ARCS_OF_ONE if place.distance else None):
                yield Arc(self.name(subject), self.name(target), share)
