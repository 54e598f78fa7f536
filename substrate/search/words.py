"""Ranking by words: BM25 over the postings of one snapshot, counted over just the versions that are meant.

    score = sum over terms of idf * f * (K1 + 1) / (f + K1 * (1 - B + B * length / mean length))
    idf   = ln(1 + (N - n + 0.5) / (n + 0.5))

f: how often the version has the term (at most 255); N: versions in the mask; n: those of them that have the term.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from math import log
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from substrate.kv.api import ReadTransaction
from substrate.log.tables import POSTINGS
from substrate.search.columns.documents import Documents, Mask
from substrate.search.columns.scopes import extent_within
from substrate.veil import bare
from substrate.views.words import BLOCK, POSTING_BYTES, Field, keyword_term, posting_heads, posting_keys, split_postings

__all__ = ["BM25_B", "BM25_K1", "TermScore", "WordScores", "keyword_mask", "keyword_seqs", "score_words"]

BM25_K1: Final = 1.2
"""How soon saying a word more often says no more."""
BM25_B: Final = 0.75
"""How much a long text must say it more often."""
_SPARSE: Final = 32
"""Below this part of all seqs, those that occur are sorted rather than looked for among all."""


class TermScore(NamedTuple):
    """One term: how many versions of the mask have it, and what it is worth there."""

    term: str
    found: int
    idf: float


@dataclass(frozen=True, slots=True, eq=False)
class WordScores:
    """The versions of the mask that have one of the terms, in the order of their seqs; all scores are above 0."""

    seqs: NDArray[np.int64]
    scores: NDArray[np.float32]
    terms: tuple[TermScore, ...]
    versions: int
    """N: how many the mask has."""
    _having: tuple[NDArray[np.int64], ...]
    """Of each term the seqs that have it, in order."""

    def within(self, mask: Mask) -> WordScores:
        """Those of another mask alone, as they are scored among all of this one."""
        keep = mask[self.seqs]
        return replace(self, seqs=self.seqs[keep], scores=self.scores[keep])

    def matches(self, seqs: NDArray[np.int64]) -> Mask:
        """A row for each term: which of these versions are meant and have it."""
        found = np.zeros((len(self.terms), len(seqs)), np.bool_)
        for place in range(len(self.terms)):
            found[place] = self.has(place, seqs)
        return found

    def has(self, place: int, seqs: NDArray[np.int64]) -> Mask:
        """Which of these versions are meant and have the term at this place."""
        having = self._having[place]
        if not len(having):
            return np.zeros(len(seqs), np.bool_)
        found: Mask = having.take(having.searchsorted(seqs), mode="clip") == seqs
        return found


def score_words(transaction: ReadTransaction, documents: Documents, terms: Sequence[str], mask: Mask) -> WordScores:
    """BM25 of every version of the mask that has one of the terms (each counts once). `documents`: of this snapshot."""
    terms = list(dict.fromkeys(terms))
    versions, words = extent_within(documents, mask)
    if not terms:
        return WordScores(np.zeros(0, np.int64), np.zeros(0, np.float32), (), versions, ())
    slope = np.float32(BM25_K1 * BM25_B * versions / max(words, 1))
    level = np.float32(BM25_K1 * (1 - BM25_B))
    # All terms in one pass, one behind the other: a call of numpy for each would cost more than what it does.
    seqs, often, counts = _postings(transaction, documents.size, terms)
    (places,) = mask.take(seqs).nonzero()  # once: to pick by booleans looks at all of them each time
    ends = places.searchsorted([*accumulate(counts)]).tolist()
    parts = [slice(start, end) for start, end in zip([0, *ends], ends, strict=False)]
    found = [part.stop - part.start for part in parts]
    idfs = [log(1 + (versions - number + 0.5) / (number + 0.5)) for number in found]
    kept = seqs.take(places)
    frequency = often.take(places).astype(np.float32)
    damped = documents.length.take(kept) * slope
    damped += level
    damped += frequency
    frequency *= np.repeat(np.array([idf * (BM25_K1 + 1) for idf in idfs], np.float32), found)
    frequency /= damped
    having = tuple([kept[part] for part in parts])
    scored = tuple(map(TermScore, terms, found, idfs))
    return WordScores(*_summed(documents.size, kept, frequency), scored, versions, having)


def _summed(
    size: int, seqs: NDArray[np.int64], scores: NDArray[np.float32]
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Every seq that occurs, in order, and the sum of its scores, in the order in which they come: term by term."""
    if len(seqs) > size // _SPARSE:
        total = np.zeros(size, np.float32)
        np.add.at(total, seqs, scores)
        (found,) = (total > 0).nonzero()  # of booleans: in a fifth of the time
        return found, total.take(found)
    merged = np.sort(seqs)
    found = merged[np.diff(merged, prepend=-1) > 0]
    total = np.zeros(len(found), np.float32)
    np.add.at(total, found.searchsorted(seqs), scores)
    return found, total


def keyword_mask(transaction: ReadTransaction, documents: Documents, field: Field, text: str) -> Mask:
    """The versions with this keyword. Tags and entities are compared whatever their case, the others as they are.

    `Field.UNDER` takes the beginning of names before a dot: `v1.fact` for all facts.
    """
    mask = np.zeros(documents.size, np.bool_)
    mask[keyword_seqs(transaction, documents, field, text)] = True
    return mask


def keyword_seqs(transaction: ReadTransaction, documents: Documents, field: Field, text: str) -> NDArray[np.int64]:
    """The same versions as a list, in order."""
    rows = transaction.get_many(POSTINGS, posting_keys(field, keyword_term(field, text), documents.size))
    return _joined(rows, documents.size)[0] if any(rows) else np.zeros(0, np.int64)  # mostly nobody has it


def _postings(
    transaction: ReadTransaction, size: int, terms: Sequence[str]
) -> tuple[NDArray[np.int64], NDArray[np.uint8], list[int]]:
    """Seqs and frequencies of each term, one term behind the other, and how many each has.

    Read at once, block by block: as the rows lie.
    """
    heads = posting_heads(size)
    ends = [Field.WORD.value + term.encode() for term in terms]
    # With all there is: what is not meant, or must not be seen, the mask leaves out faster.
    rows = bare(transaction).get_many(POSTINGS, [head + end for _, head in heads for end in ends])
    count = len(terms)
    seqs, often, counts = _joined([row for at in range(count) for row in rows[at::count]], size)
    length = len(heads)
    return seqs, often, [sum(counts[at : at + length]) for at in range(0, len(counts), length)]


def _joined(rows: Sequence[bytes | None], size: int) -> tuple[NDArray[np.int64], NDArray[np.uint8], list[int]]:
    """Seqs, and frequencies, out of a row (or None) for each of `posting_heads`, for one term after the other.

    And how many each row has.
    """
    counts = [0 if row is None else len(row) // POSTING_BYTES for row in rows]
    there = [split_postings(row) for row in rows if row is not None]
    places = np.frombuffer(b"".join([offsets for offsets, _ in there]), "<u2")
    if size > BLOCK:
        starts = [start for start, _ in posting_heads(size)]
        seqs = np.array(starts * (len(rows) // len(starts))).repeat(counts)
        seqs += places
    else:
        seqs = places.astype(np.int64)
    return seqs, np.frombuffer(b"".join([frequencies for _, frequencies in there]), np.uint8), counts
