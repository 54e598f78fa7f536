"""The verb context: what surrounds some atoms, by stated edges in both directions, and by arcs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Final

from substrate.atoms.bodies import Body, VersionFound
from substrate.atoms.edge_kinds import links_named
from substrate.atoms.links import End, edge_from, end_of, is_live, stated
from substrate.atoms.meant.subjects import find_asked, read_names
from substrate.atoms.meant.titles import titles_of
from substrate.atoms.stale import stale_because
from substrate.atoms.supersedes import superseders
from substrate.atoms.validity import version_at
from substrate.errors import Forgotten, InputError
from substrate.kv.api import ReadTransaction
from substrate.learn.arcs import arcs_after
from substrate.limits import LIMITS, check_limit, check_size
from substrate.messages import Arg, Message, Verb
from substrate.names import read_edge_type
from substrate.proof.entry import Kind
from substrate.snapshot import Snapshot
from substrate.values.edges import Edge
from substrate.values.relations import Arc, Context, Reached
from substrate.views.atoms import gap_of, latest_version, versions_of
from substrate.views.edges import Link

__all__ = ["context"]

_HUB: Final = 25
"""Edges that are followed out of, and as many into, an atom that was reached. Of the atoms asked about: all."""
_SHOWN: Final = 200
"""Characters of a value."""
_ARCS: Final = 100
"""On a page."""
_ARCS_OF_ONE: Final = 5
"""Of an atom that was reached; of those asked about all."""


def context(  # noqa: PLR0913
    snapshot: Snapshot,
    keys: str | Iterable[str],
    *,
    depth: int,
    limit: int,
    offset: int,
    type: str | None,  # noqa: A002 - the word for it
) -> Context:
    """See `Memory.context`."""
    names = read_names(keys, Arg("keys"))
    _check(depth, limit, offset)
    kind = None if type is None else read_edge_type(type)
    asked = find_asked(snapshot, names, expected=True)
    around = _Around(snapshot, depth, kind)
    shown = list(islice(around.edges(asked.subjects), offset, offset + limit + 1))
    page = _Page(snapshot)
    edges = {link.edge: page.edge(link, body) for link, body in shown[:limit]}
    places = {
        subject: place
        for subject, place in around.places.items()
        if (place.via is None and not offset) or (place.via is not None and place.via.edge in edges)
    }
    followed = {subject: place for subject, place in places.items() if place.distance < depth}
    return Context(
        tuple(edges.values()),
        tuple(page.reached(subject, place) for subject, place in places.items()),
        tuple(page.arcs(followed)),
        asked.missing,
        tuple(page.name(subject) for subject, at in around.cut.items() if offset <= at < offset + limit),
        len(shown) > limit,
        titles_of(snapshot.transaction, (end for edge in edges.values() for end in (edge.source, edge.target))),
    )


def _check(depth: object, limit: int, offset: int) -> None:
    deepest = LIMITS["context_depth"]
    if isinstance(depth, bool) or not isinstance(depth, int) or not 1 <= depth <= deepest:
        raise InputError(Arg("depth"), f" is a whole number from 1 to {deepest}: how many edges to follow")
    check_limit(limit, offset)
    both = Message(Arg("offset"), " and ", Arg("limit"), " together")
    instead = Message("ask for one ", Arg("type"), ", or use ", Verb("edges"))
    check_size(both, offset + limit, "context_edges", "edges", instead)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an atom stands: how far from those asked about, and by which edge it was reached first."""

    distance: int
    via: Link | None = None


class _Around:
    """Breadth first: every edge once, the nearest first; those of an atom by direction, type and other end."""

    def __init__(self, snapshot: Snapshot, depth: int, kind: str | None) -> None:
        self._snapshot = snapshot
        self._depth = depth
        self._kind = kind
        self._seen: set[bytes] = set()
        self.places: dict[bytes, _Place] = {}
        """All that was reached so far, in this order."""
        self.cut: dict[bytes, int] = {}
        """Atoms of which not all edges are followed, each with the number of the last edge that is."""

    def edges(self, starts: Iterable[bytes]) -> Iterator[tuple[Link, Body]]:
        """The edges that hold, as they are asked for: what nobody asks for is not read."""
        self.places = {subject: _Place(0) for subject in starts}
        frontier = list(self.places)
        for distance in range(self._depth):
            following: list[bytes] = []
            for subject in frontier:
                for link, body in self._edges_of(subject, distance):
                    other = link.target if link.source == subject else link.source
                    if other not in self.places:
                        self.places[other] = _Place(distance + 1, link)
                        following.append(other)
                    yield link, body
            frontier = following

    def _edges_of(self, subject: bytes, distance: int) -> Iterator[tuple[Link, Body]]:
        """The edges of an atom that were not met before. Behind what is out of use nothing is looked for."""
        if distance and _is_tombstoned(self._snapshot.transaction, subject, self._snapshot.upto):
            return
        for out in (True, False):
            links = links_named(self._snapshot.transaction, subject, self._kind, out=out, upto=self._snapshot.upto)
            followed = islice(links, _HUB) if distance else links
            fresh = (link for link in followed if link.edge not in self._seen)
            for link, body in stated(self._snapshot, fresh):
                self._seen.add(link.edge)
                yield link, body
            if distance and next(links, None) is not None:
                self.cut[subject] = max(0, len(self._seen) - 1)


def _is_tombstoned(transaction: ReadTransaction, subject: bytes, upto: int | None) -> bool:
    latest = latest_version(transaction, subject, upto)
    return latest is not None and latest.kind is Kind.TOMBSTONE


class _Page:
    """What is told of the edges and atoms of one page."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._ends: dict[bytes, End] = {}

    def edge(self, link: Link, body: Body) -> Edge:
        """The edge, with the names of its ends."""
        return edge_from(self._snapshot, link, body, self._ends)

    def name(self, subject: bytes) -> str:
        """Its name; its id, if nobody knows it."""
        return self._end(subject).name

    def _end(self, subject: bytes) -> End:
        end = self._ends.get(subject)
        if end is None:
            end = self._ends[subject] = end_of(self._snapshot.transaction, subject, self._snapshot.upto)
        return end

    def reached(self, subject: bytes, place: _Place) -> Reached:
        """The atom, as it was at the moments."""
        end, via = self._end(subject), place.via
        said, absent = self._said(subject) if end.there else (None, self._why_absent(subject))
        members = {} if said is None else said[1].members
        is_asked_now = via is None and self._snapshot.upto is None and self._snapshot.valid_at is None
        stale = stale_because(self._snapshot, subject) if is_asked_now and not absent else ()
        return Reached(
            end.name,
            place.distance,
            _shortened(str(members.get("value", ""))),
            end.id,
            "" if via is None else f"{self.name(via.source)} {via.type} {self.name(via.target)}",
            superseders(self._snapshot, subject) if end.there else (),
            absent,
            tuple(why.reason for why in stale),
            None if said is None else said[0].seq,
            members.get("origin"),  # type: ignore[arg-type]
            members.get("actor"),  # type: ignore[arg-type]
        )

    def _why_absent(self, subject: bytes) -> str:
        return "dangling" if gap_of(self._snapshot.transaction, subject) is None else "forgotten"

    def _said(self, subject: bytes) -> tuple[VersionFound | None, str]:
        """The version that answers; or why none does."""
        latest = next(versions_of(self._snapshot.transaction, subject, upto=self._snapshot.upto))
        try:
            found = version_at(self._snapshot, latest)
        except Forgotten:
            return None, "forgotten"
        if found is None:
            return None, "tombstoned" if latest.kind is Kind.TOMBSTONE else "not valid then"
        if found[1].damage is not None:
            return None, "damaged"
        return found, ""

    def arcs(self, places: Mapping[bytes, _Place]) -> Iterator[Arc]:
        """Arcs out of these atoms to others in use; there are none of the past."""
        if self._snapshot.upto is None:
            yield from islice(self._arcs(places), _ARCS)

    def _arcs(self, places: Mapping[bytes, _Place]) -> Iterator[Arc]:
        for subject, place in places.items():
            shares = arcs_after(self._snapshot, subject).items()
            live = ((target, share) for target, share in shares if is_live(self._snapshot.transaction, target, None))
            for target, share in islice(live, _ARCS_OF_ONE if place.distance else None):
                yield Arc(self.name(subject), self.name(target), share)


def _shortened(value: str) -> str:
    return value if len(value) <= _SHOWN else value[: _SHOWN - 1] + "…"
