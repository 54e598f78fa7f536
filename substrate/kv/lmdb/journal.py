"""The keys that were written while the store is copied: whoever copies it then knows what to copy again.

A table of LMDB's own beside those of the store. It is kept from `begin` to `end`, which are in transactions, as is
every row of it: so what is in it is just what was committed.

    on                 it is kept
    <number, 8 bytes>  of a transaction that wrote something since: the tables and keys, not the values

1. Each transaction has the number that follows on the last one's. So whoever reads the journal sees whether a
   transaction is missing: of an earlier version of this program, say, that keeps none.
2. Whoever begins it holds the mover's lock until it has ended. A writer that finds it kept and that lock free ends it:
   whoever began it is dead.
3. It has a bound: whoever began it may be stopped (SIGSTOP) and hold the lock for hours. A writer that finds it longer
   ends it too.
4. It is never copied: names and words are in it that may be forgotten later.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from typing import Any, Final, TypeAlias

from substrate.kv.lmdb.process import RawTransaction

__all__ = ["JOURNAL", "Changed", "begin", "changed_since", "end", "is_kept", "is_long", "nothing_yet", "write"]

JOURNAL: Final = "kv.journal"
"""The name of its table."""

_LONG: Final = 64 << 20
"""Bytes of its rows after which it is ended: over a hundred thousand keys of the greatest length."""
_ON: Final = b"on"
_NUMBER: Final = struct.Struct(">Q")
_TABLE: Final = struct.Struct(">BI")
_KEY: Final = struct.Struct(">H")

Changed: TypeAlias = defaultdict[str, set[bytes]]
"""Keys, by table."""


def nothing_yet() -> Changed:
    """Of a transaction that has not written yet."""
    return defaultdict(set)


def is_kept(txn: RawTransaction, journal: Any) -> bool:  # noqa: ANN401
    """Whether a writer has to write down its keys."""
    return txn.get(_ON, None, journal) is not None


def is_long(txn: RawTransaction, journal: Any) -> bool:  # noqa: ANN401
    """Whether it has reached its bound."""
    found = txn.stat(journal)
    return bool((found["leaf_pages"] + found["overflow_pages"]) * found["psize"] > _LONG)


def begin(txn: RawTransaction, journal: Any) -> None:  # noqa: ANN401
    """Keep it from this write transaction on, from empty."""
    txn.drop(journal, False)  # noqa: FBT003 - LMDB's signature: all rows, not the table
    txn.put(_ON, b"", db=journal)


def end(txn: RawTransaction, journal: Any) -> None:  # noqa: ANN401
    """Keep it no longer, and drop what is in it."""
    txn.drop(journal, False)  # noqa: FBT003


def write(txn: RawTransaction, journal: Any, changed: Changed) -> None:  # noqa: ANN401
    """What a transaction that is about to commit has written."""
    parts: list[bytes] = []
    for table, keys in changed.items():
        name = table.encode()
        parts += (_TABLE.pack(len(name), len(keys)), name)
        for key in keys:
            parts += (_KEY.pack(len(key)), key)
    txn.put(_NUMBER.pack(txn.id()), b"".join(parts), db=journal)


def changed_since(txn: RawTransaction, journal: Any, number: int) -> Changed | None:  # noqa: ANN401
    """What was written since the transaction of that number, up to this snapshot; None if a transaction is missing."""
    changed = nothing_yet()
    if not is_kept(txn, journal):
        return None
    last, cursor = number, txn.cursor(journal)
    for at, row in cursor.iternext() if cursor.set_range(_NUMBER.pack(number + 1)) else ():
        if at == _ON:
            break
        if _NUMBER.unpack(at) != (last + 1,):
            return None
        last += 1
        _read(row, changed)
    return changed if last == txn.id() else None


def _read(row: bytes, changed: Changed) -> None:
    at = 0
    while at < len(row):
        name_size, count = _TABLE.unpack_from(row, at)
        at += _TABLE.size
        keys = changed[row[at : at + name_size].decode()]
        at += name_size
        for _ in range(count):
            (size,) = _KEY.unpack_from(row, at)
            at += _KEY.size
            keys.add(row[at : at + size])
            at += size
