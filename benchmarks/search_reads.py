"""Searching: the verb with the model's time taken out, right after a write, and how many of the nearest it finds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks.minilm import embedder
from benchmarks.search_stores import SearchStore
from benchmarks.search_workload import SearchTexts
from benchmarks.table import Beside, Result
from benchmarks.timing import Contender, interleave, ratio
from substrate.embed.embedder import Embedder
from substrate.log.log import open_log
from substrate.views.catalogue import VIEWS
from substrate.views.nearest.index import NearestIndex

__all__ = ["known_vectors", "measure_recall", "measure_searches"]

_ROUNDS, _CALLS = 20, 10
_LIMIT = 10
_TARGETS = {10_000: 3e-3, 100_000: 8e-3, 1_000_000: 25e-3}
_AFTER = 1.3
"""How much dearer a search right after a write may be."""
_RECALL = 0.98
_SAME = 1e-6
"""Scores that are no further apart are the same, summed in another order."""


@contextmanager
def known_vectors(texts: SearchTexts) -> Iterator[None]:
    """While the block runs, vectors of questions are looked up and not computed; those of other texts are."""
    known: Mapping[str, Any] = dict(zip(texts.questions, texts.question_vectors, strict=True))
    real = Embedder.embed_query

    def embed_query(self: Embedder, text: str) -> Any:  # noqa: ANN401
        found = known.get(text)
        return real(self, text) if found is None else found

    with patch.object(Embedder, "embed_query", embed_query):
        yield


def measure_searches(store: SearchStore, texts: SearchTexts) -> list[Result]:
    """p50 of a search, embedding apart; the same after a write; and with embedding."""
    questions = texts.questions

    def asked(call: int) -> str:
        return questions[call % len(questions)]

    with store.open() as memory:
        found = memory.search(questions[0], limit=_LIMIT)
        if found.meaning:
            raise AssertionError(f"search does not go by meaning: {found.meaning}")

        def written(call: int) -> str:
            memory.checkpoint([{"name": f"v1.fact.written_{call:06d}", "value": f"This was written as number {call}."}])
            return asked(call)

        def search(query: str) -> object:
            return memory.search(query, limit=_LIMIT)

        with known_vectors(texts):
            apart = interleave({"search": Contender(search, asked)}, _ROUNDS, _CALLS, warm_up=2)["search"]
            beside = interleave({"search": Contender(search, asked), "after": Contender(search, written)}, _ROUNDS, 5)
        whole = interleave(
            {"search": Contender(search, asked), "model": Contender(embedder().embed_query, asked)}, _ROUNDS // 2, 5
        )
    over = ratio(whole["search"].cpu_rounds, whole["model"].cpu_rounds)
    dearer = ratio(beside["after"].cpu_rounds, beside["search"].cpu_rounds)
    return [
        Result(
            "search, embedding apart: CPU p50",
            store.size,
            apart.cpu,
            "ms",
            _TARGETS.get(store.size),
            [Beside("wall p50", apart.wall, "ms"), Beside("CPU p99", _p99(apart.cpu_rounds), "ms")],
        ),
        Result(
            "search with embedding: CPU p50",
            store.size,
            whole["search"].cpu,
            "ms",
            beside=[
                Beside("wall p50", whole["search"].wall, "ms"),
                Beside("the model alone", whole["model"].cpu, "ms", over),
            ],
        ),
        Result(
            "search right after a write, over one without: CPU",
            store.size,
            dearer,
            "x",
            _AFTER,
            [Beside("after a write", beside["after"].cpu, "ms"), Beside("without", beside["search"].cpu, "ms")],
        ),
    ]


def _p99(rounds: list[list[float]]) -> float:
    values = sorted(value for values in rounds for value in values)
    return values[int(0.99 * len(values))]


def measure_recall(store: SearchStore, texts: SearchTexts) -> list[Result]:
    """Of the ten nearest by an exact scan over the stored half floats, the share that the index gives."""
    index, model, questions = NearestIndex(store.path, read_only=True), embedder(), texts.question_vectors
    with (
        open_log(store.path, read_only=True, create=False, home=store.home, views=VIEWS) as log,
        log.snapshot() as transaction,
    ):
        nearest = index.at(transaction, model.space, model.dimensions, store.seqs.stop)
        given = [nearest.search(vector, _LIMIT)[0] for vector in questions]

        def search(vector: Any) -> object:  # noqa: ANN401
            return nearest.search(vector, _LIMIT)

        samples = interleave(
            {"nearest": Contender(search, lambda call: questions[call % len(questions)])}, _ROUNDS, _CALLS
        )["nearest"]
    index.close()
    share = _share(store, texts, given)
    beside = [Beside(f"nearest vectors alone: CPU p50; {nearest.note or 'no note'}", samples.cpu, "ms")]
    return [Result("recall@10 of the vectors, against a scan", store.size, share, "recall", _RECALL, beside)]


def _share(store: SearchStore, texts: SearchTexts, given: Sequence[Any]) -> float:
    """The mean share of given seqs whose true score is among the ten best; of equal scores any will do."""
    best = np.full((len(given), _LIMIT), -np.inf, np.float32)
    true: list[list[float]] = [[] for _ in given]
    for start, _, rows in texts.portions(store.size):
        scores = texts.question_vectors @ rows.astype(np.float32).T
        best = -np.partition(-np.hstack([best, scores]), _LIMIT - 1, axis=1)[:, :_LIMIT]
        for at, seqs in enumerate(given):
            places = np.unique(seqs) - store.seqs.start - start
            true[at] += scores[at, places[(places >= 0) & (places < len(rows))]].tolist()
    least = best.min(axis=1) - _SAME
    return (
        float(np.mean([sum(score >= low for score in found) for low, found in zip(least, true, strict=True)])) / _LIMIT
    )
