"""All tools of this surface, in the order of the document."""

from __future__ import annotations

from substrate.surfaces.hydramem import garden, ingestion, relations, retrieval
from substrate.surfaces.hydramem.arguments import NAME
from substrate.surfaces.tool import Tool

__all__ = ["NAME", "TOOLS"]

TOOLS: tuple[Tool, ...] = (*retrieval.TOOLS, *ingestion.TOOLS, *relations.TOOLS, *garden.TOOLS)
