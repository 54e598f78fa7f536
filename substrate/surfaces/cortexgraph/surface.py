"""The surface of CortexGraph, put together."""

from __future__ import annotations

from substrate.surfaces.cortexgraph.arguments import NAME
from substrate.surfaces.cortexgraph.divergences import DIVERGENCES
from substrate.surfaces.cortexgraph.guide import GUIDE, INSTRUCTIONS
from substrate.surfaces.cortexgraph.tools import TOOLS
from substrate.surfaces.cortexgraph.words import words_for
from substrate.surfaces.surface import Surface

__all__ = ["SURFACE"]

SURFACE = Surface(
    name=NAME,
    purpose="notes that fade unless they are used, with the tools of CortexGraph",
    tools=TOOLS,
    ids="a UUID",
    words_for=words_for,
    most_bytes=16_000,
    guide=GUIDE,
    instructions=INSTRUCTIONS,
    divergences=DIVERGENCES,
)
