"""What rows say, kept from one read to the next: a row is decoded again only if its bytes are others.

The bytes are read each time, and compared; so an answer never depends on what was kept. What is kept holds ids and
numbers, no names and no texts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

__all__ = ["Decoded"]

T = TypeVar("T")


class Decoded(Generic[T]):
    """Rows of one table, by their keys, as `decode` reads them. Safe to share between threads and stores."""

    def __init__(self, decode: Callable[[bytes], T], most_bytes: int) -> None:
        """`most_bytes`: of rows, as they lie in the store. When there are more, it begins anew."""
        self._decode = decode
        self._most = most_bytes
        self._held = 0
        self._kept: dict[bytes, tuple[bytes, T]] = {}

    def __call__(self, key: bytes, row: bytes) -> T:
        """What a row says. What `decode` raises is raised here."""
        kept = self._kept.get(key)
        if kept is not None and kept[0] == row:
            return kept[1]
        said = self._decode(row)
        self._held += len(row) - (len(kept[0]) if kept is not None else 0)
        if self._held > self._most:
            self._kept, self._held = {}, len(row)
        self._kept[key] = row, said
        return said
