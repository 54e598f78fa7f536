"""Bodies changed in the store behind the log's back: what a failing disk or somebody with the folder can do."""

from __future__ import annotations

from substrate.log.tables import BODIES, seq_key
from substrate.memory import Memory

__all__ = ["change_body", "drop_body"]


def change_body(memory: Memory, seq: int, old: str, new: str) -> None:
    """Replace a text in the body of an entry by one of the same length."""
    assert len(old) == len(new)
    with memory._store.log._store.write() as transaction:
        row = transaction.get(BODIES, seq_key(seq))
        assert row is not None
        assert old.encode() in row
        transaction.put(BODIES, seq_key(seq), row.replace(old.encode(), new.encode()))


def drop_body(memory: Memory, seq: int) -> None:
    """Take away the body of an entry that nothing forgot."""
    with memory._store.log._store.write() as transaction:
        transaction.delete(BODIES, seq_key(seq))
