"""Serving over standard input and output: one client, for as long as it keeps its end open."""

from __future__ import annotations

import logging
import os
import signal
import threading
from typing import Any, cast

import anyio
from mcp.server.stdio import stdio_server
from mcp.types import INVALID_REQUEST, PARSE_ERROR, JSONRPCRequest, jsonrpc_message_adapter
from pydantic import ValidationError

from substrate.server.clients import Clients
from substrate.server.compose import SubstrateServer, announcement, compose
from substrate.server.launch import Launch
from substrate.server.wire import Problem, Wire

__all__ = ["serve_stdio"]

_log = logging.getLogger(__name__)


def serve_stdio(clients: Clients, wire: Wire) -> None:
    """Serve the client at the other end of the wire until it closes it, or until this process is told to stop."""
    logging.basicConfig(level=logging.WARNING, format="substrate mcp: %(message)s")
    _log.setLevel(logging.INFO)
    _close_when_told(clients)
    anyio.run(_serve, compose(clients), clients.launch, wire)


async def _serve(server: SubstrateServer, launch: Launch, wire: Wire) -> None:
    wire.judge = _judge
    ends = cast("Any", wire)  # it has what the transport uses of a file
    _log.info(await announcement(server, launch))
    async with stdio_server(ends, ends) as (reading, writing):
        inner = server._lowlevel_server  # noqa: SLF001 - the SDK's own way leads over the process's standard streams
        await inner.run(reading, writing, inner.create_initialization_options())


def _judge(line: str) -> Problem | bool:
    """Whether this is a request; or why the SDK, which judges by the same means, would drop it."""
    try:
        message = jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        if first["type"] == "json_invalid":
            return PARSE_ERROR, first["msg"]
        return INVALID_REQUEST, "this is no request, notification or response of JSON-RPC 2.0; batches are not taken"
    return isinstance(message, JSONRPCRequest)


def _close_when_told(clients: Clients) -> None:
    """Told to stop: write down what was accessed, and go. The thread that waits for the next line cannot be stopped."""

    def close(number: int) -> None:
        try:
            clients.close()
        finally:
            os._exit(128 + number)

    def stop(number: int, _frame: object) -> None:
        # In a thread: whatever lock the interrupted one holds, it can let go of.
        threading.Thread(target=close, args=(number,), name="substrate-stop").start()

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, stop)
