"""`python -m substrate mcp` as a child, spoken to over its pipes, byte by byte, with nothing of the SDK between."""

from __future__ import annotations

import itertools
import json
import os
import select
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any, Self

from tests.ready import start, start_fresh
from tests.scale import PATIENCE_S

__all__ = ["PATIENCE_S", "PROTOCOL", "Gone", "Server", "faults_of", "request"]

ROOT = Path(__file__).parents[1]
PROTOCOL = "2025-11-25"
_CHUNK = 1 << 16


class Gone(Exception):
    """The server closed its end. The message holds what it wrote to its log."""


def request(number: object, method: str, params: object = None) -> bytes:
    """A request as a line."""
    said = {"jsonrpc": "2.0", "id": number, "method": method}
    return json.dumps(said if params is None else said | {"params": params}).encode() + b"\n"


def faults_of(line: bytes) -> list[str]:
    """Why this is no line of JSON-RPC; nothing, if it is one."""
    try:
        said = json.loads(line)
    except ValueError as error:
        return [f"no JSON: {error}: {line[:200]!r}"]
    if not isinstance(said, dict) or said.get("jsonrpc") != "2.0":
        return [f"no JSON-RPC: {line[:200]!r}"]
    kinds = [kind for kind in ("method", "result", "error") if kind in said]
    if len(kinds) != 1 or (kinds != ["method"] and "id" not in said):
        return [f"neither a request nor one answer: {line[:200]!r}"]
    return []


class Server:
    """A server on a store. Use it as a context manager; it is killed at the end, if it still runs.

    `program` is the module that runs. It has the package imported already (tests/ready.py), unless it shall be `fresh`.
    All lines that ever came out are in `lines`.
    """

    def __init__(
        self,
        store: Path,
        home: Path,
        *options: str,
        program: str = "substrate",
        fresh: bool = False,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `__exit__`
        settings = {"SUBSTRATE_HOME": str(home), "SUBSTRATE_MODEL": "none", **(environment or {})}
        begin = start_fresh if fresh else start
        self._process = begin(program, "mcp", "--store", str(store), *options, stderr=self._log, environment=settings)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._in, self._out = self._process.stdin, self._process.stdout
        os.set_blocking(self._in.fileno(), False)
        self._rest = b""
        self._unread: list[bytes] = []
        self._numbers = itertools.count(1)
        self.lines: list[bytes] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        self._log.close()

    # -- lines ---------------------------------------------------------------------------------------------------------

    def send(self, data: bytes) -> None:
        """Write it all, and read meanwhile what comes: neither side ever waits for the other. Gone if it went away."""
        until, left = monotonic() + PATIENCE_S, memoryview(data)
        while left:
            listening = [] if self._out.closed else [self._out]
            readable, writable, _ = select.select(listening, [self._in], [], max(0.0, until - monotonic()))
            if not readable and not writable:
                raise TimeoutError(f"the server does not take what it is sent; its log: {self.log()}")
            if readable:
                self._take()
            if writable:
                try:
                    left = left[os.write(self._in.fileno(), left[:_CHUNK]) :]
                except BrokenPipeError:
                    raise Gone(self.log()) from None

    def line(self) -> bytes:
        """The next line. Gone if there will be no more."""
        until = monotonic() + PATIENCE_S
        while not self._unread:
            if not select.select([self._out], [], [], max(0.0, until - monotonic()))[0]:
                raise TimeoutError(f"no line within the time given; its log: {self.log()}")
            self._take()
        return self._unread.pop(0)

    def _take(self) -> None:
        data = os.read(self._out.fileno(), _CHUNK)
        if not data:
            raise Gone(self.log())
        *whole, self._rest = (self._rest + data).split(b"\n")
        self._unread += whole
        self.lines += whole

    # -- calls ---------------------------------------------------------------------------------------------------------

    def greet(self, name: str = "wire") -> dict[str, Any]:
        """Shake hands, as clients did before 2026-07-28."""
        client = {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": {"name": name, "version": "1"}}
        answer = self.ask("initialize", client)
        self.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        return answer

    def begin(self, method: str, params: object = None) -> str:
        """Send a request, and do not wait. Its id."""
        number = f"own-{next(self._numbers)}"
        self.send(request(number, method, params))
        return number

    def answers(self, numbers: Iterable[object]) -> dict[object, dict[str, Any]]:
        """The answers to requests of these ids, in whatever order they come; other lines are passed over."""
        missing, found = set(numbers), {}
        while missing:
            line = self.line()
            said = {} if faults_of(line) else json.loads(line)  # whoever looks at `lines` finds the faults
            if said.get("id") in missing and "method" not in said:
                missing.discard(said["id"])
                found[said["id"]] = said
        return found

    def answer(self, number: object) -> dict[str, Any]:
        """The answer to the request of this id."""
        return self.answers([number])[number]

    def ask(self, method: str, params: object = None) -> dict[str, Any]:
        """A request and its answer."""
        return self.answer(self.begin(method, params))

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """What a tool replies."""
        result: dict[str, Any] = self.ask("tools/call", {"name": tool, "arguments": arguments})["result"]
        return result

    # -- the process ---------------------------------------------------------------------------------------------------

    def kill(self) -> list[bytes]:
        """SIGKILL it, if it still runs. The whole lines that it had got out, and nobody has read yet."""
        self._process.kill()
        self._process.wait(PATIENCE_S)
        with suppress(Gone):
            while not self._out.closed:
                self._take()
        for stream in (self._in, self._out):
            stream.close()
        return self._unread

    def close(self) -> int:
        """Close its input, read what still comes, and see it end. Its exit code."""
        self._in.close()
        with suppress(Gone):
            while not self._out.closed:
                self.line()
        self.lines += [self._rest] if self._rest else []
        return self._process.wait(PATIENCE_S)

    def stop_listening(self) -> None:
        """Close its output: what it writes from here on meets a broken pipe."""
        self._out.close()

    def log(self) -> str:
        """What it wrote to standard error."""
        self._log.seek(0)
        return self._log.read().decode(errors="replace")[-4000:]

    def peak_bytes(self) -> int:
        """The most memory that it ever had, in bytes."""
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        return next(int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith("VmHWM"))
