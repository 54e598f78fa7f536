"""What entries say: bodies out of a snapshot, checked against the log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from substrate.codec import read_body
from substrate.errors import StoreDamaged
from substrate.kv.api import ReadTransaction
from substrate.log.decode import NOT_COMMITTED, body_damaged, is_committed, stored_entry
from substrate.log.replay import Logged, logged, rows_of
from substrate.log.tables import BODIES, ENTRIES, seq_key
from substrate.messages import FSCK
from substrate.proof.encoding import Json
from substrate.proof.entry import SALT_BYTES, Entry, Kind
from substrate.views.atoms import VersionRow, version_names
from substrate.views.edges import statement_at

__all__ = [
    "Body",
    "VersionFound",
    "bodies_of",
    "bodies_or_damage",
    "body_of",
    "kind_of",
    "replay_checked",
    "require_bodies",
    "require_body",
    "time_of",
]


class Body(NamedTuple):
    """The members of an entry's body, and when the entry was recorded.

    `damage` says what does not fit the schema, in a log from elsewhere: then the members are a sound name, or nothing.
    Only `bodies_or_damage` says so of a body that its entry does not commit to: then there are no members.
    """

    members: Mapping[str, Json]
    time: int
    damage: str | None = None


_NONE: Final[Mapping[int, dict[str, Json]]] = MappingProxyType({})
_CHANGED: Final = f"its body is {NOT_COMMITTED}"
VersionFound: TypeAlias = tuple[VersionRow, Body]
"""A version, and what it says."""


def body_of(transaction: ReadTransaction, seq: int) -> Body | None:
    """What an entry says, checked against its commitment; None if it was erased."""
    at = seq_key(seq)
    return _undamaged(transaction, seq, _body(seq, transaction.get(ENTRIES, at), transaction.get(BODIES, at)))


def bodies_of(
    transaction: ReadTransaction, seqs: Sequence[int], decoded: Mapping[int, dict[str, Json]] = _NONE
) -> list[Body | None]:
    """What each of many entries says, read at once, each checked against its commitment; None where it was erased.

    `decoded`: by seq, what `decode_body` made of bodies that were read in this transaction before.
    """
    found = bodies_or_damage(transaction, seqs, decoded)
    return [_undamaged(transaction, seq, body) for seq, body in zip(seqs, found, strict=True)]


def bodies_or_damage(
    transaction: ReadTransaction, seqs: Sequence[int], decoded: Mapping[int, dict[str, Json]] = _NONE
) -> list[Body | None]:
    """The same, for who goes on without what is damaged: of a body that its entry does not commit to, just that."""
    keys = [seq_key(seq) for seq in seqs]
    rows = zip(seqs, transaction.get_many(ENTRIES, keys), transaction.get_many(BODIES, keys), strict=True)
    return [_body(seq, data, row, decoded.get(seq)) for seq, data, row in rows]


def replay_checked(transaction: ReadTransaction, start: int, stop: int) -> list[Logged]:
    """As `replay`, each body checked against its commitment. StoreDamaged also if one is gone that nothing erased."""
    entries = []
    for seq, entry, row in rows_of(transaction, start, stop):
        if row is None and _is_known(transaction, seq, entry):
            raise _gone(seq)
        if row is not None and not is_committed(entry, row):
            raise _changed(transaction, seq, entry)
        entries.append(logged(seq, entry, row))
    return entries


def _body(seq: int, data: bytes | None, row: bytes | None, decoded: dict[str, Json] | None = None) -> Body | None:
    entry = stored_entry(seq, data)
    if row is None:
        return None
    if not is_committed(entry, row):
        return Body({}, entry.time, _CHANGED)
    members, damage = read_body(entry.kind, row[SALT_BYTES:], decoded)
    return Body(members, entry.time, damage)


def _undamaged(transaction: ReadTransaction, seq: int, body: Body | None) -> Body | None:
    if body is not None and body.damage is _CHANGED:
        raise _changed(transaction, seq, stored_entry(seq, transaction.get(ENTRIES, seq_key(seq))))
    return body


def _is_known(transaction: ReadTransaction, seq: int, entry: Entry) -> bool:
    """Whether the views know what an entry says of an atom or edge: then it was not erased."""
    if entry.kind in (Kind.EDGE, Kind.UNEDGE):
        link = statement_at(transaction, entry.subject, seq)
        return link is not None and link.seq == seq and bool(link.type)
    return version_names(transaction, [(entry.subject, seq)]) != [None]


def _changed(transaction: ReadTransaction, seq: int, entry: Entry) -> StoreDamaged:
    (name,) = version_names(transaction, [(entry.subject, seq)])
    return body_damaged(seq, entry, name)


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
