"""What these tools do otherwise than the original, on purpose. Theirs is its public repository, as read and run."""

from __future__ import annotations

from typing import Final

from substrate.surfaces.surface import Divergence

__all__ = ["DIVERGENCES"]

_NOTES: Final = "tests/surfaces/cortexgraph/test_notes.py::"
_UPKEEP: Final = "tests/surfaces/cortexgraph/test_upkeep.py::"

DIVERGENCES: Final[tuple[Divergence, ...]] = ()
