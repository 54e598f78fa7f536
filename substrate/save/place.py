"""Where this process is when it records something, if someone knows: in which notebook, which cell, which execution."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Final, TypeAlias

__all__ = ["Place", "accesses", "note_access", "place", "recorded_by"]

Place: TypeAlias = Mapping[str, str | int]
"""The notebook's path, the cell's id, the number of the execution: what of it is known."""

_log = logging.getLogger(__name__)
_asked: Callable[[], Place | None] | None = None
_failed: Callable[[], Place | None] | None = None
"""The source that failed last: that is said once, not with everything that is recorded."""


def recorded_by(source: Callable[[], Place | None] | None) -> None:
    """From now on `source` says where this process is; None: nobody does."""
    global _asked  # noqa: PLW0603 - a process is in one notebook
    _asked = source


def place() -> Place | None:
    """Where this process is, if that is in a notebook. A source that fails does not know: that is logged once."""
    global _failed  # noqa: PLW0603 - as above
    asked = _asked
    if asked is None:
        return None
    try:
        return asked()
    except Exception:  # noqa: BLE001 - whatever it is: to be saved matters more than where
        if _failed is not asked:
            _failed = asked
            _log.warning("where in a notebook this is cannot be told: what is recorded will not say", exc_info=True)
        return None


_LISTS: Final[ContextVar[tuple[tuple[Path, list[str]], ...]]] = ContextVar("substrate_accesses", default=())


@contextmanager
def accesses(store: Path) -> Iterator[list[str]]:
    """The names of the atoms that this caller accesses in the block, in order, each as often as it does."""
    names: list[str] = []
    _LISTS.set((*_LISTS.get(), (store, names)))
    try:
        yield names
    finally:  # by its own list: blocks of different callers need not end in the order in which they began
        _LISTS.set(tuple(pair for pair in _LISTS.get() if pair[1] is not names))


def note_access(store: Path, name: str) -> None:
    """An atom of this store was accessed."""
    for path, names in _LISTS.get():
        if path == store:
            names.append(name)
