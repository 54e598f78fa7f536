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
6. A client that sends and does not read costs a fixed amount of memory: beyond so many requests, or bytes of them, that
   are not answered, nothing is read; and while an answer waits to be taken, no call begins (`flowing`).
"""

from __future__ import annotations

import json
import os
import re
import select
import sys
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any, BinaryIO, Final

from substrate.limits import LIMITS
from substrate.server.lines import Line, Lines

__all__ = ["Problem", "RequestId", "Wire", "claim"]

_MOST: Final = LIMITS["line_bytes"]
_CHUNK: Final = 1 << 16
_THREADS: Final = 2
"""One for each end."""
_HEAD: Final = 1024
_PLAIN: Final = rb'"id"\s*:\s*(-?\d{1,18}|"[^"\\]{1,200}")\s*'
_FIRST: Final = re.compile(rb"\s*\{[^{}\[\]]*?" + _PLAIN + rb"[,}]")
_LAST: Final = re.compile(rb"[,{]\s*" + _PLAIN + rb"\}\s*\Z")
"""The id of a request, a number or a plain string: before anything that is nested, or as the last thing of all."""
_INVALID_REQUEST: Final = -32600

_ANSWER: Final = re.compile(r'\{"jsonrpc":"2\.0","id":(-?\d+|"(?:[^"\\]|\\.)*"|null),"(?:result|error)"')
"""As the SDK writes them."""
_SOON_S: Final = 5.0
_MOST_OWED: Final = 1000
"""Requests that are not answered. So many, since answers to questions of ours may come behind them."""
_MOST_OWED_BYTES: Final = _MOST
"""Of these requests, if it is more than one."""

RequestId = int | str

Problem = tuple[int, str]
"""A code of JSON-RPC, and what it means here."""


class Wire:
    """The client's two ends; as what the SDK's transport takes for files, of which it iterates, writes and flushes.

    They are read and written by the event loop itself, as far as that cannot block, and else in a thread: a call has
    enough to do without changing threads four times.
    """

    def __init__(self, incoming: BinaryIO, outgoing: BinaryIO) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        self._lines = Lines(_MOST)
        self._threads: Any = None
        self._writing = threading.Lock()
        self._room = _room_in(outgoing)
        self._heard = True
        self._ended = False
        self._owed: dict[RequestId, list[int]] = {}
        """The sizes of requests that are not answered, by id: a client may use an id more than once."""
        self._answered = threading.Condition()
        self._changed: Any = None
        """An event, while something of the event loop waits for an answer to be written."""
        self._untaken = 0
        self.judge: Callable[[str], Problem | RequestId | None] = lambda _: None
        """The id of a request; or why a line is no message. The SDK decides what it takes: who serves says it."""

    # -- as the SDK's transport uses it ------------------------------------------------------------------------------

    async def __aiter__(self) -> AsyncIterator[str]:
        while not self._ended:
            await self._more()
            while self._lines.ready and self._heard:
                text, answer = self._taken(self._lines.ready.popleft())
                if text:
                    await self._until(self._has_room)
                    yield text
                elif answer:
                    await self._put(answer)
        await self._in_thread(self._settle)

    async def write(self, text: str) -> None:
        """Send a line. For a client that does not read, it waits in a thread."""
        await self._put(text)
        self._answer(text)
        self._tell()

    async def flowing(self) -> None:
        """Return when no line waits for the client to take it: what is asked next would have to wait behind it."""
        await self._until(lambda: not self._untaken)

    def settle(self, number: RequestId) -> None:
        """The request of this id gets no answer: the client has withdrawn it."""
        self._drop(number)
        self._tell()

    async def flush(self) -> None:
        """Nothing is kept back."""

    async def _more(self) -> None:
        """The next bytes. What cannot be waited for by the event loop, such as a file, is read in a thread."""
        import anyio  # noqa: PLC0415 - the wire is claimed before anything else is loaded

        try:
            await anyio.wait_readable(self._incoming.fileno())
            self._feed()
        except OSError:
            await self._in_thread(self._feed)

    async def _put(self, text: str) -> None:
        data = memoryview(text.encode("utf-8", "replace"))
        if self._writing.acquire(blocking=False):
            rest = self._write_some(data)
            if rest:
                await self._wait_to_write(self._write_rest, rest)
            else:
                self._writing.release()
        else:
            await self._wait_to_write(self._write_whole, data)

    async def _wait_to_write(self, work: Callable[[memoryview], None], data: memoryview) -> None:
        self._untaken += 1
        try:
            await self._in_thread(work, data)
        finally:
            self._untaken -= 1
            self._tell()

    async def _until(self, is_so: Callable[[], bool]) -> None:
        """Return when it is so, or when nobody listens any more."""
        import anyio  # noqa: PLC0415

        while self._heard and not is_so():
            if self._changed is None:
                self._changed = anyio.Event()
            await self._changed.wait()

    def _tell(self) -> None:
        """Let those who wait look again. In the event loop only."""
        changed, self._changed = self._changed, None
        if changed is not None:
            changed.set()

    async def _in_thread(self, work: Callable[..., None], *arguments: object) -> None:
        import anyio  # noqa: PLC0415

        if self._threads is None:  # of its own: those of calls may all be taken, by calls that wait for something
            self._threads = anyio.CapacityLimiter(_THREADS)
        await anyio.to_thread.run_sync(work, *arguments, limiter=self._threads)

    # -- by hand -----------------------------------------------------------------------------------------------------

    def read_line(self) -> str:
        """The next line that is a message, with its end; empty if the client has closed one of its ends."""
        while self._heard:
            while not self._lines.ready and not self._ended:
                self._feed()
            if not self._lines.ready:
                break
            text, answer = self._taken(self._lines.ready.popleft())
            if text:
                return text
            if answer:
                self.send(answer)
        self._settle()
        return ""

    def send(self, text: str) -> None:
        """Write all of it. To a client that has stopped listening nothing is written, and no more is read from it."""
        self._write_whole(memoryview(text.encode("utf-8", "replace")))
        self._answer(text)

    # -- in -----------------------------------------------------------------------------------------------------------

    def _feed(self) -> None:
        chunk = self._incoming.read(_CHUNK) if self._heard else b""
        self._ended = not chunk
        self._lines.feed(chunk)

    def _taken(self, line: Line) -> tuple[str, str]:
        """A line as a message to be passed on; or the answer to one that is none."""
        if line.end:
            told = f"a line of more than {_MOST:,} bytes, which is the limit: send less at once"
            return "", _refusal(line.data, line.end, (_INVALID_REQUEST, told))
        text = line.data.decode("utf-8", "replace")
        if text.isspace():
            return "", ""
        judged = self.judge(text)
        if isinstance(judged, tuple):
            return "", _refusal(line.data[:_HEAD], line.data[-_HEAD:], judged)
        if judged is not None:
            with self._answered:
                self._owed.setdefault(judged, []).append(len(line.data))
        return text, ""

    def _has_room(self) -> bool:
        """Whether the request that came last can be passed on. It always can, if no other is under way."""
        waiting = [size for sizes in self._owed.values() for size in sizes]
        return len(waiting) <= 1 or (len(waiting) <= _MOST_OWED and sum(waiting) <= _MOST_OWED_BYTES)

    def _answer(self, text: str) -> None:
        if found := _ANSWER.match(text):
            self._drop(json.loads(found[1], strict=False))

    def _drop(self, number: RequestId | None) -> None:
        with self._answered:
            if number in self._owed:
                self._owed[number].pop()
                if not self._owed[number]:
                    del self._owed[number]
            self._answered.notify_all()

    def _settle(self) -> None:
        """Wait until what was asked is answered."""
        with self._answered:
            self._answered.wait_for(lambda: not self._owed or not self._heard, _SOON_S)

    # -- out -----------------------------------------------------------------------------------------------------------

    def _write(self, data: memoryview) -> None:
        try:
            while data:
                data = data[self._outgoing.write(data) :]
        except BrokenPipeError:
            self._stop_listening()

    def _write_some(self, data: memoryview) -> memoryview:
        """Write as much as there is room for at once; the rest."""
        try:
            while data and self._room():
                data = data[self._outgoing.write(data[: select.PIPE_BUF]) :]
        except BrokenPipeError:
            self._stop_listening()
            return data[:0]
        return data

    def _stop_listening(self) -> None:
        with self._answered:
            self._heard = False
            self._answered.notify_all()

    def _write_whole(self, data: memoryview) -> None:
        with self._writing:
            self._write(data)

    def _write_rest(self, data: memoryview) -> None:
        """Write what is left of a line, by whoever has begun it: no other line comes in between."""
        try:
            self._write(data)
        finally:
            self._writing.release()


def _room_in(outgoing: BinaryIO) -> Callable[[], bool]:
    """What tells whether PIPE_BUF bytes can be written without waiting."""
    try:
        poll = select.poll()
        poll.register(outgoing.fileno(), select.POLLOUT)
    except (OSError, ValueError):
        return lambda: False
    return lambda: bool(poll.poll(0))


def _refusal(head: bytes, end: bytes, problem: Problem) -> str:
    found = _FIRST.match(head) or _LAST.search(end)
    code, message = problem
    answer = {
        "jsonrpc": "2.0",
        "id": _read(found[1]) if found else None,
        "error": {"code": code, "message": message},
    }
    return json.dumps(answer) + "\n"


def _read(number: bytes) -> object:
    return json.loads(number.decode("utf-8", "replace"), strict=False)


def claim() -> Wire:
    """Take standard input and output for the wire. From here on nobody else in this process can read or write it."""
    sys.stdout.flush()
    incoming = os.fdopen(os.dup(0), "rb", buffering=0)
    outgoing = os.fdopen(os.dup(1), "wb", buffering=0)
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, 0)
    os.close(nowhere)
    os.dup2(2, 1)
    return Wire(incoming, outgoing)
