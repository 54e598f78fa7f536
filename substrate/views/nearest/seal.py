"""Sealing: writing the vectors of one space into a new generation. What compresses them is handed in."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

from substrate.kv.api import ReadTransaction
from substrate.log.tables import HEADS, seq_key
from substrate.values.progress import Progress
from substrate.views.follow import erased_between, latest_head
from substrate.views.nearest.generation import Draft, padded
from substrate.views.nearest.rows import read_rows
from substrate.views.vectors import embedded_upto, vectors_between

if TYPE_CHECKING:
    import numpy as np

    Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

__all__ = ["Codes", "Snapshots", "seal"]

Snapshots: TypeAlias = Callable[[], AbstractContextManager[ReadTransaction]]

_PORTION: Final = 10_000
_TRAINING: Final = 20_000
_ASKED: Final = 16
"""Rows, and as many disturbed ones, that the codes are tried with."""
_NOISE: Final = 0.7


class Codes(Protocol):
    """Compressed vectors: they say which rows are worth a look."""

    def train(self, rows: Array) -> None:
        """Learn from some rows of floats how to compress all."""

    def add(self, rows: Array) -> None:
        """Compress more rows."""

    def recall(self, vectors: Array, queries: Array) -> float:
        """Which share of the nearest of these queries is found by way of the codes."""

    def dump(self) -> bytes:
        """All of it."""


def seal(  # noqa: PLR0913
    folder: Path, snapshots: Snapshots, space: bytes, dimensions: int, *, codes: Codes, progress: Progress | None
) -> Path | None:
    """Write a generation of what is embedded now. None if meanwhile something in it was forgotten, or made anew.

    It reads in portions, each in a snapshot of its own: a long one would keep the store's file from being reused.
    """
    with snapshots() as transaction:
        size, note = latest_head(transaction)
        upto = embedded_upto(transaction, space)
    draft = Draft(folder, space, dimensions, upto)
    try:
        at = 0
        while at < upto:
            with snapshots() as transaction:
                if embedded_upto(transaction, space) < upto:  # a rebuild threw them away
                    return None
                portion = list(islice(vectors_between(transaction, space, at, upto), _PORTION))
            if not portion:
                break
            draft.add(*read_rows(portion, dimensions, padded(dimensions)))
            at = portion[-1][0] + 1
            if progress is not None:
                progress(min(at, upto), 2 * upto)
        if not len(draft.ids()):
            return None
        recall = _compress(draft.vectors(), codes, upto, progress)
        draft.finish(codes.dump(), size=size, head=note, recall=recall)

        def is_clean(ids: Array) -> bool:
            with snapshots() as now:
                if now.get(HEADS, seq_key(size)) != note or embedded_upto(now, space) < upto:
                    return False
                return erased_between(now, size, latest_head(now)[0]).isdisjoint(ids.tolist())

        return draft.publish(is_clean)
    finally:
        draft.discard()
        draft.close()


def _compress(vectors: Array, codes: Codes, upto: int, progress: Progress | None) -> float:
    """Hand all rows to the codes; their recall."""
    import numpy as np  # noqa: PLC0415

    drawn = np.random.default_rng(len(vectors))
    some = np.sort(drawn.permutation(len(vectors))[:_TRAINING])
    codes.train(vectors[some].astype(np.float32))
    for at in range(0, len(vectors), _PORTION):
        codes.add(vectors[at : at + _PORTION].astype(np.float32))
        if progress is not None:
            progress(upto + upto * min(at + _PORTION, len(vectors)) // len(vectors), 2 * upto)
    asked = vectors[drawn.integers(0, len(vectors), _ASKED)].astype(np.float32)
    noise = drawn.standard_normal(asked.shape).astype(np.float32)
    noise *= _NOISE / np.linalg.norm(noise, axis=1, keepdims=True)
    queries = np.concatenate([asked, asked + noise])
    lengths = np.linalg.norm(queries, axis=1, keepdims=True)
    return codes.recall(vectors, np.divide(queries, lengths, out=np.zeros_like(queries), where=lengths > 0))
