"""The last session: what was saved and accessed until half an hour passed in which nobody did either. Newest first.

Whoever asks to go on says nothing of what with: that stands in what was done last. An import is nobody's session, nor
is a training; documents and what was made of them are left out, and what only holds others together.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import merge
from typing import Final, TypeAlias

from substrate.kv.api import ReadTransaction, kept_by
from substrate.log.decode import stored_entry
from substrate.log.tables import ENTRIES, seq_key
from substrate.proof.entry import Kind
from substrate.search.columns.documents import Documents, Mask
from substrate.search.recent import newest
from substrate.search.scope import holders_of
from substrate.snapshot import Snapshot
from substrate.views.learned.sessions import HOLE, IDLE, newest_sessions

__all__ = ["last_session"]

_Done: TypeAlias = tuple[int, tuple[bytes, ...]]
"""When, and the atoms, newest first."""
_LOOKED_AT: Final = 100
"""Entries, and parts of sessions, that are looked at."""
_MOST: Final = 40
"""Atoms: more than are shown, since some of them may be out of use by now."""


def last_session(
    snapshot: Snapshot, documents: Documents, domain: bytes | None = None, inside: Mask | None = None
) -> tuple[bytes, ...]:
    """The atoms of the last session; of a domain the last one of that, with `inside`: which versions are of it."""
    transaction = snapshot.transaction
    kept = kept_by(transaction, "last session")
    if domain is None and (known := kept.get("")) is not None:
        return known  # type: ignore[no-any-return]
    found: dict[bytes, None] = {}
    before = None
    done = merge(_saved(transaction, documents, inside), _accessed(transaction, domain), key=lambda one: -one[0])
    for time, subjects in done:
        if len(found) >= _MOST or (before is not None and before - time > IDLE):
            break
        before = time
        found.update(dict.fromkeys(subjects))
    found.pop(HOLE, None)
    last = tuple(found)[:_MOST]
    if domain is None:
        kept[""] = last
    return last


def _saved(transaction: ReadTransaction, documents: Documents, inside: Mask | None) -> Iterator[_Done]:
    """What people and agents saved a few at a time."""
    seqs = newest(transaction, documents, _LOOKED_AT).own
    meant = ~holders_of(transaction, documents)[seqs]
    given = seqs[meant if inside is None else meant & inside[seqs]].tolist()
    for seq, data in zip(given, transaction.get_many(ENTRIES, [seq_key(seq) for seq in given]), strict=True):
        entry = stored_entry(seq, data)
        if entry.kind is Kind.PUT:
            yield entry.time, (entry.subject,)


def _accessed(transaction: ReadTransaction, domain: bytes | None) -> list[_Done]:
    """What sessions accessed: of what somebody observed later, too, when that was."""
    heard = newest_sessions(transaction, _LOOKED_AT, domain)
    return sorted(((one.time, one.items[::-1]) for one in heard), key=lambda one: -one[0])
