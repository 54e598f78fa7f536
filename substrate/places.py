"""Where this process is when it records something, if someone knows: in which notebook, which cell, which execution."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

__all__ = ["Place", "place", "recorded_by"]

Place: TypeAlias = Mapping[str, str | int]
"""The notebook's path, the cell's id, the number of the execution: what of it is known."""

_asked: Callable[[], Place | None] | None = None


def recorded_by(source: Callable[[], Place | None] | None) -> None:
    """From now on `source` says where this process is; None: nobody does."""
    global _asked  # noqa: PLW0603 - a process is in one notebook
    _asked = source


def place() -> Place | None:
    """Where this process is, if that is in a notebook."""
    return None if _asked is None else _asked()
