"""The verb compare: whether two passages contradict each other. It needs no store."""

from __future__ import annotations

from substrate.errors import SchemaInvalid
from substrate.limits import check_size
from substrate.relations.passages import CANNOT_TELL, compare_passages
from substrate.values.relations import Compared, SentencePair

__all__ = ["compare"]


def compare(first: str, second: str) -> Compared:
    """See `Memory.compare`."""
    for text in (first, second):
        if not isinstance(text, str):
            raise SchemaInvalid(f"a passage is a text, not {type(text).__name__}")
        check_size("the passage", len(text), "value_bytes", "characters")
    pairs = compare_passages(first, second)
    items = tuple(SentencePair(*pair) for pair in pairs)
    return Compared(items, items[0].verdict if items else CANNOT_TELL)
