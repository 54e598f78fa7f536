"""Arguments that tools of several surfaces take, as types: what they are called to agents, and their limits.

What may be left out is a plain type with a default, not one that may be null: clients differ in what they make of the
latter, and the SDK reads a text for such a type as JSON if it can. A null is taken as left out before this is looked
at.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Final

from mcp.server.mcpserver import Context
from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_core import PydanticCustomError

from substrate.limits import LIMITS

__all__ = ["MOMENT_CHARACTERS", "TIME_IN_WORDS", "AsOf", "Caller", "IsoTime", "KeyText", "Keys", "Text", "ValidAt"]

MOMENT_CHARACTERS: Final = 4000
"""A head or a pin says a moment too."""
TIME_IN_WORDS: Final = "time in words"
"""Marks an argument that takes `yesterday` and the like: the reply says which time that was taken for."""


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
    Field(max_length=MOMENT_CHARACTERS, description="as known then: a seq, an ISO 8601 time, or 2 weeks ago"),
    TIME_IN_WORDS,
]
ValidAt = Annotated[
    str,
    Field(max_length=64, description="as it held in the world then: ISO 8601, or 2 weeks ago"),
    TIME_IN_WORDS,
]


def _iso(given: str) -> str:
    time = given.strip()
    try:
        datetime.fromisoformat(time or "2026-03-01")
    except ValueError:
        raise PydanticCustomError("iso_time", "give a time in ISO 8601, such as 2026-03-01T12:00:00Z") from None
    return time


IsoTime = Annotated[str, AfterValidator(_iso), Field(max_length=64, description="an ISO 8601 time")]
"""For a surface whose document demands ISO 8601: words such as `yesterday` are refused. It may be left empty."""
