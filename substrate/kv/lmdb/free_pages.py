"""Which pages of LMDB's file are free, read from the file itself: LMDB does not tell.

A transaction may take pages at the end of the file and free them again. LMDB counts them, and never writes them, so a
sound file may end before its last page. What tells it from a file that was cut off: all pages beyond its end are in the
list of free pages.

The list is a tree like every table: its key is a transaction, its value the pages that became free in it. The layout is
that of LMDB 0.9 (data version 1) with 64-bit numbers in the order of this machine, the one that `environment.py` names.
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
    try:
        meta = _meta(fd, page_size, transaction)
        end = os.fstat(fd).st_size // page_size
        free: set[int] = set()
        if meta.root != _EMPTY:
            for pages in _lists(fd, page_size, meta.root, set(), 0):
                free.update(page for page in pages if end <= page <= meta.last_page)
    except _Missing:
        return False
    return len(free) >= meta.last_page + 1 - end


def _meta(fd: int, page_size: int, transaction: int) -> _Meta:
    found = os.pread(fd, _META.size, (transaction & 1) * page_size)
    if len(found) < _META.size:
        raise _Missing
    magic, version, size, _, _, _, _, root, last_page, of = _META.unpack(found)
    if (magic, version, size, of) != (_MAGIC, _VERSION, page_size, transaction):
        raise _Missing
    return _Meta(last_page, root)


def _lists(fd: int, page_size: int, number: int, seen: set[int], depth: int) -> Iterator[array[int]]:
    """The lists under a page of the tree. A page that comes twice, as in a forged file, ends it."""
    page = _read(fd, page_size, number, 1, seen)
    flags, lower, _ = _PAGE.unpack_from(page)
    if depth > _DEEPEST or flags & _KINDS not in {_BRANCH, _LEAF} or not _HEADER <= lower <= page_size:
        raise _Missing
    for at in array("H", page[_HEADER : lower - lower % 2]):
        if at + _NODE.size > page_size:
            raise _Missing
        low, high, node_flags, key_size = _NODE.unpack_from(page, at)
        if flags & _BRANCH:
            yield from _lists(fd, page_size, low | high << 16 | node_flags << 32, seen, depth + 1)
            continue
        start, size = at + _NODE.size + key_size, low | high << 16
        value = page[start : start + size]
        if node_flags & _ELSEWHERE:
            value = _elsewhere(fd, page_size, page[start : start + _NUMBER.size], size, seen)
        yield _list(value, size)


def _elsewhere(fd: int, page_size: int, pointer: bytes, size: int, seen: set[int]) -> bytes:
    if len(pointer) < _NUMBER.size:
        raise _Missing
    pages = -(-(_HEADER + size) // page_size)
    found = _read(fd, page_size, _NUMBER.unpack(pointer)[0], pages, seen)
    if _PAGE.unpack_from(found)[0] & _KINDS != _OVERFLOW:
        raise _Missing
    return found[_HEADER : _HEADER + size]


def _list(value: bytes, size: int) -> array[int]:
    """Its length, then the pages; there may be room behind them."""
    if len(value) < size or size < _NUMBER.size:
        raise _Missing
    numbers = array("Q", value[: size - size % _NUMBER.size])
    if numbers[0] >= len(numbers):
        raise _Missing
    return numbers[1 : numbers[0] + 1]


def _read(fd: int, page_size: int, number: int, count: int, seen: set[int]) -> bytes:
    if number in seen or number * page_size >= 1 << 62:
        raise _Missing
    seen.add(number)
    found = os.pread(fd, count * page_size, number * page_size)
    if len(found) < count * page_size or _NUMBER.unpack_from(found)[0] != number:
        raise _Missing
    return found
