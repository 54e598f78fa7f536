"""The verbs that take care of a store as a whole. `Memory` has them."""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

from substrate.engine.export import export
from substrate.engine.observing import leave_malformed
from substrate.engine.owed import settle
from substrate.engine.progress import Progress
from substrate.engine.stats import stats
from substrate.engine.stores import CACHE_CHECKS
from substrate.log.log import Log
from substrate.model import Stats
from substrate.proof.head import Pin

__all__ = ["Caring"]


class Caring:
    """How an open store is counted, copied and made anew."""

    _log: Log

    def stats(self) -> Stats:
        """How much the store holds. Reads a row for each atom and each edge."""
        return stats(self._log)

    def rebuild(self, progress: Progress | None = None) -> None:
        """Make every table that follows from the log anew, beside the store, and put it in place.

        Others go on reading.
        """
        settle(self._log, lambda: self._log.rebuild(progress, CACHE_CHECKS))
        leave_malformed(self._log)

    def compact(self) -> None:
        """Rewrite the store's file without freed pages: what was erased is gone from it after. Others go on reading."""
        settle(self._log, self._log.compact)

    def export(self, to: str | Path | TextIO, *, full: bool = False, progress: Progress | None = None) -> int:
        """Write the store as JSON Lines; the number of lines. `full`: what a verifiable clone needs, salts included.

        Otherwise: every version and edge statement in order, by name, as `import_lines` and other programs read it.
        A file must not be there yet.
        """
        return export(self._log, to, full=full, progress=progress)

    def backup(self, target: str | Path, progress: Progress | None = None) -> Pin:
        """Copy the store into the new folder `target`, as of one moment, while others write; the pin of that moment.

        The signing key is not in it. `substrate.restore` brings it back.
        """
        return self._log.backup(target, progress)
