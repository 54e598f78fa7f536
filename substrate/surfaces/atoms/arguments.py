"""Arguments that several tools take, as types: what they are called to agents, and their limits.

What may be left out is a plain type with a default, not one that may be null: clients differ in what they make of the
latter, and the SDK reads a text for such a type as JSON if it can. A null is taken as left out before this is looked
at.
"""

from __future__ import annotations

from typing import Annotated, Any

from mcp.server.mcpserver import Context
from pydantic import BeforeValidator, Field, WithJsonSchema

from substrate.limits import LIMITS
from substrate.surfaces.shape import compact_json

__all__ = ["AsOf", "BundleText", "Caller", "KeyText", "Keys", "PinText", "Text", "ValidAt"]

_MOMENT_CHARACTERS = 4000
"""A head or a pin says a moment too."""


def _digits(given: object) -> object:
    """A number as text; but true and false are no numbers."""
    return str(given) if isinstance(given, int) and not isinstance(given, bool) else given


def _json(given: object) -> object:
    """An object as the text that it was."""
    return compact_json(given) if isinstance(given, dict) else given


Caller = Context[Any, Any]
Text = Annotated[str, Field(max_length=LIMITS["name_bytes"])]
"""A key, a domain or the like, that may be left empty."""
KeyText = Annotated[str, Field(min_length=1, max_length=LIMITS["name_bytes"])]
Keys = Annotated[list[KeyText], Field(min_length=1, max_length=LIMITS["names"])]
AsOf = Annotated[
    str,
    BeforeValidator(_digits),
    Field(
        max_length=_MOMENT_CHARACTERS,
        description="as it was known then: a seq of the log, or a time in ISO 8601; of a date, its first moment in UTC",
    ),
]
ValidAt = Annotated[
    str,
    Field(
        max_length=64,
        description="as it was in the world at this time, in ISO 8601; of a date, its first moment in UTC",
    ),
]
PinText = Annotated[str, Field(max_length=_MOMENT_CHARACTERS)]
BundleText = Annotated[
    str,
    BeforeValidator(_json),
    Field(max_length=LIMITS["line_bytes"]),
    WithJsonSchema({"type": ["object", "string"]}),
]
