"""The vectors nearest to a query, in this process, as of one snapshot. The only file that imports faiss.

1. What counts are the vectors of record, in kv. All that is held here follows them and can be thrown away.
2. A process reads what was embedded since it last looked, and no more. What was forgotten since then it learns from the
   log, and leaves out at once. If the log is not the one it followed, it starts anew.
3. Few vectors are held in memory and all looked at. Of many, most are in a generation (generations.py): its codes say
   which rows are worth a look, those are scored by their half floats, and what came after it is held in memory.
4. Every score is that of a vector. Codes only choose; they are tried now and then against a look at every vector, and
   no longer used if they miss too much.
5. What `at` returns does not change under whoever searches it: arrays only grow behind its end, or are replaced.
6. faiss gets addresses, not arrays. So every array that is handed to it is contiguous, of the type said, and alive.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, TypeAlias

from substrate.files import typed_errors
from substrate.foreign_files import is_folder
from substrate.kv.api import ReadTransaction
from substrate.values.progress import Progress
from substrate.views.follow import erased_between, latest_head
from substrate.views.nearest.generation import (
    BadGeneration,
    Generation,
    Manifest,
    alone,
    erase_where,
    generations_of,
    padded,
)
from substrate.views.nearest.seal import Snapshots, seal
from substrate.views.nearest.space import LoadedSpace, View, is_foreign

if TYPE_CHECKING:
    import numpy as np

    Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

__all__ = ["Nearest", "NearestIndex", "Spaces", "erase_forgotten", "in_no_file"]

_SEAL_FROM: Final = 30_000
"""Rows from which on a look at every one takes too long."""
_TRIED: Final = 10
_LEAST: Final = 100
"""A try of the codes: how many are wanted, of how many that were chosen."""


class Nearest(Protocol):
    """The vectors of one space, as of one snapshot. To be used while that lasts."""

    space: bytes
    upto: int
    """Versions before this seq are in it, if they have vectors."""
    note: str | None
    """Why it is slower than it could be, if so."""
    waiting: Sequence[int]
    """Versions before `upto` that will be in it, and are not yet."""

    def search(self, query: Array, k: int, mask: Array | None = None) -> tuple[Array, Array]:
        """Up to k seqs (int64), best first, with cosine scores (float32): each version once, by its best piece.

        `mask`: bool per seq (shorter than a seq = False for it): only these. Of equal scores the older comes first; at
        the end of the list, any of them. InputError if the query is not one finite vector of this space.
        """

    def scores(self, query: Array, seqs: Array) -> Array:
        """Cosine of the best piece of each of these versions; nan where it has no vector."""

    def stored(self, transaction: ReadTransaction, seqs: Sequence[int]) -> list[bytes | None]:
        """The vectors of each of these versions, as the table of vectors has them; None where there are none."""

    def held(self, seqs: Array) -> tuple[Array, Array] | None:
        """The vectors of all pieces of these versions (float32), and how many each version has.

        None if not all vectors are held in memory: then those of record are as near.
        """


class Spaces(Protocol):
    """Where search gets vectors from."""

    def at(self, transaction: ReadTransaction, space: bytes, dimensions: int, size: int) -> Nearest:
        """See `NearestIndex.at`."""


def in_no_file(folder: Path, space: bytes, dimensions: int) -> LoadedSpace:
    """A space without any vector, which follows no log: whoever has it gives it what it is to hold."""
    return LoadedSpace(folder, space, dimensions, {}, scan=scan, load=_load)


class NearestIndex:
    """One for each open memory; threads may share it."""

    def __init__(self, folder: Path, *, read_only: bool, seal_from: int = _SEAL_FROM) -> None:
        """`folder`: the store's. `seal_from`: how many rows a generation is made for.

        Denied if files would be made and removed behind a link.
        """
        self._folder = folder / "nearest"
        if not read_only:
            is_folder(self._folder)
        self._read_only = read_only
        self._seal_from = seal_from
        self._process = os.getpid()
        self._lock = Lock()
        self._loaded: dict[bytes, LoadedSpace] = {}
        self._refused: dict[str, str] = {}

    def at(self, transaction: ReadTransaction, space: bytes, dimensions: int, size: int) -> Nearest:
        """The vectors of a space in this snapshot, of versions before `size`. StoreDamaged if they are not vectors."""
        return self._view(transaction, space, dimensions, size)

    def _view(self, transaction: ReadTransaction, space: bytes, dimensions: int, size: int) -> View:
        if os.getpid() != self._process:  # forked: a thread that is not here may have the lock
            self._lock, self._process = Lock(), os.getpid()

        def without(generation: Generation, reason: str) -> View:
            with self._lock:
                self._refused[generation.path.name] = reason
                self._loaded.clear()
            return self._view(transaction, space, dimensions, size)

        with self._lock:
            loaded = self._loaded.pop(space, None)
            if loaded is None or not loaded.leads_to(transaction):
                loaded = LoadedSpace(self._folder, space, dimensions, self._refused, scan=scan, load=_load)
            loaded.follow(transaction)
            self._loaded[space] = loaded
            return View(loaded, size, without)  # while nobody else moves it on

    def seal(
        self, snapshots: Snapshots, space: bytes, dimensions: int, progress: Progress | None = None
    ) -> Path | None:
        """Make a generation, if one is due and nobody else is at it; its path.

        Call it outside of a transaction, when there is time: it takes 3 s of CPU at 100,000 rows, 17 s at a million.
        DiskFull, Denied and the like leave nothing behind.
        """
        if self._read_only:
            return None
        with snapshots() as transaction:
            self.at(transaction, space, dimensions, 0)
        if not self._is_due(space):
            return None
        with typed_errors(f"sealing vectors in {self._folder}"), alone(self._folder) as mine:
            if not mine:
                return None
            with snapshots() as transaction:  # someone may have made it while we came here
                self.at(transaction, space, dimensions, 0)
            if not self._is_due(space):
                return None
            return seal(self._folder, snapshots, space, dimensions, codes=_Codes(padded(dimensions)), progress=progress)

    def _is_due(self, space: bytes) -> bool:
        loaded = self._loaded.get(space)
        if loaded is None:
            return False
        sealed = 0 if loaded.sealed is None else len(loaded.sealed.generation.ids)
        return loaded.rows() >= max(self._seal_from, sealed // 20) or 10 * len(loaded.dead) > sealed > 0

    def drop(self, space: bytes) -> None:
        """Remove the files of a space that nobody searches any more."""
        with self._lock:
            self._loaded.pop(space, None)
        with typed_errors(f"removing vectors in {self._folder}"):
            for path in generations_of(self._folder, space):
                path.unlink(missing_ok=True)

    def close(self) -> None:
        """Let go of everything. It can be used again, from the start."""
        with self._lock:
            self._loaded.clear()


def erase_forgotten(snapshots: Snapshots, folder: Path) -> int:
    """On return no file of nearest vectors of the store in `folder` holds what was forgotten; how many files went.

    Call it after the commit that forgets, and again by whoever finishes what is owed. Busy if others hold the files.
    """

    def erased(manifest: Manifest) -> set[int] | None:
        with snapshots() as transaction:
            if is_foreign(transaction, manifest):
                return None
            return erased_between(transaction, manifest.size, latest_head(transaction)[0])

    return erase_where(folder, erased)


# -- faiss -----------------------------------------------------------------------------------------------------------


class _Selected(NamedTuple):
    """A mask, its bits, and what holds their address alone: all three live as long as it is used."""

    mask: Array
    bits: Array
    selector: Any


class _Scanners:
    """What faiss scans half floats with, for one width.

    A scanner keeps the query, so each is used by one thread at a time; made ones are kept, since faiss does not free
    what its Python side is handed.
    """

    def __init__(self, width: int) -> None:
        import faiss  # noqa: PLC0415 - loaded by who searches

        self._metric = faiss.METRIC_INNER_PRODUCT
        self._quantizer: Any = faiss.ScalarQuantizer(width, faiss.ScalarQuantizer.QT_fp16)
        self._coarse = faiss.IndexFlat(width, self._metric)
        self._all = faiss.IDSelectorAll()
        self._idle: tuple[deque[Any], deque[Any]] = (deque(), deque())
        self._last: _Selected | None = None

    def selected(self, mask: Array) -> _Selected:
        """A mask as faiss asks for it. The last one is kept, if nobody can write to it: many searches share it."""
        import faiss  # noqa: PLC0415
        import numpy as np  # noqa: PLC0415

        mask = np.asarray(mask, np.bool_)
        last = self._last
        if last is not None and last.mask is mask:
            return last
        bits = np.packbits(mask, bitorder="little")
        made = _Selected(mask, bits, faiss.IDSelectorBitmap(len(bits), faiss.swig_ptr(bits)))
        if not mask.flags.writeable and mask.base is None:
            self._last = made
        return made

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


def scan(vectors: Array, ids: Array, whole: Array, k: int, mask: Array | None) -> tuple[Array, Array]:
    """The k best of the rows whose ids the mask has, unordered: their ids and their inner products with the query."""
    import faiss  # noqa: PLC0415
    import numpy as np  # noqa: PLC0415

    width = vectors.shape[1]
    k = min(k, len(ids))
    scores, found = np.empty(k, np.float32), np.empty(k, np.int64)
    scores.fill(-np.inf)
    found.fill(-1)
    if not k or (mask is not None and not len(mask)):
        return found[:0], scores[:0]
    halves = np.ascontiguousarray(vectors, np.float16)
    ids = np.ascontiguousarray(ids, np.int64)
    known = _scanners.get(width) or _scanners.setdefault(width, _Scanners(width))
    scanner = known.take(selecting=mask is not None)
    selected = None if mask is None else known.selected(mask)  # alive until the end: the scanner has its address
    if selected is not None:
        scanner.sel = selected.selector
    scanner.set_query(faiss.swig_ptr(whole))
    scanner.set_list(0, 0.0)
    addresses = (faiss.swig_ptr(array) for array in (halves.view(np.uint8), ids, scores, found))
    scanner.scan_codes(len(ids), *addresses, k)
    known.give_back(scanner, selecting=mask is not None)
    hit = found >= 0
    return (found, scores) if np.count_nonzero(hit) == k else (found[hit], scores[hit])


class _Codes:
    """Vectors compressed to half a byte for every two numbers, in the order in which faiss scans them fastest."""

    def __init__(self, width: int, index: Any = None) -> None:  # noqa: ANN401
        import faiss  # noqa: PLC0415

        self._index = index or faiss.IndexPQFastScan(width, width // 2, 4, faiss.METRIC_INNER_PRODUCT)

    def train(self, rows: Array) -> None:
        """Learn from some rows of floats, at least one, how to compress all."""
        import numpy as np  # noqa: PLC0415

        # faiss refuses to find more centroids than there are rows: fewer rows are repeated until there are enough.
        enough = max(len(rows), self._index.pq.ksub)
        self._index.pq.cp.min_points_per_centroid = 1  # else faiss complains, on standard error
        self._index.train(np.resize(rows, (enough, rows.shape[1])))

    def add(self, rows: Array) -> None:
        """Compress more rows."""
        self._index.add(rows)

    def choose(self, whole: Array, k: int) -> Array:
        """The places of the k rows that seem best, best first."""
        _, (places,) = self._index.search(whole[None], min(k, self._index.ntotal))
        chosen: Array = places[places >= 0]
        return chosen

    def recall(self, vectors: Array, queries: Array) -> float:
        """Which share of the nearest of these queries is found by way of the codes."""
        import numpy as np  # noqa: PLC0415

        places = np.arange(len(vectors))
        shares = []
        for query in queries:
            exact = np.sort(scan(vectors, places, query, _TRIED, None)[1])
            chosen = np.sort(self.choose(query, _LEAST))
            _, scores = scan(vectors[chosen], chosen, query, _TRIED, None)
            shares.append(float((scores >= exact[0] - 1e-5).sum()) / len(exact))
        return min(1.0, sum(shares) / len(shares))

    def dump(self) -> bytes:
        """All of it."""
        import faiss  # noqa: PLC0415

        return bytes(faiss.serialize_index(self._index))


def _load(data: bytearray, rows: int, width: int) -> _Codes:
    """The codes of a generation (digest checked); BadGeneration if they do not fit it or faiss cannot read them."""
    import faiss  # noqa: PLC0415
    import numpy as np  # noqa: PLC0415

    try:
        index = faiss.deserialize_index(np.frombuffer(data, np.uint8))
    except (RuntimeError, MemoryError):
        raise BadGeneration("its codes are of another version of faiss") from None
    if not isinstance(index, faiss.IndexPQFastScan) or (index.ntotal, index.d) != (rows, width):
        raise BadGeneration("its codes do not fit it")
    return _Codes(width, index)
