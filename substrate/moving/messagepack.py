"""MessagePack, read: bytes into what JSON could hold, within bounds. Pure.

Lengths are believed only as far as there are bytes, and nesting only to a depth: a file may come from anybody. Of
extensions only `undefined`, as JavaScript writes it, and times are known; any other is refused.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Final, TypeAlias

from substrate.errors import SchemaInvalid

__all__ = ["Packed", "unpack"]

Packed: TypeAlias = "bool | int | float | str | bytes | list[Packed] | dict[str, Packed] | None"

_DEPTH: Final = 32
_NUMBERS: Final = {
    0xCA: ">f",
    0xCB: ">d",
    0xCC: ">B",
    0xCD: ">H",
    0xCE: ">I",
    0xCF: ">Q",
    0xD0: ">b",
    0xD1: ">h",
    0xD2: ">i",
    0xD3: ">q",
}
_TEXTS: Final = {0xD9: 1, 0xDA: 2, 0xDB: 4}
_BYTES: Final = {0xC4: 1, 0xC5: 2, 0xC6: 4}
_LISTS: Final = {0xDC: 2, 0xDD: 4}
_MAPS: Final = {0xDE: 2, 0xDF: 4}
_FIXED_EXTENSIONS: Final = {0xD4: 1, 0xD5: 2, 0xD6: 4, 0xD7: 8, 0xD8: 16}
_EXTENSIONS: Final = {0xC7: 1, 0xC8: 2, 0xC9: 4}
_WORDS: Final[dict[int, Packed]] = {0xC0: None, 0xC2: False, 0xC3: True}
_UNDEFINED: Final = 0
_TIME: Final = 0xFF


def unpack(data: bytes) -> Packed:
    """The one value that the bytes are. SchemaInvalid if they are not exactly one."""
    reader = _Reader(data)
    value = reader.value(0)
    if reader.at != len(data):
        raise SchemaInvalid("something follows where the MessagePack should end")
    return value


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self.at = 0

    def value(self, depth: int) -> Packed:  # noqa: PLR0911 - one for each kind of value
        """The value that begins here."""
        if depth > _DEPTH:
            raise SchemaInvalid("it is nested too deeply")
        tag = self._take(1)[0]
        if tag < 0x80:  # noqa: PLR2004 - the bytes of the format
            return tag
        if tag >= 0xE0:  # noqa: PLR2004
            return tag - 0x100
        if tag < 0x90:  # noqa: PLR2004
            return self._map(tag & 0x0F, depth)
        if tag < 0xA0:  # noqa: PLR2004
            return self._list(tag & 0x0F, depth)
        if tag < 0xC0:  # noqa: PLR2004
            return self._text(tag & 0x1F)
        if tag in _WORDS:
            return _WORDS[tag]
        if tag in _NUMBERS:
            number: int | float = struct.unpack(_NUMBERS[tag], self._take(struct.calcsize(_NUMBERS[tag])))[0]
            return number
        if tag in _FIXED_EXTENSIONS:
            return self._extension(_FIXED_EXTENSIONS[tag])
        sized: tuple[tuple[dict[int, int], Callable[[int], Packed]], ...] = (
            (_TEXTS, self._text),
            (_BYTES, self._take),
            (_LISTS, lambda size: self._list(size, depth)),
            (_MAPS, lambda size: self._map(size, depth)),
            (_EXTENSIONS, self._extension),
        )
        for sizes, read in sized:
            if tag in sizes:
                return read(int.from_bytes(self._take(sizes[tag]), "big"))
        raise SchemaInvalid(f"byte {tag:#04x} begins nothing in MessagePack")

    def _take(self, size: int) -> bytes:
        if size > len(self._data) - self.at:
            raise SchemaInvalid("it ends in the middle of a value")
        self.at += size
        return self._data[self.at - size : self.at]

    def _text(self, size: int) -> str:
        try:
            return self._take(size).decode()
        except UnicodeDecodeError:
            raise SchemaInvalid("a text in it is not UTF-8") from None

    def _list(self, size: int, depth: int) -> list[Packed]:
        self._check_count(size)
        return [self.value(depth + 1) for _ in range(size)]

    def _map(self, size: int, depth: int) -> dict[str, Packed]:
        self._check_count(size)
        found: dict[str, Packed] = {}
        for _ in range(size):
            key = self.value(depth + 1)
            if not isinstance(key, str):
                raise SchemaInvalid("a key in it is not a text")
            found[key] = self.value(depth + 1)
        return found

    def _check_count(self, size: int) -> None:
        if size > len(self._data) - self.at:  # each takes a byte at least
            raise SchemaInvalid("it ends in the middle of a value")

    def _extension(self, size: int) -> Packed:
        kind, data = self._take(1)[0], self._take(size)
        if kind == _UNDEFINED:
            return None
        if kind == _TIME and size == 4:  # noqa: PLR2004 - seconds
            return int.from_bytes(data, "big") * 1000
        raise SchemaInvalid(f"it has an extension that is not known: {kind}")
