"""Lines out of chunks of bytes, none of them longer than a limit: what is longer is read past at a fixed cost. Pure."""

from __future__ import annotations

from collections import deque
from typing import Final, NamedTuple

__all__ = ["Line", "Lines"]

_END: Final = 1024
"""Bytes that are kept of the end of a line which is too long, and of its beginning."""


class Line(NamedTuple):
    """A line with its end; or, of one that is too long, its beginning."""

    data: bytes
    end: bytes = b""
    """Of one that is too long: its last bytes. Else empty."""


class Lines:
    """Chunks go in, lines come out. `limit` counts the end of the line too."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held = bytearray()
        self._begun: bytes | None = None
        """The beginning of a line that is too long, while it goes on."""
        self.ready: deque[Line] = deque()

    def feed(self, chunk: bytes) -> None:
        """The next bytes; none: there are no more, and what is held is a line too."""
        if not chunk:
            self._close(self._held)
            return
        *whole, rest = chunk.split(b"\n")
        for piece in whole:
            self._held += piece + b"\n"
            self._close(self._held)
        self._held += rest
        if self._begun is None and len(self._held) > self._limit:
            self._begun = bytes(self._held[:_END])
        if self._begun is not None:
            del self._held[:-_END]

    def _close(self, line: bytearray) -> None:
        if self._begun is None and len(line) > self._limit:
            self._begun = bytes(line[:_END])
        if self._begun is not None:
            self.ready.append(Line(self._begun, bytes(line[-_END:])))
        elif line:
            self.ready.append(Line(bytes(line)))
        self._held, self._begun = bytearray(), None
