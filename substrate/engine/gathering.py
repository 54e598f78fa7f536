"""What comes into question for the opening of a session: read out of one snapshot, judged, and why it is not shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, NamedTuple, Protocol, TypeAlias

from substrate.engine.reading import Body, Moments, bodies_of, holding, is_live
from substrate.engine.validity import version_at
from substrate.errors import Forgotten
from substrate.kv.api import ReadTransaction
from substrate.markov.needs import Need
from substrate.opening.evidence import Evidence, Grounds, weigh
from substrate.proof.entry import Kind
from substrate.views.atoms import VersionRow, versions_of
from substrate.views.edges import Link, links_around, links_of
from substrate.views.traces import confirmation_of

__all__ = ["BOOST", "Candidate", "Clash", "Clashes", "Gatherer", "Lost", "Needs", "Seams", "Stale", "Stales", "Uses"]

_FEW: Final = 15
"""References that are looked at, and groups that an atom is a member of."""
_AROUND: Final = 40
"""Edges of an atom that are read at once."""
BOOST: Final = 2.0
"""How much more what belongs to the domain is needed."""
_HOLDER: Final = 0.1
"""How much a domain or a hub is worth itself: its name says little, its members all."""
_SECOND: Final = 1_000_000


class Clash(Protocol):
    """Two atoms that contradict each other: which, how, and why one thinks so."""

    @property
    def first(self) -> bytes:
        """The id of the one atom."""

    @property
    def second(self) -> bytes:
        """The id of the other."""

    @property
    def kind(self) -> str:
        """How they contradict each other."""

    @property
    def reason(self) -> str:
        """In words."""


class Stale(Protocol):
    """Something an atom depends on that has changed since."""

    @property
    def reason(self) -> str:
        """What became of it, in words."""


Needs: TypeAlias = Callable[[ReadTransaction, str | None, bytes | None], Sequence[Need]]
"""Who is needed, best first: for an objective, in a domain (the id of its atom)."""
Clashes: TypeAlias = Callable[[ReadTransaction, bytes, Moments], Sequence[Clash]]
"""The open conflicts of an atom."""
Stales: TypeAlias = Callable[[ReadTransaction, bytes, Moments], Sequence[Stale]]
"""What makes an atom one to look at again."""
Uses: TypeAlias = Callable[[ReadTransaction, Sequence[bytes]], Sequence[float]]
"""How often each of these atoms was accessed."""


@dataclass(frozen=True, slots=True)
class Seams:
    """What others know of atoms. A part that nobody has says nothing."""

    needs: Needs
    conflicts: Clashes = lambda _transaction, _subject, _moments: ()
    stale: Stales = lambda _transaction, _subject, _moments: ()
    uses: Uses = lambda _transaction, subjects: [0.0] * len(subjects)


@dataclass(frozen=True, slots=True)
class Candidate:
    """An atom that may be shown: in use, in force, not superseded, with enough evidence."""

    need: Need
    version: VersionRow
    body: Body
    evidence: Evidence
    groups: tuple[bytes, ...]
    """The hubs and domains that it is a member of."""
    in_domain: bool
    clashes: tuple[Clash, ...]
    stale: tuple[Stale, ...]

    @property
    def value(self) -> float:
        """Need times evidence; belonging to the domain counts double, and what only holds others together little."""
        kind = (self.version.name or "").split(".")[1:2]
        boost = _HOLDER if kind in (["domain"], ["hub"]) else BOOST if self.in_domain else 1.0
        return self.need.share * self.evidence.value * boost


class Lost(NamedTuple):
    """One that was needed and is not shown."""

    name: str
    subject: bytes
    share: float
    reason: str


class Gatherer:
    """Reads candidates of one snapshot. `left_out` counts who is not shown, by reason; `lost` says who it is."""

    def __init__(  # noqa: PLR0913
        self,
        transaction: ReadTransaction,
        moments: Moments,
        seams: Seams,
        *,
        domain: bytes | None,
        threshold: float,
        ingested: bool,
    ) -> None:
        self._transaction = transaction
        self._moments = moments
        self._seams = seams
        self._domain = domain
        self._threshold = threshold
        self._ingested = ingested
        self._groups: dict[bytes, tuple[bytes, ...]] = {}
        self._around: dict[bytes, list[Link] | None] = {}
        self.left_out: Counter[str] = Counter()
        self.lost: list[Lost] = []

    def gather(self, needs: Sequence[Need]) -> list[Candidate]:
        """Those of the atoms that may be shown, in the order given."""
        versions = self._versions(needs)
        bodies = bodies_of(self._transaction, [version.seq for _, version in versions])
        uses = self._seams.uses(self._transaction, [need.subject for need, _ in versions])
        found = []
        for (need, version), body, used in zip(versions, bodies, uses, strict=True):
            judged = "gone" if body is None else self._judged(need, version, body, used)
            if isinstance(judged, Candidate):
                found.append(judged)
            else:
                self._lose(judged, need, version)
        return found

    def groups_of(self, subject: bytes) -> tuple[bytes, ...]:
        """The hubs and domains that an atom is a member of, some of them."""
        groups = self._groups.get(subject)
        if groups is None:
            held = holding(self._transaction, self._links(subject, "member_of", out=True), self._moments)
            groups = self._groups[subject] = tuple(link.target for link in held)
        return groups

    def _links(self, subject: bytes, kind: str, *, out: bool) -> list[Link]:
        """Edges of a type from or to an atom, some of them. Most atoms have few: those are read once, for all types."""
        if subject not in self._around:
            self._around[subject] = links_around(self._transaction, subject, _AROUND)
        around = self._around[subject]
        if around is None:
            return list(islice(links_of(self._transaction, subject, out=out, kind=kind), _FEW))
        end = 0 if out else 1
        return [link for link in around if link.type == kind and (link.source, link.target)[end] == subject][:_FEW]

    def _live_sources(self, subject: bytes, kind: str) -> Iterator[bytes]:
        """Atoms in use from which an edge of this type comes in and holds."""
        links = self._links(subject, kind, out=False)
        for link in holding(self._transaction, links, self._moments) if links else ():
            if is_live(self._transaction, link.source, None):
                yield link.source

    def is_in_domain(self, subject: bytes) -> bool:
        """Whether an atom belongs to the domain asked about, by at most two steps."""
        if self._domain is None:
            return False
        groups = self.groups_of(subject)
        return self._domain in groups or any(self._domain in self.groups_of(group) for group in groups)

    def drop(self, reason: str, candidate: Candidate) -> None:
        """Take one that was gathered as not shown."""
        self._lose(reason, candidate.need, candidate.version)

    def _lose(self, reason: str, need: Need, version: VersionRow) -> None:
        self.left_out[reason] += 1
        if version.name is not None:
            self.lost.append(Lost(version.name, need.subject, need.share, reason))

    def _versions(self, needs: Iterable[Need]) -> list[tuple[Need, VersionRow]]:
        found = []
        for need in needs:
            version = next(versions_of(self._transaction, need.subject), None)
            if version is None:
                self.left_out["gone"] += 1
            elif version.kind is not Kind.PUT or version.name is None:
                self._lose("gone", need, version)
            else:
                found.append((need, version))
        return found

    def _judged(self, need: Need, version: VersionRow, body: Body, used: float) -> Candidate | str:
        """The candidate that this version is; or the reason why it is none."""
        members = body.members
        if members.get("origin") == "ingested" and not self._ingested:
            return "ingested"
        if "valid_from" in members or "valid_to" in members:
            found = self._in_force(version)
            if found is None:
                return "not_in_force"
            version, body = found
        subject = need.subject
        if next(self._live_sources(subject, "supersedes"), None) is not None:
            return "superseded"
        clashes = self._clashes(subject)
        stale = tuple(self._seams.stale(self._transaction, subject, self._moments))
        evidence = weigh(self._grounds(version, body, used, len(clashes), is_stale=bool(stale)))
        if evidence.value < self._threshold:
            return "low_evidence"
        groups = self.groups_of(subject)
        return Candidate(need, version, body, evidence, groups, self.is_in_domain(subject), clashes, stale)

    def _clashes(self, subject: bytes) -> tuple[Clash, ...]:
        """Its open conflicts; those with ingested text only where such text is shown.

        A page that somebody else wrote neither gets into the opening by contradicting what is there, nor makes that
        doubtful.
        """
        found = tuple(self._seams.conflicts(self._transaction, subject, self._moments))
        return found if self._ingested else tuple(clash for clash in found if not self._is_withheld(subject, clash))

    def _is_withheld(self, subject: bytes, clash: Clash) -> bool:
        other = clash.second if clash.first == subject else clash.first
        version = next(versions_of(self._transaction, other), None)
        (body,) = (None,) if version is None else bodies_of(self._transaction, [version.seq])
        return body is None or body.members.get("origin") == "ingested"

    def _in_force(self, version: VersionRow) -> tuple[VersionRow, Body] | None:
        """What the atom says of now, where its latest version is about some time."""
        now = self._moments.at
        try:
            return version_at(self._transaction, version, Moments(None, now, now))
        except Forgotten:
            return None

    def _grounds(self, version: VersionRow, body: Body, used: float, clashes: int, *, is_stale: bool) -> Grounds:
        get = body.members.get
        confirmed = confirmation_of(self._transaction, version.subject, version.seq)
        origin, confidence = get("origin"), get("confidence")
        return Grounds(
            origin=origin if isinstance(origin, str) else None,
            has_source=bool(get("source")),
            confidence=float(confidence) if isinstance(confidence, int | float) else None,
            confirmations=0 if confirmed is None else confirmed.times,
            references=sum(1 for _ in self._live_sources(version.subject, "references")),
            uses=used,
            age_s=(self._moments.at - (body.time if confirmed is None else confirmed.time)) / _SECOND,
            conflicts=clashes,
            is_stale=is_stale,
        )
