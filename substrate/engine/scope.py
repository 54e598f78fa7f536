"""What a search is restricted to: filters, turned into a mask over all versions before anything is ranked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from substrate.engine.filters import Filters
from substrate.engine.likeness import or_near
from substrate.engine.reading import Moments, find_subject, holding, is_live, name_of
from substrate.errors import NotFound
from substrate.kv.api import ReadTransaction
from substrate.names import check_name, normalise
from substrate.search.columns import Documents, Mask
from substrate.search.words import keyword_mask
from substrate.views.atoms import names, versions_of
from substrate.views.edges import links_of
from substrate.views.words import Field

__all__ = ["domains_of", "find_domain", "members_of", "scope_of"]

_DOMAIN: Final = "v1.domain."
_MEMBER: Final = "member_of"
_HOPS: Final = 2
_FEW: Final = 2000
"""Atoms whose versions are looked up one by one; of more, all versions are looked through at once."""


def scope_of(transaction: ReadTransaction, documents: Documents, filters: Filters, moments: Moments) -> Mask | None:
    """The versions that pass all filters; None: all do. NotFound if there is no such domain."""
    masks: list[Mask] = []

    def keyword(field: Field, text: str) -> None:
        masks.append(keyword_mask(transaction, documents, field, text))

    if filters.type is not None:
        keyword(Field.UNDER, f"v1.{filters.type}")
    if filters.prefix:
        masks.append(_under(transaction, documents, normalise(filters.prefix)))
    if filters.domain is not None:
        masks.append(members_of(transaction, documents, find_domain(transaction, filters.domain, moments), moments))
    for tag in filters.tags:
        keyword(Field.TAG, tag)
    for entity in filters.entities:
        keyword(Field.ENTITY, entity)
    exact = ((Field.SOURCE, filters.source), (Field.ORIGIN, filters.origin), (Field.ACTOR, filters.actor))
    for field, text in (*exact, (Field.SESSION, filters.session)):
        if text is not None:
            keyword(field, text)
    if filters.since is not None:
        masks.append(documents.when >= filters.since)
    if filters.until is not None:
        masks.append(documents.when < filters.until)
    return np.logical_and.reduce(masks) if masks else None


def _under(transaction: ReadTransaction, documents: Documents, prefix: str) -> Mask:
    """Names that begin so. A whole part of the name has a posting list; of half a part the names are looked through."""
    if prefix.endswith("."):
        return keyword_mask(transaction, documents, Field.UNDER, prefix[:-1])
    return _versions(transaction, documents, [row.subject for row in names(transaction, prefix)])


def find_domain(transaction: ReadTransaction, domain: str, moments: Moments) -> bytes:
    """The id of a domain, given by its name or by what follows `v1.domain.` in it. NotFound."""
    name = domain if domain.startswith("v1.") else _DOMAIN + domain
    subject = find_subject(transaction, check_name(name))
    if next(versions_of(transaction, subject, upto=moments.upto), None) is None:
        near = or_near(transaction, name, _DOMAIN)
        raise NotFound(
            f"there is no domain {name}{near}; domains are atoms v1.domain.*, and edges member_of lead to them"
        )
    return subject


def domains_of(transaction: ReadTransaction, subject: bytes, moments: Moments) -> frozenset[bytes]:
    """The ids of the domains in use that an atom belongs to: the other way round than `members_of`."""
    found: set[bytes] = set()
    reached = {subject}
    for _ in range(_HOPS):
        out = (links_of(transaction, end, out=True, kind=_MEMBER, upto=moments.upto) for end in reached)
        links = [link for links in out for link in links]
        ends = {link.target for link in holding(transaction, links, moments)}
        reached = {end for end in ends if is_live(transaction, end, moments.upto)} - found
        found |= {end for end in reached if (name_of(transaction, end) or "").startswith(_DOMAIN)}
    return frozenset(found)


def members_of(transaction: ReadTransaction, documents: Documents, subject: bytes, moments: Moments) -> Mask:
    """The versions of all atoms that belong to a domain."""
    members: set[bytes] = set()
    reached = {subject}
    for _ in range(_HOPS):
        ends = (end for end in reached if is_live(transaction, end, moments.upto))
        into = (links_of(transaction, end, out=False, kind=_MEMBER, upto=moments.upto) for end in ends)
        links = [link for links in into for link in links]
        reached = {link.source for link in holding(transaction, links, moments)} - members
        members |= reached
    return _versions(transaction, documents, sorted(members))


def _versions(transaction: ReadTransaction, documents: Documents, subjects: Sequence[bytes]) -> Mask:
    """All versions of these atoms."""
    if len(subjects) > _FEW:
        return documents.of_atoms(subjects)
    mask = np.zeros(documents.size, np.bool_)
    for subject in subjects:
        mask[[version.seq for version in versions_of(transaction, subject, upto=documents.size - 1)]] = True
    return mask
