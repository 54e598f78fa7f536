"""The body of a request, as far as it may go."""

from __future__ import annotations

from starlette.types import Receive

__all__ = ["TooLargeError", "read_body"]


class TooLargeError(Exception):
    """A body has more bytes than it may have."""


async def read_body(receive: Receive, most: int) -> bytes:
    """The body of a request; empty if the client went away. TooLargeError if it has more bytes than that."""
    parts, size = [], 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return b""
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > most:
            raise TooLargeError
        if not message.get("more_body", False):
            return b"".join(parts)
