"""Making bundles: each from one snapshot, under the latest head unless an earlier one is asked for."""

from __future__ import annotations

from substrate.errors import Forgotten, InputError, NotFound
from substrate.kv.api import ReadTransaction
from substrate.log.decode import checked_body, stored, stored_entry
from substrate.log.heads import check_pin, head_at, keys_since, map_salt, place_of, require_head
from substrate.log.identity import atom_id
from substrate.log.map import find, find_path
from substrate.log.tables import BODIES, ENTRIES, seq_key
from substrate.log.tree import consistency_path, inclusion_path
from substrate.proof.bundle import Bundle, EntryProof, MapProof, Opening, Rotation, Since
from substrate.proof.entry import SALT_BYTES, Entry
from substrate.proof.hashes import map_key
from substrate.proof.head import Head, Pin
from substrate.proof.note import VerifierKey
from substrate.proof.record import Record, State, decode_record

__all__ = [
    "find_record",
    "id_by_name",
    "opened",
    "opening_of",
    "prove_extended",
    "prove_name",
    "prove_recorded",
]

_CLAIMS = {State.LIVE: "current", State.TOMBSTONED: "tombstoned", State.FORGOTTEN: "forgotten"}


def opening_of(transaction: ReadTransaction, seq: int, entry: Entry) -> Opening | None:
    """Salt and body of an entry; None if they were erased. StoreDamaged if they are not what it commits to."""
    return opened(seq, entry, transaction.get(BODIES, seq_key(seq)))


def opened(seq: int, entry: Entry, row: bytes | None) -> Opening | None:
    """Salt and body in a row of BODIES; None if there is none. StoreDamaged if they are not what the entry says."""
    body = checked_body(seq, entry, row)
    return None if row is None or body is None else Opening(row[:SALT_BYTES], body)


def find_record(transaction: ReadTransaction, name: str) -> Record | None:
    """What the map says of a name now; None if the store never held it."""
    return _record_at(transaction, place_of(transaction, name))


def id_by_name(transaction: ReadTransaction, name: str) -> bytes:
    """The id that the atom of this name has, or will have, as the map tells it."""
    key = place_of(transaction, name)
    return atom_id(key, _record_at(transaction, key))


def _record_at(transaction: ReadTransaction, key: bytes) -> Record | None:
    data = find(transaction, key)
    if data is None or not data.startswith(key):
        return None
    with stored("the map's record of a name"):
        return decode_record(data)


def prove_recorded(
    transaction: ReadTransaction, seq: int, since: Pin | None = None, trusting: VerifierKey | None = None
) -> Bundle:
    """That the entry `seq` is in the log with its body. NotFound past the end, Forgotten if its body was erased."""
    head = require_head(transaction)
    entry, opening = _entry(transaction, head.head, seq)
    return Bundle(
        "recorded",
        str(head),
        entry=entry,
        opening=opening,
        since=_since(transaction, head.head, since),
        rotations=_rotations(transaction, head.head, since, trusting),
    )


def prove_name(
    transaction: ReadTransaction, name: str, since: Pin | None = None, trusting: VerifierKey | None = None
) -> Bundle:
    """What a name is at the latest head: current, tombstoned, forgotten or absent."""
    head = require_head(transaction)
    salt = map_salt(transaction)
    key = map_key(salt, name)
    data, path = find_path(transaction, key)
    claim, entry, opening = "absent", None, None
    if data is not None and data.startswith(key):
        with stored("the map's record of a name"):
            record = decode_record(data)
        claim = _CLAIMS[record.state]
        entry, opening = _entry(transaction, head.head, record.seq)
    return Bundle(
        claim,
        str(head),
        name=name,
        entry=entry,
        opening=opening,
        map=MapProof(salt, data, path),
        since=_since(transaction, head.head, since),
        rotations=_rotations(transaction, head.head, since, trusting),
    )


def prove_extended(transaction: ReadTransaction, since: Pin, until: int | None = None) -> Bundle:
    """That the log, at its latest head or at that of size `until`, contains all of the one that was pinned.

    RolledBack, naming both heads, if it does not. NotFound if no head was signed at that size; InputError if it is
    older than the pin.
    """
    head = require_head(transaction) if until is None else head_at(transaction, until)
    if until is not None and until < since.head.size:
        raise InputError(f"the head of size {until:,} is older than the pin ({since.head}): it cannot contain that log")
    return Bundle(
        "extended",
        str(head),
        since=_since(transaction, head.head, since),
        rotations=_rotations(transaction, head.head, since, None),
    )


def _entry(transaction: ReadTransaction, head: Head, seq: int) -> tuple[EntryProof, Opening]:
    data = transaction.get(ENTRIES, seq_key(seq)) if 0 <= seq < head.size else None
    if data is None:
        raise NotFound(f"there is no entry {seq}: the log has {head.size:,}, counted from 0")
    opening = opening_of(transaction, seq, stored_entry(seq, data))
    if opening is None:
        raise Forgotten(f"the body of entry {seq} was erased for good")
    return EntryProof(seq, data, inclusion_path(transaction, seq, head.size)), opening


def _since(transaction: ReadTransaction, head: Head, pin: Pin | None) -> Since | None:
    if pin is None:
        return None
    check_pin(transaction, head, pin)
    return Since(pin.head.size, pin.head.root, consistency_path(transaction, pin.head.size, head.size))


def _rotations(
    transaction: ReadTransaction, until: Head, since: Pin | None, trusting: VerifierKey | None
) -> tuple[Rotation, ...]:
    """The rotations that lead from the key someone trusts to the one in force at the head `until`."""
    key = trusting or (None if since is None else since.key)
    if key is None:
        return ()
    rotations = []
    for seq in keys_since(transaction, key, until.size):
        head = head_at(transaction, seq + 1)
        entry, opening = _entry(transaction, head.head, seq)
        rotations.append(Rotation(str(head), entry, opening))
    return tuple(rotations)
