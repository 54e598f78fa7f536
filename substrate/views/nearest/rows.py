"""Vectors in memory, as arrays: rows of half floats by ascending seq, several in a row for a version of several pieces.

Half floats: they take half the room of floats, and less time to scan. Rows are padded with zeros to whole words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

from substrate.errors import InputError, StoreDamaged
from substrate.messages import REBUILD

if TYPE_CHECKING:
    import numpy as np

    Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

__all__ = ["Held", "each_once", "places_of", "read_rows", "unit", "wide"]

_MOVED: Final = 13
_SIGN_AND_NUMBER: Final = 0x8FFF_E000 - (1 << 32)
_LESS: Final = 2.0**112
_NOT_FINITE: Final = 65536.0
"""How half floats become floats; see `wide`."""
_LONG: Final = 1e-3
"""Vectors of record have length one, but for the rounding of half floats. Those that have not are made so."""


def read_rows(portion: list[tuple[int, bytes]], dimensions: int, width: int) -> tuple[Array, Array]:
    """The seq of each row, and the rows, of what the table of vectors holds. What is no number is left out."""
    import numpy as np  # noqa: PLC0415 - loaded by who searches

    for seq, row in portion:
        if len(row) % (2 * dimensions):
            raise StoreDamaged(f"the vectors of entry {seq} are not of {dimensions} dimensions: run ", REBUILD)
    pieces = [len(row) // (2 * dimensions) for _, row in portion]
    halves = np.frombuffer(b"".join(row for _, row in portion), "<f2").reshape(-1, dimensions)
    ids = np.repeat(np.array([seq for seq, _ in portion], np.int64), pieces)
    vectors = np.zeros((len(halves), width), np.float16)
    vectors[:, :dimensions] = halves
    wide = vectors.astype(np.float32)
    lengths = np.sqrt(np.einsum("ij,ij->i", wide, wide))
    sound = np.isfinite(lengths)
    off = np.flatnonzero((np.abs(lengths - 1) > _LONG) & sound & (lengths > 0))
    vectors[off] = wide[off] / lengths[off, None]
    return (ids, vectors) if sound.all() else (ids[sound], vectors[sound])


class Held:
    """Rows that grow at the end. What `before` returned does not change."""

    def __init__(self, dimensions: int, width: int) -> None:
        import numpy as np  # noqa: PLC0415

        self.count = 0
        self._dimensions = dimensions
        self._ids: Array = np.empty(0, np.int64)
        self._vectors: Array = np.empty((0, width), np.float16)

    def append(self, portion: list[tuple[int, bytes]]) -> None:
        """Take in rows of the table of vectors, which come after those that are here."""
        import numpy as np  # noqa: PLC0415

        width = self._vectors.shape[1]
        ids, vectors = read_rows(portion, self._dimensions, width)
        stop = self.count + len(ids)
        if stop > len(self._ids):
            room = max(1024, stop + stop // 2)
            grown_ids, grown = np.empty(room, np.int64), np.empty((room, width), np.float16)
            grown_ids[: self.count], grown[: self.count] = self._ids[: self.count], self._vectors[: self.count]
            self._ids, self._vectors = grown_ids, grown
        self._ids[self.count : stop], self._vectors[self.count : stop] = ids, vectors
        self.count = stop

    def drop(self, seqs: set[int]) -> None:
        """Of these versions nothing stays."""
        import numpy as np  # noqa: PLC0415

        ids = self._ids[: self.count]
        kept = ~np.isin(ids, np.fromiter(seqs, np.int64, len(seqs)))
        if not kept.all():
            self._keep(kept)

    def drop_before(self, seq: int) -> None:
        """Of versions before this nothing stays."""
        self._keep(self._ids[: self.count] >= seq)

    def _keep(self, kept: Array) -> None:
        self._ids, self._vectors = self._ids[: self.count][kept], self._vectors[: self.count][kept]
        self.count = len(self._ids)

    def before(self, size: int) -> tuple[Array, Array]:
        """Seqs and rows of versions before `size`."""
        stop = int(self._ids[: self.count].searchsorted(size))
        return self._ids[:stop], self._vectors[:stop]


def unit(query: Array, dimensions: int, width: int) -> Array:
    """The query with length one, padded; InputError if it has no direction in this space."""
    import numpy as np  # noqa: PLC0415

    given = np.asarray(query, np.float32).reshape(-1)
    length = float(np.sqrt(given.dot(given)))
    if len(given) != dimensions or not 0 < length < float("inf"):
        raise InputError(f"a query is one vector of {dimensions} finite numbers, not all zero")
    whole = np.zeros(width, np.float32)
    whole[:dimensions] = given / length
    return whole


def each_once(ids: Array, scores: Array, k: int) -> tuple[Array, Array]:
    """The k best versions, best first, each by its best row."""
    import numpy as np  # noqa: PLC0415

    order = np.lexsort((ids, -scores))
    ids, scores = ids.take(order), scores.take(order)
    if len(set(ids.tolist())) < len(ids):
        _, first = np.unique(ids, return_index=True)
        first.sort()
        ids, scores = ids[first], scores[first]
    return ids[:k], scores[:k]


def wide(halves: Array, *, finite: bool = False) -> Array:
    """Half floats as floats, in a third of the time that numpy takes. `finite`: it is known that all are.

    The bits of a half float, moved to where those of a float are, are that float divided by 2**112: its exponent counts
    from another number. That holds for all that are finite. Of others the bits come out as 65536 or more.
    """
    import numpy as np  # noqa: PLC0415

    rows = np.ascontiguousarray(halves, np.float16)
    bits = rows.view(np.int16).astype(np.int32)
    bits <<= _MOVED
    bits &= _SIGN_AND_NUMBER
    floats = bits.view(np.float32)
    floats *= np.float32(_LESS)
    if not finite and floats.size and not -_NOT_FINITE < float(floats.min()) <= float(floats.max()) < _NOT_FINITE:
        return rows.astype(np.float32)
    return floats


def places_of(ids: Array, seqs: Array) -> tuple[Array, Array]:
    """The places of all rows of these versions in `ids`, and how many rows each version has."""
    import numpy as np  # noqa: PLC0415

    start = ids.searchsorted(seqs)
    if _are_single(ids, seqs, start):
        return start, np.ones(len(seqs), np.int64)
    pieces = ids.searchsorted(seqs, "right") - start
    first = np.cumsum(pieces) - pieces
    return np.repeat(start - first, pieces) + np.arange(int(pieces.sum())), pieces


def _are_single(ids: Array, seqs: Array, start: Array) -> bool:
    """Whether each of these versions has one row, the one at `start`: as most have. To see it costs least."""
    import numpy as np  # noqa: PLC0415

    if not len(ids) or np.count_nonzero(ids.take(start, mode="clip") != seqs):
        return False
    behind = start + 1
    is_again = ids.take(behind, mode="clip") == seqs
    is_again &= behind < len(ids)  # behind the last there is the last again
    return not np.count_nonzero(is_again)
