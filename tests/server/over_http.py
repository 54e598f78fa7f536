"""Servers over HTTP for tests: in this process in a thread, or as the command runs them, in the main thread."""

from __future__ import annotations

import io
import json
import os
import queue
import signal
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
import uvicorn
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import Implementation
from sse_starlette.sse import AppStatus

from substrate.cli import main
from substrate.server.clients import Clients
from substrate.server.http.serve import compose_http, http_app, http_runner, listen
from substrate.server.http.tokens import BearerToken
from substrate.server.launch import Launch, http_url

__all__ = ["Ended", "Served", "begin", "client", "post", "served", "while_serving"]

WAIT_S = 120
BEGIN = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "bare", "version": "0"},
    },
}


@dataclass(frozen=True)
class Served:
    url: str
    clients: Clients
    bearer: BearerToken | None
    token: str | None
    runner: uvicorn.Server


@contextmanager
def served(folder: Path, *, token: bool = True) -> Iterator[Served]:
    """A server of a new store in the folder, in a thread."""
    clients = Clients(Launch(folder / "store"))
    bearer = BearerToken(folder / "home", folder / "store") if token else None
    listening = listen(0)
    port = listening.getsockname()[1]
    runner = http_runner(http_app(compose_http(clients, port, bearer), port, clients, bearer))
    thread = threading.Thread(target=runner.run, args=([listening],))
    thread.start()
    try:
        yield Served(http_url(port), clients, bearer, None if bearer is None else bearer.make(), runner)
    finally:
        runner.should_exit = True
        thread.join(WAIT_S)
        clients.close()
        assert not thread.is_alive()


def post(url: str, body: bytes | None = None, *, length: int | None = None, **headers: str) -> tuple[int, str]:
    """Status and body of the answer to the first request of a client; headers by their names with `_` for `-`."""
    split = urlsplit(url)
    connection = HTTPConnection(split.hostname or "", split.port, timeout=WAIT_S)
    data = json.dumps(BEGIN).encode() if body is None else body
    sent = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "Content-Length": str(len(data) if length is None else length),
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    try:
        connection.request("POST", split.path, data, sent)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def begin(url: str, token: str | None) -> int:
    """The status of the answer to a client with this token."""
    return post(url, **({} if token is None else {"Authorization": f"Bearer {token}"}))[0]


@asynccontextmanager
async def client(url: str, token: str | None, *, name: str = "tester", **options: Any) -> AsyncIterator[Client]:
    """The SDK's client, connected."""
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=WAIT_S) as http:
        transport = streamable_http_client(url, http_client=http)
        async with Client(transport, client_info=Implementation(name=name, version="1"), **options) as found:
            yield found


class Said(io.StringIO):
    """Standard error, of which another thread can wait for a line."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: queue.SimpleQueue[str] = queue.SimpleQueue()

    def write(self, text: str) -> int:
        self.lines.put(text)
        return super().write(text)

    def address(self) -> str:
        """Where the server serves; empty if it ended instead."""
        while line := self.lines.get(timeout=WAIT_S):
            if line.startswith("serving "):
                return line.split()[1]
        return ""


@dataclass(frozen=True)
class Ended:
    code: int
    out: str
    err: str


def while_serving(*words: str, do: Callable[[str], object], number: int = signal.SIGTERM) -> Ended:
    """Run `substrate mcp --http --port 0 WORDS`; do something with its address; tell it to stop; how it ended."""
    out, err = io.StringIO(), Said()
    failed: list[BaseException] = []

    def visit() -> None:
        url = err.address()
        if not url:
            return
        try:
            do(url)
        except BaseException as error:  # noqa: BLE001 - raised by the one who waits
            failed.append(error)
        finally:
            os.kill(os.getpid(), number)

    visitor = threading.Thread(target=visit)
    visitor.start()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "stderr", err)
        patch.setattr(AppStatus, "should_exit", False)  # set by a stop, and by nobody unset: of the whole process
        code = main(["mcp", "--http", "--port", "0", *words])
    err.lines.put("")
    visitor.join(WAIT_S)
    if failed:
        raise failed[0]
    return Ended(int(code), out.getvalue(), err.getvalue())
