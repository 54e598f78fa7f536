"""Arguments that tools of several surfaces take, as types: what they are called to agents, and their limits.

What may be left out is a plain type with a default, not one that may be null: clients differ in what they make of the
latter, and the SDK reads a text for such a type as JSON if it can. A null is taken as left out before this is looked
at.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

from mcp.server.mcpserver import Context
from pydantic import BeforeValidator, Field

from substrate.limits import LIMITS

__all__ = ["MOMENT_CHARACTERS", "AsOf", "Caller", "KeyText", "Keys", "Text", "ValidAt"]

MOMENT_CHARACTERS: Final = 4000
"""A head or a pin says a moment too."""


def _digits(given: object) -> object:
    """A number as text; but true and false are no numbers."""
    return str(given) if isinstance(given, int) and not isinstance(given, bool) else given


Caller = Context[Any, Any]
Text = Annotated[str, Field(max_length=LIMITS["name_bytes"])]
"""A key, a domain or the like, that may be left empty."""
KeyText = Annotated[str, Field(min_length=1, max_length=LIMITS["name_bytes"])]
Keys = Annotated[list[KeyText], Field(min_length=1, max_length=LIMITS["names"])]
AsOf = Annotated[
    str,
    BeforeValidator(_digits),
    Field(max_length=MOMENT_CHARACTERS, description="as known then: a seq of the log, or an ISO 8601 time"),
]
ValidAt = Annotated[str, Field(max_length=64, description="as it held in the world then: an ISO 8601 time")]
