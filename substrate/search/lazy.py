"""What search keeps for one open store, loaded when it is first needed: it brings numpy."""

from __future__ import annotations

import threading
from functools import cached_property
from typing import TYPE_CHECKING

from substrate.embed.query import Meaning
from substrate.log.log import Log
from substrate.views.nearest.index import Spaces

if TYPE_CHECKING:
    from substrate.search.columns.documents import Columns
    from substrate.search.columns.members import DomainMasks
    from substrate.search.index import SearchIndex
    from substrate.search.objective import Match

__all__ = ["LazySearch"]


class LazySearch:
    """Safe to share between threads."""

    def __init__(self, meaning: Meaning, nearest: Spaces) -> None:
        self._meaning = meaning
        self._nearest = nearest
        self._making = threading.RLock()

    @property
    def columns(self) -> Columns:
        """Every version of the log, in memory."""
        with self._making:
            return self._columns

    @property
    def domains(self) -> DomainMasks:
        """Who belongs to which domain, in memory."""
        with self._making:
            return self._domains

    @property
    def index(self) -> SearchIndex:
        """What searching keeps between calls."""
        with self._making:
            return self._index

    def match(self, objective: str, log: Log, wait_s: float = 0) -> Match:
        """An objective, prepared: to embed it may take a moment, so that is done outside of any transaction.

        `log`: as who asks has it.
        """
        from substrate.search.objective import Match  # noqa: PLC0415 - loads numpy

        return Match(self.index, self.index.objective(objective, log, wait_s))

    @cached_property
    def _columns(self) -> Columns:
        from substrate.search.columns.documents import Columns  # noqa: PLC0415 - loads numpy

        return Columns()

    @cached_property
    def _domains(self) -> DomainMasks:
        from substrate.search.columns.members import DomainMasks  # noqa: PLC0415 - loads numpy

        return DomainMasks()

    @cached_property
    def _index(self) -> SearchIndex:
        from substrate.search.index import SearchIndex  # noqa: PLC0415 - loads numpy

        return SearchIndex(self._meaning, self._nearest, self._columns, self._domains)
