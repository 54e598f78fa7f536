"""Which atoms claim nothing, by their type. Told without loading what reads claims: an ingest brings no others."""

from __future__ import annotations

from typing import Final

__all__ = ["is_silent"]

_SILENT_TYPES: Final = frozenset(("chunk", "document", "entity", "task", "hub", "domain"))
"""Texts of others, what they speak of, things to do, places to gather at."""


def is_silent(name: str) -> bool:
    """Whether an atom of this name claims nothing, whatever its value says."""
    return name.partition(".")[2].partition(".")[0] in _SILENT_TYPES
