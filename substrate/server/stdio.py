"""Serving over standard input and output: one client, for as long as it keeps its end open."""

from __future__ import annotations

import logging
import os
import signal
import threading
from types import TracebackType
from typing import Any, Self, cast

import anyio
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp.types import INVALID_REQUEST, PARSE_ERROR, JSONRPCRequest, jsonrpc_message_adapter
from pydantic import ValidationError

from substrate.server.clients import Clients
from substrate.server.compose import SubstrateServer, announcement, compose
from substrate.server.launch import Launch
from substrate.server.logs import log_sparingly
from substrate.server.wire import Problem, RequestId, Wire

__all__ = ["serve_stdio"]

_log = logging.getLogger(__name__)


def serve_stdio(clients: Clients, wire: Wire) -> None:
    """Serve the client at the other end of the wire until it closes it, or until this process is told to stop."""
    log_sparingly("substrate mcp: %(message)s")
    _log.setLevel(logging.INFO)
    _close_when_told(clients)
    anyio.run(_serve, compose(clients), clients.launch, wire)


async def _serve(server: SubstrateServer, launch: Launch, wire: Wire) -> None:
    wire.judge = _judge
    ends = cast("Any", wire)  # it has what the transport uses of a file
    _log.info(await announcement(server, launch))

    async def flowing(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Begin nothing for a client that does not take the answers it has: each would be kept for it."""
        await wire.flowing()
        return await call_next(ctx)

    async with stdio_server(ends, ends) as (reading, writing):
        inner = server._lowlevel_server  # noqa: SLF001 - the SDK's own way leads over the process's standard streams
        inner.middleware.append(flowing)
        await inner.run(_Settling(reading, wire), writing, inner.create_initialization_options())


class _Settling:
    """The SDK's stream of messages from the client; of requests that will not be answered the wire is told."""

    def __init__(self, reading: Any, wire: Wire) -> None:  # noqa: ANN401 - the SDK's, which has no public type
        self._reading = reading
        self._wire = wire

    @property
    def last_context(self) -> Any:  # noqa: ANN401 - the SDK's
        """In which the last message came."""
        return self._reading.last_context

    async def receive(self) -> SessionMessage | Exception:
        """The next message."""
        item: SessionMessage | Exception = await self._reading.receive()
        if isinstance(item, SessionMessage) and isinstance(item.message, JSONRPCRequest):
            number = item.message.id

            async def unanswered() -> None:
                self._wire.settle(number)

            item.metadata = ServerMessageMetadata(on_request_unanswered=unanswered)
        return item

    async def aclose(self) -> None:
        """Take no more."""
        await self._reading.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


def _judge(line: str) -> Problem | RequestId | None:
    """The id of a request; or why the SDK, which judges by the same means, would drop the line."""
    try:
        message = jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        if first["type"] == "json_invalid":
            return PARSE_ERROR, first["msg"]
        return INVALID_REQUEST, "this is not a request, notification or response of JSON-RPC 2.0; batches are not taken"
    return message.id if isinstance(message, JSONRPCRequest) else None


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
