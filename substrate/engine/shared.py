"""What all clients of one open store share: one copy of it in memory, made when the first of them needs it."""

from __future__ import annotations

import threading
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from substrate.engine.embedding import Follower
from substrate.engine.meaning import Meaning, Models
from substrate.engine.recording import Recorder
from substrate.log.log import Log
from substrate.views.nearest import NearestIndex

if TYPE_CHECKING:
    from substrate.engine.associate import Associator
    from substrate.engine.search import Searcher
    from substrate.search.columns import Columns

__all__ = ["Shared"]


class Shared:
    """Safe to share between threads."""

    def __init__(self, log: Log, *, model: str | Path | None, read_only: bool, background: bool) -> None:
        self._log = log
        self.models = Models(model)
        self.nearest = NearestIndex(log.path, read_only=read_only)
        self.follower = Follower(log, self.models, self.nearest, read_only=read_only, background=background)
        self._making = threading.RLock()
        self._guard = threading.Lock()
        self._recorders: list[Recorder] = []

    # -- what finds: it loads numpy, so it is made when it is needed ------------------------------------------------

    @property
    def searcher(self) -> Searcher:
        """What searching keeps between calls."""
        with self._making:
            return self._searcher

    @property
    def associator(self) -> Associator:
        """What associating keeps between calls."""
        with self._making:
            return self._associator

    @cached_property
    def _searcher(self) -> Searcher:
        from substrate.engine.search import Searcher  # noqa: PLC0415 - loads numpy

        return Searcher(self._log, Meaning(self._log, self.models), self.nearest, self._columns)

    @cached_property
    def _associator(self) -> Associator:
        from substrate.engine.associate import Associator  # noqa: PLC0415 - loads numpy

        return Associator(self._log, self.models, self.nearest, self._columns)

    @cached_property
    def _columns(self) -> Columns:
        from substrate.search.columns import Columns  # noqa: PLC0415 - loads numpy

        return Columns()

    # -- what records: each client has its own, and all are ended before the store is closed ------------------------

    def add(self, recorder: Recorder) -> Recorder:
        """From now on this one is written down and closed with the others."""
        with self._guard:
            self._recorders.append(recorder)
        return recorder

    def drop(self, recorder: Recorder) -> None:
        """End the sessions of one client; the others go on."""
        recorder.close()
        with self._guard:
            self._recorders = [other for other in self._recorders if other is not recorder]

    def write_down(self) -> None:
        """Write down what was accessed so far, by whichever client."""
        with self._guard:
            recorders = list(self._recorders)
        for recorder in recorders:
            recorder.flush()

    def stop_recording(self) -> None:
        """End the sessions of all clients: those who came last first, the memory that was opened last of all."""
        with self._guard:
            recorders, self._recorders = self._recorders[::-1], []
        for recorder in recorders:
            recorder.close()

    def close(self) -> None:
        """End what goes on in the background, and let go of files."""
        self.follower.close()
        self.nearest.close()
