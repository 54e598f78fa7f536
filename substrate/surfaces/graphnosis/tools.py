"""The six tools of this surface, as a list."""

from __future__ import annotations

from typing import Final

from substrate.surfaces.graphnosis.corrections import APPLY, CORRECT
from substrate.surfaces.graphnosis.forget import FORGET
from substrate.surfaces.graphnosis.recall import RECALL, STATS
from substrate.surfaces.graphnosis.remember import REMEMBER

__all__ = ["TOOLS"]

TOOLS: Final = (RECALL, REMEMBER, CORRECT, APPLY, FORGET, STATS)
