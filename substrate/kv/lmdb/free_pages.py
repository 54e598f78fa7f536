"""Which pages of LMDB's file are free, read from the file itself: LMDB does not tell.

A transaction may take pages at the end of the file and free them again. LMDB counts them, and never writes them, so a
sound file may end before its last page. What tells it from a file that was cut off: all pages beyond its end are in the
list of free pages.

The list is a tree like every table: its key is a transaction, its value the pages that became free in it. The layout is
that of LMDB 0.9 (data version 1) with 64-bit numbers in the order of this machine, the one that `environment.py` names.

Each list is in descending order, so what lies beyond the end of the file comes first. The rest is not read. A forged
file costs no more than the bytes that it has on disk: no page is read twice, and holes end a list.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from struct import Struct

__all__ = ["lacks_only_free_pages"]

_META = Struct("=16xII16xI4xQQQQQ48xQQ")
"""Magic, version, page size, four counts of the list of free pages, its root; last page, transaction."""
_PAGE = Struct("=8x2xHHH")
"""Flags, end of the pointers to its nodes, start of the nodes."""
_NODE = Struct("=HHHH")
"""Low and high half of a size, or of a page; flags, or the upper part of the page; size of the key."""
_NUMBER = Struct("=Q")
_MAGIC, _VERSION = 0xBEEFC0DE, 1
_HEADER = 16
_LEAST_PAGE = 256
_BRANCH, _LEAF, _OVERFLOW, _KINDS = 1, 2, 4, 7
_ELSEWHERE = 1
"""A node whose value has pages of its own."""
_EMPTY = (1 << 64) - 1
_DEEPEST = 32


class _Missing(Exception):
    """The list cannot be read whole."""


@dataclass(frozen=True, slots=True)
class _Meta:
    last_page: int
    root: int


def lacks_only_free_pages(fd: int, page_size: int, transaction: int) -> bool:
    """Whether all pages up to the last one that the file does not hold are free, as of this transaction.

    The caller keeps a snapshot of it. False too where another transaction has taken the place of its meta page since.
    """
    if page_size < _LEAST_PAGE or page_size & (page_size - 1):
        return False
    try:
        meta = _meta(fd, page_size, transaction)
        tree = _Tree(fd, page_size, os.fstat(fd).st_size // page_size)
        lacking = meta.last_page + 1 - tree.end
        free: set[int] = set()
        if lacking > 0 and meta.root != _EMPTY:
            for pages in tree.lists(meta.root):
                free.update(page for page in pages if page <= meta.last_page)
                if len(free) >= lacking:
                    break
    except _Missing:
        return False
    return len(free) >= lacking


def _meta(fd: int, page_size: int, transaction: int) -> _Meta:
    found = os.pread(fd, _META.size, (transaction & 1) * page_size)
    if len(found) < _META.size:
        raise _Missing
    magic, version, size, _, _, _, _, root, last_page, of = _META.unpack(found)
    if (magic, version, size, of) != (_MAGIC, _VERSION, page_size, transaction):
        raise _Missing
    return _Meta(last_page, root)


class _Tree:
    """The list of free pages in a file that has the pages before `end`."""

    def __init__(self, fd: int, page_size: int, end: int) -> None:
        self.end = end
        self._fd, self._page_size = fd, page_size
        self._seen: set[int] = set()

    def lists(self, number: int, depth: int = 0) -> Iterator[Iterator[int]]:
        """Of each list under a page of the tree, the pages from `end` on."""
        page = self._headed(number)
        flags, lower, _ = _PAGE.unpack_from(page)
        if depth > _DEEPEST or flags & _KINDS not in {_BRANCH, _LEAF} or not _HEADER <= lower <= self._page_size:
            raise _Missing
        room = self._page_size  # nodes that lie over each other do not fit
        for at in array("H", page[_HEADER : lower - lower % 2]):
            if at + _NODE.size > self._page_size:
                raise _Missing
            low, high, node_flags, key_size = _NODE.unpack_from(page, at)
            if flags & _BRANCH:
                yield from self.lists(low | high << 16 | node_flags << 32, depth + 1)
                continue
            start, size = at + _NODE.size + key_size, low | high << 16
            is_elsewhere = bool(node_flags & _ELSEWHERE)
            here = page[start : start + (_NUMBER.size if is_elsewhere else size)]
            room -= _NODE.size + len(here)
            if room < 0 or len(here) < _NUMBER.size:
                raise _Missing
            parts = self._elsewhere(_NUMBER.unpack_from(here)[0], size) if is_elsewhere else iter((here,))
            yield self._beyond(parts, size)

    def _beyond(self, parts: Iterator[bytes], size: int) -> Iterator[int]:
        """The pages from `end` on, of a list in parts: its length, then the pages; there may be room behind them."""
        left: int | None = None
        for part in parts:
            numbers = array("Q", part[: len(part) - len(part) % _NUMBER.size])
            if left is None:
                left = numbers.pop(0)
                if left >= size // _NUMBER.size:
                    raise _Missing
            for number in numbers[:left]:
                if number < self.end:
                    return
                yield number
            left = max(left - len(numbers), 0)
            if not left:
                return
        raise _Missing

    def _elsewhere(self, number: int, size: int) -> Iterator[bytes]:
        """A value that has pages of its own, page by page."""
        count = -(-(_HEADER + size) // self._page_size)
        if number + count > self.end:
            raise _Missing
        first = self._headed(number)
        if _PAGE.unpack_from(first)[0] & _KINDS != _OVERFLOW:
            raise _Missing
        yield first[_HEADER : _HEADER + size]
        for following in range(number + 1, number + count):
            yield self._read(following)

    def _headed(self, number: int) -> bytes:
        found = self._read(number)
        if _NUMBER.unpack_from(found)[0] != number:
            raise _Missing
        return found

    def _read(self, number: int) -> bytes:
        """A page. One that comes twice, as in a forged file, ends it."""
        if number in self._seen or number >= self.end:
            raise _Missing
        self._seen.add(number)
        found = os.pread(self._fd, self._page_size, number * self._page_size)
        if len(found) < self._page_size:
            raise _Missing
        return found
