"""How counts are said, and words that there are not."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

__all__ = ["counted", "nearest"]


def counted(count: int, word: str, words: str = "") -> str:
    """`1 atom`, `1,200 atoms`."""
    return f"{count:,} {word if count == 1 else words or word + 's'}"


def nearest(word: str, known: Sequence[str]) -> str:
    """The end of a message about a word that there is not: which was meant, perhaps, and which there are."""
    near = get_close_matches(word, known, n=1, cutoff=0.5)
    meant = f". Did you mean {near[0]}?" if near else "."
    return f"{meant} There are: {', '.join(known)}" if known else meant
