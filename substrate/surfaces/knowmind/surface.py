"""The surface of knowmind, put together."""

from __future__ import annotations

from substrate.surfaces.knowmind.divergences import DIVERGENCES
from substrate.surfaces.knowmind.guide import GUIDE, INSTRUCTIONS
from substrate.surfaces.knowmind.tools import NAME, TOOLS
from substrate.surfaces.knowmind.words import words_for
from substrate.surfaces.status import error_fields
from substrate.surfaces.surface import Surface

__all__ = ["SURFACE"]

SURFACE = Surface(
    name=NAME,
    purpose="a team's statements and documents, in time, with relations; made for HTTP and tokens",
    tools=TOOLS,
    ids="memory_onboarding_contacts, doc_handbook, edge_<UUID>; a name or a UUID is taken too",
    words_for=words_for,
    most_bytes=8_000,
    guide=GUIDE,
    instructions=INSTRUCTIONS,
    divergences=DIVERGENCES,
    error_fields=error_fields,
)
