"""The verb recent: what was recorded last, without a question."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

import numpy as np

from substrate.engine.filters import Filters
from substrate.engine.moments import Moment
from substrate.engine.paging import check_limit
from substrate.engine.reading import Moments, atom_of, moments_of, require_body, superseders
from substrate.engine.scope import scope_of
from substrate.findings import Found, Hit
from substrate.kv.api import ReadTransaction
from substrate.limits import LIMITS
from substrate.log.log import Log
from substrate.proof.entry import Kind
from substrate.search.columns import Documents, Mask
from substrate.search.snippet import snippet_of
from substrate.views.atoms import VersionRow

__all__ = ["recent"]


def recent(  # noqa: PLR0913
    log: Log,
    documents_of: Callable[[ReadTransaction], Documents],
    filters: Filters,
    *,
    as_of: Moment | None,
    limit: int,
    offset: int,
) -> Found:
    """See `Memory.recent`. `documents_of`: every version of a snapshot, as search sees it."""
    check_limit(limit, offset, LIMITS["search_items"])
    with log.snapshot() as transaction:
        documents = documents_of(transaction)
        moments = moments_of(transaction, log.clock, as_of, None)
        mask = documents.current(moments.upto)
        scope = scope_of(transaction, documents, filters, moments)
        hits = _newest_first(transaction, documents, mask if scope is None else mask & scope, moments)
        found = list(islice(hits, offset, offset + limit + 1))
        return Found(tuple(found[:limit]), "", seq=documents.size - 1, more=len(found) > limit)


def _newest_first(transaction: ReadTransaction, documents: Documents, mask: Mask, moments: Moments) -> Iterator[Hit]:
    for seq in np.flatnonzero(mask)[::-1].tolist():
        subject = documents.subject(seq)
        if superseders(transaction, subject, moments):
            continue
        body = require_body(transaction, seq)
        version = VersionRow(subject, seq, Kind.PUT, str(body.members.get("name")))
        atom = atom_of(transaction, version, body, moments, superseded_by=())
        yield Hit(atom, 0.0, snippet=snippet_of(atom.value, frozenset()).text, seq=documents.size - 1)
