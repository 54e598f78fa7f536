"""Vectors that are in no file, laid over those of record: of texts that are in the memory of this process alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from substrate.kv.api import ReadTransaction
from substrate.views.nearest.index import Nearest, in_no_file
from substrate.views.nearest.rows import each_once
from substrate.views.nearest.space import View

if TYPE_CHECKING:
    import numpy as np

    Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

__all__ = ["InMemory", "Joined"]


class InMemory:
    """The vectors of some versions in one space, as the table of vectors would hold them. It does not change."""

    def __init__(self, space: bytes, dimensions: int, rows: Mapping[int, bytes]) -> None:
        """StoreDamaged if they are not vectors of so many dimensions."""
        self.space = space
        self._loaded = in_no_file(Path(), space, dimensions)
        self._rows = rows
        self._loaded.held.append(sorted(rows.items()))

    def over(self, below: Nearest, size: int, waiting: Sequence[int]) -> Nearest:
        """Both, of versions before `size`. `waiting`: the versions that will be here, and are not yet."""
        return Joined(below, View(self._loaded, size, _no_generation), self._rows, waiting)


class Joined:
    """See `Nearest`."""

    def __init__(self, below: Nearest, over: Nearest, rows: Mapping[int, bytes], waiting: Sequence[int]) -> None:
        self.space, self.upto, self.note = below.space, below.upto, below.note
        self.waiting = waiting
        self._below, self._over, self._rows = below, over, rows

    def search(self, query: Array, k: int, mask: Array | None = None) -> tuple[Array, Array]:
        """See `Nearest`."""
        import numpy as np  # noqa: PLC0415 - loaded by who searches

        seqs, scores = zip(self._below.search(query, k, mask), self._over.search(query, k, mask), strict=True)
        return each_once(np.concatenate(seqs), np.concatenate(scores), k)

    def scores(self, query: Array, seqs: Array) -> Array:
        """See `Nearest`."""
        import numpy as np  # noqa: PLC0415

        best: Array = np.fmax(self._below.scores(query, seqs), self._over.scores(query, seqs))
        return best

    def stored(self, transaction: ReadTransaction, seqs: Sequence[int]) -> list[bytes | None]:
        """See `Nearest`."""
        below = self._below.stored(transaction, seqs)
        return [self._rows.get(seq) or row for seq, row in zip(seqs, below, strict=True)]

    def held(self, _seqs: Array) -> tuple[Array, Array] | None:
        """See `Nearest`: those of record are in two places."""
        return None


def _no_generation(*_: object) -> NoReturn:
    raise AssertionError("vectors in memory have no generation")
