"""Schemas as they are published: without what takes an agent's attention and tells it nothing. Pure.

1. pydantic gives every field a title that repeats its name, and says of every field that may be left out that it may be
   null. We send no nulls, and take a null as left out.
2. Of what is replied, names and plain types are published, one level deep: whatever fits the whole shape fits that. The
   server itself checks each reply against the whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

from pydantic import BaseModel

from substrate.surfaces.shape import Tally

__all__ = ["fields_at", "lean", "skeleton"]

_TYPES: Final = (
    (bool, "boolean"),
    (int, "integer"),
    (float, "number"),
    (str, "string"),
    (BaseModel, "object"),
    (Mapping, "object"),
    ((list, tuple, set, frozenset), "array"),
)
"""In this order: a bool is an int."""


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


def skeleton(shape: type[BaseModel]) -> dict[str, Any]:
    """Names and plain types of a shape's fields, and no more. Far cheaper than a whole schema, for each start.

    Of a tally not even these: what a reply counts says itself what it is, and the list stands in every conversation.
    """
    if issubclass(shape, Tally):
        return {"type": "object"}
    fields = {field.alias or name: _plain(field.annotation) for name, field in shape.model_fields.items()}
    return {"type": "object", "properties": fields}


def _plain(annotation: Any) -> dict[str, Any]:  # noqa: ANN401 - a type
    """What type a value of this annotation has in JSON; nothing, if it may have several, or one that is not known."""
    origin = get_origin(annotation)
    if origin in (Union, UnionType):
        some = [_plain(one) for one in get_args(annotation) if one is not NoneType]
        return some[0] if all(one == some[0] for one in some) else {}
    if origin is Annotated:
        return _plain(get_args(annotation)[0])
    if origin is Literal:
        some = [_plain(type(one)) for one in get_args(annotation)]
        return some[0] if all(one == some[0] for one in some) else {}
    kind = origin or annotation
    if isinstance(kind, type):
        return next(({"type": word} for known, word in _TYPES if issubclass(kind, known)), {})
    return {}


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
