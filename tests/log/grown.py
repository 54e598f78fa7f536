"""A log with something of everything in it, and a view over it, for the tests of care."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from substrate.codec import decode_body, draft_forget, draft_other, draft_put, draft_tombstone
from substrate.kv.api import WriteTransaction
from substrate.kv.open import open_store
from substrate.log.log import Log
from substrate.log.replay import Logged
from substrate.log.tables import TABLES, seq_key
from substrate.proof.encoding import Json
from substrate.proof.entry import Kind

Content = dict[str, list[tuple[bytes, bytes]]]


class Values:
    """A small real view: seq -> body; what a forget entry erased is marked so, whether met whole or not."""

    name = "values"
    version = 1
    tables = ("values",)

    def apply(self, transaction: WriteTransaction, entries: Sequence[Logged]) -> None:
        for entry in entries:
            transaction.put("values", seq_key(entry.seq), entry.body or b"erased")
            if entry.kind is Kind.FORGET:
                erased = decode_body(entry.body or b"")["erased"]
                assert isinstance(erased, list)
                for seq in erased:
                    transaction.put("values", seq_key(int(str(seq))), b"erased")


class Count:
    """Another one: how many entries there are of each kind."""

    name = "count"
    version = 1
    tables = ("count",)

    def apply(self, transaction: WriteTransaction, entries: Sequence[Logged]) -> None:
        for entry in entries:
            key = entry.kind.name.encode()
            transaction.put("count", key, seq_key(1 + int.from_bytes(transaction.get("count", key) or b"", "big")))


VIEWS = (Values(),)
EDGE: dict[str, Json] = {"type": "references", "source": "0a" * 16, "target": "0b" * 16}
"""What the smallest edge says."""


def forget(log: Log, name: str) -> None:
    record = log.record(name)
    assert record is not None
    log.append([draft_forget(record.subject, [record.seq], record.key)])


def grow(log: Log, label: str = "n", names: int = 40) -> None:
    """Entries of all kinds, two keys more than before, and erased bodies."""
    log.append([draft_put(f"v1.fact.{label}{i}", f"{i} ü" + "x" * (i * 11)) for i in range(names)])
    log.append([draft_tombstone(f"v1.fact.{label}1"), draft_other(Kind.EDGE, EDGE)])
    log.rotate_key()
    forget(log, f"v1.fact.{label}2")
    log.append([draft_put(f"v1.fact.{label}3", "new"), draft_put(f"v1.fact.{label}2", "anew")])
    log.rotate_key()
    log.append([draft_put(f"v1.fact.{label}large", "y" * 20_000)])
    with log._store.write() as transaction:  # what was confirmed is a trace: no entry says it
        transaction.put("confirmed", label.encode(), b"\x00\xff" * 10)


def content(path: Path, views: Sequence[object] = VIEWS) -> Content:
    """All rows of all tables."""
    tables = [*TABLES, *(table for view in views for table in view.tables)]  # type: ignore[attr-defined]
    store = open_store(path, tables, read_only=True, create=False)
    try:
        with store.read() as transaction:
            return {table: list(transaction.scan(table)) for table in tables}
    finally:
        store.close()
