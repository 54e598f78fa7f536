"""The texts and vectors that the benchmark of search stores: real ones, and more of them, made around those.

The first 20,000 texts are real sentences with the vectors that MiniLM gives them. Beyond, a text is the beginning of
one real sentence and the end of another, and its vector lies between theirs, with noise of the shape that real vectors
have. So words are as frequent as in English, and vectors as unevenly spread as real ones; but no model saw those texts.
Of each twenty atoms the first is a session, and the others are its turns. Questions are real sentences not stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from benchmarks.minilm import kept_vectors
from benchmarks.texts import sentences

__all__ = ["QUESTIONS", "REAL", "SearchTexts", "atom_of", "name_of", "prepare"]

REAL = 20_000
QUESTIONS = 200
_LONGEST = 12
"""Words of a question."""
_SESSION = 20
_PORTION = 10_000
_SHARE = (0.5, 0.9)
_NOISE = 0.35
_FIRST = datetime(2025, 1, 1, tzinfo=UTC)


def name_of(number: int) -> str:
    """The name of an atom; its words say nothing, so its vector is that of its text."""
    return f"v1.session.{number:08d}" if number % _SESSION == 0 else f"v1.turn.{number:08d}"


def atom_of(number: int, text: str) -> dict[str, object]:
    """An atom with its place in its session."""
    atom: dict[str, object] = {"name": name_of(number), "value": text}
    if place := number % _SESSION:
        atom |= {"parent": name_of(number - place), "position": place}
    return atom | {"occurred_at": (_FIRST + timedelta(seconds=30 * number)).isoformat()}


@dataclass(frozen=True, slots=True)
class SearchTexts:
    """What everything is made of."""

    real: Sequence[str]
    vectors: Any
    """One row of length 1 for each real text."""
    questions: Sequence[str]
    question_vectors: Any
    _factor: Any
    """Noise of the shape that real vectors have."""

    def portions(self, count: int) -> Iterator[tuple[int, list[str], Any]]:
        """Number of the first, texts, and their vectors as half floats; so many in all, the same in every run."""
        for first in range(0, count, _PORTION):
            texts, rows = self.portion(first)
            stop = min(_PORTION, count - first)
            yield first, texts[:stop], rows[:stop].astype(np.float16)

    def portion(self, first: int) -> tuple[list[str], Any]:
        """The texts and vectors of 10,000 numbers, of which this is the first."""
        if first >= len(self.real):
            return self._made(first)
        return list(self.real[first : first + _PORTION]), self.vectors[first : first + _PORTION]

    def _made(self, first: int) -> tuple[list[str], Any]:
        draw = np.random.default_rng(first)
        ones, others = draw.integers(0, len(self.real), (2, _PORTION))
        texts = [_joined(self.real[one], self.real[other]) for one, other in zip(ones, others, strict=True)]
        share = draw.uniform(*_SHARE, (_PORTION, 1)).astype(np.float32)
        noise = draw.standard_normal((_PORTION, self.vectors.shape[1]), np.float32) @ self._factor.T
        rows = share * self.vectors[ones] + (1 - share) * self.vectors[others] + _NOISE * noise
        return texts, rows / np.linalg.norm(rows, axis=1, keepdims=True)


def _joined(one: str, other: str) -> str:
    """The first half of one and the second half of the other."""
    head, tail = one.split(), other.split()
    return " ".join([*head[: (len(head) + 1) // 2], *tail[len(tail) // 2 :]])


def prepare(say: Callable[[str], None]) -> SearchTexts:
    """Real texts and their vectors; some minutes when it is done for the first time."""
    found = sentences(10 * REAL, say)
    asked = [text for text in found[REAL:] if len(text.split()) <= _LONGEST][:QUESTIONS]
    if len(asked) < QUESTIONS:
        raise RuntimeError(f"this installation has only {len(found):,} sentences; {REAL + QUESTIONS:,} are needed")
    vectors = kept_vectors(found[:REAL], say)
    shape = np.cov(vectors.T) + 1e-6 * np.eye(vectors.shape[1])
    factor = np.linalg.cholesky(shape).astype(np.float32)
    return SearchTexts(found[:REAL], vectors, asked, kept_vectors(asked, say), factor)
