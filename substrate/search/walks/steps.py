"""Steps from atom to atom along stated edges, both ways, as of one snapshot: what walks and paths go by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

from substrate.atoms.links import holding, holding_around, weighed
from substrate.atoms.validity import version_at
from substrate.errors import Forgotten
from substrate.limits import LIMITS
from substrate.proof.entry import Kind
from substrate.snapshot import Snapshot
from substrate.views.atoms import VersionRow, latest_version
from substrate.views.edges import Around, Link, WeighedLink, edges_around, links_around, some_links

__all__ = ["EdgeStep", "PlainStep", "Steps", "link_of"]


_new: Final = tuple.__new__


class EdgeStep(NamedTuple):
    """A step along an edge: the atom it leads to, the edge's confidence (1, if it says none), and the edge."""

    to: bytes
    weight: float
    edge: Link


PlainStep: TypeAlias = tuple[bytes, float, Link | Around]
"""The same, with the edge as it was found."""


def _order(one: WeighedLink) -> tuple[str, int]:
    """By type, and of each type the edge stated last first."""
    link = one[0]
    return link.type, -link.seq


def link_of(edge: Link | Around) -> Link:
    """The edge of a step, with all that is known of it."""
    return edge if isinstance(edge, Link) else edge.link()


class Steps:
    """Steps out of atoms, each atom read once. Good for as long as the snapshot's transaction is open.

    Along edges that hold. Of a hub, `LIMITS["walk_edges"]` edges are followed, out of it and into it by halves, as far
    as there are so many. They are found among `LOOKS` times as many in each direction, those that were taken back or
    stated later among them. Where there are more of either, `cut` names the hub. Bodies are not checked against the
    log: who shows an edge reads it anew.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._in_use: dict[bytes, bool] = {}
        self._latest: dict[bytes, VersionRow | None] = {}
        self.cut: dict[bytes, None] = {}
        """Atoms that have more edges than are followed, or looked at, in the order in which they were met."""

    def weighed(self, subject: bytes) -> list[EdgeStep]:
        """The steps out of an atom: in the order of types, and of each type the edge stated last first."""
        links = weighed(self._snapshot, self._links(subject))
        return [
            _new(EdgeStep, (link.target if link.source == subject else link.source, weight, link))
            for link, weight in links
        ]

    def plain(self, subject: bytes) -> Sequence[PlainStep]:
        """All of them, in the same order, whatever their confidence: each weighs 1. See `link_of`."""
        snapshot, most = self._snapshot, LIMITS["walk_edges"]
        around = edges_around(snapshot.transaction, subject, most) if snapshot.upto is None else None
        if around is None:
            links = holding(snapshot, [link for link, _ in self._links(subject)])
            return [(link.target if link.source == subject else link.source, 1.0, link) for link in links]
        around = [one for one in around if one.other != subject]
        around.sort()
        return [(one.other, 1.0, one) for one in holding_around(snapshot, around)]

    def _links(self, subject: bytes) -> list[WeighedLink]:
        """The edges of an atom that are looked at; one from an atom to itself leads nowhere."""
        transaction, upto, most = self._snapshot.transaction, self._snapshot.upto, LIMITS["walk_edges"]
        around = links_around(transaction, subject, most) if upto is None else None
        if around is None:
            out, more_out = some_links(transaction, subject, most, out=True, upto=upto)
            into, more_in = some_links(transaction, subject, most, out=False, upto=upto)
            if more_out or more_in or len(out) + len(into) > most:
                self.cut[subject] = None
                out = out[: max(most // 2, most - len(into))]
                into = into[: most - len(out)]
            around = [(link, None) for link in out + into]
        links = [one for one in around if one[0].source != one[0].target]
        links.sort(key=_order)
        return links

    def in_use(self, subject: bytes) -> bool:
        """Whether the atom was in use at the snapshot, and said something that held then."""
        known = self._in_use.get(subject)
        if known is None:
            known = self._in_use[subject] = self._holds(subject)
        return known

    def latest(self, subject: bytes) -> VersionRow | None:
        """The version that the atom was at, which may be a tombstone; None: there was none."""
        if subject not in self._latest:
            self._latest[subject] = latest_version(self._snapshot.transaction, subject, self._snapshot.upto)
        return self._latest[subject]

    def _holds(self, subject: bytes) -> bool:
        latest = self.latest(subject)
        if latest is None or self._snapshot.valid_at is None:
            return latest is not None and latest.kind is Kind.PUT
        try:
            return version_at(self._snapshot, latest) is not None
        except Forgotten:
            return False
