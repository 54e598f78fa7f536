"""Ranking by words: BM25 over the postings of one snapshot, counted over just the versions that are meant.

    score = sum over terms of idf * f * (K1 + 1) / (f + K1 * (1 - B + B * length / mean length))
    idf   = ln(1 + (N - n + 0.5) / (n + 0.5))

f: how often the version has the term (at most 255); N: versions in the mask; n: those of them that have the term.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Final

import numpy as np
from numpy.typing import NDArray

from substrate.kv.api import ReadTransaction
from substrate.log.tables import POSTINGS
from substrate.search.columns import Documents, Mask
from substrate.views.words import BLOCK, Field, keyword_term, posting_keys, split_postings

__all__ = ["BM25_B", "BM25_K1", "TermScores", "WordScores", "keyword_mask", "score_words"]

BM25_K1: Final = 1.2
"""How soon saying a word more often says no more."""
BM25_B: Final = 0.75
"""How much a long text must say it more often."""


@dataclass(frozen=True, slots=True)
class TermScores:
    """One term: how many versions of the mask have it, what it is worth, which they are and what it adds to each."""

    term: str
    found: int
    idf: float
    seqs: NDArray[np.int64]
    """In order."""
    scores: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class WordScores:
    """The versions of the mask that have one of the terms, in the order of their seqs; all scores are above 0."""

    seqs: NDArray[np.int64]
    scores: NDArray[np.float32]
    terms: tuple[TermScores, ...]
    versions: int
    """N: how many the mask has."""

    def matched(self, seq: int) -> tuple[str, ...]:
        """The terms that this version has, in the order asked."""
        return tuple(term.term for term, row in zip(self.terms, self.matches(np.array([seq])), strict=True) if row[0])

    def matches(self, seqs: NDArray[np.int64]) -> Mask:
        """A row for each term: which of these versions have it."""
        found = np.zeros((len(self.terms), len(seqs)), np.bool_)
        for row, term in zip(found, self.terms, strict=True):
            if term.found:
                at = np.minimum(np.searchsorted(term.seqs, seqs), term.found - 1)
                row[:] = term.seqs[at] == seqs
        return found


def score_words(transaction: ReadTransaction, documents: Documents, terms: Sequence[str], mask: Mask) -> WordScores:
    """BM25 of every version of the mask that has one of the terms (each counts once). `documents`: of this snapshot."""
    terms = list(dict.fromkeys(terms))
    versions = int(np.count_nonzero(mask))
    words = int(documents.length[mask].sum(dtype=np.int64)) if versions else 0
    mean = words / versions if words else 1.0
    total = np.zeros(documents.size, np.float32)
    scored = []
    for term, (having, frequencies) in zip(terms, _postings(transaction, documents.size, terms), strict=True):
        meant = mask[having]
        seqs, often = having[meant], frequencies[meant].astype(np.float32)
        idf = log(1 + (versions - len(seqs) + 0.5) / (len(seqs) + 0.5))
        damped = documents.length[seqs] * np.float32(BM25_K1 * BM25_B / mean)
        damped += np.float32(BM25_K1 * (1 - BM25_B))
        damped += often
        scores = often * np.float32(idf * (BM25_K1 + 1)) / damped
        total[seqs] += scores
        scored.append(TermScores(term, len(seqs), idf, seqs, scores))
    found = np.flatnonzero(total)
    return WordScores(found, total[found], tuple(scored), versions)


def keyword_mask(transaction: ReadTransaction, documents: Documents, field: Field, text: str) -> Mask:
    """The versions with this keyword. Tags and entities are compared whatever their case, the others as they are.

    `Field.UNDER` takes the beginning of names before a dot: `v1.fact` for all facts.
    """
    mask = np.zeros(documents.size, np.bool_)
    keys = posting_keys(field, keyword_term(field, text), documents.size)
    mask[_joined(transaction.get_many(POSTINGS, keys))[0]] = True
    return mask


def _postings(
    transaction: ReadTransaction, size: int, terms: Sequence[str]
) -> list[tuple[NDArray[np.int64], NDArray[np.uint8]]]:
    """Seqs and frequencies of each term, read at once, block by block: as the rows lie."""
    columns = [posting_keys(Field.WORD, term.encode(), size) for term in terms]
    rows = transaction.get_many(POSTINGS, [key for keys in zip(*columns, strict=True) for key in keys])
    return [_joined(rows[i :: len(terms)]) for i in range(len(terms))]


def _joined(rows: Sequence[bytes | None]) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Seqs in order, and frequencies, out of a row (or None) for each block."""
    parts = [split_postings(row or b"") for row in rows]
    counts = [len(frequencies) for _, frequencies in parts]
    offsets = np.frombuffer(b"".join(offsets for offsets, _ in parts), "<u2")
    seqs = np.repeat(np.arange(len(parts)) * BLOCK, counts) + offsets
    return seqs, np.frombuffer(b"".join(frequencies for _, frequencies in parts), np.uint8)
