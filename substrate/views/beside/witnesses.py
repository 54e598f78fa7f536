"""Traces: from which imports a version was said again, and whether somebody said it again here.

    choices   "again:", entry of the version (8) -> marks (8 each), in the order in which they came:
              of an imported line, when it was recorded in the store that it comes from, in microseconds (signed);
              of an imported row that does not say when, its session, hashed with the salt of the version's body;
              the least number: somebody said it again here, and no import did. Only of versions that an import or an
              undo brought

So a line counts once, however often it is imported, and an undo elsewhere does not end what was said again here. A row
is written with the confirmation that it tells of. After a forget, its hashes belong to nothing: the salt is gone.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from struct import pack
from typing import Final

from substrate.kv.api import ReadTransaction
from substrate.log.tables import BODIES, CHOICES, seq_key
from substrate.proof.entry import SALT_BYTES
from substrate.views.traces import Trace

__all__ = ["HERE", "MOST_MARKS", "Marks", "mark_of_line", "mark_of_session", "marks_of", "marks_row"]

_KEY: Final = b"again:"
_SIZE: Final = 8
HERE: Final = pack(">q", -(2**63))
"""Somebody said it again here."""
MOST_MARKS: Final = 16
"""Marks that a version has at most, but for `HERE`. More witnesses add no evidence."""
Marks = tuple[bytes, ...]


def marks_of(transaction: ReadTransaction, seq: int) -> Marks:
    """The marks of the version with this entry."""
    row = transaction.get(CHOICES, _KEY + seq_key(seq)) or b""
    return tuple(row[at : at + _SIZE] for at in range(0, len(row), _SIZE))


def marks_row(seq: int, marks: Sequence[bytes]) -> Trace:
    """The row that gives a version these marks."""
    return CHOICES, _KEY + seq_key(seq), b"".join(marks)


def mark_of_line(time: int) -> bytes:
    """The mark of an imported line that was recorded at this time in the store that it comes from."""
    return pack(">q", time)


def mark_of_session(transaction: ReadTransaction, seq: int, session: str) -> bytes:
    """The mark, for the version with this entry, of imported rows that do not say when they were recorded."""
    salt = (transaction.get(BODIES, seq_key(seq)) or b"")[:SALT_BYTES]
    return blake2b(session.encode(), digest_size=_SIZE, key=salt).digest()
