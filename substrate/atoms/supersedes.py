"""What supersedes what, and when; chains of `supersedes` edges, none of which may lead back to where it began.

An agent's edge hides what was there when it was stated. What a person records later under the name of its target is in
use again, until another edge is stated.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from itertools import islice, takewhile
from typing import Final

from substrate.atoms.bodies import body_of
from substrate.atoms.links import holding, is_live, live_sources, stated
from substrate.atoms.renames import renamed_from, renamed_to
from substrate.atoms.resolve import name_of
from substrate.atoms.validity import stands, taken_back, version_at
from substrate.errors import Forgotten
from substrate.kv.api import ReadTransaction, kept_by
from substrate.log.identity import id_text
from substrate.proof.entry import Kind
from substrate.schema import UNDOES
from substrate.snapshot import Snapshot
from substrate.values.actors import is_person
from substrate.values.edges import SUPERSEDES
from substrate.views.atoms import LatestVersions, latest_version, versions_of
from substrate.views.cards import Card, card_of
from substrate.views.edges import Link, links_of, took_a_place

__all__ = ["Chains", "Heirs", "is_hidden_by_agent", "is_superseded", "successors", "superseders"]


class Chains:
    """What supersedes what, within one checkpoint. `unedged` are the edges that it takes back."""

    def __init__(self, transaction: ReadTransaction, unedged: Container[bytes]) -> None:
        self._transaction = transaction
        self._unedged = unedged
        self._known: dict[tuple[bytes, bool], set[bytes]] = {}

    def closes_circle(self, source: bytes, target: bytes) -> bool:
        """Whether `target` is `source`, or supersedes it over any number of steps.

        Looked for from both sides by turns: one of the two is mostly a new atom, or has no such edges, and ends it.
        """
        seen = {True: {target}, False: {source}}
        waiting = {True: [target], False: [source]}
        out = True
        while source != target and waiting[True] and waiting[False]:
            fresh = self._next(waiting[out].pop(), out=out) - seen[out]
            if fresh & seen[not out]:
                return True
            seen[out] |= fresh
            waiting[out] += fresh
            out = not out
        return source == target

    def add(self, source: bytes, target: bytes) -> None:
        """The checkpoint states that `source` supersedes `target`."""
        self._next(source, out=True).add(target)
        self._next(target, out=False).add(source)

    def _next(self, atom: bytes, *, out: bool) -> set[bytes]:
        """What the atom supersedes (`out`), or is superseded by."""
        if (atom, out) not in self._known:
            links = links_of(self._transaction, atom, out=out, kind=SUPERSEDES)
            ends = {link.target if out else link.source for link in links if link.edge not in self._unedged}
            self._known[atom, out] = ends
        return self._known[atom, out]


def successors(snapshot: Snapshot, subject: bytes) -> Iterator[Link]:
    """The `supersedes` edges, one from each atom that stands in the place of this one at these moments.

    Such an edge holds then, and so does the atom that it comes from: without `valid_at` it is in use; at `valid_at` a
    version of it holds. What does not hold at that time supersedes nothing then. But if another atom stands in *its*
    place, that one stands in the place of both.
    """
    if not card_of(snapshot.transaction, subject).superseded:  # nobody ever said so: mostly, one look is enough
        return
    seen, waiting = {subject}, [subject]
    while waiting:
        links = links_of(snapshot.transaction, waiting.pop(), out=False, kind=SUPERSEDES, upto=snapshot.upto)
        for link, _ in stated(snapshot, links):
            latest = latest_version(snapshot.transaction, link.source, snapshot.upto)
            if latest is None or link.source in seen or _is_outlived(snapshot, link):
                continue
            standing = stands(snapshot, latest)
            if standing is None:
                waiting.append(link.source)
            if standing is not False:
                seen.add(link.source)
            if standing:
                yield link


def is_superseded(snapshot: Snapshot, subject: bytes, links: Sequence[Link] | None = None) -> bool:
    """Whether another atom stands in the place of this one. `links`: `supersedes` edges that come in, if known."""
    if links is None or snapshot.valid_at is not None:
        return next(successors(snapshot, subject), None) is not None
    standing = [link for link in links if not _is_outlived(snapshot, link)]
    return next(live_sources(snapshot, standing), None) is not None


def is_hidden_by_agent(transaction: ReadTransaction, subject: bytes) -> bool:
    """Whether an edge that an agent stated leads to the atom, and what a person says of it now would be hidden."""
    if not card_of(transaction, subject).superseded:
        return False
    snapshot = Snapshot(transaction, None, None, 0)
    for link in links_of(transaction, subject, out=False, kind=SUPERSEDES):
        edge = body_of(transaction, link.seq)
        if edge is not None and not is_person(edge.members) and not _is_outlived(snapshot, link):
            return True
    return False


def _is_outlived(snapshot: Snapshot, link: Link) -> bool:
    """Whether an agent stated this edge, and a person has recorded something under the name of its target since."""
    transaction = snapshot.transaction
    versions = versions_of(transaction, link.target, upto=snapshot.upto)
    later = list(islice(takewhile(lambda row: row.seq > link.seq, versions), _LATER))
    edge = body_of(transaction, link.seq) if later else None  # mostly nothing was said since
    if edge is None or is_person(edge.members):
        return False
    gone = taken_back(transaction, later)
    bodies = (body_of(transaction, row.seq) for row in later if row.kind is Kind.PUT and row.seq not in gone)
    if not any(body and UNDOES not in body.members and is_person(body.members) for body in bodies):
        return False
    if snapshot.valid_at is None:
        return True
    try:
        found = version_at(snapshot, later[0])
    except Forgotten:
        return False
    return found is not None and found[0].seq > link.seq


def superseders(snapshot: Snapshot, subject: bytes, card: Card | None = None) -> tuple[str, ...]:
    """The names of the atoms that stand in the place of this one. `card`: its own, if known."""
    if card is not None and not card.superseded:
        return ()
    sources = (link.source for link in successors(snapshot, subject))
    return tuple(sorted(name_of(snapshot.transaction, source) or id_text(source) for source in sources))


_LATER: Final = 64
"""Versions of an atom, from the last one back, that are looked at to see whether a person recorded one."""
_MOST: Final = 16
"""Steps of a chain, and atoms that one took the place of, which are looked at."""


class Heirs:
    """As of one snapshot."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._known: dict[bytes, tuple[bytes, ...]] = {}
        self._took: dict[bytes, bool] = kept_by(snapshot.transaction, "took a place")
        self._stands: dict[bytes, bool] = kept_by(snapshot.transaction, "stands for itself")
        self._latest = LatestVersions(snapshot.transaction)

    def inherited(self, subject: bytes) -> tuple[bytes, ...]:
        """The atoms whose place this one took, by superseding or under another name, and whose places those took."""
        took = self._took.get(subject)
        if took is None:
            transaction = self._snapshot.transaction
            took = card_of(transaction, subject).others and took_a_place(transaction, subject)
            self._took[subject] = took
        if not took:
            return ()
        if subject not in self._known:
            found: dict[bytes, None] = {}
            waiting = [subject]
            while waiting and len(found) < _MOST:
                at, transaction = waiting.pop(), self._snapshot.transaction
                links = list(islice(links_of(transaction, at, out=True, kind=SUPERSEDES), _MOST))
                holds = holding(self._snapshot, links) if links else ()
                before = [link.target for link in holds if not _is_outlived(self._snapshot, link)]
                for other in (*before, *renamed_from(transaction, at)[:_MOST]):
                    if other not in found and other != subject:
                        found[other] = None
                        waiting.append(other)
            self._known[subject] = tuple(found)
        return self._known[subject]

    def heir(self, subject: bytes) -> bytes | None:
        """The atom that stands for this one: itself, or who superseded it; None if nobody does, or it is not in use."""
        stands = self._stands.get(subject)
        if stands is None:  # mostly so, whatever moment is asked about: nobody ever said that another superseded it
            transaction = self._snapshot.transaction
            stands = not card_of(transaction, subject).superseded and self._latest.is_live(subject)
            self._stands[subject] = stands
        if stands:
            return subject
        for _ in range(_MOST):
            by = next(successors(self._snapshot, subject), None)
            if by is None:
                live = is_live(self._snapshot.transaction, subject, None)
                return subject if live else renamed_to(self._snapshot.transaction, subject)
            subject = by.source
        return None
