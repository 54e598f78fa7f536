"""Domains: which atoms belong to which. The one place that decides it.

An atom belongs to a domain if at most two `member_of` edges lead from it to the domain's atom. At the moment asked
about, each of these edges must hold, and each atom that they lead to must be in use.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from substrate.atoms.links import holding, is_live
from substrate.atoms.meant.near_names import or_near
from substrate.atoms.resolve import find_subject, name_of
from substrate.errors import NotFound, SchemaInvalid
from substrate.kv.api import ReadTransaction
from substrate.messages import AN_ATOM, ATOMS, Arg
from substrate.names import check_name
from substrate.proof.entry import Kind
from substrate.snapshot import Snapshot
from substrate.values.edges import MEMBER_OF
from substrate.views.atoms import versions_of
from substrate.views.edges import Link, find_links, links_of
from substrate.views.learned.sessions import HOLE

__all__ = ["DOMAIN", "Domains", "domain_of", "find_domain", "read_domain"]

DOMAIN: Final = "v1.domain."
"""What the names of domains begin with."""
_HOPS: Final = 2


def find_domain(snapshot: Snapshot, domain: str) -> bytes:
    """The id of a domain, given by its name or by what follows `v1.domain.` in it. NotFound."""
    name = domain if domain.startswith("v1.") else DOMAIN + domain
    subject = find_subject(snapshot.transaction, check_name(name))
    if next(versions_of(snapshot.transaction, subject, upto=snapshot.upto), None) is None:
        near = or_near(snapshot.transaction, name, DOMAIN)
        raise NotFound(
            f"there is no domain {name}{near}; domains are ", ATOMS, " v1.domain.*, and edges member_of lead to them"
        )
    return subject


class Domains:
    """Who belongs to whom, in one snapshot. What was found out is kept: many atoms share few groups."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._stated: dict[bytes, tuple[bytes, ...]] = {}
        self._live: dict[bytes, bool] = {}

    def stated(self, subject: bytes, links: Sequence[Link] | None = None) -> tuple[bytes, ...]:
        """Where the `member_of` edges of an atom lead that hold, whether that is in use, or there, or not.

        `links`: its `member_of` edges, if they are known.
        """
        targets = self._stated.get(subject)
        if targets is None:
            if links is None:
                links = list(self._links(subject, out=True))
            held = holding(self._snapshot, links) if links else ()
            targets = self._stated[subject] = tuple(link.target for link in held)
        return targets

    def groups_of(self, subject: bytes) -> tuple[bytes, ...]:
        """What an atom is a member of by one edge: domains, hubs."""
        return tuple(target for target in self.stated(subject) if self._is_live(target))

    def belongs(self, subject: bytes, domain: bytes) -> bool:
        """Whether an atom belongs to a domain."""
        groups = self.groups_of(subject)
        return domain in groups or any(domain in self.groups_of(group) for group in groups)

    def of(self, subject: bytes) -> frozenset[bytes]:
        """The domains that an atom belongs to."""
        groups = set(self.groups_of(subject))
        groups |= {above for group in groups for above in self.groups_of(group)}
        return frozenset(group for group in groups if self._is_domain(group))

    def members(self, domain: bytes) -> set[bytes]:
        """All atoms that belong to a domain, those out of use among them."""
        found: set[bytes] = set()
        reached = {domain}
        for _ in range(_HOPS):
            into = (self._links(end, out=False) for end in reached if self._is_live(end))
            links = [link for links in into for link in links]
            reached = {link.source for link in holding(self._snapshot, links)} - found
            found |= reached
        return found

    def direct(self, domain: bytes, subjects: Iterable[bytes]) -> set[bytes]:
        """Those of the atoms that one edge leads from to the domain. One look at all: there may be hundreds."""
        if self._snapshot.upto is not None:  # of the past there is no such look
            return {subject for subject in subjects if domain in self.groups_of(subject)}
        links = find_links(self._snapshot.transaction, list(subjects), MEMBER_OF, domain)
        stated = [link for link in links if link is not None and link.kind is Kind.EDGE]
        held = holding(self._snapshot, stated) if stated and self._is_live(domain) else ()
        return {link.source for link in held}

    def some_direct(self, domain: bytes, links: Iterable[Link]) -> Iterable[bytes]:
        """The atoms at the beginnings of these edges to the domain, as far as they hold."""
        known = list(links)
        return (link.source for link in holding(self._snapshot, known)) if known and self._is_live(domain) else ()

    def _links(self, subject: bytes, *, out: bool) -> Iterable[Link]:
        return links_of(self._snapshot.transaction, subject, out=out, kind=MEMBER_OF, upto=self._snapshot.upto)

    def _is_live(self, subject: bytes) -> bool:
        live = self._live.get(subject)
        if live is None:
            live = self._live[subject] = is_live(self._snapshot.transaction, subject, self._snapshot.upto)
        return live

    def _is_domain(self, subject: bytes) -> bool:
        return (name_of(self._snapshot.transaction, subject) or "").startswith(DOMAIN)


def read_domain(domain: object) -> str | None:
    """The name of a domain, given in full or by what follows `v1.domain.`; None if none is given."""
    if domain is None:
        return None
    if not isinstance(domain, str) or not domain.strip():
        raise SchemaInvalid(Arg("domain"), " must be the name of ", AN_ATOM, ", such as v1.domain.shop")
    return check_name(domain if domain.startswith("v1.") else DOMAIN + domain)


def domain_of(transaction: ReadTransaction, name: str | None) -> bytes:
    """The id of a domain that is in use. NotFound if it is not."""
    if name is None:
        return HOLE
    subject = find_subject(transaction, name)
    if not is_live(transaction, subject, None):
        near = or_near(transaction, name, DOMAIN)
        raise NotFound(f"there is no domain {name}: save it first, such as {name} = what it is about{near}")
    return subject
