"""Errors that nobody foresaw: where they came up is logged, and not what they say, which may be what is stored."""

from __future__ import annotations

import logging
import traceback
from pathlib import Path
from typing import Final

__all__ = ["log_fault"]

_log = logging.getLogger(__name__)
_FRAMES: Final = 6


def log_fault(what: str, error: BaseException) -> None:
    """Say in the log that `what` failed, by which kind of error, and at which lines."""
    frames = [f"{Path(frame.filename).name}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)]
    _log.error("%s failed: %s at %s", what, type(error).__name__, " > ".join(frames[-_FRAMES:]) or "an unknown place")
