"""The one table of limits. `docs/limits.md` shows the same table; a test holds them equal."""

from __future__ import annotations

from typing import Final

__all__ = ["LIMITS"]

LIMITS: Final[dict[str, int]] = {
    "name_bytes": 400,
    "value_bytes": 1024 * 1024,
    "body_bytes": 7 * 1024 * 1024,
    "body_depth": 16,
    "tags": 50,
    "tag_characters": 100,
    "entities": 100,
    "entity_characters": 400,
    "text_characters": 1000,
    "attrs_bytes": 64 * 1024,
    "attrs_depth": 8,
    "windows": 100,
    "edge_type_characters": 100,
    "list_items": 1000,
    "query_characters": 50_000,
    "objective_characters": 10_000,
    "search_items": 100,
    "opening_tokens": 1_000_000,
    "names": 100,
    "context_depth": 3,
    "context_edges": 10_000,
    "line_bytes": 16 * 1024 * 1024,
    "checkpoint_items": 10_000,
    "checkpoint_bytes": 64 * 1024 * 1024,
    "wire_items": 1000,
    "wire_checkpoint_bytes": 4 * 1024 * 1024,
}
"""In UTF-8 bytes where it says bytes. One over is TooLarge; nothing is cut off silently."""
