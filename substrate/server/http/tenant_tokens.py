"""Tokens of a server for several tenants: each names a tenant, scopes, an expiry and a rate.

1. A token is shown once. What is kept is its SHA-256, as the name of a file in `<root>/.tokens/`, mode 0600: who reads
   the folder cannot call the server.
2. The file is read at each call, so a token that was revoked is void with the next one, in every server of the folder.
   One file each: to add or to revoke one touches no other.
3. A file that someone else could have written says nothing: it is refused, not used. So are all of them, if others can
   write the folder, or anyone the folder above it.
"""

from __future__ import annotations

import json
import logging
import os
import re
import secrets
import stat
import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from mcp.server.auth.provider import AccessToken, TokenVerifier

from substrate.errors import Denied, InputError, NotFound, StoreDamaged, SubstrateError
from substrate.files import make_folder, replace_file
from substrate.result import Result, iso
from substrate.server.launch import SCOPES
from substrate.text.quote import in_quotes
from substrate.values.times import EPOCH

__all__ = ["DEFAULT_RATE", "MOST_RATE", "TenantToken", "TokenBook", "check_tenant"]

DEFAULT_RATE: Final = 60
"""Calls a minute."""
_log = logging.getLogger(__name__)
_FOLDER: Final = ".tokens"
_BYTES: Final = 32
_PREFIX: Final = "sbt_"
_TOKEN: Final = re.compile(r"sbt_[A-Za-z0-9_-]{43}")
_TENANT: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_OTHERS_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH
_ID: Final = 12
"""Hexadecimal digits of a digest by which people name a token."""
_MOST_BYTES: Final = 4096
MOST_RATE: Final = 1_000_000


@dataclass(frozen=True, slots=True, repr=False)
class TenantToken(Result):
    """What is known of a token: whose it is, what it may do, and until when. Not the token itself."""

    id: str
    tenant: str
    scopes: tuple[str, ...]
    rate: int
    """Calls a minute."""
    created: datetime
    expires: datetime | None = None
    label: str = ""

    def is_expired(self, now: float) -> bool:
        """Whether its time is over."""
        return self.expires is not None and self.expires.timestamp() <= now


def check_tenant(name: str) -> str:
    """The name of a tenant, which is the name of its folder. InputError if it cannot be one."""
    if not isinstance(name, str) or not _TENANT.fullmatch(name):
        raise InputError("the name of a tenant has 1 to 64 of a-z, 0-9, _ and -, and begins with a letter or digit")
    return name


class TokenBook(TokenVerifier):
    """The tokens of all tenants under one root."""

    def __init__(self, root: Path) -> None:
        self._folder = root / _FOLDER

    def add(
        self,
        tenant: str,
        scopes: Iterable[str],
        *,
        rate: int = DEFAULT_RATE,
        expires: datetime | None = None,
        label: str = "",
    ) -> tuple[str, TenantToken]:
        """A new token, and what is kept of it. InputError, Denied."""
        chosen = tuple(scope for scope in SCOPES if scope in set(scopes))
        if not chosen:
            raise InputError(f"a token has some of the scopes {', '.join(SCOPES)}")
        if not 1 <= rate <= MOST_RATE:
            raise InputError(f"a rate is 1 to {MOST_RATE:,} calls a minute")
        token = _PREFIX + secrets.token_urlsafe(_BYTES)
        kept = TenantToken(
            _digest(token)[:_ID], check_tenant(tenant), chosen, rate, datetime.now(UTC), expires, label[:200]
        )
        said = {
            "tenant": kept.tenant,
            "scopes": list(kept.scopes),
            "rate": rate,
            "created": iso(kept.created),
            "expires": None if expires is None else iso(expires),
            "label": kept.label,
        }
        try:
            make_folder(self._folder)
            self.check()
            replace_file(self._path(_digest(token)), f"{json.dumps(said)}\n".encode())
        except OSError as error:
            raise Denied(f"the token cannot be kept in {self._folder}: {error.strerror}") from None
        return token, kept

    def check(self) -> None:
        """Denied, with what to do, if others could put a token there."""
        above = self._folder.parent
        # Who belongs to the group of the folder above can move this one away, but cannot make one that is ours; and in
        # a folder like /tmp all can write, and nobody touches what is another's.
        open_to_all = _can_write(above, stat.S_IWOTH) and not _can_write(above, stat.S_ISVTX)
        if open_to_all or _can_write(self._folder, _OTHERS_WRITE):
            folder = above if open_to_all else self._folder
            raise Denied(f"others can write the folder {folder}, and could let themselves in: chmod go-w it")

    def tokens(self) -> list[TenantToken]:
        """All that are kept, by tenant. One whose file is damaged has no scopes, and its label says so."""
        digests = [name.removesuffix(".json") for name in self._names()]
        found = [self._listed(digest) for digest in digests if _DIGEST.fullmatch(digest)]
        return sorted((one for one in found if one is not None), key=lambda one: (one.tenant, one.created))

    def revoke(self, id: str) -> TenantToken:  # noqa: A002 - the word for it
        """Make a token void, from the next call on, whatever its file holds. NotFound if none has this id."""
        for token in self.tokens():
            if token.id == id:
                for name in self._names():
                    if name.startswith(id):
                        (self._folder / name).unlink(missing_ok=True)
                return token
        raise NotFound(f"there is no token {in_quotes(id[:80])}")

    def _listed(self, digest: str) -> TenantToken | None:
        try:
            return self._read(digest)
        except SubstrateError as error:
            return TenantToken(digest[:_ID], "", (), 0, EPOCH, label=f"not accepted: {error.code}; revoke it")

    def read(self, token: str) -> TenantToken | None:
        """What is kept of a token; None if it is none, or its time is over. Denied, StoreDamaged: see the module."""
        if not _TOKEN.fullmatch(token):
            return None
        kept = self._read(_digest(token))
        return None if kept is None or kept.is_expired(time.time()) else kept

    async def verify_token(self, token: str) -> AccessToken | None:
        """As the SDK asks for it: None is a 401."""
        try:
            kept = self.read(token)
        except SubstrateError as error:
            _log.warning("a token is not accepted: %s", error)
            return None
        if kept is None:
            return None
        # The digest stands for who holds the token: a session that another began is not found with this one.
        expires = None if kept.expires is None else int(kept.expires.timestamp())
        return AccessToken(
            token=token,
            client_id=_digest(token),
            scopes=list(kept.scopes),
            expires_at=expires,
            subject=kept.tenant,
            claims={"rate": kept.rate},
        )

    def _path(self, digest: str) -> Path:
        return self._folder / f"{digest}.json"

    def _names(self) -> list[str]:
        try:
            return [file.name for file in self._folder.iterdir()]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise Denied(f"the folder {self._folder} cannot be read ({error.strerror})") from None

    def _read(self, digest: str) -> TenantToken | None:
        path = self._path(digest)
        self.check()
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise Denied(f"the token's file {path.name} cannot be read ({error.strerror}): revoke it") from None
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_mode & _OTHERS_WRITE or status.st_uid != os.geteuid():
                raise Denied(f"others can write the token's file {path.name}, and could let themselves in: revoke it")
            data = file.read(_MOST_BYTES)
        try:
            return _kept(digest, json.loads(data))
        except (ValueError, KeyError, TypeError, RecursionError, InputError):
            raise StoreDamaged(f"the token's file {path.name} is damaged: revoke it") from None


def _can_write(folder: Path, others: int) -> bool:
    """Whether any of these others can change what is in the folder. Where there is none, there is no token either."""
    try:
        status = folder.stat()
    except OSError:
        return False
    return bool(status.st_mode & others)


def _kept(digest: str, said: dict[str, Any]) -> TenantToken:
    scopes, expires = said["scopes"], said["expires"]
    if not isinstance(said["rate"], int) or not set(scopes) <= set(SCOPES) or not isinstance(said["label"], str):
        raise ValueError
    return TenantToken(
        digest[:_ID],
        check_tenant(said["tenant"]),
        tuple(scopes),
        said["rate"],
        datetime.fromisoformat(said["created"]),
        None if expires is None else datetime.fromisoformat(expires),
        said["label"],
    )


def _digest(token: str) -> str:
    """One round, no salt: a token is 256 random bits, so there is nothing to guess."""
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
