"""Who is let in at a server for several tenants, before anything of a request is read: by token, and by rate."""

from __future__ import annotations

from collections.abc import Collection
from contextvars import ContextVar
from math import ceil
from typing import Final

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken, TokenVerifier
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from substrate.server.http.plain_rpc import rpc_error
from substrate.server.http.rates import Rates
from substrate.server.http.tenant_tokens import DEFAULT_RATE
from substrate.server.logs import log_event

__all__ = ["Admission", "Admitted"]

_UNAUTHORIZED: Final = 401
_TOO_MANY: Final = 429
_MOST_OPEN: Final = 16
_SHOWN: Final = 12
"""Of a token's digest, in the log."""
_BEARER: Final = "bearer "
_NOT_LET_IN: Final = (
    "this server asks for a token, as the header `Authorization: Bearer TOKEN`. It came without one, or with one that "
    "is unknown, expired or revoked. Ask the one who runs the server for another"
)


_admitted: ContextVar[AccessToken | None] = ContextVar("admitted", default=None)


class Admitted(TokenVerifier):
    """For the SDK, which verifies tokens too: lets in whom `Admission` has let in, and nobody is looked up twice."""

    async def verify_token(self, token: str) -> AccessToken | None:
        """As the SDK asks for it: None is a 401."""
        known = _admitted.get()
        return known if known is not None and known.token == token else None


class Admission:
    """The application around the others, at `paths`. Those behind it find in the scope whose token it is."""

    def __init__(
        self, app: ASGIApp, paths: Collection[str], verifier: TokenVerifier, rates: Rates, metadata_url: str = ""
    ) -> None:
        self._app = app
        self._paths = frozenset(paths)
        self._verifier = verifier
        self._rates = rates
        self._open: dict[str, int] = {}
        """By token: how many of its requests are open, streams included. Else one token could take all connections."""
        self._challenge = 'Bearer error="invalid_token"'
        if metadata_url:
            self._challenge += f', resource_metadata="{metadata_url}"'

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it by 401 or 429."""
        if scope["type"] != "http" or scope["path"] not in self._paths:
            await self._app(scope, receive, send)
            return
        said = Headers(scope=scope).get("authorization", "")
        token = said[len(_BEARER) :] if said[: len(_BEARER)].lower() == _BEARER else ""
        known = await self._verifier.verify_token(token) if token else None
        if known is None:
            log_event("refused", status=_UNAUTHORIZED)
            refused = rpc_error(_UNAUTHORIZED, _NOT_LET_IN, headers={"WWW-Authenticate": self._challenge})
            await refused(scope, receive, send)
            return
        if self._open.get(known.client_id, 0) >= _MOST_OPEN:
            log_event("refused", status=_TOO_MANY, tenant=known.subject, token=known.client_id[:_SHOWN])
            told = f"this token has {_MOST_OPEN} requests open already: end one first"
            await rpc_error(_TOO_MANY, told, headers={"Retry-After": "5"})(scope, receive, send)
            return
        if scope["method"] == "POST":
            rate = (known.claims or {}).get("rate", DEFAULT_RATE)
            wait = self._rates.take(known.client_id, rate)
            if wait:
                seconds = max(1, ceil(wait))
                log_event("refused", status=_TOO_MANY, tenant=known.subject, token=known.client_id[:_SHOWN])
                told = f"this token may call {rate:,} times a minute: try again in {seconds} s"
                await rpc_error(_TOO_MANY, told, headers={"Retry-After": str(seconds)})(scope, receive, send)
                return
        self._open[known.client_id] = self._open.get(known.client_id, 0) + 1
        before = _admitted.set(known)
        try:
            await self._app({**scope, "user": AuthenticatedUser(known)}, receive, send)
        finally:
            _admitted.reset(before)
            self._open[known.client_id] -= 1
            if not self._open[known.client_id]:
                del self._open[known.client_id]
