"""Reading back what the log stored itself: if it does not decode, the store is damaged, not the caller's proof."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final
from uuid import UUID

from substrate.errors import ProofInvalid, StoreDamaged
from substrate.messages import FSCK, Forget
from substrate.proof.entry import SALT_BYTES, Entry, Kind, decode_entry
from substrate.proof.hashes import commitment
from substrate.text.quote import if_needed

__all__ = [
    "NOT_COMMITTED",
    "body_damaged",
    "checked_body",
    "is_committed",
    "is_forgettable",
    "stored",
    "stored_entry",
]

NOT_COMMITTED: Final = "not the one the entry commits to"


@contextmanager
def stored(what: str) -> Iterator[None]:
    """In this block, what cannot be decoded is StoreDamaged."""
    try:
        yield
    except (ProofInvalid, UnicodeDecodeError):
        raise StoreDamaged(f"{what} is malformed; run ", FSCK) from None


def stored_entry(seq: int, data: bytes | None) -> Entry:
    """The entry in a row of ENTRIES; StoreDamaged if the row is missing or malformed."""
    if data is None:
        raise StoreDamaged(f"entry {seq} is missing; run ", FSCK)
    try:  # not by `stored`: entering it takes longer than all the rest, and fsck reads them all
        return decode_entry(data)
    except ProofInvalid:
        raise StoreDamaged(f"entry {seq} is malformed; run ", FSCK) from None


def is_committed(entry: Entry, row: bytes) -> bool:
    """Whether a row of BODIES, a salt and a body, is the one that the entry commits to."""
    return commitment(row[:SALT_BYTES], row[SALT_BYTES:]) == entry.commitment


def is_forgettable(entry: Entry) -> bool:
    """Whether an entry can be erased: not if keys, or what was erased, rest on it."""
    return entry.kind not in (Kind.KEY, Kind.FORGET)


def checked_body(seq: int, entry: Entry, row: bytes | None) -> bytes | None:
    """The body in a row of BODIES; None if there is no row. StoreDamaged if it is not what the entry commits to."""
    if row is None:
        return None
    if not is_committed(entry, row):
        raise body_damaged(seq, entry)
    return row[SALT_BYTES:]


def body_damaged(seq: int, entry: Entry, name: str | None = None) -> StoreDamaged:
    """The error for a body that its entry does not commit to: whose it is, and both ways out.

    `name`: that of the atom, if the caller knows it; else the id is said, by which it can be forgotten too.
    """
    told = f"the body of entry {seq} is {NOT_COMMITTED}"
    if not is_forgettable(entry):
        return StoreDamaged(f"{told}; restore a backup. To see what else is damaged, run ", FSCK)
    who = name or str(UUID(bytes=entry.subject))
    return StoreDamaged(f"{if_needed(who)} is damaged: {told}. Restore a backup, or erase it for good: ", Forget(who))
