"""Plain JSON-RPC: one POST of `tools/call` or `tools/list`, without a handshake, answered by the bare object.

A request that names no version of the protocol and does not ask for a stream is put as the protocol of today asks for
it, run by the same server, and the reply is taken out of its envelope: what the tool says is `result`, and an error has
the status that its surface gives it, in HTTP too. Everything else goes to the SDK as it came.
"""

from __future__ import annotations

import json
from typing import Any, Final

from mcp.shared.inbound import (
    MCP_METHOD_HEADER,
    MCP_NAME_HEADER,
    MCP_PROTOCOL_VERSION_HEADER,
    encode_header_value,
)
from mcp.types import (
    CLIENT_CAPABILITIES_META_KEY,
    CLIENT_INFO_META_KEY,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    PROTOCOL_VERSION_META_KEY,
)
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from substrate.server.http.body import MOST_VALUES, TooLargeError, handing, has_too_many_values, read_body
from substrate.surfaces.status import error_fields

__all__ = ["PlainRpc", "rpc_error"]

_VERSION: Final = "2026-07-28"
"""Of the protocol, in which one request is complete."""
_METHODS: Final = ("tools/call", "tools/list")
_SERVER_ERROR: Final = -32000
_HTTP: Final = {PARSE_ERROR: 400, INVALID_REQUEST: 400, INVALID_PARAMS: 400, METHOD_NOT_FOUND: 404}
_OK: Final = 200
_TOO_LARGE: Final = 413
_CLIENT: Final = {"name": "plain", "version": "1"}
_CODES: Final = range(400, 600)


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
    """The application around the SDK's, which answers at `path`."""

    def __init__(self, app: ASGIApp, path: str, most_bytes: int) -> None:
        self._app = app
        self._path = path
        self._most_bytes = most_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a plain request; hand on any other, with its body."""
        if scope["type"] != "http" or scope["path"] != self._path or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        try:
            body = await read_body(receive, self._most_bytes)
        except TooLargeError:
            await rpc_error(_TOO_LARGE, f"a request has at most {self._most_bytes:,} bytes")(scope, receive, send)
            return
        if has_too_many_values(body):
            told = f"the JSON of a request has at most {MOST_VALUES:,} values"
            await rpc_error(_TOO_LARGE, told)(scope, receive, send)
        elif _is_plain(scope):
            await (await self._answered(scope, body, receive))(scope, receive, send)
        else:
            await self._app(scope, handing(body, receive), send)

    async def _answered(self, scope: Scope, body: bytes, receive: Receive) -> JSONResponse:
        try:
            said = json.loads(body)
        except (ValueError, RecursionError):
            return rpc_error(PARSE_ERROR, "the body is not JSON")
        try:
            refused = _unreadable(said)
            enveloped = b"" if refused is not None else _enveloped(said)
        except (UnicodeEncodeError, RecursionError):  # half of a pair, by an escape
            return rpc_error(PARSE_ERROR, "the body is not valid Unicode")
        if refused is not None:
            return refused
        caught = _Caught()
        await self._app(_as_today(scope, said), handing(enveloped, receive), caught)
        return _taken_out(said.get("id"), caught)


def _is_plain(scope: Scope) -> bool:
    """Whether it names no version of the protocol, and does not ask for a stream."""
    headers = Headers(scope=scope)
    versioned = MCP_PROTOCOL_VERSION_HEADER in headers or "mcp-session-id" in headers
    return not versioned and "text/event-stream" not in headers.get("accept", "")


class _Caught:
    """What an application has answered, instead of sending it."""

    def __init__(self) -> None:
        self.status = 500
        self.headers: list[tuple[bytes, bytes]] = []
        self._parts: list[bytes] = []

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status, self.headers = message["status"], list(message["headers"])
        elif message["type"] == "http.response.body":
            self._parts.append(message.get("body", b""))

    def said(self) -> Any:  # noqa: ANN401 - as JSON has it
        try:
            return json.loads(b"".join(self._parts))
        except ValueError:
            return None


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


def _enveloped(said: dict[str, Any]) -> bytes:
    meta = {
        PROTOCOL_VERSION_META_KEY: _VERSION,
        CLIENT_CAPABILITIES_META_KEY: {},
        CLIENT_INFO_META_KEY: _CLIENT,
    }
    return json.dumps({**said, "params": {**said.get("params", {}), "_meta": meta}}, ensure_ascii=False).encode()


def _as_today(scope: Scope, said: dict[str, Any]) -> Scope:
    """The same request, with the headers that the protocol asks for."""
    turned = {**scope, "headers": list(scope["headers"])}
    headers = MutableHeaders(scope=turned)
    headers["accept"] = "application/json, text/event-stream"
    headers["content-type"] = "application/json"
    headers[MCP_PROTOCOL_VERSION_HEADER] = _VERSION
    headers[MCP_METHOD_HEADER] = said["method"]
    if "content-length" in headers:
        del headers["content-length"]
    if said["method"] == "tools/call":
        headers[MCP_NAME_HEADER] = encode_header_value(said["params"]["name"])
    return turned


def _taken_out(id: object, caught: _Caught) -> JSONResponse:  # noqa: A002 - the word for it
    said = caught.said()
    if caught.status != _OK or not isinstance(said, dict):
        kept = {name: value for name, value in Headers(raw=caught.headers).items() if name in _KEPT}
        told = _told(said) or "the request was refused"
        return rpc_error(caught.status, told, id=id, headers=kept)
    if "error" in said:
        return rpc_error(said["error"].get("code", _SERVER_ERROR), said["error"].get("message", ""), id=id)
    result = said["result"]
    if result.get("isError"):
        error = result.get("_meta", {}).get("error", {"status": INVALID_PARAMS})  # of the SDK: there is no such tool
        message = error.get("message") or "".join(part.get("text", "") for part in result.get("content", ()))
        status = error.get("status") or error_fields(str(error.get("code", ""))).get("status")
        return rpc_error(status if isinstance(status, int) else _SERVER_ERROR, message, id=id)
    bare = result.get("structuredContent", result)
    return JSONResponse({"jsonrpc": "2.0", "id": id, "result": bare})


_KEPT: Final = ("www-authenticate", "retry-after")


def _told(said: object) -> str:
    """What an answer that is no reply of a tool says to people."""
    if not isinstance(said, dict):
        return ""
    error = said.get("error")
    if isinstance(error, dict):
        return str(error.get("message", ""))
    return str(said.get("error_description", error or ""))
