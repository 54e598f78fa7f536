"""Words of the store that are spelt like words of a query which it does not have. For answers by words alone.

The work is bounded, whatever the store's size: some words, in the newest blocks of postings, of each a stretch of the
vocabulary. A word is offered only if what the question is about has it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

import numpy as np

from substrate.atoms.bodies import Body, require_bodies
from substrate.kv.api import ReadTransaction
from substrate.log.tables import POSTINGS
from substrate.search.columns.documents import Documents, Mask
from substrate.text.likeness import compare, label_of
from substrate.text.terms import QueryTerm, matching
from substrate.views.words import BLOCK, Field, posting_heads, split_postings

__all__ = ["near_terms"]

_TERMS: Final = 3
"""Words of a query that others are looked for."""
_BLOCKS: Final = 4
_ROWS: Final = 400
"""Of a block's vocabulary, what begins with the same two letters; so many at most."""
_BEGINNING: Final = 2
_LETTERS: Final = 4
"""Below, everything is like everything."""
_LIKE: Final = 0.65
"""How like two words must be, from 0 to 1. One letter in three may be another one."""
_ENDING: Final = 3
"""Letters that words which begin alike may differ in length."""
_MOST: Final = 5
_LAST: Final = b"\xff"


def near_terms(
    transaction: ReadTransaction, documents: Documents, mask: Mask, unknown: Sequence[QueryTerm]
) -> tuple[str, ...]:
    """Words of the versions in the mask that are spelt like these, the likest first, as they are written there."""
    found: dict[str, tuple[float, int]] = {}
    for wanted in islice((term for term in unknown if len(term.term) >= _LETTERS), _TERMS):
        for term, seq in _vocabulary(transaction, documents.size, mask, wanted.term[:_BEGINNING]):
            score = _likeness(wanted.term, term)
            if score > found.get(term, (0.0, 0))[0]:
                found[term] = score, seq
    best = sorted(found, key=lambda term: (-found[term][0], term))[:_MOST]
    bodies = require_bodies(transaction, [found[term][1] for term in best])
    return tuple(dict.fromkeys(_written(term, body) for term, body in zip(best, bodies, strict=True)))


def _vocabulary(transaction: ReadTransaction, size: int, mask: Mask, beginning: str) -> Iterator[tuple[str, int]]:
    """Terms that begin so, each with a version in the mask that has it; those of the newest blocks."""
    for first, block in reversed(posting_heads(size, max(0, -(-size // BLOCK) - _BLOCKS))):
        head = block + Field.WORD.value
        start = head + beginning.encode()
        for key, row in transaction.scan(POSTINGS, start, start + _LAST, limit=_ROWS):
            seqs = np.frombuffer(split_postings(row)[0], "<u2").astype(np.int64) + first
            meant = seqs[mask[seqs]]
            if len(meant):
                yield key[len(head) :].decode(), int(meant[-1])


def _likeness(wanted: str, term: str) -> float:
    """From 0 to 1; 0: they are not like. Both are stems, which differ in their last letters most."""
    if len(term) < _LETTERS:
        return 0.0
    like = compare(label_of(wanted), label_of(term))
    if like is not None and like.score >= _LIKE:
        return like.score
    begin_alike = wanted[:_LETTERS] == term[:_LETTERS] and abs(len(wanted) - len(term)) <= _ENDING
    return _LIKE if begin_alike else 0.0


def _written(term: str, body: Body) -> str:
    """The word that this term was made of, if value or name have it; else the term, which is its stem."""
    text = f"{body.members.get('value', '')}\n{body.members.get('name', '')}"
    place = next(iter(matching(text, {term})), None)
    return term if place is None else text[place.start : place.end]
