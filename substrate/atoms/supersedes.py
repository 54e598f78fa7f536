"""What supersedes what, and when; chains of `supersedes` edges, none of which may lead back to where it began.

An agent's edge hides what was there when it was stated. What a person records later under the name of its target is in
use again, until another edge is stated. An edge is an agent's if no person has stated it since it was last taken back.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import islice, takewhile
from threading import Lock
from typing import Final, TypeAlias

from substrate.atoms.bodies import Body, time_of
from substrate.atoms.links import holding, is_live, stated
from substrate.atoms.renames import renamed_from, renamed_to
from substrate.atoms.resolve import name_of
from substrate.atoms.validity import not_undone, stands, version_at
from substrate.ciphers import CIPHERTEXT
from substrate.errors import Forgotten
from substrate.kv.api import ReadTransaction, carried_by, kept_by
from substrate.log.identity import id_text
from substrate.log.tables import BODIES, seq_key
from substrate.proof.encoding import Json
from substrate.proof.entry import Kind
from substrate.schema import UNDOES
from substrate.snapshot import Snapshot
from substrate.values.actors import is_person
from substrate.values.edges import SUPERSEDES
from substrate.veil import bare
from substrate.views.atoms import LatestVersions, latest_version, versions_of
from substrate.views.beside.recorded import recorded_at
from substrate.views.cards import Card, card_of
from substrate.views.edges import Link, links_of, statements_of, took_a_place
from substrate.views.follow import Trail, erased_between, latest_head

_Outlived: TypeAlias = dict[bytes, tuple[int, int, int | None]]

__all__ = [
    "Chains",
    "Heirs",
    "is_by_person",
    "is_hidden_by_agent",
    "is_superseded",
    "successors",
    "superseders",
    "will_be_superseded",
]


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


def successors(snapshot: Snapshot, subject: bytes, *, of_people: bool = False) -> Iterator[Link]:
    """The `supersedes` edges, one from each atom that stands in the place of this one at these moments.

    Such an edge holds then, and so does the atom that it comes from: without `valid_at` it is in use; at `valid_at` a
    version of it holds. What does not hold at that time supersedes nothing then. But if another atom stands in *its*
    place, that one stands in the place of both. `of_people`: edges that only agents stated do not count.
    """
    if not card_of(snapshot.transaction, subject).superseded:  # nobody ever said so: mostly, one look is enough
        return
    seen, waiting = {subject}, [subject]
    while waiting:
        links = links_of(snapshot.transaction, waiting.pop(), out=False, kind=SUPERSEDES, upto=snapshot.upto)
        for link, body in stated(snapshot, links):
            latest = latest_version(snapshot.transaction, link.source, snapshot.upto)
            if latest is None or link.source in seen:
                continue
            standing = stands(snapshot, latest)
            if standing is False or _is_outlived(snapshot, link, body):
                continue
            if of_people and link.target == subject and not is_by_person(snapshot.transaction, link.edge):
                continue
            seen.add(link.source)
            if standing:
                yield link
            else:
                waiting.append(link.source)


def is_superseded(snapshot: Snapshot, subject: bytes, links: Sequence[Link] | None = None) -> bool:
    """Whether another atom stands in the place of this one. `links`: `supersedes` edges that come in, if known."""
    if links is None or snapshot.valid_at is not None:
        if not card_of(snapshot.transaction, subject).superseded:  # as `successors` finds, a little later
            return False
        return next(successors(snapshot, subject), None) is not None
    return any(
        is_live(snapshot.transaction, link.source, snapshot.upto) and not _is_outlived(snapshot, link)
        for link in (holding(snapshot, links) if links else ())
    )


def will_be_superseded(snapshot: Snapshot, subject: bytes, said: Mapping[str, Json]) -> bool:
    """Whether another atom stands in the place of this one once it says this, which is about to be written."""
    of_people = is_person(said) and UNDOES not in said
    return next(successors(snapshot, subject, of_people=of_people), None) is not None


def is_hidden_by_agent(transaction: ReadTransaction, subject: bytes, before: int | None = None) -> bool:
    """Whether an agent's edge leads to the atom, and nothing that a person recorded since has brought it back.

    `before`: only edges count that were recorded before this time, in this store or in the one that they come from.
    Neither the edge's windows nor its source are looked at: they may change, and what a person says now is to stand.
    """
    if not card_of(transaction, subject).superseded:
        return False
    snapshot = Snapshot(transaction, None, None, 0)
    links = links_of(transaction, subject, out=False, kind=SUPERSEDES)
    return any(
        not is_by_person(transaction, link.edge)
        and not _is_outlived(snapshot, link)
        and (before is None or _recorded(transaction, link.seq) < before)
        for link in links
    )


def _recorded(transaction: ReadTransaction, seq: int) -> int:
    """When an entry was recorded, in this store or in the one that it comes from."""
    said = recorded_at(transaction, seq)
    return time_of(transaction, seq) if said is None else said


def is_by_person(transaction: ReadTransaction, edge: bytes) -> bool:
    """Whether a person has stated this edge, alone or beside agents, since it was last taken back."""
    return any(is_person(body.members) for _, body in _statements(transaction, edge, None))


def _is_outlived(snapshot: Snapshot, link: Link, body: Body | None = None) -> bool:
    """Whether only agents stated this edge, and a person has recorded something under the name of its target since.

    At `valid_at`: and whether what was recorded since is what holds then. `body`: what the edge says, if known.
    """
    # Whoever sees an edge sees all that was said of its two ends: so what is kept of the store is good for all.
    transaction = bare(snapshot.transaction)
    known: dict[tuple[bytes, int | None], int | None] = kept_by(transaction, "edges outlived")
    key = (link.edge, snapshot.upto)
    since = known.get(key, _UNKNOWN)
    if since == _UNKNOWN:
        since = known[key] = _outlived_since(transaction, link, body, snapshot.upto)
    if since is None or snapshot.valid_at is None:
        return since is not None
    latest = latest_version(transaction, link.target, snapshot.upto)
    try:
        found = None if latest is None else version_at(snapshot, latest)
    except Forgotten:
        return False
    return found is not None and found[0].seq > since


def _outlived_since(transaction: ReadTransaction, link: Link, body: Body | None, upto: int | None) -> int | None:
    """The seq from which on a person's word outlives the edge, if there is such a word; else None."""
    latest = latest_version(transaction, link.target, upto)
    if latest is None or (latest.seq < link.seq and not _is_undo(transaction, link.seq, body)):  # mostly so
        return None
    outlived = {} if upto is not None else _outlived_of(transaction)
    known = outlived.get(link.edge)
    if known is not None and known[:2] == (link.seq, latest.seq):
        return known[2]
    if len(outlived) >= _MOST_CARRIED:
        outlived.clear()
    since = _looked_for(transaction, link, upto)
    outlived[link.edge] = link.seq, latest.seq, since
    return since


def _looked_for(transaction: ReadTransaction, link: Link, upto: int | None) -> int | None:
    """The same, out of what was stated of the edge, and of its target since."""
    since = None
    for seq, stating in _statements(transaction, link.edge, upto):
        if is_person(stating.members):
            return None
        since = seq if since is None else since
    if since is None:
        return None
    later = takewhile(lambda row: row.seq > since, versions_of(transaction, link.target, upto=upto))
    said = (put.members for row, put in not_undone(transaction, later) if row.kind is Kind.PUT)
    return since if any(UNDOES not in members and is_person(members) for members in said) else None


def _outlived_of(transaction: ReadTransaction) -> _Outlived:
    """By edge: up to which seqs its statements and the versions of its target were looked at, and what was found.

    Neither a statement nor a version ever says anything else, so it holds in every state of a log whose last seqs of
    the two are these, if nothing was erased. It is carried from state to state; a snapshot from before has its own.
    """
    carried: dict[None, _Carried] | None = carried_by(transaction, "outlived edges")
    if carried is None:
        return {}
    kept: dict[None, _Outlived] = kept_by(transaction, "outlived edges carried")
    outlived = kept.get(None)
    if outlived is None:
        outlived = kept[None] = carried.setdefault(None, _Carried()).at(transaction)
    return outlived


class _Carried:
    """What was found of edges, for as long as nothing is erased from the log. Safe to share between threads."""

    def __init__(self) -> None:
        self._guard = Lock()
        self._trail = Trail()
        self._outlived: _Outlived = {}

    def at(self, transaction: ReadTransaction) -> _Outlived:
        """What holds for this snapshot, to be read and added to."""
        with self._guard:
            size, _ = latest_head(transaction)
            before = self._trail.size
            if not self._trail.leads_to(transaction):  # another log lies where it lay
                self._trail, self._outlived = Trail(), {}
            elif size < before:
                return {}
            elif before and erased_between(transaction, before, size):
                self._outlived = {}
            self._trail.follow(transaction)
            return self._outlived


def _is_undo(transaction: ReadTransaction, seq: int, body: Body | None) -> bool:
    """Whether an undo stated an edge: then it counts from when it was stated before. `body`: what it says, if known."""
    if body is not None:
        return UNDOES in body.members
    row = transaction.get(BODIES, seq_key(seq))
    return row is not None and _UNDOES in row


def _statements(transaction: ReadTransaction, edge: bytes, upto: int | None) -> Iterator[tuple[int, Body]]:
    """What was stated of an edge since it was last taken back, latest first, with seqs; what an undo says left out."""
    for link, body in not_undone(transaction, statements_of(transaction, edge, upto)):
        if link.kind is Kind.UNEDGE and UNDOES not in body.members:
            return
        if link.kind is Kind.EDGE and UNDOES not in body.members:
            yield link.seq, body


def superseders(snapshot: Snapshot, subject: bytes, card: Card | None = None) -> tuple[str, ...]:
    """The names of the atoms that stand in the place of this one. `card`: its own, if known."""
    if card is not None and not card.superseded:
        return ()
    sources = (link.source for link in successors(snapshot, subject))
    return tuple(sorted(name_of(snapshot.transaction, source) or id_text(source) for source in sources))


_UNKNOWN: Final = -1
"""No seq: it was not looked for yet."""
_MOST_CARRIED: Final = 30_000
"""Edges of which it is carried what outlived them: some 10 MB."""
_UNDOES: Final = f'"{UNDOES}"'.encode()
"""Stands in every body of an undo; most are none, and need not be decoded to know."""
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

    def readable(self, subject: bytes) -> bytes | None:
        """The same; None too if it is locked."""
        heir = self.heir(subject)
        name = None if heir is None else name_of(self._snapshot.transaction, heir)
        return None if name is None or name.startswith(CIPHERTEXT) else heir
