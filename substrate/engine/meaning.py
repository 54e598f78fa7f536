"""What an open memory knows of meaning: its models, loaded once and in the background, and the vector of a query."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from substrate.embed.loading import Loading, State
from substrate.kv.api import ReadTransaction
from substrate.log.log import Log
from substrate.settings import load_settings
from substrate.views.models import Model, model_searched
from substrate.views.vectors import embedded_upto

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Meaning", "Models"]

_AGAIN_S: Final = 600.0
"""After which a model that could not be had is looked for again unasked: an export that fails takes half a minute."""
_PATIENCE_S: Final = 3.0
"""How long a query waits for a model that only needs loading. For one that is exported first, nobody waits."""


class Models:
    """The models of one open memory. Safe to share between threads."""

    def __init__(self, spec: str | Path | None = None) -> None:
        """`spec`: a model of the caller's choice, by name or folder, where the store does not name another."""
        self.spec = spec
        self._lock = threading.Lock()
        self._loading: dict[str | None, tuple[Loading, float]] = {}

    @property
    def wanted(self) -> bool:
        """Whether there is to be any model here."""
        given = self.spec if self.spec is not None else load_settings().model
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


class Meaning:
    """The vector of a query, and the space it is in: what search asks for. Safe to share between threads."""

    def __init__(self, log: Log, models: Models) -> None:
        self._log = log
        self._models = models
        self._here = threading.local()

    def embed(self, text: str) -> NDArray[np.float32] | None:
        """The vector of a text, by the model whose space is searched now; None if there is none, or not yet."""
        self._here.space, self._here.why = None, ""
        if not self._models.wanted:
            self._here.why = "no model is wanted here (SUBSTRATE_MODEL is none): found by words alone"
            return None
        with self._log.snapshot() as transaction:
            model = model_searched(transaction)
        if model is None:
            self._here.why = "nothing is embedded yet: found by words alone. index() embeds what there is"
            return None
        loading = self._models.of(model)
        embedder = loading.embedder
        until = time.monotonic() + _PATIENCE_S
        while embedder is None and loading.status.state in {State.ABSENT, State.LOADING} and time.monotonic() < until:
            time.sleep(0.005)
            embedder = loading.embedder
        if embedder is None:
            self._here.why = f"{loading.status}: found by words alone"
            return None
        # The store's space, not the embedder's: by the same model, it may be cut into pieces by an earlier rule.
        self._here.space = model.space, embedder.dimensions
        return embedder.embed_query(text)

    def space(self, transaction: ReadTransaction) -> tuple[bytes, int, int] | None:
        """The space of the vector that this thread was given last, its dimensions, and up to which seq it is complete.

        Not whichever is in force by now: the vector would not be of it.
        """
        space: tuple[bytes, int] | None = getattr(self._here, "space", None)
        if space is None:
            return None
        upto = embedded_upto(transaction, space[0])
        if not upto:
            self._here.why = "nothing is embedded yet by the model in force: found by words alone"
            return None
        return *space, upto

    def why_not(self) -> str:
        """Why this thread was given no vector, and what to do about it; empty if it was given one."""
        return str(getattr(self._here, "why", ""))
