"""Reading head, map salt and keys; and whether a log contains another, which a mark or a pin remembers."""

from __future__ import annotations

from functools import lru_cache

from substrate.errors import InputError, NotFound, RolledBack, StoreDamaged
from substrate.kv.api import ReadTransaction
from substrate.log.decode import stored
from substrate.log.keys.highwater import Mark
from substrate.log.tables import HEADS, KEYS, META, read_seq, seq_key
from substrate.log.tree import root_at
from substrate.messages import FSCK
from substrate.proof.hashes import map_key
from substrate.proof.head import Head, Pin, SignedHead
from substrate.proof.note import VerifierKey

__all__ = [
    "check_contains",
    "check_pin",
    "departs",
    "head_at",
    "keep_head",
    "key_in_force",
    "keys_since",
    "latest_head",
    "map_place",
    "map_salt",
    "place_of",
    "require_head",
    "root_of",
]


_SIGNED: list[tuple[bytes, SignedHead]] = []
"""The last head that was signed in this process, if any, with its bytes: who writes meets it again."""


def _parse(note: bytes) -> SignedHead:
    for known, signed in _SIGNED:
        if known == note:
            return signed
    return _parsed(note)


@lru_cache(maxsize=16)
def _parsed(note: bytes) -> SignedHead:
    with stored("a stored head"):
        return SignedHead.parse(note.decode())


def keep_head(note: bytes, signed: SignedHead) -> None:
    """Let the head of these bytes, which was signed just now, be known: it need not be parsed."""
    _SIGNED[:] = [(note, signed)]


@lru_cache(maxsize=16)
def _parse_key(vkey: bytes) -> VerifierKey:
    with stored("a stored verifier key"):
        return VerifierKey.parse(vkey.decode())


def latest_head(transaction: ReadTransaction) -> SignedHead | None:
    """The head of the last checkpoint; None in a store that is being created."""
    for _, note in transaction.scan(HEADS, reverse=True, limit=1):
        return _parse(note)
    return None


def require_head(transaction: ReadTransaction) -> SignedHead:
    """The head of the last checkpoint; StoreDamaged if there is none."""
    head = latest_head(transaction)
    if head is None:
        raise StoreDamaged("the store has no head; run ", FSCK)
    return head


def head_at(transaction: ReadTransaction, size: int) -> SignedHead:
    """The head that was signed at exactly this size. NotFound if none was."""
    note = transaction.get(HEADS, seq_key(size))
    if note is None:
        raise NotFound(f"no head was signed at size {size}")
    return _parse(note)


def map_salt(transaction: ReadTransaction) -> bytes:
    """The secret of this store that names are placed in the map by. StoreDamaged if it is lost."""
    salt = transaction.get(META, b"map_salt")
    if salt is None:
        raise StoreDamaged("the store has lost its map salt; run ", FSCK)
    return salt


def place_of(transaction: ReadTransaction, name: str) -> bytes:
    """Where a name lives in the map of this store."""
    return map_place(map_salt(transaction), name)


map_place = lru_cache(maxsize=256)(map_key)
"""The same by the salt. Kept: a name is looked up where it comes in, where it is planned, and where it is written."""


def key_in_force(transaction: ReadTransaction, size: int | None = None) -> VerifierKey:
    """The key that signs from now on; or the one that signed from the head of this size on."""
    for _, vkey in transaction.scan(KEYS, stop=_before(size), reverse=True, limit=1):
        return _parse_key(vkey)
    raise StoreDamaged("the store names no verifier key; run ", FSCK)


def keys_since(transaction: ReadTransaction, key: VerifierKey, size: int) -> list[int]:
    """The seqs of the key entries after the one that put `key` in force, in the log of this size.

    NotFound if it never was. InputError if the log was restored since: no rotation leads from one origin to another.
    """
    _refuse_restored(transaction, key.name, "key", size)
    seqs: list[int] = []
    for at, vkey in transaction.scan(KEYS, stop=_before(size), reverse=True):
        if vkey == str(key).encode():
            return seqs[::-1]
        seqs.append(read_seq(at))
    raise NotFound(f"key {key.key_id.hex()} never signed this log")


def _before(size: int | None) -> bytes | None:
    return None if size is None else seq_key(size)


def _refuse_restored(transaction: ReadTransaction, origin: str, what: str, size: int) -> None:
    """InputError if the log of this size was the one of `origin` before it was restored under another."""
    after: int | None = None
    for at, vkey in transaction.scan(KEYS, stop=_before(size), reverse=True):
        if vkey.partition(b"+")[0] == origin.encode():
            break
        after = read_seq(at)
    else:
        return
    if after is not None:
        now = key_in_force(transaction, size).name
        raise InputError(
            f"the {what} is of {origin}, which was restored under a new origin, {now}, by entry "
            f"{after}: nothing leads across. That entry says what was given up; if that is right, trust the new key"
        )


def root_of(transaction: ReadTransaction, head: Head, size: int) -> bytes:
    """The root that the log of `head` had at this size, which is not larger."""
    return head.root if size == head.size else root_at(transaction, size)


def departs(transaction: ReadTransaction, head: Head, mark: Mark) -> bool:
    """Whether the log that `head` describes does not contain the one of `mark`: it is shorter, or another."""
    if mark.size > head.size or root_of(transaction, head, mark.size) != mark.root:
        return True
    return mark.size == head.size and mark.map_root != head.map_root


def check_contains(transaction: ReadTransaction, head: Head, mark: Mark, memory: str) -> None:
    """RolledBack if the log that `head` describes does not contain the one that `memory` has in mind."""
    if not departs(transaction, head, mark):
        return
    size, root = mark.size, mark.root
    if size > head.size:
        raise RolledBack(
            f"this store is at {head}, but {memory} remembers it at size {size:,}, root {root.hex()[:16]}: it "
            "was rolled back or replaced by an old copy. Bring the newer copy back. If it is lost, restore this "
            "one"
        )
    here = root_of(transaction, head, size)
    raise RolledBack(
        f"two histories: this store is at {head}, and had root {here.hex()[:16]} at size {size:,}, where {memory} "
        f"remembers root {root.hex()[:16]}, or another map. Bring the right one back, or, if it is lost, restore "
        "this one"
    )


def check_pin(transaction: ReadTransaction, head: Head, pin: Pin) -> None:
    """RolledBack if the log does not contain the pinned one. InputError if the pin is of another log."""
    if pin.head.origin != head.origin:
        _refuse_restored(transaction, pin.head.origin, "pin", head.size)
        raise InputError(f"the pin is of {pin.head.origin}, this store is {head.origin}")
    check_contains(transaction, head, Mark.of(pin.head), "the pin")
