"""Plain JSON-RPC: one POST of `tools/call` or `tools/list`, without a handshake, answered by the bare object.

A request that names no version of the protocol and does not ask for a stream is run by the same server, as the protocol
of today has it, and the reply is taken out of its envelope: what the tool says is `result`, and an error has the status
that its surface gives it, in HTTP too. Everything else goes to the SDK as it came.

The SDK's own HTTP is not passed through: it would parse and write each message once more, and turn the reply to a call
of more than some seconds into a stream. Who is let in was decided before; pages of other servers are refused here.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import anyio
from mcp.server.runner import modern_error_data, modern_on_request
from mcp.shared.dispatcher import CallOptions
from mcp.shared.exceptions import NoBackChannelError
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from mcp.shared.transport_context import TransportContext
from mcp.types import (
    CLIENT_CAPABILITIES_META_KEY,
    CLIENT_INFO_META_KEY,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    PROTOCOL_VERSION_META_KEY,
)
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from substrate.limits import LIMITS
from substrate.server.clients import Clients
from substrate.server.compose import SubstrateServer
from substrate.server.http.body import MOST_VALUES, TooLargeError, handing, has_too_many_values, is_utf8, read_body
from substrate.surfaces.status import error_fields

__all__ = ["PlainRpc", "rpc_error"]

_VERSION: Final = "2026-07-28"
"""Of the protocol, in which one request is complete."""
_METHODS: Final = ("tools/call", "tools/list")
_SERVER_ERROR: Final = -32000
_HTTP: Final = {PARSE_ERROR: 400, INVALID_REQUEST: 400, INVALID_PARAMS: 400, METHOD_NOT_FOUND: 404}
_FORBIDDEN: Final = 403
_TOO_LARGE: Final = 413
_META: Final = {
    PROTOCOL_VERSION_META_KEY: _VERSION,
    CLIENT_CAPABILITIES_META_KEY: {},
    CLIENT_INFO_META_KEY: {"name": "plain", "version": "1"},
}
"""What the protocol wants to know of a client."""
_CODES: Final = range(400, 600)
_MOST_BYTES: Final = LIMITS["line_bytes"]


def rpc_error(
    code: int,
    message: str,
    *,
    id: object = None,  # noqa: A002 - the word for it
    headers: dict[str, str] | None = None,
) -> JSONResponse:
    """An error of JSON-RPC, with the status of HTTP that belongs to its code."""
    status = code if code in _CODES else _HTTP.get(code, 500)
    return JSONResponse({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}, status, headers)


class PlainRpc:
    """The application around the SDK's, which answers at `path`. `origins`: whose pages may call."""

    def __init__(
        self, app: ASGIApp, server: SubstrateServer, clients: Clients, path: str, origins: Collection[str]
    ) -> None:
        self._app = app
        self._path = path
        self._origins = frozenset(origins)
        inner = server._lowlevel_server  # noqa: SLF001 - what runs a request is the SDK's, and public; what it runs is not
        self._run = modern_on_request(inner, clients)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a plain request; hand on any other, with its body."""
        if scope["type"] != "http" or scope["path"] != self._path or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        try:
            body = await read_body(receive, _MOST_BYTES)
        except TooLargeError:
            await rpc_error(_TOO_LARGE, f"a request has at most {_MOST_BYTES:,} bytes")(scope, receive, send)
            return
        headers = Headers(scope=scope)
        if not is_utf8(body):
            await rpc_error(PARSE_ERROR, "the body is not JSON in UTF-8")(scope, receive, send)
        elif has_too_many_values(body):
            told = f"the JSON of a request has at most {MOST_VALUES:,} values"
            await rpc_error(_TOO_LARGE, told)(scope, receive, send)
        elif _is_plain(headers):
            answer = await self._while_connected(receive, body, headers.getlist("origin"))
            if answer is not None:
                await answer(scope, receive, send)
        else:
            await self._app(scope, handing(body, receive), send)

    async def _while_connected(self, receive: Receive, body: bytes, came_from: Collection[str]) -> JSONResponse | None:
        """The answer; None if the client went away. A call that waits is given up then, one that writes ends first."""
        answer: JSONResponse | None = None
        async with anyio.create_task_group() as group:

            async def watch() -> None:
                while (await receive())["type"] != "http.disconnect":
                    pass
                group.cancel_scope.cancel()

            group.start_soon(watch)
            answer = await self._answered(body, came_from)
            group.cancel_scope.cancel()
        return answer

    async def _answered(self, body: bytes, came_from: Collection[str]) -> JSONResponse:
        try:
            said = json.loads(body)
        except (ValueError, RecursionError):
            return rpc_error(PARSE_ERROR, "the body is not JSON")
        try:
            json.dumps(said, ensure_ascii=False).encode()
        except (UnicodeEncodeError, RecursionError):  # half of a pair, by an escape
            return rpc_error(PARSE_ERROR, "the body is not valid Unicode")
        refused = _unreadable(said)
        if refused is not None:
            return refused
        if not self._origins.issuperset(filter(None, came_from)):
            return rpc_error(_FORBIDDEN, "a page of another server may not call this one", id=said["id"])
        try:
            result = await self._run(_Alone(said["id"]), said["method"], {**said.get("params", {}), "_meta": _META})
        except Exception as error:  # noqa: BLE001 - the SDK says what each is on the wire, and logs what nobody foresaw
            told = modern_error_data(error)
            return rpc_error(told.code, told.message, id=said["id"])
        return _taken_out(said["id"], result)


_TRANSPORT: Final = TransportContext(kind="plain", can_send_request=False)


@dataclass
class _Alone:
    """One request and its reply: nothing can be asked of the client meanwhile, and nothing told."""

    request_id: str | int
    transport: TransportContext = _TRANSPORT
    can_send_request: bool = False
    message_metadata: None = None
    cancel_requested: anyio.Event = field(default_factory=anyio.Event)

    async def send_raw_request(
        self,
        method: str,
        params: Mapping[str, Any] | None,  # noqa: ARG002 - the SDK's
        opts: CallOptions | None = None,  # noqa: ARG002
    ) -> dict[str, Any]:
        raise NoBackChannelError(method)

    async def notify(self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None) -> None:
        """Not told."""

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """Not told."""


def _is_plain(headers: Headers) -> bool:
    """Whether it names no version of the protocol, and does not ask for a stream."""
    versioned = MCP_PROTOCOL_VERSION_HEADER in headers or "mcp-session-id" in headers
    return not versioned and "text/event-stream" not in headers.get("accept", "")


def _unreadable(said: object) -> JSONResponse | None:
    """Why this is no request that can be answered; None: it is one."""
    if not isinstance(said, dict) or said.get("jsonrpc") != "2.0" or not isinstance(said.get("method"), str):
        return rpc_error(INVALID_REQUEST, 'give one request: {"jsonrpc": "2.0", "id": 1, "method": "tools/call", ...}')
    id = said.get("id")  # noqa: A001 - the word for it
    if isinstance(id, bool) or not isinstance(id, str | int):
        return rpc_error(INVALID_REQUEST, "give an id, a number or a text: the reply repeats it")
    if said["method"] not in _METHODS:
        return rpc_error(METHOD_NOT_FOUND, f"a plain request is one of {', '.join(_METHODS)}", id=id)
    params = said.get("params", {})
    if not isinstance(params, dict):
        return rpc_error(INVALID_PARAMS, "params must be an object", id=id)
    if said["method"] == "tools/call" and not isinstance(params.get("name"), str):
        return rpc_error(INVALID_PARAMS, "params.name must be the name of a tool", id=id)
    return None


def _taken_out(id: object, result: dict[str, Any]) -> JSONResponse:  # noqa: A002 - the word for it
    if result.get("isError"):
        error = result.get("_meta", {}).get("error", {"status": INVALID_PARAMS})  # of the SDK: there is no such tool
        message = error.get("message") or "".join(part.get("text", "") for part in result.get("content", ()))
        status = error.get("status") or error_fields(str(error.get("code", ""))).get("status")
        return rpc_error(status if isinstance(status, int) else _SERVER_ERROR, message, id=id)
    bare = result.get("structuredContent", result)
    return JSONResponse({"jsonrpc": "2.0", "id": id, "result": bare})
