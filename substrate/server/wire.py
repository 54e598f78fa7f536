"""The wire: what stands between a client and the server over standard input and output. Loads nothing of the SDK.

1. From `claim` on, descriptor 0 is empty and descriptor 1 leads to standard error: whatever any library prints, or any
   child process, misses the wire. The client's ends are known here only.
2. A line of more than 16 MiB is not taken in: it is read past, at a fixed cost in memory, and answered with an error;
   with the id of the request, if that stands at its beginning.
3. Lines are written whole, one after the other, whoever writes them.
"""

from __future__ import annotations

import json
import os
import re
import sys
import threading
from collections.abc import AsyncIterator
from typing import BinaryIO, Final

from substrate.limits import LIMITS

__all__ = ["Wire", "claim"]

_MOST: Final = LIMITS["line_bytes"]
_CHUNK: Final = 1 << 20
_HEAD: Final = 1024
_ID: Final = re.compile(rb'\s*\{[^{}\[\]]*?"id"\s*:\s*(-?\d{1,18}|"[^"\\]{1,200}")\s*[,}]')
"""The id of a request: a number or a plain string, before anything that is nested."""
_INVALID_REQUEST: Final = -32600


class Wire:
    """The client's two ends; as what the SDK's transport takes for files, of which it iterates, writes and flushes."""

    def __init__(self, incoming: BinaryIO, outgoing: BinaryIO) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        self._writing = threading.Lock()

    async def __aiter__(self) -> AsyncIterator[str]:
        from anyio.to_thread import run_sync  # noqa: PLC0415 - the wire is claimed before anything else is loaded

        while line := await run_sync(self.read_line):
            yield line

    async def write(self, text: str) -> None:
        """Send a line. It waits in a thread, for a client that does not read."""
        from anyio.to_thread import run_sync  # noqa: PLC0415

        await run_sync(self.send, text)

    async def flush(self) -> None:
        """Nothing is kept back."""

    def read_line(self) -> str:
        """The next line, with its end; empty if the client has closed its end."""
        while line := self._incoming.readline(_MOST + 1):
            if len(line) <= _MOST:
                return line.decode("utf-8", "replace")
            if not line.endswith(b"\n"):
                self._skip()
            self._refuse(line[:_HEAD])
        return ""

    def send(self, text: str) -> None:
        """Write all of it."""
        data = memoryview(text.encode("utf-8", "replace"))
        with self._writing:
            while data:
                data = data[self._outgoing.write(data) :]

    def _skip(self) -> None:
        """Read past the rest of the line."""
        while chunk := self._incoming.readline(_CHUNK):
            if chunk.endswith(b"\n"):
                return

    def _refuse(self, head: bytes) -> None:
        found = _ID.match(head)
        message = f"a line of more than {_MOST:,} bytes, which is the limit: send less at once"
        error = {"code": _INVALID_REQUEST, "message": message}
        answer = {"jsonrpc": "2.0", "id": json.loads(found[1]) if found else None, "error": error}
        self.send(json.dumps(answer) + "\n")


def claim() -> Wire:
    """Take standard input and output for the wire. From here on nobody else in this process can read or write it."""
    sys.stdout.flush()
    incoming = os.fdopen(os.dup(0), "rb", buffering=_CHUNK)
    outgoing = os.fdopen(os.dup(1), "wb", buffering=0)
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, 0)
    os.close(nowhere)
    os.dup2(2, 1)
    return Wire(incoming, outgoing)
