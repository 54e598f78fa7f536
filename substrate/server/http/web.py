"""The web page of a server, for people without Jupyter: its files, and what it asks. It reads, and writes nothing.

1. The files are the same for everybody and tell nothing of any store. What the page asks needs the token of a call, and
   the scope `read`; who is let in is decided before.
2. The page runs no script and no style but its own, calls no other server, and is shown in no frame: its headers say so
   to the browser, and that text which someone stored can never become a script (trusted types).
3. The browser checks proofs itself: its verifier is among the files.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from functools import cached_property, partial
from time import perf_counter_ns
from typing import Any, Final

import anyio
from mcp.server.auth.middleware.auth_context import get_access_token
from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from substrate.errors import InputError, SubstrateError
from substrate.server.clients import Clients
from substrate.server.http.body import TooLargeError, is_utf8, read_body
from substrate.server.http.plain_rpc import rpc_error
from substrate.server.logs import log_call, log_fault
from substrate.settings import load_settings
from substrate_widgets.web.files import ASK, files

__all__ = ["ASK", "PAGE_PATHS", "Web"]

PAGE_PATHS: Final = frozenset(files(asks_token=True)) | {ASK}
_HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}
_MOST_BYTES: Final = 1 << 18
"""Of a question: a query has 50,000 characters at most."""
_FORBIDDEN: Final = 403
_BAD: Final = 400
_TOO_LARGE: Final = 413
_BUG: Final = 500
_UNAVAILABLE: Final = 503
_TOOL: Final = "page"


class Web:
    """The application around the others: it answers what the page fetches and asks. `origins`: whose pages may ask."""

    def __init__(self, app: ASGIApp, clients: Clients, origins: Collection[str], *, asks_token: bool) -> None:
        self._app = app
        self._clients = clients
        self._origins = frozenset(origins)
        self._asks_token = asks_token

    @cached_property
    def _files(self) -> Mapping[str, tuple[str, bytes]]:
        found = files(asks_token=self._asks_token)
        return {path: (kind, text.encode()) for path, (kind, text) in found.items()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer for the page, or hand on."""
        method, path = (scope["method"], scope["path"]) if scope["type"] == "http" else ("", "")
        if path == ASK and method == "POST":
            answer = await self._asked(scope, receive)
        elif path in self._files and method in {"GET", "HEAD"}:
            kind, data = self._files[path]
            answer = Response(data, media_type=kind)
        else:
            await self._app(scope, receive, send)
            return
        answer.headers.update(_HEADERS)
        await answer(scope, receive, send)

    async def _asked(self, scope: Scope, receive: Receive) -> Response:
        """The answer to a question of the page: by this tenant's store, for who may read it."""
        if not self._origins.issuperset(Headers(scope=scope).getlist("origin")):
            return rpc_error(_FORBIDDEN, "a page of another server may not ask this one")
        if "read" not in self._clients.scopes_of():
            return rpc_error(_FORBIDDEN, "this token has no scope read, which the page needs: ask for another token")
        began, code = perf_counter_ns(), "refused"
        try:
            answer = JSONResponse(await self._answered(await read_body(receive, _MOST_BYTES)))
            code = ""
        except Exception as error:  # noqa: BLE001 - the last line of defence
            answer = self._refused(error)
        finally:
            spent = perf_counter_ns() - began
            self._clients.meter.count(_TOOL, spent, failed=bool(code))
            log_call(_TOOL, spent, code, get_access_token())
        return answer

    async def _answered(self, body: bytes) -> dict[str, Any]:
        if not is_utf8(body):
            raise InputError("the body is not JSON in UTF-8")
        try:
            questions = json.loads(body)
        except (ValueError, RecursionError):
            raise InputError("the body is not JSON") from None
        with self._clients.serving():
            if isinstance(questions, dict) and "find" in questions:
                await self._clients.until_warm()
            return await anyio.to_thread.run_sync(partial(self._answers, questions))

    def _refused(self, error: Exception) -> JSONResponse:
        match error:
            case TooLargeError():
                return rpc_error(_TOO_LARGE, f"a question has at most {_MOST_BYTES:,} bytes")
            case InputError():
                return rpc_error(_BAD, self._discreet(str(error)))
            case SubstrateError():
                return rpc_error(_UNAVAILABLE, self._discreet(str(error)))
            case _:
                log_fault("the page", error)
                return rpc_error(_BUG, "this failed, which is an error in Substrate; the server's log says more")

    def _answers(self, questions: object) -> dict[str, Any]:
        """In a thread of its own: a store is opened, and read."""
        from substrate_widgets.web.answers import answer, check  # noqa: PLC0415 - loads the engine

        asked = check(questions)
        launch = self._clients.launch
        memory = self._clients.named(_TOOL, launch.surfaces[0]).memory
        told: dict[str, Any] = answer(memory, asked)
        for said in told.values():
            if "problem" in said:
                said["problem"] = self._discreet(said["problem"])
        if "offer" in told:
            token = get_access_token()
            told["offer"]["store"] = token.subject if launch.hosted and token is not None else launch.store.name
        return told

    def _discreet(self, message: str) -> str:
        """Without paths of this machine, for clients on others."""
        launch = self._clients.launch
        if launch.hosted:
            for path in (str(launch.store), str(load_settings().home)):
                message = message.replace(path, "...")
        return message
