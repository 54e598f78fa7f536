"""Who writes, as far as it follows from the name: an agent's is `mcp:<surface>:<client>`, any other is a person's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["TRANSCRIPT", "is_person", "surface_actor", "surface_of"]

TRANSCRIPT: Final = "transcript"
"""In whose name rules record what they read out of a transcript. No agent writes in it."""
_AGENT: Final = "mcp"
_PARTS: Final = 3


def surface_actor(surface: str, client: str) -> str:
    """The actor of a client that writes through a surface. Neither has a colon."""
    return f"{_AGENT}:{surface}:{client}"


def surface_of(actor: str | None) -> str | None:
    """The surface through which this actor writes; None of a person, a script, or nobody."""
    parts = (actor or "").split(":", _PARTS - 1)
    return parts[1] or None if len(parts) == _PARTS and parts[0] == _AGENT else None


def is_person(said: Mapping[str, object]) -> bool:
    """Whether a person or a script says it, by its `origin` and `actor`: no agent, and no text that was taken in."""
    actor = said.get("actor")
    return said.get("origin") in (None, "user") and surface_of(actor if isinstance(actor, str) else None) is None
