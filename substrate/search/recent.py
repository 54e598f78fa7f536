"""The verb recent: what was recorded last, without a question."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

import numpy as np
from numpy.typing import NDArray

from substrate.atoms.bodies import require_body
from substrate.atoms.load import atom_of
from substrate.atoms.supersedes import is_superseded
from substrate.kv.api import ReadTransaction
from substrate.limits import LIMITS, check_limit
from substrate.proof.entry import Kind
from substrate.search.columns.documents import Documents, Mask
from substrate.search.filters import Filters
from substrate.search.index import SearchIndex
from substrate.search.scope import pages_of, scope_of
from substrate.snapshot import Snapshot
from substrate.text.snippet import snippet_of
from substrate.values.hits import Found, Hit
from substrate.views.atoms import VersionRow

__all__ = ["newest", "recent"]

_SLICE: Final = 1 << 14
"""Versions that are looked at at once."""


def recent(
    snapshot: Snapshot,
    index: SearchIndex,
    filters: Filters,
    *,
    limit: int,
    offset: int,
) -> Found:
    """See `Memory.recent`."""
    check_limit(limit, offset, LIMITS["search_items"])
    documents = index.documents(snapshot.transaction)
    mask = documents.current(snapshot.upto)
    scope = scope_of(snapshot, documents, filters, index.domains)
    hits = _newest_first(snapshot, documents, mask if scope is None else mask & scope)
    found = list(islice(hits, offset, offset + limit + 1))
    return Found(tuple(found[:limit]), "", seq=documents.size - 1, more=len(found) > limit)


def newest(transaction: ReadTransaction, documents: Documents, count: int) -> NDArray[np.int64]:
    """The last seqs of the log, newest first; but for those of documents and what was made of them."""
    pages = np.flatnonzero(pages_of(transaction, documents))
    found = np.zeros(0, np.int64)
    stop = documents.size
    while stop and found.size < count:  # from the end, a slice at a time: a store may have millions
        start = max(stop - _SLICE, 0)
        inside = pages[np.searchsorted(pages, start) : np.searchsorted(pages, stop)]
        seqs = np.setdiff1d(np.arange(start, stop), inside, assume_unique=True)
        found = np.concatenate([found, seqs[::-1]])
        stop = start
    return found[:count]


def _newest_first(snapshot: Snapshot, documents: Documents, mask: Mask) -> Iterator[Hit]:
    for seq in np.flatnonzero(mask)[::-1].tolist():
        subject = documents.subject(seq)
        if is_superseded(snapshot, subject):
            continue
        body = require_body(snapshot.transaction, seq)
        version = VersionRow(subject, seq, Kind.PUT, str(body.members.get("name")))
        atom = atom_of(snapshot, version, body, superseded_by=())
        yield Hit(atom, 0.0, snippet=snippet_of(atom.value, frozenset()).text, seq=documents.size - 1)
