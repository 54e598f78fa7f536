"""The last session: what was saved and accessed until half an hour passed in which nobody did either. Newest first.

An objective such as "continue where we left off" does not say what it is about; what was done last does. An import, an
undo and a training are nobody's session. Documents, what was made of them, and domains and hubs are left out.

What a client may not see, what is locked and what is out of use is as if it had not been done: it neither takes places
nor joins two sessions to one.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import merge
from typing import Final, TypeAlias

from substrate.atoms.supersedes import Heirs
from substrate.kv.api import ReadTransaction, kept_by
from substrate.log.tables import ENTRIES, seq_key
from substrate.proof.entry import entry_time
from substrate.search.columns.documents import Documents, Mask
from substrate.search.recent import newest
from substrate.search.scope import holders_of
from substrate.snapshot import Snapshot
from substrate.views.cards import card_of
from substrate.views.learned.sessions import HOLE, IDLE, newest_sessions

__all__ = ["last_session"]

_Done: TypeAlias = tuple[int, tuple[bytes, ...]]
"""When, and the atoms, newest first."""
_SAVED: Final = (100, 1000, 10_000)
"""Versions that are looked at: mostly the first so many will do. Of them, many may be of one atom, or deleted since."""
_MOST: Final = 40
"""Atoms: more than are shown, since rules among them are shown anyway."""


def last_session(
    snapshot: Snapshot, documents: Documents, domain: bytes | None = None, inside: Mask | None = None
) -> tuple[bytes, ...]:
    """The atoms of the last session that are in use, or what took their place.

    With a domain it is the last session in which something of it was saved, or which was opened with it; `inside`:
    which versions are of it.
    """
    transaction = snapshot.transaction
    kept = kept_by(transaction, "last session")
    if domain is None and (known := kept.get("")) is not None:
        return known  # type: ignore[no-any-return]
    standing = _Standing(snapshot)
    found: dict[bytes, None] = {}
    before: int | None = None
    done = merge(_saved(transaction, documents, inside), _accessed(transaction, domain), key=lambda one: -one[0])
    for time, subjects in done:
        live = [heir for subject in subjects if (heir := standing.heir(subject)) is not None]
        if not live:
            continue
        if len(found) >= _MOST or (before is not None and before - time > IDLE):
            break
        before = time if before is None else min(before, time)
        found.update(dict.fromkeys(live))
    last = tuple(found)[:_MOST]
    if domain is None and standing.lasts:
        kept[""] = last
    return last


class _Standing:
    """Which atoms stand for others, as far as whoever asks may read them. Each is looked up once."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._transaction = snapshot.transaction
        self._heirs = Heirs(snapshot)
        self._known: dict[bytes, bytes | None] = {HOLE: None}
        self.lasts = snapshot.is_now
        """Whether all of it is so until the store changes: an edge may hold for a time only."""

    def heir(self, subject: bytes) -> bytes | None:
        """The atom that stands for this one; None if nobody does, or it is locked."""
        if subject not in self._known:
            self._known[subject] = self._heirs.readable(subject)
            self.lasts = self.lasts and not card_of(self._transaction, subject).superseded
        return self._known[subject]


def _saved(transaction: ReadTransaction, documents: Documents, inside: Mask | None) -> Iterator[_Done]:
    """What people and agents saved a few at a time."""
    holders, seen = holders_of(transaction, documents), 0
    for count in _SAVED:
        seqs = newest(transaction, documents, count, inside).own
        for seq in seqs[seen:][~holders[seqs[seen:]]].tolist():
            yield int(documents.time[seq]), (documents.subject(seq),)
        seen = seqs.size
        if seen < count:
            return


def _accessed(transaction: ReadTransaction, domain: bytes | None) -> Iterator[_Done]:
    """What sessions accessed. Not what somebody told of sessions of long ago."""
    for size, heard in newest_sessions(transaction, domain):
        data = transaction.get(ENTRIES, seq_key(size - 1))
        if data is not None and entry_time(data) - heard.time <= IDLE:
            yield heard.time, heard.items[::-1]
