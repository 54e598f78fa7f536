"""The models of an open store, loaded once and in the background; and the vector of a query."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from substrate.embed.load import Loading, State
from substrate.embed.pending import waiting
from substrate.errors import ModelUnavailable
from substrate.kv.api import ReadTransaction
from substrate.log.log import Log
from substrate.messages import INDEX, Message
from substrate.settings import load_settings
from substrate.views.models import Model, model_searched
from substrate.views.vectors import SPACE_BYTES, embedded_upto

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Meaning", "Models", "QueryVector"]

_AGAIN_S: Final = 600.0
"""After which a model that could not be had is looked for again unasked: an export that fails takes half a minute."""

_GRACE_S: Final = 0.05
"""How long a query waits in any case: a model that this process has loaded already is there by then."""

_COUNTED: Final = 1_000
"""Versions that wait to be embedded are counted up to here: every search asks."""


class Models:
    """The models of one open memory. Safe to share between threads."""

    def __init__(self, spec: str | Path | None = None) -> None:
        """`spec`: a model of the caller's choice, by name or folder, where the store does not name another."""
        self.spec = spec
        self._otherwise = load_settings().model  # read once: every search asks
        self._lock = threading.Lock()
        self._loading: dict[str | None, tuple[Loading, float]] = {}

    @property
    def wanted(self) -> bool:
        """Whether there is to be any model here."""
        given = self.spec if self.spec is not None else self._otherwise
        return given is None or str(given).lower() != "none"

    def of(self, model: Model | None) -> Loading:
        """The model that a log names, or the one it would begin with, on its way."""
        key = None if model is None else model.digest
        with self._lock:
            known, since = self._loading.get(key, (None, 0.0))
            if known is None or (known.status.state is State.FAILED and time.monotonic() - since > _AGAIN_S):
                named = (None, None) if model is None else (model.digest, model.model)
                known = Loading(self.spec, digest=named[0], named=named[1])
                self._loading[key] = known, time.monotonic()
            return known

    def retry(self) -> None:
        """What could not be had is looked for again, when it is next asked for."""
        with self._lock:
            for key, (known, _) in list(self._loading.items()):
                if known.status.state is State.FAILED:
                    del self._loading[key]

    def close(self) -> None:
        """Let go of all of them; what is being exported is given up."""
        with self._lock:
            loading = [known for known, _ in self._loading.values()]
            self._loading.clear()
        for known in loading:
            known.stop()


class QueryVector(NamedTuple):
    """The vector of a query, and the space that is searched. Without a vector: why, and what to do about it."""

    vector: NDArray[np.float32] | None = None
    space: bytes = bytes(SPACE_BYTES)
    dimensions: int = 0
    why: str = ""
    is_guessed: bool = False
    """Whether the space is that of the last search: then ask `is_searched` in the snapshot that is searched."""


class Meaning:
    """Where search gets the vector of a query from. Safe to share between threads."""

    def __init__(self, log: Log, models: Models) -> None:
        self._log = log
        self._models = models
        self._last: Model | None = None

    def is_searched(self, transaction: ReadTransaction, asked: QueryVector) -> bool:
        """Whether the vector is still by the model whose space is searched. If not, embed it again, without a guess."""
        if not asked.is_guessed:
            return True
        model = model_searched(transaction)
        return model is not None and model.space == asked.space and embedded_upto(transaction, model.space) > 0

    def embed(self, text: str, log: Log, wait_s: float = 0, *, guess: bool = False) -> QueryVector:
        """The vector of a text, by the model whose space is searched now; waits so long for one that is not ready.

        `log`: as who asks has it. What that does not show is not counted among what waits. With `guess`, by the model
        of the last call: that saves a transaction. Mostly it is the same.
        """
        if not self._models.wanted:
            return QueryVector(why="semantic search is off (model = none)")
        last = self._last
        if guess and last is not None:
            return self._embedded(text, last, wait_s)._replace(is_guessed=True)
        with self._log.snapshot() as transaction:
            model = model_searched(transaction)
            upto = 0 if model is None else embedded_upto(transaction, model.space)
        if model is None or not upto:
            with log.snapshot() as transaction:
                left = waiting(transaction, most=_COUNTED)
            to_come = f" ({left:,}{' or more' if left == _COUNTED else ''} to come)" if left else ""
            return QueryVector(why=Message(f"nothing is embedded yet{to_come}; ", INDEX))
        self._last = model
        return self._embedded(text, model, wait_s)

    def _embedded(self, text: str, model: Model, wait_s: float) -> QueryVector:
        loading = self._models.of(model)
        embedder = loading.embedder
        if embedder is None:
            with suppress(ModelUnavailable):  # its status says so
                embedder = loading.wait(max(wait_s, _GRACE_S))
        if embedder is None:
            return QueryVector(None, model.space, why=str(loading.status))
        # The store's space, not the embedder's: by the same model, it may be cut into pieces by an earlier rule.
        return QueryVector(embedder.embed_query(text), model.space, embedder.dimensions)
