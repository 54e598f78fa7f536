"""What is to be reviewed since something it depends on has changed. Worked out when it is read; nothing is stored.

An atom depends on what its live edges `depends_on` and `derived_from` lead to, and on what that depends on. It is
*stale* if a dependency changed after it was last said. It was last said by the newest of these, for each way that leads
to the dependency: the checkpoint of its current version, a confirmation of it, and the statement (or confirmation) of
any edge on the way. A checkpoint is one act: what is said in it takes account of all that changes in it.

A dependency has *changed* if what it says now is not what it said then: another value, tombstoned, superseded,
forgotten. One that appears for the first time has not changed, nor has one that says again what it said. Of an atom
that is forgotten by name the edges are erased too: what depended on it is not known any more.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import count
from typing import Final, Literal, NamedTuple
from uuid import UUID

from substrate.atoms.bodies import body_of, require_body
from substrate.atoms.links import holding
from substrate.atoms.load import atom_of
from substrate.atoms.moments import seq_at
from substrate.atoms.resolve import name_of
from substrate.atoms.supersedes import is_superseded, successors
from substrate.kv.api import ReadTransaction
from substrate.limits import check_limit, check_prefix
from substrate.log.tables import HEADS, read_seq, seq_key
from substrate.names import normalise
from substrate.proof.entry import Kind
from substrate.snapshot import Snapshot
from substrate.values.edges import DEPENDS_ON, DERIVED_FROM, SUPERSEDES
from substrate.values.review.stale import StaleAtom, StaleAtoms, StaleReason
from substrate.values.times import from_microseconds
from substrate.views.atoms import VersionRow, gap_of, latest_version, names, versions_of
from substrate.views.cards import Card, card_of
from substrate.views.edges import Link, links_of, some_links
from substrate.views.traces import confirmation_of

__all__ = ["DEPENDENCIES", "MOST_EDGES", "Change", "Stale", "stale_atoms", "stale_because"]

DEPENDENCIES: Final = (DEPENDS_ON, DERIVED_FROM)
MOST_EDGES: Final = 1000
"""So many edges are followed from one atom. What lies behind them is not looked at."""

Change = Literal["changed", "tombstoned", "superseded", "forgotten"]
_ABSENT: Final = {"tombstoned": "it was tombstoned", "forgotten": "what it said was forgotten"}


class Stale(NamedTuple):
    """One reason to review an atom: a dependency that changed, by which entry, and over which atoms it is reached."""

    dependency: bytes
    name: str
    change: Change
    seq: int
    path: tuple[str, ...]
    """Names, from the atom itself to the dependency."""

    @property
    def reason(self) -> str:
        """The same in a line."""
        way = f", by way of {', '.join(self.path[1:-1])}" if len(self.path) > 2 else ""  # noqa: PLR2004 - both ends
        if self.change in _ABSENT:
            return f"{self.name} is absent: {_ABSENT[self.change]} (entry {self.seq}){way}"
        return f"{self.name} {'was ' if self.change == 'superseded' else ''}{self.change} (entry {self.seq}){way}"


def stale_because(snapshot: Snapshot, subject: bytes, card: Card | None = None) -> tuple[Stale, ...]:
    """Why the atom is to be reviewed, the nearest dependency first. Empty: it is not, or it is out of use.

    `card`: its own, if known; it tells of an atom that never depended on anything. With `moments.upto`, as of then,
    confirmations apart: these are of now.
    """
    if not (card or card_of(snapshot.transaction, subject)).depends:
        return ()
    links = list(_links(snapshot.transaction, subject, snapshot.upto))
    if not links:
        return ()
    version = latest_version(snapshot.transaction, subject, snapshot.upto)
    if version is None or version.kind is not Kind.PUT:
        return ()
    if not _may_have_changed(snapshot.transaction, links, version.seq, snapshot.upto):
        return ()
    return _Walk(snapshot).from_atom(version)


def _links(transaction: ReadTransaction, subject: bytes, upto: int | None) -> Iterator[Link]:
    for kind in DEPENDENCIES:
        yield from some_links(transaction, subject, MOST_EDGES, out=True, kind=kind, upto=upto)[0]


def _may_have_changed(transaction: ReadTransaction, links: list[Link], seq: int, upto: int | None) -> bool:
    """False if nothing that can be reached was touched after entry `seq`: mostly so, and few reads find it out."""
    seen: set[bytes] = set()
    waiting = [link.target for link in links]
    while waiting:
        subject = waiting.pop()
        if subject in seen:
            continue
        seen.add(subject)
        latest = latest_version(transaction, subject, upto)
        if latest is None or latest.seq > seq or len(seen) + len(waiting) >= MOST_EDGES:
            return True
        if next(links_of(transaction, subject, out=False, kind=SUPERSEDES, upto=upto), None) is not None:
            return True
        waiting += [link.target for link in _links(transaction, subject, upto)]
    return False


class _Walk:
    """From one atom to all it depends on, at each step to the one whose way there was stated longest ago.

    So every atom is met first by the way whose newest statement is the oldest: the way by which most are changes.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._waiting: list[tuple[int, int, int, Link]] = []
        self._order = count()
        self._followed = 0
        self._from: dict[bytes, bytes] = {}

    def from_atom(self, version: VersionRow) -> tuple[Stale, ...]:
        """What changed since this version was last said, and how it is reached."""
        start = version.subject
        self._from[start] = b""
        self._add(start, self._known_by(start, version.seq), 1)
        found = []
        while self._waiting:
            since, steps, _, link = heappop(self._waiting)
            subject = link.target
            if subject in self._from:
                continue
            self._from[subject] = link.source
            now = latest_version(self._snapshot.transaction, subject, self._snapshot.upto)
            changed = self._change(subject, now, since)
            if changed is not None:
                path = self._path(subject)
                found.append(Stale(subject, path[-1], *changed, path))
            if now is not None and now.kind is Kind.PUT:
                self._add(subject, since, steps + 1)
        return tuple(sorted(found, key=lambda stale: (len(stale.path), stale.name)))

    def _add(self, subject: bytes, since: int, steps: int) -> None:
        links = list(_links(self._snapshot.transaction, subject, self._snapshot.upto))
        for link in holding(self._snapshot, links):
            if self._followed == MOST_EDGES:
                return
            self._followed += 1
            known = max(since, self._known_by(link.edge, link.seq))
            heappush(self._waiting, (known, steps, next(self._order), link))

    def _known_by(self, subject: bytes, seq: int) -> int:
        """The last entry that whoever last said this version of an atom or edge took account of."""
        size, _ = next(self._snapshot.transaction.scan(HEADS, seq_key(seq + 1), limit=1))
        known = read_seq(size) - 1
        if self._snapshot.upto is None:
            confirmed = confirmation_of(self._snapshot.transaction, subject, seq)
            if confirmed is not None:
                known = max(known, seq_at(self._snapshot.transaction, from_microseconds(confirmed.time)) or 0)
        return known

    def _change(self, subject: bytes, now: VersionRow | None, since: int) -> tuple[Change, int] | None:
        """What became of an atom after the entry `since`, and by which entry."""
        upto = self._snapshot.upto
        if now is None:
            gap = gap_of(self._snapshot.transaction, subject)
            gone = gap is not None and since < gap.seq and (upto is None or gap.seq <= upto)
            return ("forgotten", gap.seq) if gap is not None and gone else None
        if now.seq > since:
            versions = list(versions_of(self._snapshot.transaction, subject, upto=upto))
            # What came first is what there was to depend on, for who did so before.
            before = next((version for version in versions if version.seq <= since), versions[-1])
            if now.kind is Kind.TOMBSTONE:
                erased = len(versions) > 1 and versions[1].name is None
                return None if before.kind is now.kind else ("forgotten" if erased else "tombstoned", now.seq)
            if before.kind is Kind.TOMBSTONE or self._value(before) != self._value(now):
                return "changed", now.seq
        if now.kind is Kind.TOMBSTONE:
            return None
        return self._superseded(subject, since)

    def _value(self, version: VersionRow) -> object:
        body = body_of(self._snapshot.transaction, version.seq)
        return version if body is None else body.members.get("value")  # what was erased is like nothing else

    def _superseded(self, subject: bytes, since: int) -> tuple[Change, int] | None:
        def live(upto: int | None) -> dict[bytes, int]:
            return {link.source: link.seq for link in successors(self._snapshot.known_at(upto), subject)}

        by = live(self._snapshot.upto)
        before = live(since) if by else {}
        # An edge binds when its source appears: the later of the two is when it took effect.
        seqs = [max(seq, self._first_after(source, since)) for source, seq in by.items() if source not in before]
        return ("superseded", max(seqs)) if seqs else None

    def _first_after(self, subject: bytes, since: int) -> int:
        seqs = [version.seq for version in versions_of(self._snapshot.transaction, subject, upto=self._snapshot.upto)]
        return min((seq for seq in seqs if seq > since), default=-1)

    def _path(self, subject: bytes) -> tuple[str, ...]:
        path = []
        while subject:
            path.append(name_of(self._snapshot.transaction, subject) or str(UUID(bytes=subject)))
            subject = self._from[subject]
        return tuple(reversed(path))


def stale_atoms(snapshot: Snapshot, prefix: str, *, limit: int, after: str | None) -> StaleAtoms:
    """See `Memory.stale`."""
    check_limit(limit)
    check_prefix(prefix, after)
    transaction = snapshot.transaction
    found: list[StaleAtom] = []
    for version in names(transaction, normalise(prefix), None if after is None else normalise(after)):
        if version.kind is not Kind.PUT:
            continue
        because = stale_because(snapshot, version.subject)
        if not because or is_superseded(snapshot, version.subject):
            continue
        if len(found) == limit:
            return StaleAtoms(tuple(found), found[-1].name)
        atom = atom_of(snapshot, version, require_body(transaction, version.seq), superseded_by=())
        reasons = (StaleReason(why.name, why.change, why.seq, why.path, why.reason) for why in because)
        found.append(StaleAtom(atom, tuple(reasons)))
    return StaleAtoms(tuple(found))
