"""Schemas as they are published: without what takes an agent's attention and tells it nothing. Pure.

1. pydantic gives every field a title that repeats its name, and says of every field that may be left out that it may be
   null. We send no nulls, and take a null as left out.
2. Of what is replied, names and plain types are published, one level deep: whatever fits the whole shape fits that. The
   server itself checks each reply against the whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["fields_at", "lean", "skeleton"]


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


def skeleton(schema: dict[str, Any]) -> dict[str, Any]:
    """Names and plain types of an object's fields, and no more."""
    return {
        "type": "object",
        "properties": {name: _plain(one, schema) for name, one in schema.get("properties", {}).items()},
    }


def _plain(schema: dict[str, Any], whole: dict[str, Any]) -> dict[str, Any]:
    """What type it has; nothing, if it has several."""
    schema = _resolved(lean(schema), whole)
    return {"type": schema["type"]} if "type" in schema else {}


def fields_at(schema: dict[str, Any], place: Sequence[int | str]) -> list[str]:
    """The names that an object at this place may have: a way of names and positions, from the outermost object on."""
    at = schema
    for part in place:
        at = _resolved(at, schema)
        at = at.get("items", {}) if isinstance(part, int) else at.get("properties", {}).get(part, {})
    return list(_resolved(at, schema).get("properties", ()))


def _resolved(schema: dict[str, Any], whole: dict[str, Any]) -> dict[str, Any]:
    """The schema itself, if this only refers to it."""
    while "$ref" in schema:
        schema = whole["$defs"][schema["$ref"].rpartition("/")[2]]
    return schema
