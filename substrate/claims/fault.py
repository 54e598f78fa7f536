"""What a fault of our own in reading or comparing claims comes to: it is logged, and stops no save.

An error that says what is wrong with the store, or that memory ran out, is not such a fault: it is raised.
"""

from __future__ import annotations

import logging
from typing import Final

from substrate.errors import SubstrateError

__all__ = ["FORESEEN", "log_fault"]

FORESEEN: Final = (SubstrateError, MemoryError)
"""Errors that are raised all the same. What depends on free memory must not decide what a view holds."""

_log = logging.getLogger(__name__)
_logged: Final[set[tuple[str, str]]] = set()


def log_fault(step: str, error: Exception) -> None:
    """Log that a step failed, and where: once in a process for each step and kind of error."""
    kind = (step, type(error).__name__)
    if kind not in _logged:
        _logged.add(kind)
        _log.warning("%s failed (%s): the atom is saved, but its conflicts may be missed", *kind, exc_info=error)
