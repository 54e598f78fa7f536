"""Domains: which atoms belong to which. The one place that decides it.

An atom belongs to a domain if at most two *steps* lead from it to the domain's atom. A step is one of these:

- an edge `member_of` that holds, to an atom that is in use;
- a name: `v1.document.shop.x`, and chunks and entities so named, are one step from `v1.domain.shop`, whether somebody
  has saved that atom or not.

A part belongs where its whole does, if that is in use: what a version says its `parent` to be is no step.
All of it at the moment asked about. Other names spell a domain's as `names.escape_part` does: `a.b` is `a%2Eb`, and
`a%2Eb` is `a%252Eb`. So no name belongs to two, and one that is spelt otherwise belongs to none by it.

`search/columns/members.py` works the same out for all atoms at once; a test compares the two.

Tiers are here too: `tier` in the attrs of a domain's atom, as it last said it, be the atom in use or not. What decides
what a client may see asks with `dormant`. Then the stricter reading counts:

- what is out of use still belongs where it belonged when it last spoke: also by edges that were taken back as it went
  out of use, or later. So to tombstone, to rename and to undo shows nothing to anybody;
- an edge `member_of` counts whatever times it says to hold in, until it is taken back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from substrate.atoms.links import edge_of, holding, is_live
from substrate.atoms.meant.near_names import or_near
from substrate.atoms.resolve import find_subject, name_of
from substrate.atoms.validity import version_at
from substrate.codec import decode_body
from substrate.errors import Forgotten, NameInvalid, NotFound, SchemaInvalid, TooLarge
from substrate.kv.api import ReadTransaction
from substrate.log.tables import BODIES, seq_key
from substrate.messages import AN_ATOM, ATOM, ATOMS, Arg
from substrate.names import DOMAIN, IN_DOMAINS, check_name, domain_part, escape_part, unescape_rest
from substrate.policy import PUBLIC, TIERS
from substrate.proof.encoding import Json
from substrate.proof.entry import SALT_BYTES, Kind
from substrate.schema import is_id
from substrate.snapshot import Snapshot
from substrate.values.edges import MEMBER_OF, Window
from substrate.views.atoms import VersionRow, first_version, latest_version, names, versions_of
from substrate.views.cards import card_of
from substrate.views.edges import Link, find_links, links_ever, links_of
from substrate.views.learned.sessions import HOLE

__all__ = [
    "CAP",
    "DOMAIN",
    "TIER",
    "Domain",
    "Domains",
    "domain_at",
    "domain_name",
    "domain_of",
    "find_domain",
    "last_attrs",
    "memberships",
    "prefixes_of",
    "read_domain",
    "tier_in",
]

_DEFAULT: Final = "main"
"""Of documents and entities of which nobody says a domain."""
_PARENT: Final = b'"parent"'
"""Stands in every body that says of what it is a part; most do not, and need not be decoded to know."""
_ATTRS: Final = b'"attrs"'
"""The same of attrs."""
TIER: Final = "tier"
"""Under which of its attrs a domain's atom says its tier."""
CAP: Final = "maxTokensPerRecall"
"""The same of how many tokens of the domain one recall gives at most."""


class Domain(NamedTuple):
    """A domain: the id that its atom has or would have, and how names spell it; None if no name can."""

    subject: bytes
    part: str | None


def prefixes_of(domain: Domain) -> tuple[str, ...]:
    """What names begin with that say to belong to the domain, but for the last dot."""
    return () if domain.part is None else tuple(f"v1.{kind}.{domain.part}" for kind in IN_DOMAINS)


def find_domain(snapshot: Snapshot, domain: str) -> Domain:
    """A domain, given by its name or by what follows `v1.domain.` in it. NotFound if neither atom nor name has it."""
    name = check_name(domain if domain.startswith("v1.") else DOMAIN + domain)
    subject = find_subject(snapshot.transaction, name)
    found = Domain(subject, _part(name))
    if latest_version(snapshot.transaction, subject, snapshot.upto) is None:
        if any(_is_begun(snapshot, f"{prefix}.") for prefix in prefixes_of(found)):
            return found
        near = or_near(snapshot.transaction, name, DOMAIN)
        raise NotFound(
            f"there is no domain {name}{near}; domains are ", ATOMS, " v1.domain.*, and edges member_of lead to them"
        )
    return found


def domain_at(subject: bytes, name: str) -> Domain:
    """The domain whose atom has this id and name."""
    return Domain(subject, _part(name))


def _part(name: str) -> str | None:
    """How a domain of this name is spelt in other names."""
    rest = name.removeprefix(DOMAIN)
    return None if rest == name else escape_part(rest)


def _spelt(part: str) -> str | None:
    """The name of the domain that other names spell so; None if no domain is."""
    name = DOMAIN + unescape_rest(part)
    try:
        return name if _part(check_name(name)) == part else None
    except (NameInvalid, TooLarge):
        return None


def _is_begun(snapshot: Snapshot, prefix: str) -> bool:
    """Whether some name begins so, as of the snapshot."""
    rows = names(snapshot.transaction, prefix)
    upto = snapshot.upto
    if upto is None:
        return next(rows, None) is not None
    firsts = (first_version(snapshot.transaction, row.subject) for row in rows)
    return any(first is not None and first <= upto for first in firsts)


class Domains:
    """Who belongs to whom, in one snapshot. What was found out is kept: many atoms share few groups.

    `dormant`: what is out of use counts as well, by what it said last.
    """

    def __init__(self, snapshot: Snapshot, *, dormant: bool = False) -> None:
        self._snapshot = snapshot
        self._dormant = dormant
        self._stated: dict[bytes, tuple[bytes, ...]] = {}
        self._live: dict[bytes, bool] = {}
        self._near: dict[bytes, frozenset[bytes]] = {}
        self._by_part: dict[str, frozenset[bytes]] = {}
        self._names: dict[bytes, str] = {}

    def stated(self, subject: bytes, links: Sequence[Link] | None = None) -> tuple[bytes, ...]:
        """Where the `member_of` edges of an atom lead that hold, whether that is in use, or there, or not.

        `links`: its `member_of` edges, if they are known.
        """
        targets = self._stated.get(subject)
        if targets is None:
            if links is None:
                links = self._links(subject)
            held = links if self._dormant or not links else holding(self._snapshot, links)
            targets = self._stated[subject] = tuple(link.target for link in held)
        return targets

    def groups_of(self, subject: bytes) -> frozenset[bytes]:
        """What lies one step from an atom: domains, hubs. A domain among them, out of a name, may not be saved."""
        near = self._near.get(subject)
        if near is None:
            near = self._near[subject] = self._groups(subject)
        return near

    def _groups(self, subject: bytes) -> frozenset[bytes]:
        """Those of an atom, of its whole, and of what that is a part of. There may be thousands, or a ring of them."""
        found: set[bytes] = set()
        seen: set[bytes] = set()
        at: bytes | None = subject
        while at is not None and at not in seen:
            seen.add(at)
            found.update(target for target in self.stated(at) if self._is_live(target))
            latest = latest_version(self._snapshot.transaction, at, self._snapshot.upto)
            if latest is None:
                break
            part = domain_part(latest.name or name_of(self._snapshot.transaction, at) or "")
            if part is not None:
                found |= self.named(part)
            whole = self._whole(latest)
            at = whole if whole is not None and self._is_live(whole) else None
        return frozenset(found)

    def steps(self, subject: bytes, domain: bytes) -> int:
        """How many steps lead from an atom to a domain: 1 or 2; 0 if it does not belong to it."""
        groups = self.groups_of(subject)
        if domain in groups:
            return 1
        return 2 * any(domain in self.groups_of(group) for group in groups if self._is_live(group))

    def belongs(self, subject: bytes, domain: bytes) -> bool:
        """Whether an atom belongs to a domain."""
        return self.steps(subject, domain) > 0

    def of(self, subject: bytes) -> frozenset[bytes]:
        """The domains that an atom belongs to."""
        groups = set(self.groups_of(subject))
        groups |= {above for group in groups if self._is_live(group) for above in self.groups_of(group)}
        return frozenset(group for group in groups if self.name(group).startswith(DOMAIN))

    def name(self, group: bytes) -> str:
        """The name of a group that was found; empty if nobody knows it."""
        return name_of(self._snapshot.transaction, group) or self._names.get(group, "")

    def domain(self, subject: bytes) -> Domain:
        """The domain with this id."""
        return domain_at(subject, self.name(subject))

    def direct(self, domain: bytes, subjects: Iterable[bytes]) -> set[bytes]:
        """Those of the atoms that one edge leads from to the domain. One look at all: there may be hundreds."""
        if self._snapshot.upto is not None:  # of the past there is no such look
            return {subject for subject in subjects if domain in self.stated(subject) and self._is_live(domain)}
        links = find_links(self._snapshot.transaction, list(subjects), MEMBER_OF, domain)
        stated = [link for link in links if link is not None and link.kind is Kind.EDGE]
        held = holding(self._snapshot, stated) if stated and self._is_live(domain) else ()
        return {link.source for link in held}

    def some_direct(self, domain: bytes, links: Iterable[Link]) -> Iterable[bytes]:
        """The atoms at the beginnings of these edges to the domain, as far as they hold."""
        known = list(links)
        return (link.source for link in holding(self._snapshot, known)) if known and self._is_live(domain) else ()

    def _links(self, subject: bytes) -> Sequence[Link]:
        transaction = self._snapshot.transaction
        if not card_of(transaction, subject).groups:  # it was never said to be a member of anything
            return ()
        if self._dormant:
            return list(self._dormant_links(subject))
        return list(links_of(transaction, subject, out=True, kind=MEMBER_OF, upto=self._snapshot.upto))

    def _dormant_links(self, subject: bytes) -> Iterator[Link]:
        """Those that are stated; of what is out of use, also those that were not taken back before."""
        transaction = self._snapshot.transaction
        links = list(links_ever(transaction, subject, MEMBER_OF))
        latest = latest_version(transaction, subject)
        ended = None if latest is None or latest.kind is Kind.PUT else latest.seq
        bodies = transaction.get_many(BODIES, [seq_key(link.seq) for link in links])
        for link, body in zip(links, bodies, strict=True):
            is_stated = link.kind is Kind.EDGE or (ended is not None and link.seq > ended)
            if is_stated and body is not None:
                yield link

    def named(self, part: str) -> frozenset[bytes]:
        """The domain that names spell so, if one can be."""
        found = self._by_part.get(part)
        if found is None:
            name = _spelt(part)
            found = frozenset() if name is None else frozenset({find_subject(self._snapshot.transaction, name)})
            self._by_part[part] = found
            self._names |= {subject: name for subject in found if name is not None}
        return found

    def _whole(self, latest: VersionRow) -> bytes | None:
        """What the version that answers says its atom to be a part of. Not checked against the log, as edges here."""
        whole = self._said(latest)
        return bytes.fromhex(whole) if is_id(whole) else None

    def _said(self, latest: VersionRow) -> Json:
        if self._snapshot.valid_at is not None:
            try:
                found = version_at(self._snapshot, latest)
            except Forgotten:
                return None
            return None if found is None else found[1].members.get("parent")
        if self._dormant:
            latest = _last_said(self._snapshot.transaction, latest.subject) or latest
        if latest.kind is not Kind.PUT:
            return None
        row = self._snapshot.transaction.get(BODIES, seq_key(latest.seq))
        if row is None or _PARENT not in row:
            return None
        return decode_body(row[SALT_BYTES:]).get("parent")

    def _is_live(self, subject: bytes) -> bool:
        if self._dormant:
            return True
        live = self._live.get(subject)
        if live is None:
            live = self._live[subject] = is_live(self._snapshot.transaction, subject, self._snapshot.upto)
        return live


def memberships(snapshot: Snapshot, subjects: Iterable[bytes], new: str) -> list[dict[str, object]]:
    """The `member_of` edges with which the atom named `new` belongs where each of these does, by the stricter reading.

    For an atom that takes their place: so it is hidden if one of them is. Edges keep the times that they hold in.
    """
    transaction, rule, part = snapshot.transaction, Domains(snapshot, dormant=True), domain_part(new)
    own = {find_subject(transaction, new)} if part is None else {find_subject(transaction, new), *rule.named(part)}
    windows: dict[bytes, tuple[Window, ...]] = {}
    for subject in subjects:
        for group in sorted(rule.groups_of(subject) - own):
            held = _windows(snapshot, subject, group)
            windows[group] = held if windows.get(group, held) == held else ()
    return [
        {"source": new, "type": MEMBER_OF, "target": group.hex()} | ({"windows": list(held)} if held else {})
        for group, held in windows.items()
        if latest_version(transaction, group) is not None
    ]


def _windows(snapshot: Snapshot, subject: bytes, group: bytes) -> tuple[Window, ...]:
    """The times in which an atom is a member by an edge of its own; none: always, or by its name or its whole."""
    link = find_links(snapshot.transaction, (subject,), MEMBER_OF, group)[0]
    edge = None if link is None or link.kind is not Kind.EDGE else edge_of(snapshot, link, {})
    return () if edge is None else edge.windows


# -- tiers -------------------------------------------------------------------------------------------------------------


def last_attrs(transaction: ReadTransaction, latest: VersionRow) -> Mapping[str, Json]:
    """The attrs that an atom said last; those of one that is out of use, too. Not checked against the log."""
    said = latest if latest.kind is Kind.PUT and latest.name is not None else _last_said(transaction, latest.subject)
    row = None if said is None else transaction.get(BODIES, seq_key(said.seq))
    if row is None or _ATTRS not in row:
        return {}
    attrs = decode_body(row[SALT_BYTES:]).get("attrs")
    return attrs if isinstance(attrs, dict) else {}


def _last_said(transaction: ReadTransaction, subject: bytes) -> VersionRow | None:
    """The last version of an atom that says something: no tombstone, and not erased."""
    versions = versions_of(transaction, subject)
    return next((one for one in versions if one.kind is Kind.PUT and one.name is not None), None)


def tier_in(attrs: Mapping[str, Json]) -> str:
    """The tier that a domain with these attrs has; what is not one of the three words says nothing."""
    tier = attrs.get(TIER)
    return tier if isinstance(tier, str) and tier in TIERS else PUBLIC


def read_domain(domain: object) -> str | None:
    """The name of a domain, given in full or by what follows `v1.domain.`; None if none is given."""
    if domain is None:
        return None
    if not isinstance(domain, str) or not domain.strip():
        raise SchemaInvalid(Arg("domain"), " must be the name of ", AN_ATOM, ", such as v1.domain.shop")
    return check_name(domain if domain.startswith("v1.") else DOMAIN + domain)


def domain_name(domain: str | None) -> str:
    """The same of a domain that texts and entities are named by: None is `main`. NameInvalid if it is another atom."""
    name = read_domain(_DEFAULT if domain is None else domain)
    if name is None or not name.startswith(DOMAIN):
        raise NameInvalid(f"a domain is {DOMAIN}<name>, or <name> alone; {name} is another ", ATOM)
    return name


def domain_of(transaction: ReadTransaction, name: str | None) -> bytes:
    """The id of a domain that is in use. NotFound if it is not."""
    if name is None:
        return HOLE
    subject = find_subject(transaction, name)
    if not is_live(transaction, subject, None):
        near = or_near(transaction, name, DOMAIN)
        raise NotFound(f"there is no domain {name}: save it first, for example {name} = what it is about{near}")
    return subject
