"""The verb extract: the names in a text. It needs no store."""

from __future__ import annotations

from substrate.errors import SchemaInvalid
from substrate.limits import check_size
from substrate.text.extract import extract
from substrate.values.entities import ExtractedEntities, ExtractedEntity

__all__ = ["extract_entities"]


def extract_entities(text: str) -> ExtractedEntities:
    """See `Memory.extract`."""
    if not isinstance(text, str):
        raise SchemaInvalid(f"it takes a text, not {type(text).__name__}")
    check_size("the text", len(text), "value_bytes", "characters")
    found = extract(text)
    return ExtractedEntities(tuple(ExtractedEntity(*entity) for entity in found), found.more)
