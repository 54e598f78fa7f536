"""What waits to be embedded, and the next of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from substrate.codec import decode_body
from substrate.embed.texts import text_of
from substrate.kv.api import ReadTransaction
from substrate.log.decode import stored_entry
from substrate.log.heads import require_head
from substrate.log.tables import BODIES, EMBEDDED, ENTRIES, read_seq, seq_key
from substrate.proof.entry import SALT_BYTES, Kind
from substrate.views.models import model_in_force
from substrate.views.vectors import embedded_upto, is_embedded

__all__ = ["WINDOW", "Window", "is_behind", "next_window", "waiting"]

WINDOW: Final = 512
"""Versions that are embedded and written together,"""
_WINDOW_CHARACTERS: Final = 200_000
"""or as many as have so much text: about ten seconds of one core."""
_STRIDE: Final = 64
"""Entries that are read at once: each may be a megabyte."""
_EMPTY: Final = 5_000
"""Entries without a version after which it is written down that they were looked at."""
_KIND: Final = 1
"""Where the kind stands in the bytes of an entry."""


@dataclass(slots=True)
class Window:
    """Versions to embed: start <= seq < stop, the texts of those that are there."""

    start: int
    stop: int
    texts: dict[int, str]


def next_window(transaction: ReadTransaction, space: bytes, most: int = WINDOW) -> Window | None:
    """What to embed next in this space, at most so many versions; None if there is nothing."""
    size = require_head(transaction).head.size
    start = at = embedded_upto(transaction, space)
    texts: dict[int, str] = {}
    characters = 0
    is_skipped = False
    most = min(most, WINDOW)
    while at < size and len(texts) < most and characters < _WINDOW_CHARACTERS:
        keys = [seq_key(seq) for seq in range(at, min(at + _STRIDE, size))]
        entries, bodies = transaction.get_many(ENTRIES, keys), transaction.get_many(BODIES, keys)
        for data, row in zip(entries, bodies, strict=True):
            if len(texts) >= most or characters >= _WINDOW_CHARACTERS:
                break
            seq, at = at, at + 1
            if _kind(seq, data) != Kind.PUT or row is None:
                continue
            body = row[SALT_BYTES:]
            if not is_embedded(body):
                is_skipped = True
                continue
            members = decode_body(body)
            texts[seq] = text_of(str(members.get("name", "")), str(members.get("value", "")))
            characters += len(texts[seq])
    # Entries that are no versions are not worth a write; unless there are so many that to look again would cost, or
    # another space waits for this one to get as far. Versions that get no vector are: they would seem to wait for one.
    rivals = any(space != other and read_seq(upto) > start for other, upto in transaction.scan(EMBEDDED))
    is_worth_it = bool(texts) or is_skipped or at - start >= _EMPTY or (rivals and at > start)
    return Window(start, at, texts) if is_worth_it else None


def _kind(seq: int, data: bytes | None) -> int:
    """The kind of an entry; StoreDamaged if it is lost: what it said would stay without a vector, and nobody told."""
    return data[_KIND] if data is not None and len(data) > _KIND else stored_entry(seq, data).kind


def is_behind(transaction: ReadTransaction) -> bool:
    """Whether there are versions that nobody has looked at yet, be it that they are embedded or not."""
    return next(_unread(transaction), None) is not None


def waiting(transaction: ReadTransaction, most: int | None = None) -> int:
    """How many versions wait to be embedded; counted no further than `most`."""
    return sum(1 for _ in islice((body for body in _unread(transaction) if is_embedded(body)), most))


def _unread(transaction: ReadTransaction) -> Iterator[bytes]:
    """The bodies of versions that the model in force has not got to."""
    model = model_in_force(transaction)
    upto = 0 if model is None else embedded_upto(transaction, model.space)
    versions = (at for at, data in transaction.scan(ENTRIES, seq_key(upto)) if data[_KIND] == Kind.PUT)
    stride = 1  # whether there is one is asked more often than how many
    while some := list(islice(versions, stride)):
        yield from (row[SALT_BYTES:] for row in transaction.get_many(BODIES, some) if row is not None)
        stride = _STRIDE
