"""What the drafts of one append do to names: which atom each is about, what was expected of it, and the map after."""

from __future__ import annotations

from collections.abc import Sequence

from substrate.codec import Draft, decode_body, map_change, read_body
from substrate.errors import Conflict, HeadMoved, InputError, NotFound
from substrate.kv.api import ReadTransaction, WriteTransaction
from substrate.log.decode import stored, stored_entry
from substrate.log.expect import Expect, version_conflict
from substrate.log.heads import map_place
from substrate.log.identity import atom_id, draw_id
from substrate.log.map import MapUpdate, find
from substrate.log.tables import BODIES, ENTRIES, read_seq, seq_key
from substrate.log.tree import root_at
from substrate.messages import ATOM
from substrate.names import check_name
from substrate.proof.entry import SALT_BYTES, Kind
from substrate.proof.head import Head
from substrate.proof.record import Record, State, decode_record, encode_record

__all__ = ["Naming"]

_KEPT = frozenset({Kind.KEY, Kind.FORGET, Kind.MODEL})
"""Kinds whose bodies cannot be erased: without them the log could not be checked any more. A model that does not fit
the schema can be: nobody embeds by it."""


class Naming:
    """One append's dealings with names. Loads the map's places of all of them at once."""

    def __init__(  # noqa: PLR0913, PLR0917
        self,
        transaction: WriteTransaction,
        salt: bytes,
        drafts: Sequence[Draft],
        expect: Expect,
        base: Head,
        update: MapUpdate | None = None,
    ) -> None:
        """Conflict or HeadMoved if `expect` does not hold. `update`: what was loaded in this transaction before."""
        self._transaction = transaction
        self.salt = salt
        self.drafts = drafts
        self._size = base.size
        self._keys = [draft.map_key if draft.name is None else map_place(salt, draft.name) for draft in drafts]
        expected = {check_name(name): version for name, version in expect.versions.items()}
        places = {name: map_place(salt, name) for name in expected}
        keys = {key for key in self._keys if key is not None} | set(places.values())
        self.update = MapUpdate(transaction, ()) if update is None else update
        self.update.load(keys)
        self._changed: dict[bytes, bytes] = {}
        if expect.root is not None and expect.size == base.size and expect.root != base.root:
            raise HeadMoved("the head that was expected is of another log, or of another history of this one")
        if expect.size is not None and expect.size != base.size and not _only_models_since(transaction, expect):
            raise HeadMoved(f"the log is at size {base.size:,}, not {expect.size:,}: read again, then repeat")
        for name, wanted in expected.items():
            record = self._record(places[name])
            version = record.seq if record is not None and record.state is State.LIVE else None
            if version != wanted:
                raise version_conflict(name, version, wanted)

    def root(self) -> bytes:
        """The tree root of the map as it was, derived anew along every way that this append takes."""
        return self.update.root()

    def settle(self, i: int, seq: int) -> bytes:
        """The id of draft `i`, which will be at `seq`; and its record in the map, if it is about a name."""
        draft, key = self.drafts[i], self._keys[i]
        state = draft.state
        if key is None or state is None:
            return draft.subject or draw_id()
        if draft.kind == Kind.FORGET and key in self._changed:
            raise InputError("a name cannot be changed and forgotten in one append: append the change first")
        record = self._record(key)
        subject = _subject(draft, key, record)
        if draft.kind == Kind.FORGET and record is not None and record.seq not in draft.erase:
            raise InputError(f"to forget a name, its current version (entry {record.seq}) must be erased with it")
        self._changed[key] = encode_record(key, subject, seq, state)
        return subject

    def erase(self) -> None:
        """Delete the bodies that the drafts erase. Call when all are settled: a name's current body cannot go alone."""
        for draft in self.drafts:
            for seq in draft.erase:
                self._erase(seq)

    def write(self) -> bytes:
        """Write the map; its tree root."""
        return self.update.apply(self._changed.values())

    def _record(self, key: bytes) -> Record | None:
        data = self._changed.get(key) or self.update.record(key)
        return None if data is None else decode_record(data)

    def _erase(self, seq: int) -> None:
        at = seq_key(seq) if 0 <= seq < self._size else b""
        row = self._transaction.get(BODIES, at) if at else None
        if row is None:
            raise NotFound(f"entry {seq} has no body to erase")
        kind = stored_entry(seq, self._transaction.get(ENTRIES, at)).kind
        body = row[SALT_BYTES:]
        if kind in _KEPT and (kind is not Kind.MODEL or read_body(kind, body)[1] is None):
            raise InputError(f"entry {seq} is needed to check the log and cannot be erased")
        change = map_change(kind, decode_body(body))
        if change is not None and isinstance(change[0], str) and self._is_current(change[0], seq):
            raise InputError(f"entry {seq} is the current version of its name: forget the name, or tombstone it first")
        self._transaction.delete(BODIES, at)

    def _is_current(self, name: str, seq: int) -> bool:
        key = map_place(self.salt, name)
        data = self._changed.get(key) or find(self._transaction, key)
        if data is None or not data.startswith(key):
            return False
        with stored("the map's record of a name"):
            return decode_record(data).seq == seq


def _only_models_since(transaction: ReadTransaction, expect: Expect) -> bool:
    """Whether nothing was appended since the head that was expected but which model embeds.

    That happens in the background, with the first vectors: it is no change to what a writer has read.
    """
    size = expect.size or 0
    since = transaction.scan(ENTRIES, seq_key(size))
    if not all(stored_entry(read_seq(at), data).kind is Kind.MODEL for at, data in since):
        return False
    return expect.root is None or root_at(transaction, size) == expect.root


def _subject(draft: Draft, key: bytes, record: Record | None) -> bytes:
    """The id that a draft about a name is for; NotFound or Conflict if the name is not in a state for it."""
    if record is None or record.state is State.FORGOTTEN:
        if draft.kind != Kind.PUT:
            raise NotFound(f"{draft.name or 'the name'}: there is no such ", ATOM, f" to {draft.kind.name.lower()}")
        return draft.subject or atom_id(key, record)
    if draft.kind == Kind.TOMBSTONE and record.state is State.TOMBSTONED and not draft.again:
        raise NotFound(f"{draft.name}: it is tombstoned already")
    if draft.subject is not None and draft.subject != record.subject:
        raise Conflict(f"{draft.name or 'the name'} belongs to another atom id")
    return record.subject
