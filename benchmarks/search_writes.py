"""What search costs those who write: checkpoints with postings, and embedding in bulk beside the model alone."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

from benchmarks.minilm import embedder
from benchmarks.search_stores import SearchStore
from benchmarks.search_workload import SearchTexts, atom_of
from benchmarks.table import Beside, Result
from benchmarks.timing import Contender, interleave, ratio
from benchmarks.workload import BATCH
from substrate.embed.embedder import Embedder

__all__ = ["measure_bulk", "measure_checkpoints"]

_BATCHES = 10
_TARGETS = {10_000: 5_000, 100_000: 5_000, 1_000_000: 3_000}
_TEXTS = 256
_BULK = 1.1
"""How much dearer than the model alone embedding in bulk may be."""


def measure_checkpoints(store: SearchStore, texts: SearchTexts) -> list[Result]:
    """Batches of 1,000 new texts, in one checkpoint each, with their postings; without their vectors."""
    portion, _ = texts.portion(10 * store.size)  # texts that are not in the store

    def turns(call: int) -> list[dict[str, object]]:
        first = store.size + BATCH * (call + 1)  # a session begins at every thousand
        return [atom_of(first + i, portion[(call * BATCH + i) % len(portion)]) for i in range(BATCH)]

    def plain(call: int) -> list[dict[str, object]]:
        return [{"name": f"v1.note.{call}_{i}", "value": atom["value"]} for i, atom in enumerate(turns(call))]

    with store.open() as memory:
        samples = interleave(
            {"texts": Contender(memory.checkpoint, plain), "turns": Contender(memory.checkpoint, turns)}, _BATCHES
        )
    return [
        Result(
            f"checkpoint of 1,000 {what} with postings",
            store.size,
            BATCH / found.cpu,
            "atoms/CPU-s",
            _TARGETS.get(store.size) if what == "texts" else None,
            [Beside("wall", BATCH / found.wall, "atoms/s")],
        )
        for what, found in samples.items()
    ]


def measure_bulk(texts: SearchTexts) -> list[Result]:
    """Texts through the embedder, beside its own batches of tokens through onnxruntime with nothing around them."""
    model = embedder()
    run, batches = vars(Embedder)["_run"], []

    def recorded(self: Embedder, ids: Any, mask: Any) -> Any:  # noqa: ANN401
        batches.append((ids, mask))
        return run(self, ids, mask)

    some = list(texts.real[:_TEXTS])
    with patch.object(Embedder, "_run", recorded):
        model.embed_pieces(some)

    def alone(_: int) -> None:
        for ids, mask in batches:
            run(model, ids, mask)

    samples = interleave(
        {"ours": Contender(lambda _: model.embed_pieces(some)), "model": Contender(alone)}, rounds=5, warm_up=1
    )
    ours, bare = samples["ours"], samples["model"]
    beside = [
        Beside("ours", _TEXTS / ours.cpu, "texts/CPU-s"),
        Beside("onnxruntime alone, the same batches", _TEXTS / bare.cpu, "texts/CPU-s"),
    ]
    dearer = ratio(ours.cpu_rounds, bare.cpu_rounds)
    return [Result("embedding in bulk, over the model alone: CPU", None, dearer, "x", _BULK, beside)]
