"""How often one who uses the store touches by itself: when it last did is kept in the store, for all its processes.

A row of `choices` for each actor, by a digest of its name: nothing of what was touched, and nobody's name.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from substrate.kv.api import ReadTransaction
from substrate.log.tables import CHOICES, read_seq, seq_key
from substrate.views.traces import Trace

__all__ = ["paced", "paced_until"]

_PREFIX: Final = b"paced:"
_DIGEST: Final = 16
_SECOND: Final = 1_000_000


def _key(actor: str | None) -> bytes:
    return _PREFIX + sha256((actor or "").encode(errors="surrogatepass")).digest()[:_DIGEST]


def paced_until(transaction: ReadTransaction, actor: str | None, seconds: float) -> int:
    """Until when this actor waits, in microseconds; 0 if it never did so before."""
    row = transaction.get(CHOICES, _key(actor))
    return 0 if row is None else read_seq(row) + int(seconds * _SECOND)


def paced(actor: str | None, time: int) -> Trace:
    """What says that it does so now."""
    return CHOICES, _key(actor), seq_key(time)
