"""The surface of HydraMem, put together."""

from __future__ import annotations

from substrate.surfaces.hydramem.divergences import DIVERGENCES
from substrate.surfaces.hydramem.guide import GUIDE, INSTRUCTIONS
from substrate.surfaces.hydramem.tools import NAME, TOOLS
from substrate.surfaces.hydramem.words import words_for
from substrate.surfaces.surface import Surface

__all__ = ["SURFACE"]

SURFACE = Surface(
    name=NAME,
    purpose="documents, entities and checked relations by project, with the names of HydraMem's tools",
    tools=TOOLS,
    ids="an entity's name, an alias, or a UUID",
    words_for=words_for,
    most_bytes=15_000,
    guide=GUIDE,
    instructions=INSTRUCTIONS,
    divergences=DIVERGENCES,
)
