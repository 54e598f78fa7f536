"""Versions that have all of some terms: postings, put together without arrays. For few terms, and few that have all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from struct import unpack
from typing import Final

from substrate.kv.api import ReadTransaction
from substrate.log.heads import require_head
from substrate.log.tables import POSTINGS
from substrate.views.words import Field, posting_heads, posting_keys, split_postings

__all__ = ["Term", "having_all"]

Term = tuple[Field, bytes]
_MOST_READ: Final = 8_000
"""Postings that are looked at: half a millisecond, if all terms are common."""


def having_all(transaction: ReadTransaction, terms: Sequence[Term]) -> Iterator[int]:
    """The seqs of versions that have all terms, the newest first; those that have since been replaced among them.

    The first term is looked up in all blocks, each further one in those that have all before it: give the rarest first.
    It ends early if more postings would have to be looked at than half a millisecond takes.
    """
    size = require_head(transaction).head.size
    heads = posting_heads(size)
    found: dict[int, list[bytes]] = {place: [] for place in reversed(range(len(heads)))} if terms else {}
    for field, term in terms:
        keys = posting_keys(field, term, size)
        rows = transaction.get_many(POSTINGS, [keys[place] for place in found])
        found = {
            place: [*offsets, split_postings(row)[0]]
            for (place, offsets), row in zip(found.items(), rows, strict=True)
            if row is not None
        }
    read = 0
    for place, lists in found.items():
        read += sum(map(len, lists)) // 2
        if read > _MOST_READ:
            return
        first, *others = (unpack(f"<{len(some) // 2}H", some) for some in sorted(lists, key=len))
        for offset in sorted(set(first).intersection(*others), reverse=True):
            yield heads[place][0] + offset
