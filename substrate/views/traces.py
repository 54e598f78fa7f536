"""Traces: durable rows beside the log, not proven. Which version was last confirmed, and which names are waited for.

    confirmed   atom or edge id (16) -> seq of the version that was said again (8), when (8), how often (4)
    expected    atom id (16) -> name: of an atom that edges point to and that is not there yet

They are written with the checkpoint that made them, and erased with the atom that they are of.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from typing import Final

from substrate.kv.api import ReadTransaction
from substrate.log.tables import CONFIRMED, EXPECTED

__all__ = ["Confirmation", "Trace", "confirmation_of", "expected_name", "trace_confirmed", "trace_expected"]

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
    if row is None:
        return None
    confirmation = Confirmation(*_ROW.unpack(row))
    return confirmation if confirmation.seq == seq else None


def trace_confirmed(subject: bytes, seq: int, time: int, before: Confirmation | None) -> Trace:
    """The row that says the version `seq` was said again at `time`."""
    times = 1 if before is None else min(before.times + 1, _MOST)
    return CONFIRMED, subject, _ROW.pack(seq, time, times)


def expected_name(transaction: ReadTransaction, subject: bytes) -> str | None:
    """The name of an atom that edges wait for."""
    row = transaction.get(EXPECTED, subject)
    return None if row is None else row.decode()


def trace_expected(subject: bytes, name: str | None) -> Trace:
    """The row that says which name edges wait for; with None, that they wait no longer."""
    return EXPECTED, subject, None if name is None else name.encode()
