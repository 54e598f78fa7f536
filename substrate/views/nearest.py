"""The vectors nearest to a query, in this process: exact, and as of one snapshot. The only file that imports faiss.

1. What counts are the vectors of record, in kv. All that is held here follows them and can be thrown away.
2. A process reads what was embedded since it last looked, and no more. What was forgotten since then it learns from the
   log, and drops at once. If the log is not the one it followed, it starts anew.
3. What `at` returns does not change under whoever searches it: arrays only grow behind its end, or are replaced.
4. faiss gets addresses, not arrays. So every array that is handed to it is contiguous, of the type said, and alive.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

from substrate.errors import InputError, StoreDamaged
from substrate.kv.api import ReadTransaction
from substrate.views.follow import Trail, erased_between
from substrate.views.vectors import embedded_upto, vectors_between

if TYPE_CHECKING:
    import numpy as np

    Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

__all__ = ["Nearest", "NearestIndex"]

_PORTION: Final = 10_000
_LONG: Final = 1e-3
"""Vectors of record have length one, but for the rounding of half floats. Those that have not are made so."""


class Nearest(Protocol):
    """The vectors of one space, as of one snapshot."""

    space: bytes
    upto: int
    """Versions before this seq are in it, if they have vectors."""
    note: str | None
    """Why it is slower than it could be, if so."""

    def search(self, query: Array, k: int, mask: Array | None = None) -> tuple[Array, Array]:
        """Up to k seqs (int64), best first, with cosine scores (float32): each version once, by its best piece.

        `mask`: bool per seq (shorter than a seq = False for it): only these. Of equal scores the older comes first; at
        the end of the list, any of them. InputError if the query is not one finite vector of this space.
        """

    def scores(self, query: Array, seqs: Array) -> Array:
        """Cosine of the best piece of each of these versions; nan where it has no vector."""


class NearestIndex:
    """One for each open memory; threads may share it."""

    def __init__(self, folder: Path, *, read_only: bool) -> None:
        """`folder`: the store's."""
        self._folder = folder / "nearest"
        self._read_only = read_only
        self._process = os.getpid()
        self._lock = Lock()
        self._followers: dict[bytes, _Follower] = {}

    def at(self, transaction: ReadTransaction, space: bytes, dimensions: int, size: int) -> Nearest:
        """The vectors of a space in this snapshot, of versions before `size`. StoreDamaged if they are not vectors."""
        if os.getpid() != self._process:  # forked: a thread that is not here may have the lock
            self._lock, self._process = Lock(), os.getpid()
        with self._lock:
            follower = self._followers.get(space)
            if follower is None or not follower.leads_to(transaction):
                follower = _Follower(space, dimensions)
            follower.follow(transaction)
            self._followers[space] = follower
            return follower.view(size)

    def close(self) -> None:
        """Let go of everything. It can be used again, from the start."""
        self._followers.clear()


class _Follower:
    """What this process has of one space."""

    def __init__(self, space: bytes, dimensions: int) -> None:
        self._space = space
        self._trail = Trail()
        self._rows = _Rows(dimensions)
        self._upto = 0

    def leads_to(self, transaction: ReadTransaction) -> bool:
        """Whether the snapshot can be had from what is here."""
        if not self._trail.leads_to(transaction):
            return False
        # A rebuild throws vectors away: then it is less than it was.
        return not self._trail.is_behind(transaction) or embedded_upto(transaction, self._space) >= self._upto

    def follow(self, transaction: ReadTransaction) -> None:
        """Take in what is new in the snapshot. If this fails, what is here is not to be used any more."""
        seen = self._trail.size
        self._trail.follow(transaction)
        if seen < self._trail.size and self._rows.count:
            self._rows.drop(erased_between(transaction, seen, self._trail.size))
        upto = embedded_upto(transaction, self._space)
        if upto > self._upto:  # else it is a snapshot from before what is here
            new = vectors_between(transaction, self._space, self._upto, upto)
            while portion := list(islice(new, _PORTION)):
                self._rows.append(portion)
            self._upto = upto

    def view(self, size: int) -> Nearest:
        """What was followed, of versions before `size`."""
        return _Exact(self._space, min(self._upto, size), self._rows.before(size))


class _Rows:
    """Vectors in memory, by ascending seq. Half floats: they take half the room, and half the time to scan."""

    def __init__(self, dimensions: int) -> None:
        import numpy as np  # noqa: PLC0415 - loaded by who searches

        self.count = 0
        self._ids: Array = np.empty(0, np.int64)
        self._vectors: Array = np.empty((0, dimensions), np.float16)

    def append(self, portion: list[tuple[int, bytes]]) -> None:
        """Take in rows of the table of vectors, which come after those that are here."""
        import numpy as np  # noqa: PLC0415

        dimensions = self._vectors.shape[1]
        for seq, row in portion:
            if len(row) % (2 * dimensions):
                raise StoreDamaged(f"the vectors of entry {seq} are not of {dimensions} dimensions: rebuild the store")
        pieces = [len(row) // (2 * dimensions) for _, row in portion]
        vectors = np.frombuffer(b"".join(row for _, row in portion), np.dtype("<f2")).reshape(-1, dimensions)
        ids = np.repeat(np.array([seq for seq, _ in portion], np.int64), pieces)
        wide = vectors.astype(np.float32)
        lengths = np.sqrt(np.einsum("ij,ij->i", wide, wide))
        sound = np.isfinite(lengths)
        off = np.flatnonzero((np.abs(lengths - 1) > _LONG) & sound & (lengths > 0))
        if len(off):
            vectors = vectors.copy()
            vectors[off] = wide[off] / lengths[off, None]
        if not sound.all():
            vectors, ids = vectors[sound], ids[sound]
        stop = self.count + len(ids)
        if stop > len(self._ids):
            room = max(1024, stop + stop // 2)
            grown_ids, grown = np.empty(room, np.int64), np.empty((room, dimensions), np.float16)
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
            self._ids, self._vectors = ids[kept], self._vectors[: self.count][kept]
            self.count = len(self._ids)

    def before(self, size: int) -> tuple[Array, Array]:
        """Ids and vectors of versions before `size`."""
        stop = int(self._ids[: self.count].searchsorted(size))
        return self._ids[:stop], self._vectors[:stop]


class _Exact:
    """Every vector is looked at."""

    def __init__(self, space: bytes, upto: int, rows: tuple[Array, Array]) -> None:
        self.space = space
        self.upto = upto
        self.note: str | None = None
        self._ids, self._vectors = rows

    def search(self, query: Array, k: int, mask: Array | None = None) -> tuple[Array, Array]:
        """See `Nearest`."""
        unit = _unit(query, self._vectors.shape[1])
        wanted = k
        while True:
            ids, scores = scan(self._vectors, self._ids, unit, wanted, mask)
            found, best = _once(ids, scores, k)
            if len(found) >= k or len(ids) < wanted:
                return found, best
            wanted *= 4  # pieces of the same versions took too many places

    def scores(self, query: Array, seqs: Array) -> Array:
        """See `Nearest`."""
        return _best_of_each(self._ids, lambda rows: self._vectors[rows], _unit(query, self._vectors.shape[1]), seqs)


def _unit(query: Array, dimensions: int) -> Array:
    import numpy as np  # noqa: PLC0415

    unit = np.array(query, np.float32).reshape(-1)
    length = float(np.linalg.norm(unit))
    if len(unit) != dimensions or not 0 < length < float("inf"):
        raise InputError(f"a query is one vector of {dimensions} finite numbers, not all zero")
    return unit / length


def _once(ids: Array, scores: Array, k: int) -> tuple[Array, Array]:
    """The k best versions, each by its best row."""
    import numpy as np  # noqa: PLC0415

    order = np.lexsort((ids, -scores))
    ids, scores = ids[order], scores[order]
    _, first = np.unique(ids, return_index=True)
    if len(first) < len(ids):
        first.sort()
        ids, scores = ids[first], scores[first]
    return ids[:k], scores[:k]


def _best_of_each(ids: Array, take: Callable[[Array], Array], unit: Array, seqs: Array) -> Array:
    """For each seq the best score of its rows, which `take` gets by their places; nan where there is none."""
    import numpy as np  # noqa: PLC0415

    seqs = np.asarray(seqs, np.int64)
    start, stop = ids.searchsorted(seqs, "left"), ids.searchsorted(seqs, "right")
    pieces = stop - start
    best = np.full(len(seqs), np.nan, np.float32)
    there = np.flatnonzero(pieces)
    if len(there):
        first = np.cumsum(pieces[there]) - pieces[there]
        places = np.repeat(start[there] - first, pieces[there]) + np.arange(int(pieces[there].sum()))
        at, scores = scan(take(places), np.arange(len(places)), unit, len(places), None)
        dense = np.empty(len(places), np.float32)
        dense[at] = scores
        best[there] = np.maximum.reduceat(dense, first)
    return best


# -- faiss -----------------------------------------------------------------------------------------------------------


class _Scanners:
    """What faiss scans half floats with, for one number of dimensions.

    A scanner keeps the query, so each is used by one thread at a time; made ones are kept, since faiss does not free
    what its Python side is handed.
    """

    def __init__(self, dimensions: int) -> None:
        import faiss  # noqa: PLC0415

        self._metric = faiss.METRIC_INNER_PRODUCT
        self._quantizer: Any = faiss.ScalarQuantizer(dimensions, faiss.ScalarQuantizer.QT_fp16)
        self._coarse = faiss.IndexFlat(dimensions, self._metric)
        self._all = faiss.IDSelectorAll()
        self._idle: tuple[deque[Any], deque[Any]] = (deque(), deque())

    def take(self, *, selecting: bool) -> Any:  # noqa: ANN401
        """A scanner for this thread alone."""
        try:
            return self._idle[selecting].pop()
        except IndexError:
            selector = self._all if selecting else None
            plain = (False, selector, False)  # no pairs of list and place instead of ids; no residuals
            return self._quantizer.select_InvertedListScanner(self._metric, self._coarse, *plain)

    def give_back(self, scanner: Any, *, selecting: bool) -> None:  # noqa: ANN401
        """It is idle again."""
        if selecting:
            scanner.sel = self._all
        self._idle[selecting].append(scanner)


_scanners: dict[int, _Scanners] = {}


def scan(vectors: Array, ids: Array, unit: Array, k: int, mask: Array | None) -> tuple[Array, Array]:
    """The k best of the rows whose ids the mask has, unordered: their ids and their inner products with `unit`."""
    import faiss  # noqa: PLC0415
    import numpy as np  # noqa: PLC0415

    dimensions = vectors.shape[1]
    k = min(k, len(ids))
    scores, found = np.full(k, -np.inf, np.float32), np.full(k, -1, np.int64)
    if not k or (mask is not None and not len(mask)):
        return found[:0], scores[:0]
    codes = np.ascontiguousarray(vectors, np.float16)
    ids = np.ascontiguousarray(ids, np.int64)
    known = _scanners.get(dimensions) or _scanners.setdefault(dimensions, _Scanners(dimensions))
    scanner = known.take(selecting=mask is not None)
    alive: list[Any] = []  # the scanner holds addresses only
    if mask is not None:
        bits = np.packbits(np.asarray(mask, np.bool_), bitorder="little")
        alive = [bits, faiss.IDSelectorBitmap(len(bits), faiss.swig_ptr(bits))]
        scanner.sel = alive[1]
    scanner.set_query(faiss.swig_ptr(unit))
    scanner.set_list(0, 0.0)
    addresses = (faiss.swig_ptr(array) for array in (codes.view(np.uint8), ids, scores, found))
    scanner.scan_codes(len(ids), *addresses, k)
    known.give_back(scanner, selecting=mask is not None)
    alive.clear()
    hit = found >= 0
    return (found, scores) if hit.all() else (found[hit], scores[hit])
