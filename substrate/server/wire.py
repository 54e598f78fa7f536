"""The wire: what stands between a client and the server over standard input and output. Loads nothing of the SDK.

1. From `claim` on, descriptor 0 is empty and descriptor 1 leads to standard error: whatever any library prints, or any
   child process, misses the wire. The client's ends are known here only.
2. A line of more than 16 MiB is not taken in: it is read past, at a fixed cost in memory, and answered with an error;
   with the id of the request, if that stands at its beginning or at its end.
3. A line that is no message is answered with an error too. The SDK would drop it without a word, and whoever sent it,
   such as a client whose text ends in half an emoji, would wait for ever.
4. Lines are written whole, one after the other, whoever writes them.
5. A client that closes its end gets the answers to what it has asked, if they come soon. The SDK would drop them, and
   `printf ... | substrate mcp` would say nothing.
"""

from __future__ import annotations

import json
import os
import re
import sys
import threading
from collections.abc import AsyncIterator, Callable
from typing import BinaryIO, Final

from substrate.limits import LIMITS

__all__ = ["Problem", "Wire", "claim"]

_MOST: Final = LIMITS["line_bytes"]
_CHUNK: Final = 1 << 20
_HEAD: Final = 1024
_PLAIN: Final = rb'"id"\s*:\s*(-?\d{1,18}|"[^"\\]{1,200}")\s*'
_FIRST: Final = re.compile(rb"\s*\{[^{}\[\]]*?" + _PLAIN + rb"[,}]")
_LAST: Final = re.compile(rb"[,{]\s*" + _PLAIN + rb"\}\s*\Z")
"""The id of a request, a number or a plain string: before anything that is nested, or as the last thing of all."""
_INVALID_REQUEST: Final = -32600

_ANSWER: Final = re.compile(r'\{"jsonrpc":"2\.0","id":(?:-?\d+|"(?:[^"\\]|\\.)*"|null),"(?:result|error)"')
"""As the SDK writes them."""
_SOON_S: Final = 5.0

Problem = tuple[int, str]
"""A code of JSON-RPC, and what it means here."""


class Wire:
    """The client's two ends; as what the SDK's transport takes for files, of which it iterates, writes and flushes."""

    def __init__(self, incoming: BinaryIO, outgoing: BinaryIO) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        self._writing = threading.Lock()
        self._heard = True
        self._owed = 0
        self._answered = threading.Condition()
        self.judge: Callable[[str], Problem | bool] = lambda _: False
        """Whether a line is a request; or why it is no message. The SDK decides what it takes: who serves says it."""

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
        """The next line that is a message, with its end; empty if the client has closed one of its ends."""
        while self._heard and (line := self._incoming.readline(_MOST + 1)):
            if len(line) > _MOST:
                end = line if line.endswith(b"\n") else self._skip()
                told = f"a line of more than {_MOST:,} bytes, which is the limit: send less at once"
                self._refuse(line[:_HEAD], end[-_HEAD:], (_INVALID_REQUEST, told))
                continue
            text = line.decode("utf-8", "replace")
            if not text.isspace():
                judged = self.judge(text)
                if isinstance(judged, bool):
                    self._owe(judged)
                    return text
                self._refuse(line[:_HEAD], line[-_HEAD:], judged)
        with self._answered:
            self._answered.wait_for(lambda: self._owed <= 0 or not self._heard, _SOON_S)
        return ""

    def send(self, text: str) -> None:
        """Write all of it. To a client that has stopped listening nothing is written, and no more is read from it."""
        self._write(text)
        self._owe(-bool(_ANSWER.match(text)))

    def _owe(self, more: int) -> None:
        with self._answered:
            self._owed += more
            self._answered.notify_all()

    def _write(self, text: str) -> None:
        data = memoryview(text.encode("utf-8", "replace"))
        with self._writing:
            try:
                while data:
                    data = data[self._outgoing.write(data) :]
            except BrokenPipeError:
                self._heard = False

    def _skip(self) -> bytes:
        """Read past the rest of the line. Its end."""
        end = b""
        while chunk := self._incoming.readline(_CHUNK):
            end = (end + chunk)[-_HEAD:]
            if chunk.endswith(b"\n"):
                break
        return end

    def _refuse(self, head: bytes, end: bytes, problem: Problem) -> None:
        found = _FIRST.match(head) or _LAST.search(end)
        code, message = problem
        answer = {
            "jsonrpc": "2.0",
            "id": _read(found[1]) if found else None,
            "error": {"code": code, "message": message},
        }
        self._write(json.dumps(answer) + "\n")


def _read(number: bytes) -> object:
    return json.loads(number.decode("utf-8", "replace"), strict=False)


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
