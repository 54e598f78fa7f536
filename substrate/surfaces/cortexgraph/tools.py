"""All tools, in the order of the document."""

from __future__ import annotations

from typing import Final

from substrate.surfaces.cortexgraph.analysis import ANALYZE_FOR_RECALL, ANALYZE_MESSAGE, AUTO_RECALL
from substrate.surfaces.cortexgraph.graph import READ_GRAPH
from substrate.surfaces.cortexgraph.groups import CLUSTER_MEMORIES, CONSOLIDATE_MEMORIES, CREATE_RELATION
from substrate.surfaces.cortexgraph.notes import OPEN_MEMORIES, SAVE_MEMORY, SEARCH_MEMORY, SEARCH_UNIFIED
from substrate.surfaces.cortexgraph.service import (
    BACKFILL_EMBEDDINGS,
    GET_PERFORMANCE_METRICS,
    RESET_PERFORMANCE_METRICS,
)
from substrate.surfaces.cortexgraph.upkeep import GC, PROMOTE_MEMORY, TOUCH_MEMORY

__all__ = ["TOOLS"]

TOOLS: Final = (
    SAVE_MEMORY,
    SEARCH_MEMORY,
    SEARCH_UNIFIED,
    TOUCH_MEMORY,
    OPEN_MEMORIES,
    READ_GRAPH,
    ANALYZE_MESSAGE,
    ANALYZE_FOR_RECALL,
    AUTO_RECALL,
    CLUSTER_MEMORIES,
    CONSOLIDATE_MEMORIES,
    CREATE_RELATION,
    GC,
    PROMOTE_MEMORY,
    BACKFILL_EMBEDDINGS,
    GET_PERFORMANCE_METRICS,
    RESET_PERFORMANCE_METRICS,
)
