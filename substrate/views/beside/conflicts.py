"""Conflicts: which two current versions contradict each other. Durable rows beside the log, not proven.

    conflicts   atom id (16), other atom's id (16) -> seq of the atom's version (8), of the other's (8), kind (1), when
                found (8)

There are two rows for each conflict, one from either side, so that those of an atom lie side by side. A row holds what
was found, not whether it is settled: that follows from edges and versions, and is looked up when it is read. What the
two say is not in it. The rows of an atom go when it gets another version, a tombstone, or is forgotten.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final, NamedTuple

from substrate.errors import StoreDamaged
from substrate.kv.api import ReadTransaction, behind
from substrate.log.decode import stored_entry
from substrate.log.heads import require_head
from substrate.log.tables import CONFLICTS, ENTRIES, seq_key
from substrate.messages import FSCK
from substrate.proof.entry import ID_BYTES, Kind

__all__ = [
    "KINDS",
    "ConflictRow",
    "check_conflicts",
    "conflict_keys",
    "conflicts_with",
    "has_conflicts",
    "in_order",
    "newest_conflicts",
    "trace_conflict",
]

KINDS: Final = ("value", "number", "date", "negation")
"""What a conflict is about, by its number in a row."""
_ROW: Final = struct.Struct(">QQBq")
_Trace = tuple[str, bytes, bytes | None]


class ConflictRow(NamedTuple):
    """Two versions that contradict each other, seen from the first."""

    first: bytes
    second: bytes
    first_seq: int
    second_seq: int
    kind: str
    found_at: int


def trace_conflict(row: ConflictRow) -> list[_Trace]:
    """The rows that say so."""
    number = KINDS.index(row.kind)
    there = _ROW.pack(row.first_seq, row.second_seq, number, row.found_at)
    back = _ROW.pack(row.second_seq, row.first_seq, number, row.found_at)
    return [(CONFLICTS, row.first + row.second, there), (CONFLICTS, row.second + row.first, back)]


def has_conflicts(transaction: ReadTransaction) -> bool:
    """Whether there is any conflict, settled or not."""
    return transaction.any(CONFLICTS)


def conflicts_with(transaction: ReadTransaction, subject: bytes) -> Iterator[ConflictRow]:
    """The conflicts of one atom, settled or not; it is the first of each."""
    for key, row in transaction.scan(CONFLICTS, subject, behind(subject)):
        yield _read(key, row)


def in_order(row: ConflictRow) -> ConflictRow:
    """The same, seen from the version that was recorded earlier."""
    if row.first_seq < row.second_seq:
        return row
    return ConflictRow(row.second, row.first, row.second_seq, row.first_seq, row.kind, row.found_at)


def newest_conflicts(transaction: ReadTransaction) -> Iterator[ConflictRow]:
    """Every conflict, settled or not, once, in order, those of the latest versions first.

    The first costs a look at every row, as they lie by atom; what is not asked for is not taken apart.
    """
    found = []
    for key, row in transaction.scan(CONFLICTS):
        if len(row) != _ROW.size:
            raise _malformed()
        if row[:8] < row[8:16]:  # the two seqs: as bytes they compare as the numbers do
            found.append(row[8:16] + row[:8] + key)
    for at in sorted(found, reverse=True):
        key = at[16:]
        yield _read(key, transaction.get(CONFLICTS, key) or b"")


def conflict_keys(transaction: ReadTransaction, subject: bytes) -> Iterator[bytes]:
    """The keys of all rows that speak of an atom."""
    for row in conflicts_with(transaction, subject):
        yield row.first + row.second
        yield row.second + row.first


def _read(key: bytes, row: bytes) -> ConflictRow:
    try:
        first_seq, second_seq, number, found_at = _ROW.unpack(row)
        if len(key) != 2 * ID_BYTES:
            raise _malformed()
        return ConflictRow(key[:ID_BYTES], key[ID_BYTES:], first_seq, second_seq, KINDS[number], found_at)
    except (struct.error, IndexError):
        raise _malformed() from None


def _malformed() -> StoreDamaged:
    return StoreDamaged("a row of conflicts is malformed; run ", FSCK)


def check_conflicts(transaction: ReadTransaction) -> None:
    """StoreDamaged if a row cannot have been written here: from one side only, or of versions that there are not."""
    size = require_head(transaction).head.size
    for key, row in transaction.scan(CONFLICTS):
        found = _read(key, row)
        back = transaction.get(CONFLICTS, found.second + found.first)
        there = ConflictRow(found.second, found.first, found.second_seq, found.first_seq, found.kind, found.found_at)
        if back is None or found.first == found.second or _read(found.second + found.first, back) != there:
            raise StoreDamaged(f"table {CONFLICTS} speaks of {found.first.hex()} from one side only")
        for subject, seq in ((found.first, found.first_seq), (found.second, found.second_seq)):
            entry = stored_entry(seq, transaction.get(ENTRIES, seq_key(seq))) if seq < size else None
            if entry is None or entry.subject != subject or entry.kind is not Kind.PUT:
                raise StoreDamaged(f"table {CONFLICTS} speaks of a version that {subject.hex()} does not have")
