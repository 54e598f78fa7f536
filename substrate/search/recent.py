"""The verb recent: what was recorded last, without a question."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from substrate.atoms.bodies import require_body
from substrate.atoms.list import COUNTED
from substrate.atoms.load import atom_of
from substrate.atoms.supersedes import is_superseded
from substrate.kv.api import ReadTransaction
from substrate.limits import LIMITS, check_limit
from substrate.log.tables import HEADS, read_seq, seq_key
from substrate.proof.entry import Kind
from substrate.search.columns.documents import Documents, Mask
from substrate.search.filters import Filters
from substrate.search.index import SearchIndex
from substrate.search.scope import pages_of, scope_of
from substrate.snapshot import Snapshot
from substrate.text.snippet import snippet_of
from substrate.values.hits import Found, Hit
from substrate.views.atoms import VersionRow
from substrate.views.beside.parts import parts_between

__all__ = ["Newest", "newest", "recent"]

_FIRST_SLICE: Final = 1 << 9
_SLICE: Final = 1 << 14
"""Entries that are looked at at once, at first and at most."""
_LOOKED: Final = 1 << 16
"""Entries that are looked at for what was saved a few at a time."""
_LOOKED_WITHIN: Final = 1 << 12
"""The same of a domain, beginning with its newest."""
_AT_ONCE: Final = 10
"""Atoms of one checkpoint: whoever saves more at once brings them from elsewhere."""


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


class Newest(NamedTuple):
    """The last versions, newest first: those saved a few at a time, and those of an import or of a large checkpoint."""

    own: NDArray[np.int64]
    brought: NDArray[np.int64]


def newest(transaction: ReadTransaction, documents: Documents, count: int, within: Mask | None = None) -> Newest:
    """At most `count` versions of both; but for those of documents and what was made of them.

    An import is not news, however late it came and however short: so what came before it is looked for too, in some
    slices of the log. `within`: those that are meant; else all are.
    """
    put = (documents.kind == Kind.PUT) & ~pages_of(transaction, documents)
    meant = put if within is None else put & within
    own = brought = np.zeros(0, np.int64)
    stop, size, looked = documents.size, min(_FIRST_SLICE, 2 * count), 0
    most = _LOOKED if within is None else _LOOKED_WITHIN
    while own.size < count and (looked < most or (within is None and own.size + brought.size < count)):
        if within is not None:
            stop = int(np.max(np.flatnonzero(meant[:stop]), initial=-1)) + 1
        if not stop:
            break
        start, is_brought = _brought(transaction, put, max(stop - size, 0), stop)
        came = np.flatnonzero(meant[start:stop])[::-1]
        own = np.concatenate([own, start + came[~is_brought[came]]])
        brought = np.concatenate([brought, start + came[is_brought[came]][: count - brought.size]])
        looked += stop - start
        stop, size = start, min(2 * size, _SLICE)
    return Newest(own[:count], brought)


def _brought(transaction: ReadTransaction, put: Mask, start: int, stop: int) -> tuple[int, Mask]:
    """Where the checkpoint begins that holds the entry `start`; and from there to `stop` which entries were brought.

    These are of an import or an undo, or of a checkpoint of many atoms, where `put` says which entries are of atoms.
    """
    first, ends = _checkpoints(transaction, start, stop)
    atoms = np.flatnonzero(put[first : ends[-1]]) + first
    are_brought = np.bincount(np.searchsorted(ends, atoms, side="right"), minlength=len(ends)) > _AT_ONCE
    are_brought[np.searchsorted(ends, parts_between(transaction, first, stop), side="right")] = True
    return first, are_brought[np.searchsorted(ends, np.arange(first, stop), side="right")]


def _checkpoints(transaction: ReadTransaction, start: int, stop: int) -> tuple[int, NDArray[np.int64]]:
    """Where the checkpoint begins that holds the entry `start`, and the ends of those from there to `stop`.

    The last end is that of the checkpoint which holds the entry before `stop`: it may lie behind it.
    """
    first = 0
    for key, _ in transaction.scan(HEADS, stop=seq_key(start + 1), reverse=True, limit=1):
        first = read_seq(key)
    ends = [read_seq(key) for key, _ in transaction.scan(HEADS, start=seq_key(first + 1), stop=seq_key(stop))]
    ends += [read_seq(key) for key, _ in transaction.scan(HEADS, start=seq_key(stop), limit=1)]
    return first, np.array(ends, np.int64)


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
