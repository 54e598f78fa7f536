"""The ids of atoms and edges, as 16 bytes in the form of a UUIDv4.

An atom's id follows from its name's place in the map, which nobody can work out without the map salt, and from when
that name was last forgotten. So an edge can point to an atom that is not there yet: the id it will get is known. An
edge's id, and any other, is drawn.
"""

from __future__ import annotations

import os
from hashlib import sha256

from substrate.log.tables import seq_key
from substrate.proof.entry import ID_BYTES
from substrate.proof.record import Record, State

__all__ = ["atom_id", "draw_id", "id_text"]


def atom_id(map_key: bytes, record: Record | None) -> bytes:
    """The id of the atom at this place of the map, of which the map says `record` now: its own, or the next one."""
    if record is not None and record.state is not State.FORGOTTEN:
        return record.subject
    after = 0 if record is None else record.seq
    return _formed(sha256(b"atom id" + map_key + seq_key(after)).digest())


def draw_id() -> bytes:
    """A random id; uuid.uuid4 takes three times as long, most of it to make an object we do not keep."""
    return _formed(os.urandom(ID_BYTES))


def _formed(drawn: bytes) -> bytes:
    number = bytearray(drawn[:ID_BYTES])
    number[6] = number[6] & 0x0F | 0x40
    number[8] = number[8] & 0x3F | 0x80
    return bytes(number)


def id_text(subject: bytes) -> str:
    """The id of an atom or edge as users see it: the text of a UUID, in a tenth of the time that `uuid.UUID` takes."""
    said = subject.hex()
    return f"{said[:8]}-{said[8:12]}-{said[12:16]}-{said[16:20]}-{said[20:]}"
