"""All tools, in the order of the document."""

from __future__ import annotations

from typing import Final

from substrate.surfaces.cortexgraph.graph import READ_GRAPH
from substrate.surfaces.cortexgraph.notes import OPEN_MEMORIES, SAVE_MEMORY, SEARCH_MEMORY, SEARCH_UNIFIED
from substrate.surfaces.cortexgraph.upkeep import GC, PROMOTE_MEMORY, TOUCH_MEMORY

__all__ = ["TOOLS"]

TOOLS: Final = (
    SAVE_MEMORY,
    SEARCH_MEMORY,
    SEARCH_UNIFIED,
    TOUCH_MEMORY,
    OPEN_MEMORIES,
    READ_GRAPH,
    GC,
    PROMOTE_MEMORY,
)
