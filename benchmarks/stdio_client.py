"""One MCP server as a child process, spoken to in JSON lines over its pipes, one request at a time.

No SDK: what is measured is the server, not a client, and every server gets the very same bytes. Standard library only.
Memory and CPU of the child are read from the kernel, as Linux tells them.
"""

from __future__ import annotations

import json
import os
import re
import select
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

__all__ = ["Residence", "ServerFailed", "StdioServer", "texts_of"]

_PROTOCOL = "2025-11-25"
_CLIENT = {"name": "substrate-bench", "version": "1"}
_PORTION = 1 << 16
_ENDS_S = 10.0
_KB = re.compile(r"^(VmRSS|RssAnon):\s+(\d+) kB$", re.MULTILINE)


class ServerFailed(Exception):
    """It ended, did not answer in time, or answered with an error; the message says which."""


class Residence(NamedTuple):
    """Megabytes in memory: all pages, and those that are no file's (a store that is mapped counts in the first)."""

    resident: float
    anonymous: float


class StdioServer:
    """Started when made; `ready` once it has listed its tools. Raises ServerFailed wherever it does not answer."""

    def __init__(
        self, command: Sequence[str], *, environment: Mapping[str, str], folder: Path, patience: float = 120.0
    ) -> None:
        self._patience = patience
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the server
        self._begun = time.perf_counter()
        self._process = subprocess.Popen(  # noqa: S603 - commands of our own
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=dict(environment),
            cwd=folder,
            bufsize=0,
        )
        self._rest = b""
        self._asked = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    @property
    def age(self) -> float:
        """Seconds since just before it was spawned."""
        return time.perf_counter() - self._begun

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self._process.poll() is None

    @property
    def cpu_ns(self) -> int:
        """Nanoseconds of CPU that it has used so far, with all its threads, without its children."""
        # The clock that clock_getcpuclockid gives for another process; /proc counts in hundredths of a second.
        return time.clock_gettime_ns((~self._process.pid << 3) | 2)

    def residence(self) -> Residence:
        """What it holds in memory just now."""
        found = dict(_KB.findall(Path(f"/proc/{self._process.pid}/status").read_text(encoding="ascii")))
        return Residence(int(found["VmRSS"]) / 1024, int(found["RssAnon"]) / 1024)

    def ready(self) -> list[str]:
        """Shake hands, and the names of its tools."""
        self.request("initialize", {"protocolVersion": _PROTOCOL, "capabilities": {}, "clientInfo": dict(_CLIENT)})
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return [tool["name"] for tool in self.request("tools/list", {})["tools"]]

    def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The result of a tool. An answer that says it is an error is one here."""
        result = self.request("tools/call", {"name": tool, "arguments": arguments})
        if result.get("isError"):
            raise ServerFailed(f"{tool}: {' '.join(texts_of(result))[:300]}")
        return result

    def request(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Ask, and wait for the answer; what else the server says meanwhile is passed over."""
        self._asked += 1
        self._send({"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params})
        until = time.monotonic() + self._patience
        while True:
            answer = json.loads(self._line(until))
            if answer.get("id") != self._asked or "method" in answer:
                continue
            if "error" in answer:
                raise ServerFailed(f"{method}: {str(answer['error'].get('message'))[:300]}")
            result: dict[str, Any] = answer["result"]
            return result

    def close(self) -> None:
        """Close its input, which asks a server to end; kill it if it does not. Waits until it is gone."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        try:
            self._process.wait(_ENDS_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._errors.close()

    def _send(self, message: Mapping[str, Any]) -> None:
        line = memoryview(json.dumps(message).encode() + b"\n")
        try:
            while line:
                line = line[os.write(self._input, line) :]
        except BrokenPipeError:
            raise ServerFailed(self._why("it closed its input")) from None

    def _line(self, until: float) -> bytes:
        """The next line of its output."""
        while b"\n" not in self._rest:
            if not select.select([self._output], [], [], max(0.0, until - time.monotonic()))[0]:
                raise ServerFailed(self._why(f"no answer within {self._patience:.0f} s"))
            portion = os.read(self._output, _PORTION)
            if not portion:
                raise ServerFailed(self._why("it ended"))
            self._rest += portion
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    @property
    def _input(self) -> int:
        assert self._process.stdin is not None  # noqa: S101 - for the type checker
        return self._process.stdin.fileno()

    @property
    def _output(self) -> int:
        assert self._process.stdout is not None  # noqa: S101 - for the type checker
        return self._process.stdout.fileno()

    def _why(self, what: str) -> str:
        """With the last line that it wrote to its standard error."""
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return f"{what}: {lines[-1][:300]}" if lines else what


def texts_of(result: Mapping[str, Any]) -> list[str]:
    """The texts of a tool's result."""
    return [part["text"] for part in result.get("content", ()) if part.get("type") == "text"]
