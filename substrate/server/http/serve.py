"""Serving over HTTP, to clients on this machine.

1. Only 127.0.0.1 is listened on, and no option changes that.
2. Web pages run on this machine too: a request with another Host (a name that was made to lead here) or with the Origin
   of a page is refused.
3. A token is asked for first of all, unless none was wanted. Who has it is a client like the one at the end of a pipe.
4. Nobody keeps the others from being answered: see `connections` and `sessions`.
5. Told to stop, it gives calls under way a moment to end. Who closes the clients then writes down what was accessed.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import signal
import socket
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import anyio
import uvicorn
from mcp.server.auth.middleware.auth_context import AuthContextMiddleware
from mcp.server.auth.middleware.bearer_auth import BearerAuthBackend, RequireAuthMiddleware
from mcp.server.auth.provider import TokenVerifier
from mcp.server.auth.routes import build_resource_metadata_url
from mcp.server.auth.settings import AuthSettings
from mcp.server.transport_security import TransportSecuritySettings
from pydantic import AnyHttpUrl
from starlette.datastructures import Headers
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from substrate.errors import Busy, Denied
from substrate.limits import LIMITS
from substrate.server.clients import Clients
from substrate.server.compose import SubstrateServer, announcement, compose
from substrate.server.http.admission import Admission, Admitted
from substrate.server.http.connections import REST_S, Connection, accepted_at_once, cut_off_strangers
from substrate.server.http.pages import Pages
from substrate.server.http.plain_rpc import PlainRpc
from substrate.server.http.rates import Rates
from substrate.server.http.sessions import ENDED_S, MOST_SESSIONS, Sessions
from substrate.server.http.tenants import Tenants
from substrate.server.http.web import ASK, PAGE_PATHS, Web
from substrate.server.launch import HTTP_HOST, HTTP_PATH, http_url
from substrate.server.logs import log_event, log_sparingly

__all__ = [
    "TENANTS_PATH",
    "compose_http",
    "http_app",
    "http_runner",
    "listen",
    "metadata_of",
    "resource_of",
    "serve_http",
    "tenants_app",
]

TENANTS_PATH: Final = "/api/mcp/v1"
"""Where a server for several tenants is found: the protocol, and plain JSON-RPC."""
_log = logging.getLogger(__name__)
_GRACE_S: Final = 2
"""For calls under way. A client that keeps a stream open would otherwise keep the server from ending."""
_QUEUE: Final = 4096
"""Connections that wait to be taken; the system may have a lower limit."""
_UNAUTHORIZED: Final = 401
_MISDIRECTED: Final = 421
_NOT_FOUND: Final = 404
_METADATA_PATH: Final = f"/.well-known/oauth-protected-resource{TENANTS_PATH}"
_WHAT_TO_DO: Final = (
    "this server asks for the token that was shown at its first start, as the header `Authorization: Bearer TOKEN`. "
    "If it is lost: substrate mcp --http --new-token --store PATH, with the path that the server printed at its start"
)


def serve_http(  # noqa: PLR0913 - what is served, where, to whom
    clients: Clients,
    listening: socket.socket,
    token: TokenVerifier | None,
    announce: Callable[[str], None],
    *,
    public_hosts: Sequence[str] = (),
    issuer: str = "",
    log_format: str = "text",
) -> int:
    """Serve on the socket until this process is told to stop; the signal that told it. What and where is announced.

    Tenants ask for a `token` of theirs, and may be called by `public_hosts`, the names of a proxy in front. `issuer`
    is the address of the one who issues such tokens, where that is not this server; clients are told.
    """
    as_json = log_format == "json"
    log_sparingly("substrate mcp: %(levelname)s %(name)s: %(message)s", as_json=as_json)

    def say(text: str) -> None:
        if as_json:  # one object a line, from the first one on
            log_event("start", spare=False, message=text)
        else:
            announce(text)

    port = listening.getsockname()[1]
    resource = resource_of(port, public_hosts)
    for_tenants = isinstance(clients, Tenants)
    server = compose_http(clients, port, Admitted() if for_tenants else token, issuer, resource)
    if isinstance(clients, Tenants) and token is not None:
        metadata = metadata_of(resource) if issuer else ""
        app: ASGIApp = tenants_app(server, clients, port, token, public_hosts=public_hosts, metadata_url=metadata)
        path = TENANTS_PATH
    else:
        app, path = http_app(server, port, clients, token), HTTP_PATH
    runner = http_runner(app)

    async def serve() -> None:
        asyncio.get_running_loop().set_exception_handler(_out_of_descriptors(runner))
        if issuer:
            say(f"takes tokens that {issuer} has signed for {resource}")
        say(await announcement(server, clients.launch))
        say(f"serving {http_url(port, path)}")
        await runner.serve([listening])

    with _stopping(runner) as told:
        anyio.run(serve)
    log_event("stop", spare=False, signal=signal.Signals(told[0]).name if told else "")
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
        raise Denied(f"port {port} needs special rights: choose one above 1023, or 0 for any free one") from None
    except OSError as error:
        listening.close()
        raise Busy(
            f"port {port} is not available ({error.strerror}): choose another with --port, or 0 for any free one"
        ) from None
    return listening


def resource_of(port: int, public_hosts: Sequence[str] = ()) -> str:
    """The address of a server for tenants, as tokens of an issuer name it (`aud`)."""
    return f"https://{public_hosts[0]}{TENANTS_PATH}" if public_hosts else http_url(port, TENANTS_PATH)


def metadata_of(resource: str) -> str:
    """Where a client reads who issues tokens for it."""
    return str(build_resource_metadata_url(AnyHttpUrl(resource)))


def compose_http(
    clients: Clients, port: int, token: TokenVerifier | None, issuer: str = "", resource: str = ""
) -> SubstrateServer:
    """A server for these clients that asks for the token. Without one everyone may call it.

    Tokens of an `issuer` are for the `resource`: clients can discover both.
    """
    if token is None:
        return compose(clients)
    if issuer:
        settings = AuthSettings(
            issuer_url=AnyHttpUrl(issuer), resource_server_url=AnyHttpUrl(resource), validate_token_resource=False
        )
        return compose(clients, auth=settings, token_verifier=token)
    # No token is had by OAuth, so there is nothing about that to discover; the SDK wants an issuer all the same.
    own = AnyHttpUrl(f"http://{HTTP_HOST}:{port}")
    return compose(clients, auth=AuthSettings(issuer_url=own, resource_server_url=None), token_verifier=token)


def http_app(server: SubstrateServer, port: int, clients: Clients, token: TokenVerifier | None) -> ASGIApp:
    """The server of one store as an ASGI application that answers at `port`: the page, and the protocol."""
    local = _local_names(port)
    protocol = _protocol(server, HTTP_PATH, local)
    page: ASGIApp = Web(protocol, clients, _origins(local), asks_token=token is not None)
    asking = page
    if token is not None:
        asking = AuthenticationMiddleware(RequireAuthMiddleware(page, []), backend=BearerAuthBackend(token))
    own = _own(page, local, PAGE_PATHS), _own(asking, local, PAGE_PATHS)

    async def routed(scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"] if scope["type"] == "http" else ""
        app = own[1] if path == ASK else own[0] if path in PAGE_PATHS else protocol
        await app(scope, receive, send)

    return _explaining(routed)


def tenants_app(  # noqa: PLR0913 - what is around the protocol, each a thing of its own
    server: SubstrateServer,
    tenants: Tenants,
    port: int,
    verifier: TokenVerifier,
    *,
    public_hosts: Sequence[str] = (),
    metadata_url: str = "",
) -> ASGIApp:
    """The server of several tenants: who is let in, pages, plain requests, and the protocol."""
    local = _local_names(port)
    app = _protocol(server, TENANTS_PATH, local, public_hosts)
    origins = _origins(local, public_hosts)
    app = PlainRpc(app, server, tenants, TENANTS_PATH, origins)
    app = AuthContextMiddleware(Web(app, tenants, origins, asks_token=True))
    app = Admission(app, {TENANTS_PATH, ASK}, verifier, Rates(), metadata_url)
    paths = {TENANTS_PATH, _METADATA_PATH, *PAGE_PATHS}
    return _knowing(Pages(_own(app, {*local, *public_hosts}, paths), tenants, local))


def _local_names(port: int) -> tuple[str, ...]:
    return f"{HTTP_HOST}:{port}", f"localhost:{port}"


def _origins(names: Sequence[str], public_hosts: Sequence[str] = ()) -> list[str]:
    """The pages that may call: those of this server."""
    return [*(f"http://{name}" for name in names), *(f"https://{name}" for name in public_hosts)]


def _own(app: ASGIApp, hosts: Collection[str], paths: Collection[str]) -> ASGIApp:
    """The application, for requests to these hosts and to these paths alone, letter by letter.

    A name that was made to lead here is refused first of all; and so is a path that a route would take for another.
    """

    async def checked(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and Headers(scope=scope).get("host", "") not in hosts:
            await JSONResponse({"error": "this server is not called so"}, _MISDIRECTED)(scope, receive, send)
        elif scope["type"] == "http" and scope["path"] not in paths:
            await JSONResponse({"error": f"this server answers at {TENANTS_PATH}"}, _NOT_FOUND)(scope, receive, send)
        else:
            await app(scope, receive, send)

    return checked


def _protocol(server: SubstrateServer, path: str, names: Sequence[str], public_hosts: Sequence[str] = ()) -> ASGIApp:
    """The SDK's application at this path, for requests to these names, with room for sessions."""
    app = server.streamable_http_app(
        streamable_http_path=path,
        max_request_body_size=LIMITS["line_bytes"],
        session_idle_timeout=ENDED_S,
        max_sessions=2 * MOST_SESSIONS,  # which there never are: room is made before
        transport_security=TransportSecuritySettings(
            allowed_hosts=[*names, *public_hosts],
            allowed_origins=_origins(names, public_hosts),
        ),
    )
    return Sessions(app, server.session_manager)


def http_runner(app: ASGIApp) -> uvicorn.Server:
    """What runs the application. It logs by the process's own rules, and never to standard output."""
    return _Runner(
        uvicorn.Config(
            app,
            http=Connection,
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            backlog=accepted_at_once(),
            timeout_keep_alive=int(2 * REST_S),  # ours comes first, and does not wait for who takes nothing
            timeout_graceful_shutdown=_GRACE_S,
        )
    )


class _Runner(uvicorn.Server):
    """Takes few connections at once, and lets the system keep many more: else who comes in a rush waits a second."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """See `uvicorn.Server`, which has one number for both."""
        await super().startup(sockets)
        for listening in sockets or ():
            listening.listen(_QUEUE)


def _knowing(app: ASGIApp) -> ASGIApp:
    """The application; a connection is known when the body of a request is asked for, which who is refused is not."""

    async def knowing(scope: Scope, receive: Receive, send: Send) -> None:
        connection = scope.get("state", {}).get("connection")

        async def receive_known() -> Message:
            if isinstance(connection, Connection):
                connection.known = True
            return await receive()

        await app(scope, receive_known, send)

    return knowing


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

    return _knowing(explaining)


def _out_of_descriptors(runner: uvicorn.Server) -> Callable[[asyncio.AbstractEventLoop, dict[str, Any]], None]:
    """What is done where a connection cannot be taken: a line is logged, and not a traceback for each that waits.

    The event loop itself tries again after a second. It should not come to that: connections have only a share of the
    descriptors. But the limit may be very low, or the system's.
    """

    def handle(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if isinstance(error, OSError) and error.errno in {errno.EMFILE, errno.ENFILE}:
            ended = cut_off_strangers(list(runner.server_state.connections))
            _log.warning("no descriptor is left for another connection (ulimit -n); %d strangers were cut off", ended)
        else:
            loop.default_exception_handler(context)

    return handle


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
