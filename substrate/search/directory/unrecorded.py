"""Names that texts of a domain mention and that have no atom yet: an ingest records one with the second text.

They are read from the postings of `entities`, whose rows lie in the order of terms, block by block. A term is the
canonical form of a name, so that they come in the order in which the names of atoms would. Left out are forms that an
atom's name writes otherwise (escaped, or as a hash), since their order is another one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from heapq import merge
from itertools import accumulate, groupby, islice
from operator import itemgetter
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from substrate.entities.naming import ENTITY
from substrate.kv.api import ReadTransaction, behind
from substrate.log.tables import POSTINGS
from substrate.names import escape_rest, unescape_rest
from substrate.search.columns.documents import Documents, Mask
from substrate.search.directory.rows import EntityRow, EntityRows, read_postings
from substrate.search.words import keyword_mask
from substrate.snapshot import Snapshot
from substrate.values.entities import EntityEntry
from substrate.views.atoms import VersionRow, versions_of
from substrate.views.words import BLOCK, Field

__all__ = ["CHUNKS", "Mention", "Unrecorded", "rows_of"]

CHUNKS: Final = "v1.chunk."
"""What the names of texts of domains begin with."""
_LOOKED_AT: Final = 10_000
"""Terms that one call looks at: a page may end there, and the next call goes on."""
_HASH: Final = re.compile(rb"#[0-9a-f]{32}")
"""What stands for a term that is too long."""
_TOGETHER: Final = 128
"""Terms that are looked at together."""
_Posted: TypeAlias = tuple[bytes, int, bytes]
"""A term, a block, and the row of the term in it."""
_KEY: Final = 5
"""Bytes of a posting's key before its term: the block, the field."""


class Mention(NamedTuple):
    """A name without an atom: the name that its atom would have, its term, and a version that lists it.

    Without a version it is no name: only how far the call looked.
    """

    name: str
    term: bytes
    seq: int | None


class Unrecorded:
    """What one call finds."""

    def __init__(self, snapshot: Snapshot, documents: Documents, in_use: Mask) -> None:
        self._snapshot = snapshot
        self._documents = documents
        self._in_use = in_use
        self._left = _LOOKED_AT

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
        start, looked = rest.encode(), prefix
        if after is not None and after.encode() > prefix.encode():
            if not after.startswith(prefix):
                return
            looked = after
            start = max(start, after.removeprefix(prefix).encode() + b"\0")
        terms = _terms(transaction, documents.size, start, behind(rest.encode()))
        while some := list(islice(terms, _TOGETHER)):
            listing = _listing(some, texts, entities)
            for (term, _), seq in zip(some[: self._left], listing, strict=False):
                if seq is not None and escape_rest(form := term.decode()) == form:
                    yield Mention(prefix + form, term, seq)
            if len(some) > self._left:
                last = some[self._left - 1][0].decode() if self._left else ""
                yield Mention(prefix + last if last else looked, some[self._left][0], None)
                return
            self._left -= len(some)
            looked = prefix + some[-1][0].decode()

    def was_there(self, row: VersionRow) -> bool:
        """Whether this atom was there at the moment asked about, in use or not."""
        upto = self._snapshot.upto
        if upto is None or row.seq <= upto:
            return True
        return next(versions_of(self._snapshot.transaction, row.subject, upto=upto), None) is not None


def rows_of(transaction: ReadTransaction, known: EntityRows, mentions: Sequence[Mention]) -> Iterator[EntityRow]:
    """What the directory says of them: their names as a text spells them."""
    spelt = known.spelt(transaction, [(mention.seq or 0, mention.term) for mention in mentions])
    for mention, shown in zip(mentions, spelt, strict=True):
        if shown is not None:
            domain = unescape_rest(mention.name.removeprefix(ENTITY).partition(".")[0])
            yield EntityRow(-1, EntityEntry(shown, mention.name, None, domain, mentions=1), (mention.term,))


def _terms(
    transaction: ReadTransaction, size: int, start: bytes, stop: bytes | None
) -> Iterator[tuple[bytes, list[_Posted]]]:
    """The terms of entities in order, with the rows that list each. Hashes are passed over."""

    def of_block(block: int) -> Iterator[_Posted]:
        head = block.to_bytes(4, "big") + Field.ENTITY.value
        for key, row in transaction.scan(POSTINGS, head + start, behind(head) if stop is None else head + stop):
            yield key[_KEY:], block, row

    everything = merge(*map(of_block, range(-(-size // BLOCK))))
    for term, rows in groupby(everything, key=itemgetter(0)):
        if _HASH.fullmatch(term) is None:
            yield term, list(rows)


def _listing(terms: Sequence[tuple[bytes, list[_Posted]]], texts: Mask, entities: Mask) -> list[int | None]:
    """Of each term the first of `texts` that lists it; None if none does, or one of the `entities` has it too."""
    seqs = read_postings([(block, row) for _, rows in terms for _, block, row in rows])
    counts = [sum([len(row) for _, _, row in rows]) // 3 for _, rows in terms]
    starts = [0, *accumulate(counts[:-1])]
    none = np.uint32(len(texts))
    first = np.minimum.reduceat(np.where(texts[seqs], seqs, none), starts)
    first[np.logical_or.reduceat(entities[seqs], starts)] = none
    return [None if seq == none else seq for seq in first.tolist()]
