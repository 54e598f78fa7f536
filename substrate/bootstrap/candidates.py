"""What comes into question for the opening of a session: read out of one snapshot, judged, and why it is not shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from substrate.atoms.bodies import Body, bodies_of
from substrate.atoms.domains import Domains
from substrate.atoms.links import is_lasting, live_sources
from substrate.atoms.stale import Stale, stale_because
from substrate.atoms.supersedes import is_superseded
from substrate.atoms.validity import version_at
from substrate.bootstrap.absent import is_missed
from substrate.bootstrap.evidence import Evidence, Grounds, weigh
from substrate.ciphers import CIPHERTEXT
from substrate.conflicts.detect import Clash, conflicts_of
from substrate.errors import Forgotten
from substrate.kv.api import Kept, kept_by
from substrate.learn.forecast import Need, uses_of
from substrate.names import IN_DOMAINS, type_of
from substrate.proof.entry import Kind
from substrate.search.columns.documents import Mask
from substrate.snapshot import Snapshot
from substrate.values.edges import MEMBER_OF, REFERENCES, SUPERSEDES
from substrate.values.opening import PROPOSED
from substrate.veil import hidden_in
from substrate.views.atoms import LatestVersions, VersionRow
from substrate.views.beside.conflicts import has_conflicts
from substrate.views.cards import Card, card_of, cards_of
from substrate.views.edges import Link, links_around, some_links
from substrate.views.traces import Confirmation, confirmation_of, confirmations_of

__all__ = ["BOOST", "LEFT", "Candidate", "Gatherer", "Lost", "is_filling"]

_FEW: Final = 15
"""References that are looked at."""
_AROUND: Final = 40
"""Edges of an atom that are read at once."""
_MOST_READ: Final = 5000
"""Atoms of which that is kept."""
_SHORT: Final = 1000
"""Characters of a value up to which what was read of an atom is kept: `kept_by` is for what is small."""
BOOST: Final = 2.0
"""How much more what belongs to the domain is needed."""
_HOLDER: Final = 0.1
"""How much a domain or a hub is worth itself: its name says little, its members all."""
_COUNTED: Final = {SUPERSEDES: "superseded", MEMBER_OF: "groups", REFERENCES: "referred"}
"""Where a card says that an atom has no such edge: then none is looked for."""
_SECOND: Final = 1_000_000
_FILLS: Final = frozenset(("member", "newest", "recent", "start", "usage"))
"""Parts of a need that are about an atom alone, whatever a session is for."""
LEFT: Final = "last"
"""The part of a need of what the last session left."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An atom that may be shown: in use, in force, not superseded, with enough evidence."""

    need: Need
    version: VersionRow
    body: Body
    evidence: Evidence
    groups: tuple[bytes, ...]
    """The hubs and domains that it is said to be a member of, whether they are in use or not: what goes together."""
    in_domain: bool
    clashes: tuple[Clash, ...]
    stale: tuple[Stale, ...]
    newer: bytes | None = None
    """The atom that says now what this one said, if there is one: this one is outdated."""

    @property
    def is_taught(self) -> bool:
        """Whether it was corrected, or taught with full weight, for an objective like this one."""
        return self.need.is_taught

    @property
    def is_correction(self) -> bool:
        """Whether it was taught, and is a person's or an agent's own word: no text from elsewhere."""
        return self.is_taught and self.body.members.get("origin") != "ingested"

    @property
    def is_filler(self) -> bool:
        """Whether nothing speaks for it but that there is room: neither the objective, nor what is needed beside it."""
        return not self.in_domain and is_filling(self.need)

    @property
    def is_spare(self) -> bool:
        """Whether it is a filler, or stands beside weak matches: of these, few are enough."""
        return self.is_filler or (self.need.is_beside and not self.need.is_weak)

    @property
    def is_left(self) -> bool:
        """Whether it is there because the last session left it."""
        parts = self.need.parts
        return LEFT in parts and max(parts, key=parts.__getitem__) == LEFT

    @property
    def is_unconfirmed(self) -> bool:
        """Whether rules found it in what a person said, and nobody has confirmed it."""
        return PROPOSED in (self.body.members.get("tags") or ())  # type: ignore[operator]

    @property
    def is_holder(self) -> bool:
        """Whether it is a domain or a hub."""
        return (self.version.name or "").split(".")[1:2] in (["domain"], ["hub"])

    @property
    def value(self) -> float:
        """Need times evidence; belonging to the domain counts double, and what only holds others together little."""
        boost = _HOLDER if self.is_holder else BOOST if self.in_domain else 1.0
        return self.need.share * self.evidence.value * boost


def is_filling(need: Need) -> bool:
    """Whether nothing speaks for it but that there is room."""
    return bool(need.parts) and _FILLS.issuperset(part for part, added in need.parts.items() if added > 0)


def _is_page(version: VersionRow) -> bool:
    return type_of(version.name or "") in IN_DOMAINS


class _Read(NamedTuple):
    """What rows say of the latest version of an atom, whoever asks, and whenever."""

    version: VersionRow
    body: Body | None
    card: Card
    used: float
    confirmed: Confirmation | None
    references: int | None
    """Atoms in use that refer to it, of some that are looked at; None: that depends on the time, or on many edges."""
    groups: tuple[bytes, ...] | None
    """See `Candidate`; None as above."""

    @property
    def is_short(self) -> bool:
        """Whether it is worth keeping until the store changes."""
        value = None if self.body is None else self.body.members.get("value")
        return isinstance(value, str) and len(value) <= _SHORT and self.groups is not None


class Lost(NamedTuple):
    """One that was needed and is not shown."""

    name: str
    need: Need
    reason: str


class Gatherer:
    """Reads candidates of one snapshot. `left_out` counts who is not shown, by reason; `lost` says who it is."""

    def __init__(
        self,
        snapshot: Snapshot,
        *,
        domain: bytes | None,
        threshold: float,
        ingested: bool,
        inside: Mask | None = None,
    ) -> None:
        """`inside`: which versions are of atoms of the domain, if that is known; else each atom is looked at."""
        self._snapshot = snapshot
        self._domain = domain
        self._inside = inside
        self._threshold = threshold
        self._ingested = ingested
        self.domains = Domains(snapshot)
        self._around: dict[bytes, list[Link] | None] = {}
        self._cards: dict[bytes, Card] = {}
        self.latest = LatestVersions(snapshot.transaction)
        self._read: Kept = kept_by(snapshot.transaction, "candidates") if snapshot.is_now else {}
        self.in_conflict = has_conflicts(snapshot.transaction)
        """Whether there is any conflict, settled or not."""
        self._open: dict[bytes, tuple[Clash, ...]] = {}
        self.left_out: Counter[str] = Counter()
        self.lost: list[Lost] = []

    def gather(self, needs: Sequence[Need]) -> list[Candidate]:
        """Those of the atoms that may be shown, in the order given."""
        found = []
        for need, read in self._reads(self._versions(needs)):
            judged = self._judged(need, read) if read.body and read.body.damage is None else "damaged"
            if isinstance(judged, Candidate):
                found.append(judged)
            else:
                self._lose(judged, need, read.version)
        return found

    def _reads(self, versions: Sequence[tuple[Need, VersionRow]]) -> Iterator[tuple[Need, _Read]]:
        """What there is to read of each, those that nobody has read in this state of the store at once."""
        found = {need.subject: self._read.get(need.subject) for need, _ in versions}
        missing = [version for need, version in versions if found[need.subject] is None]
        for read in self._read_many(missing) if missing else ():
            found[read.version.subject] = read
            if read.is_short and len(self._read) < _MOST_READ:
                self._read[read.version.subject] = read
        for need, _ in versions:
            known = found[need.subject]
            if known is not None:
                self._cards[need.subject] = known.card
                yield need, known

    def _read_many(self, versions: Sequence[VersionRow]) -> Iterator[_Read]:
        transaction = self._snapshot.transaction
        subjects, seqs = [version.subject for version in versions], [version.seq for version in versions]
        self._cards.update(zip(subjects, cards_of(transaction, subjects), strict=True))
        bodies, uses = bodies_of(transaction, seqs), uses_of(transaction, subjects)
        confirmations = confirmations_of(transaction, subjects, seqs)
        for version, body, used, confirmed in zip(versions, bodies, uses, confirmations, strict=True):
            joined = self._joined(version.subject)
            yield _Read(version, body, self._cards[version.subject], used, confirmed, *joined)

    def _joined(self, subject: bytes) -> tuple[int | None, tuple[bytes, ...] | None]:
        """How many refer to an atom, and its groups; None if an edge holds for a time, or there are very many."""
        card = self._card(subject)
        if not (card.referred or card.groups):
            return 0, ()
        around = self._edges_of(subject)
        if around is None or not self._snapshot.is_now:
            return None, None
        into = [link for link in around if link.type == REFERENCES and link.target == subject][:_FEW]
        groups = [link for link in around if link.type == MEMBER_OF and link.source == subject]
        transaction = self._snapshot.transaction
        if not is_lasting(transaction, [link.seq for link in (*into, *groups)]):
            return None, None
        references = sum([self.latest.is_live(link.source) for link in into])
        return references, tuple([link.target for link in groups])

    def groups_of(self, subject: bytes) -> tuple[bytes, ...]:
        """The hubs and domains that an atom is said to be a member of, those among them that nobody has saved."""
        return self.domains.stated(subject, self._links(subject, MEMBER_OF, out=True))

    def _links(self, subject: bytes, kind: str, *, out: bool) -> list[Link] | None:
        """All edges of a type from or to an atom, read once for all types; None of an atom that has very many."""
        if not getattr(self._card(subject), _COUNTED[kind]):
            return []
        around = self._edges_of(subject)
        if around is None:
            return None
        end = 0 if out else 1
        return [link for link in around if link.type == kind and (link.source, link.target)[end] == subject]

    def _edges_of(self, subject: bytes) -> list[Link] | None:
        """All edges from and to an atom, read once; None of an atom that has very many."""
        if subject not in self._around:
            around = links_around(self._snapshot.transaction, subject, _AROUND)
            self._around[subject] = None if around is None else [link for link, _ in around]
        return self._around[subject]

    def _card(self, subject: bytes) -> Card:
        card = self._cards.get(subject)
        if card is None:
            card = self._cards[subject] = card_of(self._snapshot.transaction, subject)
        return card

    def _references(self, subject: bytes) -> list[Link]:
        """Edges `references` to an atom, some of them."""
        links = self._links(subject, REFERENCES, out=False)
        if links is None:
            return some_links(self._snapshot.transaction, subject, _FEW, out=False, kind=REFERENCES)[0]
        return links[:_FEW]

    def some_members(self, most: int) -> Iterable[bytes]:
        """Some of those that belong to the domain itself."""
        if self._domain is None:
            return ()
        transaction, kept = self._snapshot.transaction, kept_by(self._snapshot.transaction, "some members")
        known: Sequence[bytes] | None = kept.get((self._domain, most))
        if known is None:
            links, _ = some_links(transaction, self._domain, most, out=False, kind=MEMBER_OF)
            known = tuple(self.domains.some_direct(self._domain, links))
            if self._snapshot.is_now and is_lasting(transaction, [link.seq for link in links]):
                kept[self._domain, most] = known
        return known

    def depends(self, candidate: Candidate) -> bool:
        """Whether a candidate was ever said to depend on something."""
        return bool(self._card(candidate.need.subject).depends)

    @property
    def knows_domain(self) -> bool:
        """Whether it is known which versions are of atoms of the domain, and no edge has to be looked at."""
        return self._inside is not None

    def is_in_domain(self, subject: bytes) -> bool:
        """Whether an atom belongs to the domain asked about, by at most two steps."""
        if self._domain is None:
            return False
        if self._inside is not None:
            latest = self.latest.of(subject)
            return latest is not None and bool(self._inside[latest.seq])
        self.groups_of(subject)  # out of the edges that are read anyway
        return self.domains.belongs(subject, self._domain)

    def drop(self, reason: str, candidate: Candidate) -> None:
        """Take one that was gathered as not shown."""
        self._lose(reason, candidate.need, candidate.version)

    def _lose(self, reason: str, need: Need, version: VersionRow) -> None:
        self.left_out[reason] += 1
        if version.name is not None:
            self.lost.append(Lost(version.name, need, reason))

    def _versions(self, needs: Iterable[Need]) -> list[tuple[Need, VersionRow]]:
        found = []
        hidden = hidden_in(self._snapshot.transaction)
        for need in needs:
            if hidden is not None and need.subject in hidden.atoms:
                continue
            version = self.latest.of(need.subject)
            if version is None:
                self.left_out["forgotten"] += 1
            elif (version.name or "").startswith(CIPHERTEXT):  # locked, it is as absent
                self.left_out["gone"] += 1
            elif version.kind is not Kind.PUT or version.name is None:
                if is_missed(self._snapshot.transaction, need.subject):
                    self._lose("forgotten" if version.name is None else "deleted", need, version)
            else:
                found.append((need, version))
        return found

    def _judged(self, need: Need, read: _Read) -> Candidate | str:
        """The candidate that this version is; or the reason why it is none."""
        version, body, confirmed = read.version, read.body, read.confirmed
        if body is None:
            return "damaged"
        members = body.members
        if members.get("origin") == "ingested" and (not self._ingested or (_is_page(version) and is_filling(need))):
            return "ingested"
        if "valid_from" in members or "valid_to" in members:
            found = self._in_force(version)
            if found is None:
                return "not_in_force"
            version, body = found
            confirmed = confirmation_of(self._snapshot.transaction, version.subject, version.seq)
        subject, card = need.subject, read.card
        if card.superseded and is_superseded(self._snapshot, subject, self._links(subject, SUPERSEDES, out=False)):
            return "superseded"
        clashes = self.clashes_of(subject) if self.in_conflict else ()
        stale = stale_because(self._snapshot, subject, card) if card.depends else ()
        grounds = self._grounds(read, body, confirmed, clashes, is_stale=bool(stale))
        evidence = weigh(grounds)
        if evidence.value < self._threshold:
            return "low_evidence"
        groups = self.groups_of(subject) if read.groups is None else read.groups
        return Candidate(need, version, body, evidence, groups, self.is_in_domain(subject), clashes, stale)

    def clashes_of(self, subject: bytes) -> tuple[Clash, ...]:
        """The open conflicts of an atom; those with ingested text only where such text is shown.

        A page that somebody else wrote neither gets into the opening by contradicting what is there, nor makes that
        doubtful.
        """
        known = self._open.get(subject)
        if known is None:
            known = tuple(conflicts_of(self._snapshot, subject))
            if not self._ingested:
                known = tuple(clash for clash in known if not self._is_withheld(subject, clash))
            self._open[subject] = known
        return known

    def _is_withheld(self, subject: bytes, clash: Clash) -> bool:
        other = clash.second if clash.first == subject else clash.first
        version = self.latest.of(other)
        (body,) = (None,) if version is None else bodies_of(self._snapshot.transaction, [version.seq])
        return body is None or body.members.get("origin") == "ingested"

    def _in_force(self, version: VersionRow) -> tuple[VersionRow, Body] | None:
        """What the atom says of now, where its latest version is about some time."""
        try:
            found = version_at(self._snapshot.holding_at(self._snapshot.at), version)
        except Forgotten:
            return None
        return None if found is None or found[1].damage is not None else found

    def _grounds(
        self, read: _Read, body: Body, confirmed: Confirmation | None, clashes: Sequence[Clash], *, is_stale: bool
    ) -> Grounds:
        get = body.members.get
        origin, confidence = get("origin"), get("confidence")
        confirmed_ones = sum(clash.confirmed for clash in clashes) if clashes else 0
        return Grounds(
            origin=origin if isinstance(origin, str) else None,
            has_source=bool(get("source")),
            confidence=float(confidence) if isinstance(confidence, int | float) else None,
            confirmations=0 if confirmed is None else confirmed.times,
            references=self._referring(read.version.subject) if read.references is None else read.references,
            uses=read.used,
            age_s=(self._snapshot.at - (body.time if confirmed is None else confirmed.time)) / _SECOND,
            conflicts=confirmed_ones,
            suspicions=len(clashes) - confirmed_ones,
            is_stale=is_stale,
        )

    def _referring(self, subject: bytes) -> int:
        """How many of the atoms in use refer to an atom now, of some that are looked at."""
        references = self._references(subject)
        return sum(1 for _ in live_sources(self._snapshot, references)) if references else 0
