"""What entries say: bodies out of a snapshot, checked against the log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from substrate.codec import read_body
from substrate.errors import StoreDamaged
from substrate.kv.api import ReadTransaction
from substrate.log.decode import stored_entry
from substrate.log.prove import checked_body
from substrate.log.tables import BODIES, ENTRIES, seq_key
from substrate.messages import FSCK
from substrate.proof.encoding import Json
from substrate.proof.entry import Kind
from substrate.views.atoms import VersionRow

__all__ = ["Body", "VersionFound", "bodies_of", "body_of", "kind_of", "require_bodies", "require_body", "time_of"]


class Body(NamedTuple):
    """The members of an entry's body, and when the entry was recorded.

    `damage` says what does not fit the schema, in a log from elsewhere: then the members are a sound name, or nothing.
    """

    members: Mapping[str, Json]
    time: int
    damage: str | None = None


_NONE: Final[Mapping[int, dict[str, Json]]] = MappingProxyType({})
VersionFound: TypeAlias = tuple[VersionRow, Body]
"""A version, and what it says."""


def body_of(transaction: ReadTransaction, seq: int) -> Body | None:
    """What an entry says, checked against its commitment; None if it was erased."""
    at = seq_key(seq)
    return _body(seq, transaction.get(ENTRIES, at), transaction.get(BODIES, at))


def bodies_of(
    transaction: ReadTransaction, seqs: Sequence[int], decoded: Mapping[int, dict[str, Json]] = _NONE
) -> list[Body | None]:
    """What each of many entries says, read at once, each checked against its commitment; None where it was erased.

    `decoded`: by seq, what `decode_body` made of bodies that were read in this transaction before.
    """
    keys = [seq_key(seq) for seq in seqs]
    rows = zip(seqs, transaction.get_many(ENTRIES, keys), transaction.get_many(BODIES, keys), strict=True)
    return [_body(seq, data, row, decoded.get(seq)) for seq, data, row in rows]


def _body(seq: int, data: bytes | None, row: bytes | None, decoded: dict[str, Json] | None = None) -> Body | None:
    entry = stored_entry(seq, data)
    said = checked_body(seq, entry, row)
    if said is None:
        return None
    members, damage = read_body(entry.kind, said, decoded)
    return Body(members, entry.time, damage)


def require_body(transaction: ReadTransaction, seq: int) -> Body:
    """What an entry says that was not erased. StoreDamaged if it is gone."""
    body = body_of(transaction, seq)
    if body is None:
        raise _gone(seq)
    return body


def require_bodies(
    transaction: ReadTransaction, seqs: Sequence[int], decoded: Mapping[int, dict[str, Json]] = _NONE
) -> list[Body]:
    """The same of many entries, read at once; `decoded` as for `bodies_of`."""
    found = []
    for seq, body in zip(seqs, bodies_of(transaction, seqs, decoded), strict=True):
        if body is None:
            raise _gone(seq)
        found.append(body)
    return found


def _gone(seq: int) -> StoreDamaged:
    return StoreDamaged(f"the body of entry {seq} is gone without a forget entry; run ", FSCK)


def kind_of(transaction: ReadTransaction, seq: int) -> Kind:
    """What an entry does, whether its body is there or not."""
    return stored_entry(seq, transaction.get(ENTRIES, seq_key(seq))).kind


def time_of(transaction: ReadTransaction, seq: int) -> int:
    """When an entry was recorded."""
    return stored_entry(seq, transaction.get(ENTRIES, seq_key(seq))).time
