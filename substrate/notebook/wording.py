"""How counts are said."""

from __future__ import annotations

__all__ = ["counted"]


def counted(count: int, word: str, words: str = "") -> str:
    """`1 atom`, `1,200 atoms`."""
    return f"{count:,} {word if count == 1 else words or word + 's'}"
