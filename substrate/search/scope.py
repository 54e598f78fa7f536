"""What a search is restricted to: filters, turned into a mask over all versions before anything is ranked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from substrate.atoms.domains import find_domain
from substrate.entities.lookup import same_names
from substrate.entities.naming import ENTITY
from substrate.kv.api import ReadTransaction
from substrate.names import IN_DOMAINS, normalise
from substrate.search.columns.documents import Documents, Mask
from substrate.search.columns.members import DomainMasks
from substrate.search.columns.scopes import all_of
from substrate.search.filters import Filters
from substrate.search.words import keyword_mask, keyword_seqs
from substrate.snapshot import Snapshot
from substrate.values.opening import PROPOSED
from substrate.views.atoms import names, versions_of
from substrate.views.words import Field

__all__ = ["holders_of", "pages_of", "scope_of", "standing_of"]

_FEW: Final = 2000
"""Atoms whose versions are looked up one by one; of more, all versions are looked through at once."""


def scope_of(snapshot: Snapshot, documents: Documents, filters: Filters, domains: DomainMasks) -> Mask | None:
    """The versions that pass all filters; None: all do. NotFound if there is no such domain."""
    masks: list[Mask] = []

    def with_keyword(field: Field, text: str) -> Mask:
        return keyword_mask(snapshot.transaction, documents, field, text)

    def within(domain: str) -> Mask:
        return domains.mask(snapshot, documents, find_domain(snapshot, domain))

    if filters.types:
        masks.append(_any(with_keyword(Field.UNDER, f"v1.{kind}") for kind in filters.types))
    if filters.prefix:
        masks.append(_under(snapshot.transaction, documents, normalise(filters.prefix)))
    if filters.domains:
        masks.append(_any(map(within, filters.domains)))
    masks += [~within(domain) for domain in filters.without_domains]
    masks += [with_keyword(Field.TAG, tag) for tag in filters.tags]
    if filters.any_tags:
        masks.append(_any(with_keyword(Field.TAG, tag) for tag in filters.any_tags))
    masks += [~with_keyword(Field.TAG, tag) for tag in filters.without_tags]
    masks += [_mentioning(snapshot, documents, entity) for entity in filters.entities]
    exact = ((Field.SOURCE, filters.source), (Field.ORIGIN, filters.origin), (Field.ACTOR, filters.actor))
    for field, text in (*exact, (Field.SESSION, filters.session)):
        if text is not None:
            masks.append(with_keyword(field, text))
    masks += _kinds(snapshot.transaction, documents, filters)
    if filters.since is not None:
        masks.append(documents.when >= filters.since)
    if filters.until is not None:
        masks.append(documents.when < filters.until)
    return all_of(documents, masks) if masks else None


def _mentioning(snapshot: Snapshot, documents: Documents, entity: str) -> Mask:
    """The versions that list an entity under one of its names."""
    names = same_names(snapshot.transaction, entity, snapshot.upto)
    return _any(keyword_mask(snapshot.transaction, documents, Field.ENTITY, name) for name in names)


def pages_of(transaction: ReadTransaction, documents: Documents) -> Mask:
    """The versions that were made of texts from elsewhere: documents, their chunks, what these speak of."""
    ingested = keyword_mask(transaction, documents, Field.ORIGIN, "ingested")
    if not ingested.any():  # as in most stores
        return ingested
    return ingested & _any(keyword_mask(transaction, documents, Field.UNDER, f"v1.{kind}") for kind in IN_DOMAINS)


def holders_of(transaction: ReadTransaction, documents: Documents) -> Mask:
    """The versions of domains and hubs: an ingest makes one too, and their names say little."""
    return _any(keyword_mask(transaction, documents, Field.UNDER, f"v1.{kind}") for kind in ("domain", "hub"))


def standing_of(transaction: ReadTransaction, documents: Documents) -> NDArray[np.int64]:
    """What the user asked for for good, in the order of seqs; without what no person has confirmed."""

    def confirmed() -> NDArray[np.int64]:
        found = documents.standing
        return np.setdiff1d(found, keyword_seqs(transaction, documents, Field.TAG, PROPOSED)) if len(found) else found

    return documents.once("standing", confirmed)


def _kinds(transaction: ReadTransaction, documents: Documents, filters: Filters) -> Iterator[Mask]:
    """Without pages, if that is asked for. Without entities that only pages speak of, unless entities are asked for.

    These say nothing but their name, and would stand before the pages that say more.
    """
    if filters.without_pages:
        yield ~pages_of(transaction, documents)
    elif not filters.is_of_entities:
        speaks = documents.once("speaks for itself", lambda: _speaks_for_itself(transaction, documents))
        if speaks is not None:
            yield speaks


def _speaks_for_itself(transaction: ReadTransaction, documents: Documents) -> Mask | None:
    """All but entities that only pages speak of; None: there are no pages, as in most stores."""
    ingested = keyword_mask(transaction, documents, Field.ORIGIN, "ingested")
    if not ingested.any():
        return None
    speaks = ~(ingested & keyword_mask(transaction, documents, Field.UNDER, ENTITY[:-1]))
    speaks.flags.writeable = False
    return speaks


def _any(masks: Iterable[Mask]) -> Mask:
    """The versions that one of the masks has. One mask is itself: most filters name one thing."""
    first, *others = masks
    return np.logical_or.reduce([first, *others]) if others else first


def _under(transaction: ReadTransaction, documents: Documents, prefix: str) -> Mask:
    """Names that begin so. A whole part of the name has a posting list; of half a part the names are looked through."""
    if prefix.endswith("."):
        return keyword_mask(transaction, documents, Field.UNDER, prefix[:-1])
    return _versions(transaction, documents, [row.subject for row in names(transaction, prefix)])


def _versions(transaction: ReadTransaction, documents: Documents, subjects: Sequence[bytes]) -> Mask:
    """All versions of these atoms."""
    if len(subjects) > _FEW:
        return documents.of_atoms(subjects)
    mask = np.zeros(documents.size, np.bool_)
    for subject in subjects:
        mask[[version.seq for version in versions_of(transaction, subject, upto=documents.size - 1)]] = True
    return mask
