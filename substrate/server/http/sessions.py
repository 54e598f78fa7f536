"""Sessions of MCP over HTTP, in the protocol's earlier era: how many there are, and which one ends.

1. A client may leave without a word, so a session that has asked nothing since it shook hands ends after a minute, and
   any other after 30 minutes without a request.
2. There is always room for one more: where there are too many, the one that would end soonest ends now. A session with
   a request under way, or with an open stream, does not. Its client gets 404 and begins another, as the protocol says.
"""

from __future__ import annotations

import weakref
from typing import Final

import anyio
from mcp.server.streamable_http import MCP_SESSION_ID_HEADER, StreamableHTTPServerTransport
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["ENDED_S", "MOST_SESSIONS", "Sessions"]

MOST_SESSIONS: Final = 1000
ENDED_S: Final = 30 * 60
"""Without a request."""
_UNASKED_S: Final = 60.0
_OK: Final = 200
"""The status of an answer. What needs none, such as the end of a handshake, gets 202."""


class Sessions:
    """The application around the SDK's, whose sessions are the manager's."""

    def __init__(self, app: ASGIApp, manager: StreamableHTTPSessionManager, most: int = MOST_SESSIONS) -> None:
        self._app = app
        self._manager = manager
        self._most = most
        self._asked: weakref.WeakSet[StreamableHTTPServerTransport] = weakref.WeakSet()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, with room for a session that it begins."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        name = Headers(scope=scope).get(MCP_SESSION_ID_HEADER)
        begins, asks = name is None, False

        async def noting(message: Message) -> None:
            nonlocal name, asks
            if message["type"] == "http.response.start":
                if begins:
                    name = Headers(raw=message["headers"]).get(MCP_SESSION_ID_HEADER)
                    if name is not None:
                        self._make_room()
                asks = not begins and scope["method"] == "POST" and message["status"] == _OK
                if asks and (session := self._session(name)) is not None:
                    self._asked.add(session)
            await send(message)

        await self._app(scope, receive, noting)
        session = self._session(name)
        if session is not None and session.idle_scope is not None and session not in self._asked:
            session.idle_scope.deadline = min(session.idle_scope.deadline, anyio.current_time() + _UNASKED_S)

    def _session(self, name: str | None) -> StreamableHTTPServerTransport | None:
        return None if name is None else self._manager._server_instances.get(name)  # noqa: SLF001 - it shows them to nobody

    def _make_room(self) -> None:
        scopes = [one.idle_scope for one in self._manager._server_instances.values()]  # noqa: SLF001
        going_on = [scope for scope in scopes if scope is not None and not scope.cancel_called]
        for scope in sorted(going_on, key=lambda scope: scope.deadline)[: max(0, len(going_on) - self._most)]:
            if scope.deadline < float("inf"):  # the time runs: no request is under way
                scope.cancel()
