"""Tokens of a company's own identity provider: JWTs that it signed for this server.

1. A token must be signed by a key of the issuer, name the issuer and this server (`aud`), and not be expired. Its claim
   `tenant` says whose store it is for, its claim `scope` what it may do. Whatever is missing is no token.
2. Only signatures by public keys are taken. `none`, and secrets shared with the issuer, are not.
3. Keys come from a file, or from an address that is asked again after a while, and at once for a key that is unknown,
   but not more often than every half minute: so a made-up key cannot make the server ask.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import anyio
import jwt
from mcp.server.auth.provider import AccessToken, TokenVerifier

from substrate.errors import InputError
from substrate.server.http.tenant_tokens import DEFAULT_RATE, MOST_RATE, TokenBook, check_tenant
from substrate.server.launch import SCOPES

__all__ = ["EitherToken", "Issuer", "keys_from"]

_log = logging.getLogger(__name__)
_ALGORITHMS: Final = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
_NEEDED: Final = ("exp", "iss", "aud", "tenant")
_FRESH_S: Final = 600.0
_PAUSE_S: Final = 30.0
_WAIT_S: Final = 5.0
_LEEWAY_S: Final = 30
_MOST_BYTES: Final = 1 << 20
_MOST_TOKEN: Final = 16_384
_THIS_MACHINE: Final = ("127.0.0.1", "localhost", "::1")


def keys_from(place: str) -> Callable[[], Mapping[str, Any]]:
    """What reads the issuer's keys (a JWK set), from a file or an address. InputError if it is neither."""
    split = urlsplit(place)
    if split.scheme == "https" or (split.scheme == "http" and split.hostname in _THIS_MACHINE):

        def fetch() -> Mapping[str, Any]:
            with urlopen(Request(place), timeout=_WAIT_S) as answer:  # noqa: S310 - https, or this machine
                read: Mapping[str, Any] = json.loads(answer.read(_MOST_BYTES))
            return read

        return fetch
    if "://" in place:
        raise InputError("the issuer's keys come from a file, from https, or from this machine")
    path = Path(place)

    def load() -> Mapping[str, Any]:
        read: Mapping[str, Any] = json.loads(path.read_bytes()[:_MOST_BYTES])
        return read

    return load


class Issuer(TokenVerifier):
    """The tokens that one issuer has signed for this server."""

    def __init__(
        self,
        name: str,
        audience: str,
        keys: Callable[[], Mapping[str, Any]],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._name = name
        self._audience = audience
        self._read = keys
        self._clock = clock
        self._guard = threading.Lock()
        self._keys: dict[str, jwt.PyJWK] = {}
        self._read_at = float("-inf")

    async def verify_token(self, token: str) -> AccessToken | None:
        """As the SDK asks for it: None is a 401."""
        if len(token) > _MOST_TOKEN:
            return None
        try:
            return await anyio.to_thread.run_sync(self._verified, token)
        except (jwt.PyJWTError, InputError, ValueError, TypeError, KeyError, OSError) as error:
            _log.warning("a token of the issuer is not accepted: %s", type(error).__name__)
            return None

    def _verified(self, token: str) -> AccessToken:
        kept = jwt.get_unverified_header(token)
        key = self._key(str(kept.get("kid", "")))
        claims = jwt.decode(
            token,
            key.key,
            algorithms=[one for one in _ALGORITHMS if key.algorithm_name in (None, one)],
            audience=self._audience,
            issuer=self._name,
            leeway=_LEEWAY_S,
            options={"require": list(_NEEDED)},
        )
        scopes = set(str(claims.get("scope", "")).split())
        rate = claims.get("rate", DEFAULT_RATE)
        if isinstance(rate, bool) or not isinstance(rate, int) or not 1 <= rate <= MOST_RATE:
            raise ValueError
        return AccessToken(
            token=token,
            client_id=sha256(f"{self._name}\n{claims['tenant']}\n{claims.get('sub', '')}".encode()).hexdigest(),
            scopes=[scope for scope in SCOPES if scope in scopes],
            expires_at=int(claims["exp"]),
            subject=check_tenant(claims["tenant"]),
            claims={"rate": rate, "iss": self._name},
        )

    def _key(self, name: str) -> jwt.PyJWK:
        """The key of this name; KeyError if the issuer has none."""
        with self._guard:
            age = self._clock() - self._read_at
            if age > _FRESH_S or (name not in self._keys and age > _PAUSE_S):
                self._read_at = self._clock()
                read = jwt.PyJWKSet.from_dict(dict(self._read()))
                self._keys = {key.key_id or "": key for key in read.keys}
            return self._keys[name]


class EitherToken(TokenVerifier):
    """Tokens of our own, and those of an issuer."""

    def __init__(self, book: TokenBook, issuer: TokenVerifier) -> None:
        self._book = book
        self._issuer = issuer

    async def verify_token(self, token: str) -> AccessToken | None:
        """As the SDK asks for it: None is a 401. What looks like our own is never the issuer's."""
        return await (self._book if token.startswith("sbt_") else self._issuer).verify_token(token)
