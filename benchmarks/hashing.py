"""The hashes that a piece of our work computes: recorded once, then computed again with nothing around them."""

from __future__ import annotations

import hashlib
import hmac
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

__all__ = ["Hashes", "recording"]


@dataclass(slots=True)
class Hashes:
    """Inputs of SHA-256, and keys and messages of HMAC-SHA-256."""

    plain: list[bytes] = field(default_factory=list)
    keyed: list[tuple[bytes, bytes]] = field(default_factory=list)

    def compute(self, _: object = None) -> None:
        """Compute all of them."""
        sha256, digest = hashlib.sha256, hmac.digest
        for data in self.plain:
            sha256(data).digest()
        for key, message in self.keyed:
            digest(key, message, "sha256")

    def __str__(self) -> str:
        return f"{len(self.plain):,} SHA-256, {len(self.keyed):,} HMAC"


@contextmanager
def recording() -> Iterator[Hashes]:
    """Inside the block every hash that the package computes is noted. Slow: never around what is timed."""
    hashes = Hashes()
    plain, keyed = hashlib.sha256, hmac.digest

    def note_plain(data: bytes) -> Any:  # noqa: ANN401 - what hashlib returns
        hashes.plain.append(data)
        return plain(data)

    def note_keyed(key: bytes, message: bytes, digest: str) -> bytes:
        hashes.keyed.append((key, message))
        return keyed(key, message, digest)

    with ExitStack() as stack:
        stack.enter_context(patch.object(hmac, "digest", note_keyed))
        for name, module in list(sys.modules.items()):
            if name.startswith("substrate.") and getattr(module, "sha256", None) is plain:
                stack.enter_context(patch.object(module, "sha256", note_plain))
        yield hashes
