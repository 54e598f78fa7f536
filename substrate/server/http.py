"""Serving over HTTP, to clients on this machine.

1. Only 127.0.0.1 is listened on, and no option changes that.
2. Web pages run on this machine too: a request with another Host (a name that was made to lead here) or with the Origin
   of a page is refused.
3. A token is asked for first of all, unless none was wanted. Who has it is a client like the one at the end of a pipe.
4. Told to stop, it gives calls under way a moment to end. Who closes the clients then writes down what was accessed.
"""

from __future__ import annotations

import logging
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import anyio
import uvicorn
from mcp.server.auth.settings import AuthSettings
from mcp.server.transport_security import TransportSecuritySettings
from pydantic import AnyHttpUrl
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from substrate.errors import Busy, Denied
from substrate.limits import LIMITS
from substrate.server.clients import Clients
from substrate.server.compose import SubstrateServer, announcement, compose
from substrate.server.launch import HTTP_HOST, HTTP_PATH, http_url
from substrate.server.tokens import BearerToken

__all__ = ["compose_http", "http_app", "http_runner", "listen", "serve_http"]

_GRACE_S: Final = 2
"""For calls under way. A client that keeps a stream open would otherwise keep the server from ending."""
_MOST_SESSIONS: Final = 1000
"""Of clients of the protocol's earlier era, which may leave without a word: who is quiet for 30 minutes is gone."""
_UNAUTHORIZED: Final = 401
_WHAT_TO_DO: Final = (
    "this server asks for the token that was shown at its first start, as the header `Authorization: Bearer TOKEN`. "
    "If it is lost: substrate mcp --http --new-token"
)


def serve_http(
    clients: Clients, listening: socket.socket, token: BearerToken | None, announce: Callable[[str], None]
) -> int:
    """Serve on the socket until this process is told to stop; the signal that told it. What and where is announced."""
    logging.basicConfig(level=logging.WARNING, format="substrate mcp: %(levelname)s %(name)s: %(message)s")
    port = listening.getsockname()[1]
    server = compose_http(clients, port, token)
    runner = http_runner(http_app(server, port))

    async def serve() -> None:
        announce(await announcement(server, clients.launch))
        announce(f"serving {http_url(port)}")
        await runner.serve([listening])

    with _stopping(runner) as told:
        anyio.run(serve)
    return told[0] if told else 0


def listen(port: int) -> socket.socket:
    """A socket on this machine alone, listening. Port 0: any free one. Busy or Denied if it cannot be had."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        # Ports of connections that have just ended are free to use; one that is listened on is not.
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((HTTP_HOST, port))
        listening.listen()
    except PermissionError:
        listening.close()
        raise Denied(f"port {port} is not for everyone to use: choose one above 1023, or 0 for any free one") from None
    except OSError as error:
        listening.close()
        raise Busy(
            f"port {port} cannot be had ({error.strerror}): choose another with --port, or 0 for any free one"
        ) from None
    return listening


def compose_http(clients: Clients, port: int, token: BearerToken | None) -> SubstrateServer:
    """A server for these clients that asks for the token. Without one everyone may call it."""
    if token is None:
        return compose(clients)
    # No token is had by OAuth, so there is nothing about that to discover; the SDK wants an issuer all the same.
    issuer = AnyHttpUrl(f"http://{HTTP_HOST}:{port}")
    return compose(clients, auth=AuthSettings(issuer_url=issuer, resource_server_url=None), token_verifier=token)


def http_app(server: SubstrateServer, port: int) -> ASGIApp:
    """The server as an ASGI application that answers at `port`."""
    names = (f"{HTTP_HOST}:{port}", f"localhost:{port}")
    app = server.streamable_http_app(
        streamable_http_path=HTTP_PATH,
        max_request_body_size=LIMITS["line_bytes"],
        max_sessions=_MOST_SESSIONS,
        transport_security=TransportSecuritySettings(
            allowed_hosts=list(names), allowed_origins=[f"http://{name}" for name in names]
        ),
    )
    return _explaining(app)


def http_runner(app: ASGIApp) -> uvicorn.Server:
    """What runs the application. It logs by the process's own rules, and never to standard output."""
    return uvicorn.Server(
        uvicorn.Config(
            app,
            http="h11",
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=_GRACE_S,
        )
    )


def _explaining(app: ASGIApp) -> ASGIApp:
    """The application, whose 401 says what to do; the SDK's says only that something is missing."""

    async def explaining(scope: Scope, receive: Receive, send: Send) -> None:
        refused = False

        async def send_explained(message: Message) -> None:
            nonlocal refused
            if message["type"] == "http.response.start" and message["status"] == _UNAUTHORIZED:
                refused = True
                said = {"error": "invalid_token", "error_description": _WHAT_TO_DO}
                answer = JSONResponse(said, _UNAUTHORIZED, {"WWW-Authenticate": 'Bearer error="invalid_token"'})
                await answer(scope, receive, send)
            elif not refused:
                await send(message)

        await app(scope, receive, send_explained)

    return explaining


@contextmanager
def _stopping(runner: uvicorn.Server) -> Iterator[list[int]]:
    """In this block a signal ends the server, not the process; what is yielded then holds its number.

    Uvicorn takes two of them itself while it runs, and sends them to us when it has stopped.
    """
    told: list[int] = []

    def stop(number: int, _frame: object) -> None:
        told.append(number)
        runner.should_exit = True

    def is_news(record: logging.LogRecord) -> bool:
        return not (runner.should_exit and "without completing response" in str(record.msg))

    numbers = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    before: dict[int, Callable[..., object] | int | None] = {n: signal.signal(n, stop) for n in numbers}
    log = logging.getLogger("uvicorn.error")
    log.addFilter(is_news)  # streams that clients keep open are cut off at the end, on purpose
    try:
        yield told
    finally:
        log.removeFilter(is_news)
        for number, handler in before.items():
            signal.signal(number, handler)
