"""Patterns of words: how the forms of sentences are written down."""

from __future__ import annotations

import re

__all__ = ["any_of", "pattern"]


def any_of(words: str) -> str:
    """One of the words; `_` stands for a space in one."""
    return f"(?:{'|'.join(words.split()).replace('_', ' ')})"


def pattern(*parts: str) -> re.Pattern[str]:
    """The parts in a row, whatever their case."""
    return re.compile("".join(parts), re.IGNORECASE)
