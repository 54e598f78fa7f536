"""What a process has of one space, and how it is searched: the generation in use, and the rows that came after it.

What knows faiss is handed in: `Scan`, which looks at rows of half floats, and how to load `Codes`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

from substrate.errors import StoreDamaged, SubstrateError
from substrate.kv.api import ReadTransaction
from substrate.log.tables import HEADS, seq_key
from substrate.views.follow import Trail, erased_between, latest_head
from substrate.views.nearest.generation import BadGeneration, Generation, Manifest, generations_of, padded, peek
from substrate.views.nearest.rows import Held, each_once, places_of, unit, wide
from substrate.views.vectors import embedded_upto, vectors_between, vectors_of

if TYPE_CHECKING:
    import numpy as np

    Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

__all__ = ["LoadedSpace", "Scan", "Sealed", "View", "is_foreign"]

_PORTION: Final = 10_000
_OVERFETCH: Final = 4
_LEAST: Final = 100
"""Rows that are scored for a search: so many for each that is wanted, and no fewer than this. See decision 9."""
_FLOOR: Final = 0.95
_TRIES: Final = 8
_SEEN_AT: Final = 100
"""A generation of n rows is tried every n/100 searches: that costs a hundredth of what it saves."""
_BLOCK: Final = 16_384
_CODE: Final = 0.04
_CHOICE: Final = 0.5
"""What it takes to look at the code of a row, and to choose one: measured, in terms of a row that is looked at."""
_ROUNDING: Final = 1e-5
_FEWER: Final = 4
"""A mask that leaves out no more rows than a share of those that are wanted is looked at after the scan."""


class Scan(Protocol):
    """Looks at rows."""

    def __call__(self, vectors: Array, ids: Array, whole: Array, k: int, mask: Array | None) -> tuple[Array, Array]:
        """The k best of the rows whose ids the mask has, unordered: their ids and inner products with the query."""


class Chooser(Protocol):
    """Compressed vectors, loaded."""

    def choose(self, whole: Array, k: int) -> Array:
        """The places of the k rows that seem best, best first."""


Load: TypeAlias = Callable[[bytearray, int, int], Chooser]
"""From bytes, how many rows, how wide; BadGeneration if they are something else."""


def is_foreign(transaction: ReadTransaction, manifest: Manifest) -> bool:
    """Whether the generation was not made from the log of this snapshot."""
    note = transaction.get(HEADS, seq_key(manifest.size))
    return note is None or sha256(note).hexdigest() != manifest.head


class LoadedSpace:
    """What this process has of one space."""

    def __init__(  # noqa: PLR0913
        self, folder: Path, space: bytes, dimensions: int, refused: dict[str, str], *, scan: Scan, load: Load
    ) -> None:
        """`refused`: generations that are not to be used, and why; found ones are added."""
        import numpy as np  # noqa: PLC0415 - loaded by who searches

        self.scan, self._load = scan, load

        self.space, self.dimensions, self.width = space, dimensions, padded(dimensions)
        self.held = Held(dimensions, self.width)
        self.upto = 0
        self.sealed: Sealed | None = None
        self.dead: Array = np.empty(0, np.int64)
        """Seqs in the generation that were forgotten after it."""
        self._folder = folder
        self._refused = refused
        self._trail = Trail()
        self._looked = -1

    @property
    def note(self) -> str | None:
        """See `Nearest`."""
        if self.sealed is not None:
            return self.sealed.note
        for name, reason in self._refused.items():
            if name.startswith(self.space.hex()):
                return f"nearest/{name} was refused ({reason}): until it is made anew, every vector is looked at"
        return None

    def rows(self) -> int:
        """How many rows there are that a new generation could hold, and that are in no file now."""
        sealed = self.sealed
        if sealed is None or sealed.generation.path.exists():
            return self.held.count
        return self.held.count + len(sealed.generation.ids)  # it was erased: who comes new has nothing

    def leads_to(self, transaction: ReadTransaction) -> bool:
        """Whether the snapshot can be had from what is here."""
        if not self._trail.leads_to(transaction):
            return False
        # A rebuild throws vectors away: then it is less than it was.
        return not self._trail.is_behind(transaction) or embedded_upto(transaction, self.space) >= self.upto

    def follow(self, transaction: ReadTransaction) -> None:
        """Take in what is new in the snapshot. If this fails, what is here is not to be used any more."""
        seen, size = self._trail.size, latest_head(transaction)[0]
        if size < seen:
            return  # another thread is past it already
        if size > seen:
            self._trail.follow(transaction)
        if size > seen and self.upto:
            self._leave_out(erased_between(transaction, seen, size))
        upto = embedded_upto(transaction, self.space)
        self._adopt(transaction, upto)
        if upto > self.upto:
            new = vectors_between(transaction, self.space, self.upto, upto)
            while portion := list(islice(new, _PORTION)):
                self.held.append(portion)
            self.upto = upto

    def _leave_out(self, erased: set[int]) -> None:
        import numpy as np  # noqa: PLC0415

        if erased:
            self.held.drop(erased)
        if erased and self.sealed is not None:
            ids = self.sealed.generation.ids
            gone = np.array(sorted(erased), np.int64)
            self.dead = np.union1d(self.dead, gone[np.isin(gone, ids)])

    def _adopt(self, transaction: ReadTransaction, embedded: int) -> None:
        """Use the generation that goes furthest, if there is a new one in the folder."""
        import numpy as np  # noqa: PLC0415

        try:
            changed = os.stat(self._folder).st_mtime_ns  # noqa: PTH116 - each search pays for it
        except OSError:
            return
        if changed == self._looked:
            return
        self._looked = changed
        for path in generations_of(self._folder, self.space):
            if path.name in self._refused:
                continue
            if self.sealed is not None and path == self.sealed.generation.path:
                return
            try:
                manifest = peek(path)
                if self.sealed is not None and manifest.upto < self.sealed.generation.manifest.upto:
                    return  # rows between the two would be in neither
                if manifest.size > self._trail.size or manifest.upto > embedded:
                    self._looked = -1  # not for this snapshot, which is older
                    continue
                if is_foreign(transaction, manifest):
                    raise BadGeneration("it is of another log")  # noqa: TRY301
                found = Sealed(path, self.space, self.dimensions, self.scan, self._load)
                if found.generation.manifest != manifest:
                    raise BadGeneration("it was exchanged")  # noqa: TRY301
            except BadGeneration as refused:
                self._refused[path.name] = str(refused)
                continue
            self.sealed, self.dead = found, np.empty(0, np.int64)
            self._leave_out(erased_between(transaction, manifest.size, self._trail.size))
            self.held.drop_before(manifest.upto)
            self.upto = max(self.upto, manifest.upto)
            return


class View:
    """See `Nearest`."""

    def __init__(self, loaded: LoadedSpace, size: int, without: Callable[[Generation, str], View]) -> None:
        """Of versions before `size`. `without`: the same view, without a generation that turned out to be damaged."""
        self.space, self.upto, self.note = loaded.space, min(loaded.upto, size), loaded.note
        self.waiting: Sequence[int] = ()
        self._without, self._size, self._scan = without, size, loaded.scan
        self._dimensions, self._width = loaded.dimensions, loaded.width
        self._ids, self._vectors = loaded.held.before(size)
        self._sealed, self._dead = loaded.sealed, loaded.dead

    def search(self, query: Array, k: int, mask: Array | None = None) -> tuple[Array, Array]:
        """See `Nearest`."""
        import numpy as np  # noqa: PLC0415

        whole = unit(query, self._dimensions, self._width)
        found = _best(self._scan, self._vectors, self._ids, whole, k, mask)
        if self._sealed is None:
            return found
        try:
            sealed = self._sealed.search(whole, k, Allowed(mask, self._dead, self._size))
        except BadGeneration as refused:
            return self._anew(self._sealed, refused).search(query, k, mask)
        if not len(found[0]):
            return sealed
        return each_once(np.concatenate([found[0], sealed[0]]), np.concatenate([found[1], sealed[1]]), k)

    def scores(self, query: Array, seqs: Array) -> Array:
        """See `Nearest`."""
        import numpy as np  # noqa: PLC0415

        whole, seqs = unit(query, self._dimensions, self._width), np.asarray(seqs, np.int64)
        places, pieces = places_of(self._ids, seqs)
        found = _best_of_each(self._scan, self._vectors[places], whole, pieces)
        if self._sealed is None:
            return found
        generation = self._sealed.generation
        there = Allowed(None, self._dead, self._size)(seqs)
        places, pieces = places_of(generation.ids, np.where(there, seqs, -1))
        try:
            return np.fmax(found, _best_of_each(self._scan, generation.rows(places), whole, pieces))
        except BadGeneration as refused:
            return self._anew(self._sealed, refused).scores(query, seqs)

    def stored(self, transaction: ReadTransaction, seqs: Sequence[int]) -> list[bytes | None]:
        """See `Nearest`."""
        return vectors_of(transaction, self.space, seqs)

    def held(self, seqs: Array) -> tuple[Array, Array] | None:
        """See `Nearest`."""
        if self._sealed is not None:
            return None
        places, pieces = places_of(self._ids, seqs)
        # `read_rows` left out what is not finite.
        return wide(self._vectors[places], finite=True)[:, : self._dimensions], pieces

    def _anew(self, sealed: Sealed, refused: BadGeneration) -> View:
        """The same, by the vectors of record."""
        try:
            again = self._without(sealed.generation, str(refused))
        except SubstrateError as error:  # the snapshot is over, say
            name = sealed.generation.path.name
            raise StoreDamaged(f"nearest/{name} is damaged and was refused: search again") from error
        self.note = again.note
        return again


class Allowed:
    """Which versions may be found: those of the mask that were not forgotten, before a size."""

    __slots__ = ("_dead", "_size", "_versions", "mask")

    def __init__(self, mask: Array | None, dead: Array, size: int) -> None:
        import numpy as np  # noqa: PLC0415

        self.mask = None if mask is None else np.asarray(mask, np.bool_)
        self._dead, self._size = dead, size
        self._versions = 0 if self.mask is None else int(np.count_nonzero(self.mask))

    def __call__(self, seqs: Array) -> Array:
        """Whether each may."""
        import numpy as np  # noqa: PLC0415

        allowed: Array = seqs < self._size
        if len(self._dead):
            allowed &= ~np.isin(seqs, self._dead)
        if self.mask is not None:
            allowed &= seqs < len(self.mask)
            allowed[allowed] = self.mask[seqs[allowed]]
        return allowed

    def count(self, ids: Array) -> int:
        """About how many rows may be found."""
        return len(ids) if self.mask is None else min(len(ids), self._versions)

    def places(self, ids: Array) -> Array:
        """The places of the rows that may be found."""
        import numpy as np  # noqa: PLC0415

        if self.mask is not None and 8 * self.count(ids) < len(ids):  # few: look for each, not at all
            seqs = np.flatnonzero(self.mask)
            return places_of(ids, seqs[self(seqs)])[0]
        return np.flatnonzero(self(ids))


class Sealed:
    """A generation in use."""

    def __init__(self, path: Path, space: bytes, dimensions: int, scan: Scan, load: Load) -> None:
        """BadGeneration if it is damaged, or of another space."""
        self.generation = Generation(path)
        manifest = self.generation.manifest
        if manifest.space != space.hex() or manifest.dimensions != dimensions:
            raise BadGeneration("it is of another space")
        self.note: str | None = None
        self._scan = scan
        self._codes = load(self.generation.take_codes(), len(self.generation.ids), padded(dimensions))
        self._searches = 0
        self._tried: list[float] = []
        self._judge(manifest.recall)

    def search(self, whole: Array, k: int, allowed: Allowed) -> tuple[Array, Array]:
        """The k best versions that are allowed, best first. BadGeneration if a row that it looks at is damaged."""
        found = self._chosen(whole, k, allowed) if self.note is None else None
        if found is None:
            return self._exact(whole, k, allowed)
        self._searches += 1
        if self._searches % max(1, len(self.generation.ids) // _SEEN_AT) == 0:
            self._try(whole, k, allowed, found)
        return found

    def _chosen(self, whole: Array, k: int, allowed: Allowed) -> tuple[Array, Array] | None:
        """The same by way of the codes; None if that is no shorter way, or does not lead to enough."""
        ids, rows = self.generation.ids, len(self.generation.ids)
        count = allowed.count(ids)
        wanted = max(_LEAST, _OVERFETCH * k)
        reach = wanted * rows // max(1, count)
        # Codes do not know the mask: the fewer rows it has, the more must be chosen for enough of them to pass.
        if not count or count <= rows * _CODE + reach * _CHOICE:
            return None
        places = self._codes.choose(whole, reach)
        places = places[allowed(ids[places])][:wanted]
        if len(places) < min(wanted // 2, count):
            return None
        places.sort()
        found = each_once(*self._scan(self.generation.rows(places), ids[places], whole, len(places), None), k)
        return found if len(found[0]) >= min(k, count) else None

    def _exact(self, whole: Array, k: int, allowed: Allowed) -> tuple[Array, Array]:
        """The same, by a look at every row that is allowed."""
        import numpy as np  # noqa: PLC0415

        places = allowed.places(self.generation.ids)
        found: tuple[Array, Array] = (np.empty(0, np.int64), np.empty(0, np.float32))
        for at in range(0, len(places), _BLOCK):
            block = places[at : at + _BLOCK]
            best = _best(self._scan, self.generation.rows(block), self.generation.ids[block], whole, k, None)
            found = each_once(np.concatenate([found[0], best[0]]), np.concatenate([found[1], best[1]]), k)
        return found

    def _try(self, whole: Array, k: int, allowed: Allowed, found: tuple[Array, Array]) -> None:
        """Compare what was found with what is there."""
        _, scores = self._exact(whole, k, allowed)
        if len(scores):
            hits = int((found[1] >= scores[-1] - _ROUNDING).sum())
            self._tried = [*self._tried, min(1.0, hits / len(scores))][-_TRIES:]
            if len(self._tried) == _TRIES:
                self._judge(sum(self._tried) / _TRIES)

    def _judge(self, recall: float) -> None:
        if recall < _FLOOR:
            name = self.generation.path.name
            self.note = f"the codes of nearest/{name} find {recall:.0%} of what is nearest: every vector is looked at"


def _best(  # noqa: PLR0913, PLR0917
    scan: Scan, vectors: Array, ids: Array, whole: Array, k: int, mask: Array | None
) -> tuple[Array, Array]:
    """The k best versions, best first, by a look at every row."""
    import numpy as np  # noqa: PLC0415

    wanted, kept = k, None
    if mask is not None and len(ids) and ids[-1] < len(mask):
        left_out = len(ids) - int(np.count_nonzero(mask.take(ids)))
        if left_out * _FEWER <= k:
            # To ask the mask for each row costs a sixth of the scan. So few can be found, and dropped.
            wanted, kept, mask = k + left_out, mask if left_out else None, None
    while True:
        rows, scores = scan(vectors, ids, whole, wanted, mask)
        is_all = len(rows) < wanted
        if kept is not None:
            is_kept = kept.take(rows)
            rows, scores = rows[is_kept], scores[is_kept]
        found = each_once(rows, scores, k)
        if len(found[0]) >= k or is_all:
            return found
        wanted *= 4  # pieces of the same versions took too many places


def _best_of_each(scan: Scan, rows: Array, whole: Array, pieces: Array) -> Array:
    """The best score of each version, whose rows follow each other; nan where it has none."""
    import numpy as np  # noqa: PLC0415

    best = np.full(len(pieces), np.nan, np.float32)
    there = np.flatnonzero(pieces)
    if len(there):
        at, scores = scan(rows, np.arange(len(rows)), whole, len(rows), None)
        dense = np.empty(len(rows), np.float32)
        dense[at] = scores
        best[there] = np.maximum.reduceat(dense, (np.cumsum(pieces) - pieces)[there])
    return best
