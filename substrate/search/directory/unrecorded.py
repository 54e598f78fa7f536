"""Names that texts of a domain mention and that have no atom yet: an ingest records one with the second text.

They are read from the postings of `entities`, whose rows lie in the order of terms, block by block. A term is the
canonical form of a name, so that they come in the order in which the names of atoms would. Left out are forms that an
atom's name writes otherwise (escaped, or as a hash), since their order is another one.

The terms of all domains lie together. Where those of one are few among them, they are read from its texts instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from heapq import merge
from itertools import accumulate, groupby, islice, takewhile
from operator import itemgetter
from typing import Final, TypeAlias

import numpy as np

from substrate.entities.naming import ENTITY
from substrate.kv.api import ReadTransaction, behind
from substrate.log.tables import POSTINGS
from substrate.names import escape_rest
from substrate.search.columns.documents import Documents, Mask
from substrate.search.directory.rows import EntityRows, Mention, read_postings
from substrate.search.words import keyword_mask
from substrate.snapshot import Snapshot
from substrate.views.atoms import VersionRow, versions_of
from substrate.views.words import Field, posting_heads

__all__ = ["CHUNKS", "Unrecorded"]

CHUNKS: Final = "v1.chunk."
"""What the names of texts of domains begin with."""
_LOOKED_AT: Final = 1000
"""Terms of all domains that a call looks at. Behind them it reads those of the texts of its domain, and no others."""
_TEXTS: Final = 5000
"""Texts that are read for that. A domain with more of them has many of the terms that there are."""
_HASH: Final = re.compile(rb"#[0-9a-f]{32}")
"""What stands for a term that is too long."""
_TOGETHER: Final = 128
"""Terms that are looked at together."""
_Row: TypeAlias = tuple[bytes, tuple[int, bytes]]
"""A term, and one of its rows, with the seq that its offsets count from."""
_Posted: TypeAlias = tuple[bytes, Sequence[tuple[int, bytes]]]
"""A term, and its rows."""
_BLOCK_AND_NEWEST: Final = 2
"""Places of the postings of a log that fills no block."""
_KEY: Final = 5
"""Bytes of a posting's key before its term: the block, the field."""


class Unrecorded:
    """What one call finds."""

    def __init__(self, snapshot: Snapshot, known: EntityRows, documents: Documents, in_use: Mask) -> None:
        self._snapshot = snapshot
        self._known = known
        self._documents = documents
        self._in_use = in_use
        self.recorded: dict[str, Mention] = {}
        """Those that have an atom, as far as who asks has seen it. No entity of their domain lists their terms."""

    def of(self, part: str, rest: str, after: str | None) -> Iterator[Mention]:
        """Those of a domain, as its part of a name says it, that begin with `rest`, from behind the name `after` on.

        Also names that an atom has by now: who lists the atoms' names beside them, in the same order, sees which.
        """
        transaction, documents = self._snapshot.transaction, self._documents
        texts = self._in_use & keyword_mask(transaction, documents, Field.UNDER, f"{CHUNKS}{part}")
        if not texts.any():
            return
        entities = self._in_use & keyword_mask(transaction, documents, Field.UNDER, f"{ENTITY}{part}")
        prefix = f"{ENTITY}{part}."
        start = rest.encode()
        if after is not None and after.encode() > prefix.encode():
            if not after.startswith(prefix):
                return
            start = max(start, after.removeprefix(prefix).encode() + b"\0")
        terms = self._terms(texts, start, behind(rest.encode()))
        while some := list(islice(terms, _TOGETHER)):
            first, counts = _listing(some, self._in_use, texts, entities)
            for (term, _), seq, count in zip(some, first, counts, strict=True):
                if seq >= 0 and escape_rest(form := term.decode()) == form:
                    yield Mention(prefix + form, term, seq, count)

    def _terms(self, texts: Mask, start: bytes, stop: bytes | None) -> Iterator[_Posted]:
        """The terms that one of the texts lists, in order, among others that none of them does."""
        transaction, size = self._snapshot.transaction, self._documents.size
        terms = _terms(transaction, size, start, stop)
        for term, rows in islice(terms, _LOOKED_AT):
            yield term, rows
            start = term + b"\0"
        if np.count_nonzero(texts) > _TEXTS:
            yield from terms
            return
        listed = sorted(
            term for term in self._known.listed_by(transaction, np.flatnonzero(texts).tolist()) if term >= start
        )
        yield from _posted(transaction, size, takewhile(lambda term: stop is None or term < stop, listed))

    def was_there(self, row: VersionRow) -> bool:
        """Whether this atom was there at the moment asked about, in use or not."""
        upto = self._snapshot.upto
        if upto is None or row.seq <= upto:
            return True
        return next(versions_of(self._snapshot.transaction, row.subject, upto=upto), None) is not None


def _terms(transaction: ReadTransaction, size: int, start: bytes, stop: bytes | None) -> Iterator[_Posted]:
    """The terms of entities in order, with the rows that list each. Hashes are passed over."""

    def of_block(first: int, block: bytes) -> Iterator[_Row]:
        head = block + Field.ENTITY.value
        for key, row in transaction.scan(POSTINGS, head + start, behind(head) if stop is None else head + stop):
            if not (key.startswith(b"#", _KEY) and _HASH.fullmatch(key, _KEY)):
                yield key[_KEY:], (first, row)

    blocks = [of_block(*head) for head in posting_heads(size)]
    if len(blocks) == _BLOCK_AND_NEWEST:
        return _two(*blocks)
    together = groupby(merge(*blocks), key=itemgetter(0))
    return ((term, [row for _, row in rows]) for term, rows in together)


def _posted(transaction: ReadTransaction, size: int, terms: Iterable[bytes]) -> Iterator[_Posted]:
    """These terms, with the rows that list each. Hashes are passed over."""
    heads = [(first, block + Field.ENTITY.value) for first, block in posting_heads(size)]
    written = (term for term in terms if not _HASH.fullmatch(term))
    while some := list(islice(written, _TOGETHER)):
        rows = iter(transaction.get_many(POSTINGS, [head + term for term in some for _, head in heads]))
        for term in some:
            found = [(first, row) for first, _ in heads if (row := next(rows)) is not None]
            if found:
                yield term, found


def _two(block: Iterator[_Row], newest: Iterator[_Row]) -> Iterator[_Posted]:
    """The rows of one block and of its newest seqs, put together: as `merge` does it, in half the time."""
    other = next(newest, None)
    for term, row in block:
        while other is not None and other[0] < term:
            yield other[0], (other[1],)
            other = next(newest, None)
        if other is not None and other[0] == term:
            yield term, (row, other[1])
            other = next(newest, None)
        else:
            yield term, (row,)
    while other is not None:
        yield other[0], (other[1],)
        other = next(newest, None)


def _listing(terms: Sequence[_Posted], in_use: Mask, texts: Mask, entities: Mask) -> tuple[list[int], list[int]]:
    """Of each term the first of `texts` that lists it (-1: none does, or one of the `entities` has it too).

    And how many versions `in_use` list it.
    """
    posted = [row for _, rows in terms for row in rows]
    seqs = read_postings(posted)
    counts = [len(row) // 3 for _, row in posted]
    if len(posted) > len(terms):
        many = iter(counts)
        counts = [sum(islice(many, len(rows))) for _, rows in terms]
    starts = [0, *accumulate(counts[:-1])]
    none = np.uint32(len(texts))
    first = np.minimum.reduceat(np.where(texts[seqs], seqs, none), starts).astype(np.int64)
    first[(first == none) | np.logical_or.reduceat(entities[seqs], starts)] = -1
    return first.tolist(), np.add.reduceat(in_use[seqs], starts, dtype=np.int64).tolist()
