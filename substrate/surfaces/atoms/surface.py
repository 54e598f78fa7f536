"""The surface of atoms, put together."""

from __future__ import annotations

from substrate.surfaces.atoms.divergences import DIVERGENCES
from substrate.surfaces.atoms.guide import GUIDE, INSTRUCTIONS
from substrate.surfaces.atoms.prompts import PROMPTS
from substrate.surfaces.atoms.resource import ATOM, COMPLETION
from substrate.surfaces.atoms.tools import NAME, TOOLS
from substrate.surfaces.atoms.words import words_for
from substrate.surfaces.surface import Surface

__all__ = ["SURFACE"]

SURFACE = Surface(
    name=NAME,
    purpose="named facts, states, decisions and procedures, the edges between them, and learning from use",
    tools=TOOLS,
    ids="a name such as v1.fact.payment_provider, or a UUID",
    words_for=words_for,
    most_bytes=20_000,
    guide=GUIDE,
    instructions=INSTRUCTIONS,
    prompts=PROMPTS,
    resources=(ATOM,),
    completion=COMPLETION,
    divergences=DIVERGENCES,
)
