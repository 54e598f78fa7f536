"""Reading back what the log stored itself: if it does not decode, the store is damaged, not the caller's proof."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from substrate.errors import ProofInvalid, StoreDamaged
from substrate.messages import FSCK
from substrate.proof.entry import Entry, decode_entry

__all__ = ["stored", "stored_entry"]


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
