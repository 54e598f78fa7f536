"""The body of a request, as far as it may go: in bytes, and in values of JSON.

Sixteen megabytes of `{}` would be some hundred megabytes in memory, and several clients could send them at once. So
values are counted before anything is parsed, and what has too many is refused.
"""

from __future__ import annotations

import re
from typing import Final

from starlette.types import Message, Receive

__all__ = ["MOST_VALUES", "TooLargeError", "handing", "has_too_many_values", "is_utf8", "read_body"]

MOST_VALUES: Final = 100_000
"""Values in the JSON of a request: members, items, and what holds them. A checkpoint of 1,000 atoms has far fewer."""
_MARKS: Final = (b"{", b"[", b",")
_STRING: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)


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


def is_utf8(body: bytes) -> bool:
    """Whether it can be JSON in UTF-8. Python reads JSON in UTF-16 and UTF-32 too, where no count of ours holds."""
    if b"\0" in body:  # of UTF-16 and UTF-32 without a mark; JSON in UTF-8 has none
        return False
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


def has_too_many_values(body: bytes) -> bool:
    """Whether its JSON, in UTF-8, has more than `MOST_VALUES`. Braces and commas in a text are no values."""
    if sum(map(body.count, _MARKS)) <= MOST_VALUES:
        return False
    bare = _STRING.sub(b"", body)
    return sum(map(bare.count, _MARKS)) > MOST_VALUES


def handing(body: bytes, further: Receive) -> Receive:
    """What gives the body, once; then whatever comes of the client, such as that it went away."""
    handed = False

    async def receive() -> Message:
        nonlocal handed
        if handed:
            return await further()
        handed = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive
