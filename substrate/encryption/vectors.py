"""The vectors of unlocked atoms: made after unlock, by the model that the store is searched with, and in memory alone.

1. No vector of an encrypted atom is ever written, encrypted or not: `lock` and the end of the process drop them. They
   are made again after the next unlock, in the background; until then search finds these atoms by words, and says how
   many wait (`lag`).
2. They are kept by seq. What was forgotten, or is of a domain that is locked by now, is dropped before the next search.
3. Embedding happens outside of every lock. What it made is dropped if a domain was locked meanwhile.
"""

from __future__ import annotations

import logging
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from substrate.embed.background import Background, Stopped
from substrate.embed.query import Models
from substrate.encryption.unlocked import UnlockedDomains
from substrate.errors import ModelUnavailable, SubstrateError
from substrate.kv.api import ReadTransaction
from substrate.log.log import Log
from substrate.values.progress import Progress
from substrate.views.models import model_searched
from substrate.views.nearest.index import Nearest, NearestIndex

if TYPE_CHECKING:
    from substrate.embed.embedder import Embedder
    from substrate.views.models import Model
    from substrate.views.nearest.in_memory import InMemory

__all__ = ["UnlockedVectors"]

_log = logging.getLogger(__name__)
_WINDOW: Final = 64
"""Texts that are embedded together,"""
_WINDOW_CHARACTERS: Final = 50_000
"""or as many as have so much text: some seconds of one core."""
_POLL_S: Final = 0.2


class _OutdatedError(Exception):
    """A domain was locked: what is being embedded is not wanted."""


class UnlockedVectors:
    """Of one open store: its nearest vectors, with those of unlocked atoms. Safe to share between threads."""

    def __init__(
        self, log: Log, models: Models, nearest: NearestIndex, unlocked: UnlockedDomains, *, background: bool
    ) -> None:
        """`background`: whether `wake` does anything."""
        self._log = log
        self._models = models
        self._nearest = nearest
        self._unlocked = unlocked
        self._background = background
        self._lock = threading.Lock()
        self._working = threading.Lock()
        self._space = b""
        self._rows: dict[int, bytes] = {}
        """By seq; empty of a version that gets no vector."""
        self._seqs: frozenset[int] = frozenset()
        self._waiting: frozenset[int] = frozenset()
        """Those of them that have no row."""
        self._held: InMemory | None = None
        self._era = 0
        self._worker = Background("substrate-embed-unlocked", self._round, at_exit=self.close)

    def at(self, transaction: ReadTransaction, space: bytes, dimensions: int, size: int) -> Nearest:
        """See `NearestIndex.at`. What has no vector yet is embedded from now on."""
        below = self._nearest.at(transaction, space, dimensions, size)
        if not self._unlocked.is_any:
            if self._rows:  # of a domain that was forgotten
                self.clear()
            return below
        from substrate.views.nearest.in_memory import InMemory  # noqa: PLC0415 - only who unlocks needs it

        seqs = self._unlocked.seqs()
        with self._lock:
            self._adjust(space, seqs)
            if self._held is None:
                self._held = InMemory(space, dimensions, self._rows)
            held, waiting = self._held, [seq for seq in self._waiting if seq < size]
        if waiting:
            self.wake()
        return held.over(below, size, waiting)

    def wake(self) -> None:
        """There may be something to embed. Returns at once."""
        if not self._background or not self._models.wanted:
            return
        self._worker.wake()

    def wait(self, seconds: float) -> None:
        """Return when all that is unlocked is embedded, when it cannot be, or after so many seconds."""
        until = time.monotonic() + seconds
        if self._background and self._models.wanted and self._unlocked.is_any:
            for _ in range(2):  # a round that has begun may have looked before what was just saved
                self._worker.run(max(0.0, until - time.monotonic()))
            self._worker.unhurry()

    def catch_up(self) -> None:
        """On return every unlocked version has its vectors. ModelUnavailable."""
        with self._working, suppress(Stopped):
            while self._unlocked.is_any:
                self._worker.check()
                with self._log.snapshot() as transaction:
                    model = model_searched(transaction)
                    self._unlocked.cover(transaction)  # what was saved since the last read is decrypted too
                if model is None or not self._embed_some(model):
                    return

    def clear(self) -> None:
        """Drop all of them: a domain was locked."""
        with self._lock:
            self._put({}, frozenset())
            self._era += 1

    def close(self) -> None:
        """End the work, within a batch of texts, and wait for that."""
        self._worker.close()
        self.clear()

    def _round(self) -> None:
        try:
            self.catch_up()
        except ModelUnavailable:
            pass  # who searches is told why
        except SubstrateError as error:
            _log.warning("vectors of unlocked atoms are behind: %s", error)
        except Exception:  # noqa: BLE001 - the thread's word, which must not be lost
            _log.exception("vectors of unlocked atoms are behind")

    def _embed_some(self, model: Model) -> bool:
        """Embed some of those that wait; whether there were any."""
        seqs = self._unlocked.seqs()
        with self._lock:
            self._adjust(model.space, seqs)
            chosen, era = sorted(self._waiting, reverse=True)[:_WINDOW], self._era  # what was saved last comes first
        texts = _some(self._unlocked.texts(chosen))
        if not texts:
            return False
        wanted = {seq: text for seq, text in texts.items() if text is not None}
        made = dict.fromkeys(texts, b"")
        if wanted:
            try:
                vectors = self._embedder(model).embed_pieces(list(wanted.values()), self._stoppable(era))
            except _OutdatedError:
                return True
            made |= {seq: piece.astype("<f2").tobytes() for seq, piece in zip(wanted, vectors, strict=True)}
        with self._lock:
            if (self._era, self._space) == (era, model.space):  # and only what was not forgotten meanwhile
                kept = {seq: row for seq, row in made.items() if seq in self._seqs}
                self._put({**self._rows, **kept}, self._seqs)
        return True

    def _stoppable(self, era: int) -> Progress:
        """End the work after a batch, if the memory is closed or a domain was locked."""

        def tell(_done: int, _pieces: int) -> None:
            self._worker.check()
            if self._era != era:
                raise _OutdatedError

        return tell

    def _embedder(self, model: Model) -> Embedder:
        loading = self._models.of(model)
        while (embedder := loading.wait(_POLL_S)) is None:
            self._worker.check()
        return embedder

    def _adjust(self, space: bytes, seqs: frozenset[int]) -> None:
        """Keep what is of this space, and of versions that are unlocked. Under the lock."""
        if space != self._space:
            self._space = space
            self._put({}, seqs)
        elif seqs is not self._seqs:
            gone = self._rows.keys() - seqs
            self._put({seq: row for seq, row in self._rows.items() if seq not in gone} if gone else self._rows, seqs)

    def _put(self, rows: dict[int, bytes], seqs: frozenset[int]) -> None:
        """Under the lock."""
        if rows is not self._rows:
            self._rows, self._held = rows, None
        self._seqs, self._waiting = seqs, seqs - rows.keys()


def _some(texts: dict[int, str | None]) -> dict[int, str | None]:
    """The first of them: one, and as many more as a window holds."""
    some: dict[int, str | None] = {}
    characters = 0
    for seq, text in texts.items():
        if characters >= _WINDOW_CHARACTERS:
            break
        some[seq] = text
        characters += len(text or "")
    return some
