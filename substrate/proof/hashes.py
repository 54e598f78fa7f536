"""Every hash that enters a proof, each with its own prefix so that none can pass for another."""

from __future__ import annotations

from hashlib import sha256

__all__ = [
    "EMPTY",
    "EMPTY_ROOT",
    "HASH_BYTES",
    "commitment",
    "leaf_hash",
    "map_key",
    "map_root",
    "node_hash",
]

HASH_BYTES = 32
EMPTY_ROOT = sha256(b"").digest()
"""Root of a log without entries (RFC 6962)."""
EMPTY = bytes(HASH_BYTES)
"""Stands for an empty subtree of the map. No hash of anything is known to be zero."""


def leaf_hash(data: bytes) -> bytes:
    """Hash of an entry in the log tree, and of a record in the map tree."""
    return sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Hash of an inner node, in both trees."""
    return sha256(b"\x01" + left + right).digest()


def map_root(salt: bytes, tree_root: bytes) -> bytes:
    """The map root of a head. It binds the salt: absence cannot be shown under another one."""
    return sha256(b"\x02" + salt + tree_root).digest()


def commitment(salt: bytes, body: bytes) -> bytes:
    """What an entry says of its body. HMAC, not a plain hash: a short body could be guessed after it was erased."""
    return _hmac(salt, body)


def map_key(salt: bytes, name: str) -> bytes:
    """Where a name lives in the map. HMAC, so that a key does not give its name away without the store's salt."""
    return _hmac(salt, name.encode())


_BLOCK = 64
_INNER = bytes(byte ^ 0x36 for byte in range(256))
_OUTER = bytes(byte ^ 0x5C for byte in range(256))


def _hmac(key: bytes, message: bytes) -> bytes:
    """HMAC-SHA256 by its definition (RFC 2104), for keys of at most one block: half the time of `hmac.digest`."""
    block = key.ljust(_BLOCK, b"\x00")
    return sha256(block.translate(_OUTER) + sha256(block.translate(_INNER) + message).digest()).digest()
