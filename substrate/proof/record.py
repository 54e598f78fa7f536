"""The record of a name in the map: 57 bytes that say which atom, since which entry, in which state."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntEnum

from substrate.errors import ProofInvalid

__all__ = ["RECORD_BYTES", "Record", "State", "decode_record", "encode_record"]

_LAYOUT = struct.Struct(">32s16sQB")
RECORD_BYTES = _LAYOUT.size


class State(IntEnum):
    """What a name is at a head. Numbers are part of the format."""

    LIVE = 1
    TOMBSTONED = 2
    FORGOTTEN = 3


_STATES = {int(state): state for state in State}


@dataclass(frozen=True, slots=True)
class Record:
    """`seq` is that of the entry which brought the name into this state."""

    key: bytes
    subject: bytes
    seq: int
    state: State


def encode_record(key: bytes, subject: bytes, seq: int, state: int) -> bytes:
    """The canonical bytes. Arguments are trusted."""
    return _LAYOUT.pack(key, subject, seq, state)


def decode_record(data: bytes) -> Record:
    """The record in canonical bytes; ProofInvalid if these are not bytes that `encode_record` makes."""
    if len(data) != RECORD_BYTES:
        raise ProofInvalid("length", f"a map record has {RECORD_BYTES} bytes, not {len(data)}")
    key, subject, seq, state = _LAYOUT.unpack(data)
    known = _STATES.get(state)
    if known is None:
        raise ProofInvalid("map_state", f"map state {state} is not known here; a newer verifier may know it")
    return Record(key, subject, seq, known)
