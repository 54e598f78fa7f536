"""The log of a server: standard error, never more of it than someone can read, and nothing of what is stored.

1. Whatever a client does, and however often, one place in the code says so ten times a minute at most. The tenth says
   that no more follow; the first after that minute says how many were left out.
2. Of an error that nobody foresaw it is logged where it came up, and not what it says, which may be what is stored.
"""

from __future__ import annotations

import logging
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Final

__all__ = ["Sparing", "log_fault", "log_sparingly"]

_log = logging.getLogger(__name__)
_FRAMES: Final = 6
_MOST: Final = 10
_WITHIN_S: Final = 60.0
_CHARACTERS: Final = 1000
"""Of a message: it may quote what a client has sent."""


def log_sparingly(form: str) -> None:
    """Warnings and worse go to standard error, in this form; unless this process has a log of its own already."""
    handler = logging.StreamHandler()
    handler.addFilter(Sparing())
    logging.basicConfig(level=logging.WARNING, format=form, handlers=[handler])


def log_fault(what: str, error: BaseException) -> None:
    """Say in the log that `what` failed, by which kind of error, and at which lines."""
    frames = [f"{Path(frame.filename).name}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)]
    _log.error("%s failed: %s at %s", what, type(error).__name__, " > ".join(frames[-_FRAMES:]) or "an unknown place")


class Sparing(logging.Filter):
    """Lets ten lines a minute through from each place in the code, whatever they say. Safe to share between threads."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._guard = threading.Lock()
        self._seen: dict[tuple[str, int], tuple[float, int]] = {}
        """By place: since when, and how many since then."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the line is written; if some are left out, it says so."""
        place, now = (record.pathname, record.lineno), self._clock()
        with self._guard:
            since, count = self._seen.get(place, (now, 0))
            left_out = 0
            if now - since >= _WITHIN_S:
                since, count, left_out = now, 0, max(0, count - _MOST)
            count += 1
            self._seen[place] = since, count
        if count > _MOST:
            return False
        said = record.getMessage()
        if len(said) > _CHARACTERS:
            said = f"{said[:_CHARACTERS]} ... ({len(said):,} characters)"
        if left_out:
            said += f" ({left_out:,} more lines like this one were left out)"
        if count == _MOST:
            said += " (no more lines like this one within this minute)"
        record.msg, record.args = said, None
        return True
