"""Vectors follow the log: what has none yet is embedded, window by window, in the background or at a call.

1. Embedding happens outside every transaction; what it made is written in one short transaction for each window, which
   also says how far it got. So a kill at any point costs a window, and nobody waits for the model. Windows grow and
   shrink with the speed of the machine: whoever interrupts a slow one loses seconds, not minutes.
2. Under the write lock it is looked again: what was forgotten meanwhile gets no vectors; if someone else was faster, or
   another model is in force by now, the window is dropped.
3. One process at a time embeds for a store, by a lock on a file in its folder.
4. The objectives of past sessions and trainings are embedded in the same way, when all versions are.
5. The first vectors bring the entry that names their model. Another model fills its space beside the old one, which is
   erased in portions when the new one has got as far.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from substrate.codec import Draft
from substrate.embed.background import IDLE_S, Background, Stopped
from substrate.embed.load import State, load
from substrate.embed.pending import WINDOW, Window, is_behind, next_window, waiting
from substrate.embed.query import Models
from substrate.errors import Busy, Denied, ModelUnavailable, RolledBack, SubstrateError
from substrate.files import open_lock, try_lock
from substrate.kv.api import ReadTransaction
from substrate.limits import LIMITS, check_limit
from substrate.log.append import Decision
from substrate.log.heads import require_head
from substrate.log.log import Log
from substrate.log.tables import EMBEDDED, VECTORS, seq_key
from substrate.messages import Verb
from substrate.values.embedding import Embedding, Indexed
from substrate.values.progress import Progress
from substrate.views.learned.objectives import keep_objectives, pending_objectives
from substrate.views.models import Model, abandoned_spaces, draft_model, model_in_force, model_searched
from substrate.views.nearest.index import NearestIndex
from substrate.views.vectors import embedded_upto, keep_vectors

if TYPE_CHECKING:
    from substrate.embed.embedder import Embedder

__all__ = ["Follower"]

_log = logging.getLogger(__name__)

_PORTION: Final = 5_000
"""Rows of an old space that are looked at, and erased, in one transaction."""
_OBJECTIVES: Final = 64
"""Objectives that are embedded and written together."""
_FEW: Final = 64
"""Texts that a model embeds in well under a second."""
_WINDOW_S: Final = 3.0
"""How long a window should take. A window that took longer is followed by a smaller one."""
_GROWTH: Final = 4
"""How much larger than the last one a window may be."""
_LOCK: Final = "embed.lock"
_LOCK_POLL_S: Final = 0.2


class Follower:
    """Keeps the vectors of one open memory up to date. Safe to share between threads."""

    def __init__(
        self,
        log: Log,
        models: Models,
        nearest: NearestIndex,
        *,
        read_only: bool = False,
        background: bool = True,
    ) -> None:
        """`background`: whether `wake` does anything; for who only reads it does not."""
        self._background = background and not read_only
        self._read_only = read_only
        self._log = log
        self._models = models
        self._nearest = nearest
        self._working = threading.Lock()
        self._worker = Background("substrate-embed", self._round, at_exit=self.close)
        self._state = ""

    # -- in the background ---------------------------------------------------------------------------------------

    def wake(self) -> None:
        """There may be something to embed. Returns at once; the work begins when it has been quiet for a second."""
        if not self._background or not self._models.wanted:
            return
        self._worker.wake()

    def wait(self, seconds: float) -> None:
        """Return when all that was saved is embedded, when it cannot be, or after so many seconds."""
        until = time.monotonic() + seconds
        works = self._background and self._models.wanted
        while works and (left := until - time.monotonic()) > 0 and self._is_behind():
            if self._worker.run(min(left, IDLE_S)) and (self._state or self._worker.stopping.is_set()):
                break  # it is told why it could not be
        self._worker.unhurry()

    def first_due(self) -> bool:
        """Whether a few texts wait for the first vectors of the store, and these can come. If so, they come at once."""
        if not self._background or not self._models.wanted or (self._worker.has_rested and self._state):
            return False
        with self._log.snapshot() as transaction:
            model = model_searched(transaction)
            if model is not None and embedded_upto(transaction, model.space):
                return False
            left = waiting(transaction, most=_FEW + 1)
        if not 0 < left <= _FEW or self._models.of(model).status.state is State.FAILED:
            return False
        self._worker.wake(hurry=True)
        return True

    def _is_behind(self) -> bool:
        with self._log.snapshot() as transaction:
            return is_behind(transaction)

    def wake_if_behind(self) -> None:
        """As `wake`, if there is something to embed or to erase."""
        if not self._background or not self._models.wanted:
            return
        with self._log.snapshot() as transaction:
            behind = is_behind(transaction) or abandoned_spaces(transaction) or _aims_wait(transaction)
        if behind:
            self.wake()

    def close(self) -> None:
        """End the work, within a batch of texts or one short write, and wait for that."""
        self._worker.stop()
        self._models.close()
        self._worker.close()

    def _round(self) -> None:
        try:
            self._catch_up(self._state_of_progress)
        except Stopped:
            raise
        except Busy:
            self._worker.wake()  # someone else writes for long; we have time
        except (ModelUnavailable, RolledBack) as error:
            self._state = str(error)
        except SubstrateError as error:  # a full disk, say: it is tried again with the next save, or search
            self._state = f"{error.code}: {error}"
            _log.warning("vectors are behind: %s", error)
        except Exception as error:  # noqa: BLE001 - the thread's word, which must not be lost
            self._state = f"{type(error).__name__}: {error}"
            _log.exception("vectors are behind")

    def _state_of_progress(self, done: int, total: int) -> None:
        self._state = f"embedding: {done:,} of {total:,} versions"

    # -- at a call -----------------------------------------------------------------------------------------------

    def index(self, progress: Progress | None, limit: int | None = None) -> Indexed:
        """See `Memory.index`."""
        if limit is not None:
            check_limit(limit, most=LIMITS["checkpoint_items"])
        self._check_writable()
        if not self._models.wanted:
            raise ModelUnavailable("the model is set to none: search uses words, and nothing is embedded")
        self._models.retry()
        try:
            return self._catch_up(progress, limit)
        except Stopped:
            raise ModelUnavailable(
                "the memory was closed while it was indexed; ", Verb("index"), " goes on where it was"
            ) from None

    def use(self, spec: str | Path) -> Embedding:
        """See `Memory.use_model`."""
        self._check_writable()
        embedder = load(spec, stop=self._worker.stopping)

        def plan(transaction: ReadTransaction, _: int) -> Decision:
            model = model_in_force(transaction)
            return Decision() if model is not None and model.space == embedder.space else Decision([_draft(embedder)])

        self._log.decide(plan)
        self._models.spec = spec
        self.wake()
        return self.status()

    def status(self, most: int | None = None, log: Log | None = None) -> Embedding:
        """See `Memory.model`. `log`: as who asks has it, if that is not all there is."""
        with (log or self._log).snapshot() as transaction:
            model, searched = model_in_force(transaction), model_searched(transaction)
            left = waiting(transaction, most)
            if model is None:
                return Embedding("", "", 0, "", 0, left, state=self._state)
            upto = embedded_upto(transaction, model.space)
        other = "" if searched is None or searched == model else searched.model
        return Embedding(model.model, model.digest, model.dimensions, model.space.hex(), upto, left, other, self._state)

    # -- the work ------------------------------------------------------------------------------------------------

    def _catch_up(self, progress: Progress | None, limit: int | None = None) -> Indexed:
        """On return all that was there has its vectors, or `limit` versions more. Stopped if it is closed meanwhile.

        What comes meanwhile is left to the next round: else a burst of saves is embedded and written one by one, which
        takes more than twice the CPU of a window. RolledBack if the store is behind: it stays as it is, and is searched
        by the vectors that it has.
        """
        versions = pieces = done = 0
        size = min(_FEW, WINDOW)
        self._log.check_current()
        with self._working, self._alone():
            with self._log.snapshot() as transaction:
                model = model_in_force(transaction)
                behind = is_behind(transaction) or model_searched(transaction) != model or _aims_wait(transaction)
                upto = end = require_head(transaction).head.size
            embedder = self._embedder(model) if behind else None
            total = 0
            if embedder is not None and progress is not None:
                with self._log.snapshot() as transaction:
                    total = waiting(transaction)
            while embedder is not None and done < end and (limit is None or versions < limit):
                with self._log.snapshot() as transaction:
                    model = model_in_force(transaction)
                    window = next_window(
                        transaction, embedder.space, size if limit is None else min(size, limit - versions)
                    )
                if model is not None and model.digest != embedder.digest:  # someone chose another one
                    embedder = self._embedder(model)
                    continue
                if window is None:
                    break
                began = time.monotonic()
                made = self._embed(embedder, window, versions, total, progress)
                if made:
                    size = _next_size(len(made), time.monotonic() - began)
                if self._keep(embedder, window, made):
                    versions += len(made)
                    pieces += sum(len(row) for row in made.values()) // (2 * embedder.dimensions)
                    done = window.stop  # not else: another model may be in force by now
                upto = window.stop
                if progress is not None:
                    progress(versions, max(total, versions))
            if embedder is not None:
                self._embed_objectives(embedder)
            self._clean()
            self._seal(progress)
            self._state = ""
        name = embedder.model if embedder is not None else model.model if model is not None else ""
        return Indexed(versions, pieces, name, upto)

    def _embedder(self, model: Model | None) -> Embedder:
        loading = self._models.of(model)
        while (embedder := loading.wait(_LOCK_POLL_S)) is None:
            self._state = str(loading.status)
            self._worker.check()
        return embedder

    def _embed(
        self, embedder: Embedder, window: Window, before: int, total: int, progress: Progress | None
    ) -> dict[int, bytes]:
        """The vectors of a window. `progress` hears of each batch but the last: a window may take ten seconds."""
        here = len(window.texts)

        def tell(done: int, pieces: int) -> None:
            self._worker.check()
            if progress is not None and done < pieces:
                progress(before + here * done // pieces, max(total, before + here))

        vectors = embedder.embed_pieces(list(window.texts.values()), tell)
        rows = (piece.astype("<f2").tobytes() for piece in vectors)
        return dict(zip(window.texts, rows, strict=True))

    def _keep(self, embedder: Embedder, window: Window, made: dict[int, bytes]) -> bool:
        """Write a window down; False if it is not wanted any more."""
        kept = False

        def plan(transaction: ReadTransaction, _: int) -> Decision:
            nonlocal kept
            model = model_in_force(transaction)
            if embedded_upto(transaction, embedder.space) != window.start:
                return Decision()
            if model is not None and model.digest != embedder.digest:
                return Decision()
            kept = True
            rows = list(keep_vectors(transaction, embedder.space, made, window.stop))
            # The same model in another space: texts are cut by another rule than they were.
            named = model is not None and model.space == embedder.space
            return Decision(() if named else [_draft(embedder)], rows)

        self._worker.check()
        self._log.decide(plan)
        return kept

    def _embed_objectives(self, embedder: Embedder) -> None:
        """What past sessions and trainings were for, so that the next one's objective is compared with it."""
        while True:
            with self._log.snapshot() as transaction:
                pending = pending_objectives(transaction, embedder.space, _OBJECTIVES)
            if pending is None:
                return
            vectors = {}
            for trace, text in pending.texts.items():
                self._worker.check()
                vectors[trace] = embedder.embed_query(text).astype("<f2").tobytes()
            keep = partial(keep_objectives, space=embedder.space, pending=pending, vectors=vectors)
            self._log.decide(lambda transaction, _, keep=keep: Decision((), list(keep(transaction))))  # type: ignore[misc]

    def _clean(self) -> None:
        """Erase what is left of spaces that nobody searches any more."""
        while True:
            with self._log.snapshot() as transaction:
                spaces = abandoned_spaces(transaction)
            if not spaces:
                return
            self._nearest.drop(spaces[0])
            after: bytes | None = b""
            while after is not None:
                self._worker.check()
                after = self._clean_some(spaces[0], after)

    def _clean_some(self, space: bytes, after: bytes) -> bytes | None:
        """Erase some rows of a space; where to go on, None if there is nothing more to do."""
        last: bytes | None = None

        def plan(transaction: ReadTransaction, _: int) -> Decision:
            nonlocal last
            last = None
            if space not in abandoned_spaces(transaction):  # it was chosen again
                return Decision()
            rows: list[tuple[str, bytes, bytes | None]] = []
            for seen, (key, _row) in enumerate(transaction.scan(VECTORS, after)):
                if seen >= _PORTION:
                    last = key
                    break
                if key[8:] == space:
                    rows.append((VECTORS, key, None))
            # From the first portion on it is known to be incomplete, and at the last its row goes too.
            rows.append((EMBEDDED, space, None if last is None else seq_key(0)))
            return Decision((), rows)

        self._log.decide(plan)
        return last

    def _seal(self, progress: Progress | None) -> None:
        """Make a file of nearest vectors, if there are so many that it is worth it."""
        with self._log.snapshot() as transaction:
            model = model_searched(transaction)
        if model is not None:
            self._nearest.seal(self._log.snapshot, model.space, model.dimensions, self._stoppable(progress))

    def _stoppable(self, progress: Progress | None) -> Progress:
        """Tell of progress, and end the work there if the memory is closed."""

        def tell(done: int, total: int) -> None:
            self._worker.check()
            if progress is not None:
                progress(done, total)

        return tell

    def _check_writable(self) -> None:
        if self._read_only:
            raise Denied("the store is open for reading only: to embed, open it for writing")

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """While the block runs no other process embeds for this store."""
        path = self._log.cache / _LOCK
        with ExitStack() as held:
            try:
                lock = held.enter_context(open_lock(path))
            except OSError as error:
                raise Denied(f"{path} cannot be written: {error.strerror}; vectors need a store that can be") from None
            while not try_lock(lock):
                self._state = "another process embeds"
                if self._worker.stopping.wait(_LOCK_POLL_S):
                    raise Stopped
            self._worker.check()
            yield


def _aims_wait(transaction: ReadTransaction) -> bool:
    """Whether a session or training has ended since past objectives were last embedded."""
    model = model_in_force(transaction)
    return model is not None and pending_objectives(transaction, model.space, 1) is not None


def _next_size(made: int, seconds: float) -> int:
    """How many versions the next window may have, after one with so many that took so long."""
    fitting = made * min(_GROWTH, _WINDOW_S / max(seconds, 1e-3))
    return max(1, min(WINDOW, int(fitting)))


def _draft(embedder: Embedder) -> Draft:
    return draft_model(embedder.model, embedder.digest, embedder.dimensions, embedder.space)
