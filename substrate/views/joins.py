"""What joins atoms, as rows of fixed width in the order of the log: for whoever looks at all edges at once.

    joins   seq / 64 (8) -> a row for each of these seqs that states an edge, takes one back, or says of which whole an
            atom is a part; see `ROW`. The view of edges keeps them

1. Numbers in rows are little-endian, as arrays in memory are.
2. Of a statement that was erased seq, edge and kind stay: that something was said then. Of an edge that was forgotten
   as a whole nothing stays, nor of a version that said of what it is a part.
3. A type is a number that follows from its word (`type_number`). The word itself is not kept here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from struct import Struct
from typing import Final

from substrate.kv.api import ReadTransaction, WriteTransaction
from substrate.log.tables import JOINS, read_seq, seq_key
from substrate.proof.encoding import Json
from substrate.proof.entry import Kind

__all__ = [
    "ERASED",
    "FOR_GOOD",
    "FROM_EVER",
    "PART",
    "ROW",
    "SEQS",
    "SEVERAL",
    "WINDOW",
    "drop_joins",
    "gap_row",
    "join_row",
    "join_rows",
    "type_number",
    "write_joins",
]

SEQS: Final = 64
"""Seqs whose rows are one value."""
ROW: Final = Struct("<Q16s16s16sQBB6xqq")
"""Seq; edge; source; target; type; kind; flags; start and end of its window. Of a part: its atom twice, its whole."""
PART: Final = 0
"""The type of what is no edge: a version says that its atom is a part of a whole. Its kind is PUT."""
WINDOW: Final = 1
"""Flag: it holds in a window of time only."""
SEVERAL: Final = 2
"""Flag: in several, or in one that is not told here; what it says must be read."""
ERASED: Final = 4
"""Flag: what it stated was forgotten."""
FROM_EVER: Final = -(2**63)
FOR_GOOD: Final = 2**63 - 1
_ALWAYS: Final = (0, FROM_EVER, FOR_GOOD)
_NOBODY: Final = bytes(16)
_SEQ: Final = Struct("<Q")


def type_number(kind: str) -> int:
    """The number of a type of edges."""
    return int.from_bytes(blake2b(kind.encode(), digest_size=8).digest(), "big") or 1


def join_row(  # noqa: PLR0913, PLR0917
    seq: int, edge: bytes, source: bytes, target: bytes, kind: Kind, number: int, windows: Json = None
) -> bytes:
    """The row of a statement, or of a part (`number` PART)."""
    flags, start, end = _ALWAYS if windows is None else _window(windows)
    return ROW.pack(seq, edge, source, target, number, kind, flags, start, end)


def _window(windows: Json) -> tuple[int, int, int]:
    """Flags, start and end."""
    if not isinstance(windows, list) or not windows:
        return _ALWAYS
    match windows:
        case [[int() | None as start, int() | None as end]]:
            held = FROM_EVER if start is None else start, FOR_GOOD if end is None else end
            if all(FROM_EVER <= time <= FOR_GOOD for time in held):
                return WINDOW, *held
    return WINDOW | SEVERAL, FROM_EVER, FOR_GOOD


def gap_row(seq: int, edge: bytes, kind: Kind) -> bytes:
    """The row of a statement that was erased."""
    return ROW.pack(seq, edge, _NOBODY, _NOBODY, 0, kind, ERASED, 0, 0)


def write_joins(transaction: WriteTransaction, rows: Sequence[bytes]) -> None:
    """Add rows, in the order of their seqs, all of them later than those that are there."""
    blocks: dict[int, list[bytes]] = {}
    for row in rows:
        blocks.setdefault(_SEQ.unpack_from(row)[0] // SEQS, []).append(row)
    keys = [seq_key(block) for block in blocks]
    there = transaction.get_many(JOINS, keys)
    transaction.put_many(
        JOINS,
        [(key, b"".join([was or b"", *added])) for key, was, added in zip(keys, there, blocks.values(), strict=True)],
    )


def drop_joins(transaction: WriteTransaction, seqs: Iterable[int], gaps: Mapping[int, bytes]) -> None:
    """Take out the rows of these seqs; where there is one in `gaps`, that takes its place. Seqs without are passed."""
    blocks: dict[int, set[int]] = {}
    for seq in seqs:
        blocks.setdefault(seq // SEQS, set()).add(seq)
    ordered = sorted(blocks)
    keys = [seq_key(block) for block in ordered]
    for block, key, there in zip(ordered, keys, transaction.get_many(JOINS, keys), strict=True):
        left: list[bytes] = []
        for at in range(0, len(there or b""), ROW.size):
            row = (there or b"")[at : at + ROW.size]
            seq = _SEQ.unpack_from(row)[0]
            left.append(row if seq not in blocks[block] else gaps.get(seq, b""))
        kept = b"".join(left)
        if kept:
            if kept != there:
                transaction.put(JOINS, key, kept)
        elif there is not None:
            transaction.delete(JOINS, key)


def join_rows(transaction: ReadTransaction, start: int = 0) -> Iterator[tuple[int, bytes]]:
    """First seq and rows of each block of seqs, from the one of `start` on."""
    for key, rows in transaction.scan(JOINS, seq_key(start // SEQS)):
        yield read_seq(key) * SEQS, rows
