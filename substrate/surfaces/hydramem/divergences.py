"""What these tools do otherwise than the original, on purpose. Theirs is its public repository, as read and run."""

from __future__ import annotations

from typing import Final

from substrate.surfaces.surface import Divergence

__all__ = ["DIVERGENCES"]

_TESTS: Final = "tests/surfaces/hydramem"

DIVERGENCES: Final[tuple[Divergence, ...]] = ()
