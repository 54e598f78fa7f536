"""The entry: 58 bytes of fixed layout, the only thing a leaf of the log commits to.

Here rather than in `codec`, because the verifier must read entries and may import nothing but `errors`.
A format is never changed: a new one gets a new number and a new branch, and this one stays.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntEnum

from substrate.errors import ProofInvalid

__all__ = [
    "ENTRY_BYTES",
    "ID_BYTES",
    "MAX_TIME",
    "SALT_BYTES",
    "Entry",
    "Kind",
    "decode_entry",
    "encode_entry",
    "entry_time",
]

ID_BYTES = 16
SALT_BYTES = 16
MAX_TIME = 2**63 - 1
_FORMAT = 1
_LAYOUT = struct.Struct(">BB16sQ32s")
ENTRY_BYTES = _LAYOUT.size
_TIME = slice(18, 26)


class Kind(IntEnum):
    """What an entry does. Numbers are part of the format."""

    PUT = 1
    TOMBSTONE = 2
    EDGE = 3
    UNEDGE = 4
    TRAIN = 5
    FORGET = 6
    MODEL = 7
    KEY = 8


_KINDS = {int(kind): kind for kind in Kind}


@dataclass(frozen=True, slots=True)
class Entry:
    """One immutable record of the log. Its position, the seq, is not in it: the inclusion path proves that."""

    kind: Kind
    subject: bytes
    time: int
    """Microseconds since 1970, UTC."""
    commitment: bytes


def encode_entry(kind: int, subject: bytes, time: int, commitment: bytes) -> bytes:
    """The canonical bytes. Arguments are trusted: 16 bytes, 0 <= time <= MAX_TIME, 32 bytes."""
    return _LAYOUT.pack(_FORMAT, kind, subject, time, commitment)


def entry_time(data: bytes) -> int:
    """The time alone, of an entry that need not be looked at otherwise: a tenth of the work of decoding it."""
    return int.from_bytes(data[_TIME], "big")


def decode_entry(data: bytes) -> Entry:
    """The entry in canonical bytes; ProofInvalid if these are not bytes that `encode_entry` makes."""
    if len(data) != ENTRY_BYTES:
        raise ProofInvalid("entry_malformed", f"an entry has {ENTRY_BYTES} bytes, not {len(data)}")
    number, kind, subject, time, commitment = _LAYOUT.unpack(data)
    if number != _FORMAT:
        raise ProofInvalid("entry_format", f"entry format {number} is not known here; a newer verifier may know it")
    known = _KINDS.get(kind)
    if known is None:
        raise ProofInvalid("entry_kind", f"entry kind {kind} is not known here; a newer verifier may know it")
    if time > MAX_TIME:
        raise ProofInvalid("entry_malformed", "the entry's time is out of range")
    return Entry(known, subject, time, commitment)
