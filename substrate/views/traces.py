"""Traces: durable rows beside the log, not proven. Which version was last confirmed, and which names are waited for.

    confirmed   atom or edge id (16) -> seq of the version that was said again (8), when (8), how often (4)
    expected    atom id (16) -> name: of an atom that edges point to and that is not there yet

They are written with the checkpoint that made them, and erased with the atom that they are of. Not proven, but not
believed blindly either: a name belongs to its id, or it is not shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from struct import Struct
from typing import Final

from substrate.errors import InputError, StoreDamaged
from substrate.kv.api import ReadTransaction
from substrate.log.decode import stored_entry
from substrate.log.heads import require_head
from substrate.log.prove import id_by_name
from substrate.log.tables import CONFIRMED, ENTRIES, EXPECTED, seq_key
from substrate.messages import FSCK
from substrate.names import check_name

__all__ = [
    "Confirmation",
    "Trace",
    "check_traces",
    "confirmation_of",
    "confirmations_of",
    "expected_name",
    "trace_confirmed",
    "trace_expected",
]

Trace = tuple[str, bytes, bytes | None]
"""A row to write with an append: table, key, value; None deletes it."""
_ROW: Final = Struct(">QqI")
_MOST: Final = 2**32 - 1


@dataclass(frozen=True, slots=True)
class Confirmation:
    """A version that was said again: when last, and how often."""

    seq: int
    time: int
    times: int


def confirmation_of(transaction: ReadTransaction, subject: bytes, seq: int) -> Confirmation | None:
    """When the version `seq` of an atom or edge was last said again; None if it never was."""
    row = transaction.get(CONFIRMED, subject)
    found = None if row is None else _confirmation(row)
    return found if found is not None and found.seq == seq else None


def confirmations_of(
    transaction: ReadTransaction, subjects: Sequence[bytes], seqs: Sequence[int]
) -> list[Confirmation | None]:
    """The same of several, in their order."""
    rows = transaction.get_many(CONFIRMED, subjects)
    found = (None if row is None else _confirmation(row) for row in rows)
    return [one if one is not None and one.seq == seq else None for one, seq in zip(found, seqs, strict=True)]


def trace_confirmed(subject: bytes, seq: int, time: int, before: Confirmation | None, *, counts: int = 1) -> Trace:
    """The row that says the version `seq` was said again at `time`; and that this `counts`: for 0 if it was a retry."""
    times = min((0 if before is None else before.times) + counts, _MOST)
    return CONFIRMED, subject, _ROW.pack(seq, time, times)


def _confirmation(row: bytes) -> Confirmation:
    if len(row) != _ROW.size:
        raise StoreDamaged("a row of confirmations is malformed; run ", FSCK)
    return Confirmation(*_ROW.unpack(row))


def expected_name(transaction: ReadTransaction, subject: bytes) -> str | None:
    """The name of an atom that edges wait for; None if none is kept, or it is not the name of this id."""
    row = transaction.get(EXPECTED, subject)
    return None if row is None else _name(transaction, subject, row)


def _name(transaction: ReadTransaction, subject: bytes, row: bytes) -> str | None:
    try:
        name = row.decode()
        fits = check_name(name) == name
    except (UnicodeDecodeError, InputError):
        return None
    own = id_by_name(transaction, name)
    return name if fits and own == subject else None


def check_traces(transaction: ReadTransaction) -> None:
    """StoreDamaged if a row cannot have been written here: for a version that there is not, or a name of another id."""
    size = require_head(transaction).head.size
    for subject, row in transaction.scan(CONFIRMED):
        confirmation = _confirmation(row)
        at = seq_key(confirmation.seq) if confirmation.seq < size else b""
        if not at or stored_entry(confirmation.seq, transaction.get(ENTRIES, at)).subject != subject:
            raise StoreDamaged(f"table {CONFIRMED} speaks of a version that {subject.hex()} does not have")
    for subject, row in transaction.scan(EXPECTED):
        if _name(transaction, subject, row) is None:
            raise StoreDamaged(f"table {EXPECTED} has a name for {subject.hex()} that is not its own")


def trace_expected(subject: bytes, name: str | None) -> Trace:
    """The row that says which name edges wait for; with None, that they wait no longer."""
    return EXPECTED, subject, None if name is None else name.encode()
