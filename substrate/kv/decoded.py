"""What rows say, kept from one read to the next: a row is decoded again only if its bytes are others.

The bytes are compared each time they are read; so an answer never depends on what was kept. What is kept holds ids and
numbers, no names and no texts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, Generic, TypeVar

__all__ = ["Decoded", "shared"]

T = TypeVar("T")
_MOST_IDS: Final = 2**15
_ids: dict[bytes, bytes] = {}


def shared(ids: Iterable[bytes]) -> tuple[bytes, ...]:
    """The same ids, each as one object in all rows: less memory to read, and to find one by its id is faster."""
    if len(_ids) > _MOST_IDS:
        _ids.clear()
    return tuple([_ids.setdefault(one, one) for one in ids])


class Decoded(Generic[T]):
    """Rows of one table, by their keys, as `decode` reads them. Safe to share between threads and stores."""

    def __init__(self, decode: Callable[[bytes], T], most_bytes: int) -> None:
        """`most_bytes`: of rows, as they lie in the store. When there are more, it begins anew."""
        self._decode = decode
        self._most = most_bytes
        self._held = 0
        self._kept: dict[bytes, tuple[bytes, T]] = {}

    def many(self, keys: Sequence[bytes], rows: Sequence[bytes | None], nothing: T) -> list[T]:
        """What each row says; `nothing` where there is none."""
        kept, said = self._kept.get, []
        for key, row in zip(keys, rows, strict=True):
            known = kept(key)
            if known is not None and known[0] == row:
                said.append(known[1])
            else:
                said.append(nothing if row is None else self(key, row))
        return said

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
