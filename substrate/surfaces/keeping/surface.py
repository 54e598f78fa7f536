"""The surface of those who keep a store, put together. No other server has these tools: nothing diverges."""

from __future__ import annotations

from substrate.surfaces.keeping.guide import GUIDE, INSTRUCTIONS
from substrate.surfaces.keeping.tools import NAME, TOOLS
from substrate.surfaces.keeping.words import words_for
from substrate.surfaces.surface import Surface

__all__ = ["SURFACE"]

SURFACE = Surface(
    name=NAME,
    purpose="proofs, earlier versions, erasure and the state of the store, beside any other surface",
    tools=TOOLS,
    ids="a name such as v1.fact.payment_provider, or a UUID",
    words_for=words_for,
    most_bytes=4_000,
    guide=GUIDE,
    instructions=INSTRUCTIONS,
)
