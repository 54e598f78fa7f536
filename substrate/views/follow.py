"""How something that a process holds in memory follows the log: which log it was, and what was erased from it since."""

from __future__ import annotations

from typing import Final

from substrate.codec import read_forget
from substrate.errors import StoreDamaged
from substrate.kv.api import ReadTransaction
from substrate.log.tables import BODIES, ENTRIES, HEADS, read_seq, seq_key
from substrate.messages import FSCK
from substrate.proof.entry import SALT_BYTES, Kind

__all__ = ["Trail", "erased_between", "latest_head"]

_KIND: Final = 1
"""Where the kind stands in the bytes of an entry."""
_HEADS: Final = 64


class Trail:
    """The latest heads of the log that was followed, as they are stored: origin, size and roots, signed.

    Several, since a thread may come with a snapshot that another thread is past already.
    """

    __slots__ = ("_notes", "size")

    def __init__(self) -> None:
        self.size = 0
        self._notes: dict[int, bytes] = {}

    def leads_to(self, transaction: ReadTransaction) -> bool:
        """Whether the snapshot is of this log: at or after what was seen, or before it but known.

        False also if it is too long ago to be known.
        """
        if not self._notes:
            return True
        size, note = latest_head(transaction)
        if size < self.size:
            return self._notes.get(size) == note
        return transaction.get(HEADS, seq_key(self.size)) == self._notes[self.size]

    def is_behind(self, transaction: ReadTransaction) -> bool:
        """Whether the snapshot has a later head."""
        return latest_head(transaction)[0] > self.size

    def follow(self, transaction: ReadTransaction) -> None:
        """Remember the snapshot's head, if it is later, and the few before it."""
        found: dict[int, bytes] = {}
        for at, note in transaction.scan(HEADS, reverse=True, limit=_HEADS):
            size = read_seq(at)
            if size <= self.size and self._notes:
                break
            found[size] = note
        if found:
            kept = [*sorted(found.items()), *sorted(self._notes.items(), reverse=True)][:_HEADS]
            self._notes = dict(kept)
            self.size = max(self._notes)


def latest_head(transaction: ReadTransaction) -> tuple[int, bytes]:
    """The size of the log in this snapshot, and its head as it is stored."""
    for at, note in transaction.scan(HEADS, reverse=True, limit=1):
        return read_seq(at), note
    raise StoreDamaged("the store has no head; run ", FSCK)


def erased_between(transaction: ReadTransaction, start: int, stop: int) -> set[int]:
    """Seqs of the versions and statements that the entries start..stop of the log erased."""
    rows = transaction.scan(ENTRIES, seq_key(start), seq_key(stop))
    forgets = [at for at, entry in rows if entry[_KIND] == Kind.FORGET]
    erased: set[int] = set()
    for body in transaction.get_many(BODIES, forgets):
        if body is not None:
            erased.update(read_forget(body[SALT_BYTES:]).erased)
    return erased
