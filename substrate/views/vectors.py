"""Vectors of record: what the model made of each version's text. A cache: it can be made anew, and follows the log.

    vectors    seq (8), space (8) -> vectors of the pieces of the text, one after the other, as half floats
    embedded   space (8) -> seq (8): every version before it that has a body, and is embedded, has its vectors there

A *space* is what one model, with one way of cutting texts, maps to: vectors of two spaces are never compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from substrate.ciphers import CIPHERTEXT
from substrate.codec import decode_body
from substrate.kv.api import ReadTransaction
from substrate.log.tables import BODIES, EMBEDDED, VECTORS, read_seq, seq_key

__all__ = [
    "SPACE_BYTES",
    "CacheRow",
    "embedded_upto",
    "erase_vectors",
    "is_embedded",
    "keep_vectors",
    "vectors_between",
    "vectors_of",
]

SPACE_BYTES: Final = 8
_SEQ_BYTES: Final = 8
CacheRow = tuple[str, bytes, bytes | None]
"""A row to write: table, key, value; None deletes it."""
_ENTITY, _INGESTED = "v1.entity.", "ingested"
_MARKS: Final = (_ENTITY.encode(), CIPHERTEXT.encode())


def is_embedded(body: bytes) -> bool:
    """Whether a version is embedded: all are, but for encrypted ones, and entities that only ingested texts speak of.

    The latter say nothing but a name, which the texts have. Searches leave them out; who asks for them asks by name.
    """
    if not any(mark in body for mark in _MARKS):  # so it is with most, and they need not be decoded
        return True
    members = decode_body(body)
    name = str(members.get("name", ""))
    return not name.startswith(CIPHERTEXT) and (members.get("origin") != _INGESTED or not name.startswith(_ENTITY))


def embedded_upto(transaction: ReadTransaction, space: bytes) -> int:
    """The seq before which every version that has a body has its vectors in this space."""
    row = transaction.get(EMBEDDED, space)
    return 0 if row is None else read_seq(row)


def vectors_between(
    transaction: ReadTransaction, space: bytes, start: int = 0, stop: int | None = None
) -> Iterator[tuple[int, bytes]]:
    """Seq and vectors of every version of this space with start <= seq < stop, in order."""
    last = None if stop is None else seq_key(stop)
    for key, row in transaction.scan(VECTORS, seq_key(start), last):
        if key[_SEQ_BYTES:] == space:
            yield read_seq(key[:_SEQ_BYTES]), row


def vectors_of(transaction: ReadTransaction, space: bytes, seqs: Sequence[int]) -> list[bytes | None]:
    """The vectors of each of these versions, read at once; None where there are none in this space."""
    return transaction.get_many(VECTORS, [seq_key(seq) + space for seq in seqs])


def keep_vectors(
    transaction: ReadTransaction, space: bytes, vectors: dict[int, bytes], upto: int
) -> Iterator[CacheRow]:
    """The rows that record vectors, and that all versions before `upto` have theirs. Call it under the write lock.

    What was forgotten while it was embedded is left out: its body is gone by now.
    """
    seqs = sorted(vectors)
    for seq, body in zip(seqs, transaction.get_many(BODIES, [seq_key(seq) for seq in seqs]), strict=True):
        if body is not None:
            yield VECTORS, seq_key(seq) + space, vectors[seq]
    yield EMBEDDED, space, seq_key(max(upto, embedded_upto(transaction, space)))


def erase_vectors(transaction: ReadTransaction, seq: int) -> Iterator[CacheRow]:
    """The rows whose deletion leaves no vector of this version, in any space."""
    for key, _ in transaction.scan(VECTORS, seq_key(seq), seq_key(seq + 1)):
        yield VECTORS, key, None
