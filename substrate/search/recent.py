"""The verb recent: what was recorded last, without a question."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

import numpy as np
from numpy.typing import NDArray

from substrate.atoms.bodies import require_body
from substrate.atoms.list import COUNTED
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


def recent(  # noqa: PLR0913
    snapshot: Snapshot,
    index: SearchIndex,
    filters: Filters,
    *,
    limit: int,
    offset: int,
    count: bool = False,
) -> Found:
    """See `Memory.recent`."""
    check_limit(limit, offset, LIMITS["search_items"])
    documents = index.documents(snapshot.transaction)
    mask = documents.current(snapshot.upto)
    scope = scope_of(snapshot, documents, filters, index.domains)
    mask = mask if scope is None else mask & scope
    found = list(islice(_newest_first(snapshot, documents, mask), offset, offset + limit + 1))
    hits = tuple(_hit(snapshot, documents, seq) for seq in found[:limit])
    total = _total(snapshot, documents, mask) if count else None
    return Found(hits, "", seq=documents.size - 1, more=len(found) > limit, total=total)


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


def _newest_first(snapshot: Snapshot, documents: Documents, mask: Mask) -> Iterator[int]:
    """The seqs of those that are not superseded. No body is read: most of them are on pages before."""
    for seq in np.flatnonzero(mask)[::-1].tolist():
        if not is_superseded(snapshot, documents.subject(seq)):
            yield seq


def _total(snapshot: Snapshot, documents: Documents, mask: Mask) -> int | None:
    if int(np.count_nonzero(mask)) > COUNTED:
        return None
    return sum(1 for _ in _newest_first(snapshot, documents, mask))


def _hit(snapshot: Snapshot, documents: Documents, seq: int) -> Hit:
    body = require_body(snapshot.transaction, seq)
    version = VersionRow(documents.subject(seq), seq, Kind.PUT, str(body.members.get("name")))
    atom = atom_of(snapshot, version, body, superseded_by=())
    return Hit(atom, 0.0, snippet=snippet_of(atom.value, frozenset()).text, seq=documents.size - 1)
