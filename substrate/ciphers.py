"""Ciphers: the keys of encrypted domains, and what one version of an encrypted atom is on disk. Pure.

    passphrase --Argon2id--> wraps the key of a domain --> wraps a key for each version --> encrypts that version's body

All of it is ChaCha20-Poly1305. The value of an encrypted atom is the text `ciphertext1:` and, as base64, these bytes:

    domain id (16), nonce (12), wrapped key of the version (32 + 16), SHA-256 of that key (32), body (n + 16)

1. Wrapped key and body are bound to the domain's id and the atom's id: put elsewhere, neither opens. Both ids stay as
   they are when a store is restored or cloned, and when its signing key changes.
2. A version's key encrypts one body, so its nonce is zero. Its hash stands beside it: without that, somebody could make
   a ciphertext which two keys open to two texts, and disclose the one or the other.
3. A passphrase is tried in one way, whether it is right or wrong: Argon2id runs, then the tag of the wrapped key is
   compared by the library in constant time.
"""

from __future__ import annotations

import json
import os
from base64 import b64decode, b64encode
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, NamedTuple

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

from substrate.errors import Denied, StoreDamaged
from substrate.messages import AN_ATOM

__all__ = [
    "CIPHERTEXT",
    "DomainKey",
    "ciphertext_name",
    "ciphertext_size",
    "decrypt",
    "encrypt",
    "is_ciphertext",
    "new_domain_key",
    "open_version",
    "read_wrapped",
    "unwrap",
    "version_key",
    "wrap",
]

CIPHERTEXT: Final = "v1.ciphertext."
"""What the names of encrypted atoms begin with; the domain's random id follows, then a random number."""
_MARK: Final = "ciphertext1:"
_ID, _NONCE, _KEY, _TAG, _HASH = 16, 12, 32, 16, 32
_WRAPPED: Final = _KEY + _TAG
_HEADER: Final = _ID + _NONCE + _WRAPPED + _HASH
_NO_NONCE: Final = bytes(_NONCE)
_FORMAT: Final = 1
_MEMORY_KIB, _ITERATIONS, _LANES = 65_536, 3, 4
"""What RFC 9106 recommends where 2 GiB are too much: about a quarter of a second of one core."""
_MOST: Final = {"memory": 1 << 20, "iterations": 16, "lanes": 16}
"""A row may come from anywhere: it cannot ask for more than this,"""
_LEAST_PER_LANE: Final = 8
"""nor for less memory than Argon2 allows, in KiB."""


@dataclass(frozen=True, slots=True)
class DomainKey:
    """The key of an encrypted domain, and the random id that it was made with."""

    id: bytes
    key: bytes

    def __repr__(self) -> str:
        return f"DomainKey({self.id.hex()})"  # and nothing of the key


def new_domain_key() -> DomainKey:
    """The key for a domain that is encrypted from now on."""
    return DomainKey(os.urandom(_ID), ChaCha20Poly1305.generate_key())


def wrap(domain: DomainKey, passphrase: str) -> bytes:
    """The key of a domain as it is kept: only the passphrase opens it."""
    salt, nonce = os.urandom(_ID), os.urandom(_NONCE)
    stretched = _stretch(passphrase, salt, _ITERATIONS, _LANES, _MEMORY_KIB)
    wrapped = ChaCha20Poly1305(stretched).encrypt(nonce, domain.key, b"domain key" + domain.id)
    row = {
        "format": _FORMAT,
        "id": domain.id.hex(),
        "salt": salt.hex(),
        "memory": _MEMORY_KIB,
        "iterations": _ITERATIONS,
        "lanes": _LANES,
        "wrapped": (nonce + wrapped).hex(),
    }
    return json.dumps(row, sort_keys=True, separators=(",", ":")).encode()


def unwrap(row: bytes, passphrase: str) -> DomainKey:
    """The key that `wrap` made the row of. Denied by another passphrase; StoreDamaged if it is no such row."""
    kept = read_wrapped(row)
    stretched = _stretch(passphrase, kept.salt, kept.iterations, kept.lanes, kept.memory)
    try:
        key = ChaCha20Poly1305(stretched).decrypt(kept.wrapped[:_NONCE], kept.wrapped[_NONCE:], b"domain key" + kept.id)
    except InvalidTag:
        raise Denied("the passphrase is wrong: try again") from None
    return DomainKey(kept.id, key)


class Wrapped(NamedTuple):
    """The row of a domain's key, read."""

    id: bytes
    salt: bytes
    wrapped: bytes
    memory: int
    iterations: int
    lanes: int


def read_wrapped(row: bytes) -> Wrapped:
    """What the row of a domain's key says. StoreDamaged if `wrap` makes no such row."""
    unreadable = StoreDamaged("the key of an encrypted domain cannot be read; restore a backup")
    try:
        said = json.loads(row)
        numbers = {name: int(said[name]) for name in _MOST}
        domain, salt, wrapped = (bytes.fromhex(said[name]) for name in ("id", "salt", "wrapped"))
        sizes = (said["format"], len(domain), len(salt), len(wrapped))
    except (ValueError, TypeError, KeyError):
        raise unreadable from None
    in_bounds = all(0 < numbers[name] <= most for name, most in _MOST.items())
    in_bounds = in_bounds and numbers["memory"] >= _LEAST_PER_LANE * numbers["lanes"]
    if sizes != (_FORMAT, _ID, _ID, _NONCE + _WRAPPED) or not in_bounds:
        raise unreadable
    return Wrapped(domain, salt, wrapped, **numbers)


def _stretch(passphrase: str, salt: bytes, iterations: int, lanes: int, memory: int) -> bytes:
    return Argon2id(salt=salt, length=_KEY, iterations=iterations, lanes=lanes, memory_cost=memory).derive(
        passphrase.encode("utf-8", "surrogatepass")
    )


def ciphertext_name(domain: bytes) -> str:
    """A new name for an atom of a domain with this id: it says nothing, and nobody else has it."""
    return f"{CIPHERTEXT}{domain.hex()}.{os.urandom(_ID).hex()}"


def is_ciphertext(name: str, value: str) -> bool:
    """Whether an atom is an encrypted one, by its name and by how its value begins."""
    return name.startswith(CIPHERTEXT) and value.startswith(_MARK)


def encrypt(domain: DomainKey, atom: bytes, body: bytes) -> str:
    """The value of the atom with the id `atom` that holds this body."""
    key, nonce, bound = ChaCha20Poly1305.generate_key(), os.urandom(_NONCE), domain.id + atom
    wrapped = ChaCha20Poly1305(domain.key).encrypt(nonce, key, b"version key" + bound)
    sealed = ChaCha20Poly1305(key).encrypt(_NO_NONCE, body, bound)
    return _MARK + b64encode(domain.id + nonce + wrapped + sha256(key).digest() + sealed).decode()


def ciphertext_size(body: int) -> int:
    """How many bytes the value has that holds a body of so many bytes."""
    return len(_MARK) + 4 * -(-(_HEADER + body + _TAG) // 3)


def decrypt(domain: DomainKey, atom: bytes, value: str) -> bytes:
    """The body that the value holds. StoreDamaged if it is of another atom or domain, or was changed."""
    return open_version(version_key(domain, atom, value), atom, value)


def version_key(domain: DomainKey, atom: bytes, value: str) -> bytes:
    """The key of this one version: who has it can read the version, and no other. StoreDamaged."""
    data = _parse(value)
    bound, end = data[:_ID] + atom, _ID + _NONCE
    try:
        return ChaCha20Poly1305(domain.key).decrypt(data[_ID:end], data[end : end + _WRAPPED], b"version key" + bound)
    except InvalidTag:
        raise _foreign() from None


def open_version(key: bytes, atom: bytes, value: str) -> bytes:
    """The body of a version whose key was disclosed. StoreDamaged if it is not its key, or of another atom."""
    data = _parse(value)
    if len(key) != _KEY or sha256(key).digest() != data[_HEADER - _HASH : _HEADER]:
        raise _foreign()
    try:
        return ChaCha20Poly1305(key).decrypt(_NO_NONCE, data[_HEADER:], data[:_ID] + atom)
    except InvalidTag:
        raise _foreign() from None


def _parse(value: str) -> bytes:
    try:
        data = b64decode(value[len(_MARK) :], validate=True) if value.startswith(_MARK) else b""
    except ValueError:
        data = b""
    if len(data) < _HEADER + _TAG:
        raise StoreDamaged("this is not the value of ", AN_ATOM, " that is encrypted")
    return data


def _foreign() -> StoreDamaged:
    return StoreDamaged("this ciphertext does not open: it was changed, or moved from another place")
