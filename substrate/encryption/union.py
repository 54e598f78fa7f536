"""Union: a snapshot of the store with what was decrypted laid over it. It lives in memory, and nobody writes to it.

1. A version that was decrypted has its entry, its body and its rows of atoms, versions and words in memory. They stand
   in the place of those on disk, under the same seqs and ids: so edges, arcs and times are those of the store.
2. Rows of postings are joined: each says which versions have a term. Rows of documents are laid over, one by one.
3. A scan of names has no opaque ones, unless it begins with what they begin with: an atom that was decrypted stands
   under its own name, and one that is locked is as absent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from struct import pack, unpack
from typing import Final

from substrate.ciphers import CIPHERTEXT
from substrate.kv.api import ReadTransaction
from substrate.kv.memory import MemoryStore
from substrate.log.tables import ATOMS, BODIES, DOCUMENTS, ENTRIES, PLACES, POSTINGS, VERSIONS
from substrate.views.words import BLOCK, ROW, Field, block_of, split_postings

__all__ = ["COVERED", "Union"]

COVERED: Final = frozenset({ATOMS, VERSIONS, ENTRIES, BODIES, POSTINGS, DOCUMENTS, PLACES})
"""Tables that hold something of a version that was decrypted."""
_NAMES: Final = frozenset({ATOMS})
_OPAQUE: Final = CIPHERTEXT.encode()
_ABSENT: Final = bytes(ROW.size)
_IS_ENCRYPTED: Final = Field.UNDER.value + CIPHERTEXT[:-1].encode()
"""How the key of the postings of encrypted atoms ends: of those that were decrypted there are none."""
_BLOCK_BYTES: Final = 4
with MemoryStore(COVERED).read() as _NOTHING:
    pass


class Union:
    """`api.ReadTransaction`. Good for as long as the one below is open."""

    __slots__ = ("_below", "_covered", "_over", "_seqs", "any", "count")

    def __init__(self, below: ReadTransaction, over: ReadTransaction | None, seqs: frozenset[int]) -> None:
        """`over` has the tables of what was decrypted, None if nothing was; `seqs` are its versions."""
        self._below = below
        self._over = over or _NOTHING
        self._covered = COVERED if over is not None else _NAMES
        self._seqs = seqs
        self.any, self.count = below.any, below.count  # each version over there has one below

    @property
    def stored(self) -> ReadTransaction:
        """The snapshot as it is on disk."""
        return self._below

    def get(self, table: str, key: bytes) -> bytes | None:
        """The value at `key`, or None."""
        if table not in self._covered:
            return self._below.get(table, key)
        return self._laid(table, key, self._below.get(table, key), self._over.get(table, key))

    def get_many(self, table: str, keys: Sequence[bytes]) -> list[bytes | None]:
        """The value at each key, in the order given; None where there is none."""
        below = self._below.get_many(table, keys)
        if table not in self._covered:
            return below
        over = self._over.get_many(table, keys)
        return [self._laid(table, *rows) for rows in zip(keys, below, over, strict=True)]

    def scan(
        self,
        table: str,
        start: bytes = b"",
        stop: bytes | None = None,
        *,
        reverse: bool = False,
        limit: int | None = None,
    ) -> Iterator[tuple[bytes, bytes]]:
        """Items with start <= key < stop, in key order (from the end if `reverse`), at most `limit`."""
        if table not in self._covered:
            return self._below.scan(table, start, stop, reverse=reverse, limit=limit)
        below = self._below.scan(table, start, stop, reverse=reverse)
        if table == ATOMS and not start.startswith(_OPAQUE):
            below = (item for item in below if not item[0].startswith(_OPAQUE))
        over = self._over.scan(table, start, stop, reverse=reverse)
        return islice(self._merged(table, below, over, reverse=reverse), limit)

    def _merged(
        self,
        table: str,
        below: Iterator[tuple[bytes, bytes]],
        over: Iterator[tuple[bytes, bytes]],
        *,
        reverse: bool,
    ) -> Iterator[tuple[bytes, bytes]]:
        low, high = next(below, None), next(over, None)
        while low is not None or high is not None:
            keys = [item[0] for item in (low, high) if item is not None]
            key = max(keys) if reverse else min(keys)
            rows: list[bytes | None] = [None, None]
            if low is not None and low[0] == key:
                rows[0], low = low[1], next(below, None)
            if high is not None and high[0] == key:
                rows[1], high = high[1], next(over, None)
            row = self._laid(table, key, *rows)
            if row is not None:
                yield key, row

    def _laid(self, table: str, key: bytes, below: bytes | None, over: bytes | None) -> bytes | None:
        """One row of both; None if neither has one."""
        if table == POSTINGS and below is not None and key[_BLOCK_BYTES:] == _IS_ENCRYPTED:
            below = self._still_encrypted(key, below)
        if over is None or below is None:
            return below if over is None else over
        if table == POSTINGS:
            return _join(below, over)
        return _lay(below, over) if table == DOCUMENTS else over

    def _still_encrypted(self, key: bytes, row: bytes) -> bytes | None:
        first = block_of(key) * BLOCK
        packed, frequencies = split_postings(row)
        offsets = unpack(f"<{len(frequencies)}H", packed)
        left = [offset for offset in offsets if first + offset not in self._seqs]
        return pack(f"<{len(left)}H", *left) + b"\x01" * len(left) if left else None


def _join(below: bytes, over: bytes) -> bytes:
    """Postings of both, each version once, in order."""
    import numpy as np  # noqa: PLC0415 - who reads postings has it loaded

    parts = [split_postings(below), split_postings(over)]
    offsets = np.frombuffer(b"".join(part for part, _ in parts), "<u2")
    frequencies = np.frombuffer(b"".join(part for _, part in parts), np.uint8)
    unique, places = np.unique(offsets, return_index=True)
    return unique.astype("<u2").tobytes() + frequencies[places].tobytes()


def _lay(below: bytes, over: bytes) -> bytes:
    """Rows of documents: those of `over` that are there, the others of `below`."""
    rows = bytearray(below.ljust(len(over), b"\x00"))
    for at in range(0, len(over), ROW.size):
        row = over[at : at + ROW.size]
        if row != _ABSENT:
            rows[at : at + ROW.size] = row
    return bytes(rows)
