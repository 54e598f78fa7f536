"""Schemas as they are published: without what takes an agent's attention and tells it nothing. Pure.

pydantic gives every field a title that repeats its name, and says of every field that may be left out that it may be
null. We send no nulls, and take a null as left out.
"""

from __future__ import annotations

from typing import Any

__all__ = ["lean"]


def lean(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema without titles, and without nulls where something else is meant."""
    said: dict[str, Any] = {}
    for word, value in schema.items():
        match word, value:
            case "title", str():
                continue
            case "default", None:
                continue
            case (("properties" | "$defs"), dict()):
                said[word] = {name: lean(one) for name, one in value.items()}
            case "anyOf", list():
                some = [lean(one) for one in value if one != {"type": "null"}]
                said |= some[0] if len(some) == 1 else {"anyOf": some}
            case "additionalProperties", dict():
                said[word] = value  # of a mapping a null is a value, not something left out
            case _, dict():
                said[word] = lean(value)
            case _:
                said[word] = value
    return said
