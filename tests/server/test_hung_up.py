"""A client that hangs up while its plain call runs: what waits is given up, what writes ends as it should."""

from __future__ import annotations

import json
import threading
from typing import Any

import anyio
import anyio.lowlevel
import anyio.to_thread
from starlette.types import Message

from substrate.server.http.plain_rpc import PlainRpc
from tests.scale import PATIENCE_S

BODY = json.dumps({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "any", "arguments": {}}})
SCOPE = {"type": "http", "path": "/mcp", "method": "POST", "headers": []}


def answered(run: Any, gone: Any) -> list[Message]:
    """What is sent to a client that hangs up when the event `gone` is set, if this is the call that it made."""
    rpc = object.__new__(PlainRpc)
    rpc._path, rpc._origins, rpc._run = "/mcp", frozenset(), run
    sent: list[Message] = []
    first = True

    async def receive() -> Message:
        nonlocal first
        if first:
            first = False
            return {"type": "http.request", "body": BODY.encode()}
        await gone()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    async def serve() -> None:
        with anyio.fail_after(PATIENCE_S):
            await rpc(dict(SCOPE), receive, send)

    anyio.run(serve)
    return sent


def test_a_plain_call_that_waits_for_its_turn_is_given_up() -> None:
    wrote: list[bool] = []

    async def waits(*_: object) -> dict[str, Any]:
        await anyio.sleep(2 * PATIENCE_S)
        wrote.append(True)
        return {}

    assert answered(waits, anyio.lowlevel.checkpoint) == []
    assert not wrote


def test_a_plain_call_that_writes_ends_first() -> None:
    begun, ended = threading.Event(), []

    async def writes(*_: object) -> dict[str, Any]:
        await anyio.to_thread.run_sync(write)
        return {}

    def write() -> None:
        begun.set()
        ended.append(True)

    async def gone() -> None:
        await anyio.to_thread.run_sync(begun.wait, PATIENCE_S)

    answered(writes, gone)
    assert ended == [True]


def test_who_stays_is_answered() -> None:
    async def says(*_: object) -> dict[str, Any]:
        return {"structuredContent": {"fact": 1}}

    async def gone() -> None:
        await anyio.sleep(2 * PATIENCE_S)

    start, body = answered(says, gone)
    assert (start["status"], json.loads(body["body"])["result"]) == (200, {"fact": 1})
