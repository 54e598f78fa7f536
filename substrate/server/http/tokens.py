"""The token of a server over HTTP: what shows that a client was let in by the one who started it.

1. It is made once for a store and shown once. What is kept is its SHA-256, in `<home>/tokens/`, mode 0600, outside the
   store: who reads the file, or copies the store, cannot call the server.
2. The file is read anew at each check, so a token that was replaced is void at once, in every server of the store.
3. A file that someone else could have written says nothing: it is refused, not used.
"""

from __future__ import annotations

import hmac
import logging
import os
import re
import secrets
import stat
from hashlib import sha256
from pathlib import Path
from typing import Final

from mcp.server.auth.provider import AccessToken, TokenVerifier

from substrate.errors import Denied, StoreDamaged, SubstrateError
from substrate.files import make_folder, replace_file

__all__ = ["BearerToken"]

_log = logging.getLogger(__name__)
_BYTES: Final = 32
_OTHERS_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH
_DIGEST: Final = re.compile("[0-9a-f]{64}")
_AGAIN: Final = "make another token with --new-token"


class BearerToken(TokenVerifier):
    """The token of the servers of one store, whose keys and tokens are under `home`. Nothing is made before `make`."""

    def __init__(self, home: Path, store: Path) -> None:
        # By its path, not by its origin: a server is there before the first call makes the store.
        named = sha256(os.fsencode(store.resolve())).hexdigest()[:32]
        self.path = home / "tokens" / f"{named}.sha256"

    def make(self) -> str:
        """A new token, in force from here on; an earlier one is void. Nobody can ever learn it from the file."""
        token = secrets.token_urlsafe(_BYTES)
        try:
            make_folder(self.path.parent)
            replace_file(self.path, f"{_digest(token)}\n".encode("ascii"))
        except OSError as error:
            raise Denied(
                f"the token cannot be kept in {self.path} ({error.strerror}): set SUBSTRATE_HOME to a folder "
                "you can write to"
            ) from None
        return token

    def is_made(self) -> bool:
        """Whether there is one. Denied or StoreDamaged, with what to do, if its file cannot be believed."""
        return self._kept() is not None

    def accepts(self, token: str) -> bool:
        """Whether this is the token in force. Raises as `is_made`."""
        kept = self._kept()
        return kept is not None and hmac.compare_digest(kept, _digest(token))

    async def verify_token(self, token: str) -> AccessToken | None:
        """As the SDK asks for it: None is a 401."""
        try:
            if not self.accepts(token):
                return None
        except SubstrateError as error:
            _log.warning("no token is accepted: %s", error)
            return None
        # The digest stands for who holds the token: a session begun with an earlier one is not found with this one.
        return AccessToken(token=token, client_id=_digest(token), scopes=[])

    def _kept(self) -> str | None:
        try:
            with self.path.open("rb") as file:
                status = os.fstat(file.fileno())
                data = file.read(_BYTES * 4)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise Denied(f"the token's file {self.path} cannot be read ({error.strerror}): {_AGAIN}") from None
        if status.st_mode & _OTHERS_WRITE or status.st_uid != os.geteuid():
            raise Denied(f"others can write the token's file {self.path}, and could let themselves in: {_AGAIN}")
        kept = data.decode("ascii", "replace").rstrip("\n")
        if not _DIGEST.fullmatch(kept):
            raise StoreDamaged(f"the token's file {self.path} is damaged: {_AGAIN}")
        return kept


def _digest(token: str) -> str:
    """One round of SHA-256, no salt: a token is 256 random bits, so there is nothing to guess and no two are the same.

    A slow hash is for passwords, which people choose.
    """
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
