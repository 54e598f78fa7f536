"""What a search is restricted to: filters, turned into a mask over all versions before anything is ranked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from substrate.engine.filters import Filters
from substrate.engine.reading import Moments, find_subject, holding, is_live
from substrate.errors import NotFound
from substrate.kv.api import ReadTransaction
from substrate.names import check_name, normalise
from substrate.search.columns import Documents, Mask
from substrate.search.words import keyword_mask
from substrate.views.atoms import names, versions_of
from substrate.views.edges import links_of
from substrate.views.words import Field

__all__ = ["scope_of"]

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
        masks.append(_members(transaction, documents, filters.domain, moments))
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


def _members(transaction: ReadTransaction, documents: Documents, domain: str, moments: Moments) -> Mask:
    """Atoms that belong to a domain, given by its name or by what follows `v1.domain.` in it."""
    name = domain if domain.startswith("v1.") else _DOMAIN + domain
    subject = find_subject(transaction, check_name(name))
    if next(versions_of(transaction, subject, upto=moments.upto), None) is None:
        raise NotFound(f"there is no domain {name}; domains are atoms v1.domain.*, and edges member_of lead to them")
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
