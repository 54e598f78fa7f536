"""Versions that have all of some terms: postings, put together without arrays. For few terms, and few that have all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from struct import unpack
from typing import Final

from substrate.kv.api import ReadTransaction
from substrate.log.heads import require_head
from substrate.log.tables import POSTINGS
from substrate.views.words import BLOCK, Field, posting_keys, split_postings

__all__ = ["Term", "having_all"]

Term = tuple[Field, bytes]
_MOST_READ: Final = 20_000
"""Postings that are looked at: some milliseconds, if all terms are common."""


def having_all(transaction: ReadTransaction, terms: Sequence[Term]) -> Iterator[int]:
    """The seqs of versions that have all terms, the newest first; those that have since been replaced among them.

    It ends early if the terms are so common that more than 20,000 of their postings would have to be looked at.
    """
    size = require_head(transaction).head.size
    columns = [posting_keys(field, term, size) for field, term in terms]
    if not columns:
        return
    rows = transaction.get_many(POSTINGS, [key for keys in zip(*columns, strict=True) for key in keys])
    read = 0
    for block in reversed(range(len(columns[0]))):
        found = rows[block * len(terms) : (block + 1) * len(terms)]
        if None in found:
            continue
        offsets = sorted((split_postings(row)[0] for row in found if row is not None), key=len)
        read += sum(map(len, offsets)) // 2
        if read > _MOST_READ:
            return
        first, *others = (unpack(f"<{len(some) // 2}H", some) for some in offsets)
        both = set(first).intersection(*others)
        yield from (block * BLOCK + offset for offset in sorted(both, reverse=True))
