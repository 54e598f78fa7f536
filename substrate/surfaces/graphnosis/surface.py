"""The surface of Graphnosis, put together."""

from __future__ import annotations

from substrate.surfaces.graphnosis.divergences import DIVERGENCES
from substrate.surfaces.graphnosis.engrams import NAME
from substrate.surfaces.graphnosis.guide import GUIDE, INSTRUCTIONS
from substrate.surfaces.graphnosis.tools import TOOLS
from substrate.surfaces.graphnosis.words import words_for
from substrate.surfaces.surface import Surface

__all__ = ["SURFACE"]

SURFACE = Surface(
    name=NAME,
    purpose="engrams with tiers, corrections that wait for a person, forgetting that erases",
    tools=TOOLS,
    ids="a UUID; p_ and 32 digits for a correction; a name is taken too",
    words_for=words_for,
    most_bytes=6_000,
    guide=GUIDE,
    instructions=INSTRUCTIONS,
    divergences=DIVERGENCES,
)
