"""How long work tells how far it has got."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

__all__ = ["Progress"]

Progress: TypeAlias = Callable[[int, int], None]
"""Called with (done, total), now and then, from the thread that works."""
