"""What search is compared with: BM25, MiniLM, and three ways of joining them, each over all documents in memory.

Their figures on the dev split are known (the table "Dev split" of the notes on retrieval), so that a run here checks
both the bench and these. They follow the protocol of the bench's scorer, keep nothing on disk, and forget nothing.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import Stemmer

from benchmarks.minilm import embed, load

__all__ = ["STOP_WORDS", "Bm25", "Dense", "Document", "Rrf", "Weighted05Neighbours", "words"]

Document = Mapping[str, Any]
"""What the scorer gives: id, text, session, timestamp."""
Scores = Any
"""An array with one number per document."""

STOP_WORDS = re.compile(
    "a|an|and|are|as|at|be|but|by|for|if|in|into|is|it|no|not|of|on|or|such|that|the|their|then|there|these|they|this"
    "|to|was|will|with"
)
"""The usual short list. One with the words that questions are made of (did, what, when ...) does better on locomo."""
_WORD = re.compile(r"\w\w+")
_STEMMER = Stemmer.Stemmer("english")
_K1, _B = 1.2, 0.75
_RRF, _DEPTH = 60, 100
"""The constant, and how far down each list is looked."""
_DENSE = 0.5
_PREVIOUS, _NEXT = 0.3, 0.1


def words(text: str) -> list[str]:
    """The stems of the words of a text that are no stop words."""
    stems: list[str] = _STEMMER.stemWords(
        [word for word in _WORD.findall(text.lower()) if not STOP_WORDS.fullmatch(word)]
    )
    return stems


class _Base(ABC):
    """Documents in the order in which they came; a system says how they score."""

    def __init__(self, workdir: str) -> None:
        del workdir
        self.documents: list[Document] = []

    def add(self, docs: Iterable[Document]) -> None:
        """Take in documents."""
        self.documents += docs
        self.prepare()

    @abstractmethod
    def prepare(self) -> None:
        """Whatever the scores need of the documents."""

    @abstractmethod
    def scores(self, query: str) -> Scores:
        """One number per document."""

    def search(self, query: str, k: int) -> list[str]:
        """The ids of the best documents, best first; the earlier one of equals. Never one that scores nothing."""
        scores = self.scores(query)
        best = np.argsort(-scores, kind="stable")[:k]
        return [self.documents[at]["id"] for at in best if scores[at] > -math.inf]


class Bm25(_Base):
    """Okapi BM25 over stems, without stop words."""

    postings: Mapping[str, tuple[Any, Any]]

    def prepare(self) -> None:
        """Stem and count."""
        counted = [Counter(words(document["text"])) for document in self.documents]
        lengths = np.array([counts.total() for counts in counted], dtype=float)
        norm = _K1 * (1 - _B + _B * lengths / max(lengths.mean(), 1e-9))
        found: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for at, counts in enumerate(counted):
            for word, count in counts.items():
                found[word].append((at, count))
        total, self.postings = len(counted), {}
        for word, pairs in found.items():
            at, count = (np.array(column) for column in zip(*pairs, strict=True))
            idf = math.log(1 + (total - len(pairs) + 0.5) / (len(pairs) + 0.5))
            self.postings[word] = at, idf * count * (_K1 + 1) / (count + norm[at])

    def scores(self, query: str) -> Scores:
        """BM25 of every document; a document with no word of the query is not found."""
        scores = np.zeros(len(self.documents))
        for word in words(query):
            at, gains = self.postings.get(word, ((), ()))
            scores[np.asarray(at, dtype=int)] += gains
        scores[scores == 0] = -math.inf
        return scores


class Dense(_Base):
    """MiniLM and an exact scan."""

    warm: ClassVar = staticmethod(load)

    def prepare(self) -> None:
        """Embed."""
        self.vectors = embed([document["text"] for document in self.documents])

    def scores(self, query: str) -> Scores:
        """The cosine of every document."""
        return self.vectors @ embed([query])[0]


class _Joined(_Base):
    """Both lists."""

    warm: ClassVar = staticmethod(load)

    def __init__(self, workdir: str) -> None:
        super().__init__(workdir)
        self.lists: Sequence[_Base] = [Bm25(workdir), Dense(workdir)]

    def prepare(self) -> None:
        """Give the documents to both."""
        for part in self.lists:
            part.documents = self.documents
            part.prepare()


class Rrf(_Joined):
    """Reciprocal rank fusion of both, with the usual constant."""

    def scores(self, query: str) -> Scores:
        """The sum, over the lists a document is in, of one over its rank and the constant."""
        total = np.zeros(len(self.documents))
        for part in self.lists:
            scores = part.scores(query)
            ranked = np.argsort(-scores, kind="stable")
            ranked = ranked[scores[ranked] > -math.inf][:_DEPTH]
            total[ranked] += 1 / (_RRF + 1 + np.arange(len(ranked)))
        return total


class Weighted05Neighbours(_Joined):
    """Both scaled to 0..1 per query and added at 0.5; then 0.3 of the previous and 0.1 of the next turn of the session.

    The best of forty settings on the dev part of locomo, chosen there.
    """

    def prepare(self) -> None:
        """See which documents follow one another in a session."""
        super().prepare()
        sessions = [document["session"] for document in self.documents]
        self.follows = np.array([a == b for a, b in pairwise(sessions)], dtype=float)

    def scores(self, query: str) -> Scores:
        """The sum, with what is borrowed from the neighbours."""
        by_words, by_meaning = (_scaled(part.scores(query)) for part in self.lists)
        scores = (1 - _DENSE) * by_words + _DENSE * by_meaning
        borrowed = scores.copy()
        borrowed[1:] += _PREVIOUS * self.follows * scores[:-1]
        borrowed[:-1] += _NEXT * self.follows * scores[1:]
        return borrowed


def _scaled(scores: Scores) -> Scores:
    """From 0 for the worst to 1 for the best; what was not found counts as 0 before."""
    scores = np.where(np.isfinite(scores), scores, 0.0)
    low, high = scores.min(), scores.max()
    return (scores - low) / (high - low) if high > low else np.zeros(len(scores))
