"""Appending: the one write transaction. One call, one run of entries, one signed head; all of it or nothing.

1. Under the write lock, before anything is written or signed: the log contains the one of the high-water mark, and tree
   and map are those of the latest head. So no signature ever covers a tree that lost what an earlier one covered.
2. Entries, bodies, tree, map, views and head go into the same transaction. Its commit is the acknowledgement.
3. Times never step back along the log, whatever the clock does. Order is by seq alone.
4. The mark is raised after the commit; if that fails, the entries are there all the same (the mark may lag).
5. Views are handed in. They see entries in order, inside the transaction, and must not fail on what the log accepts.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Protocol, TypeAlias

from substrate.clock import Clock
from substrate.codec import Draft, decode_vkey, draft_key
from substrate.errors import Conflict, HeadMoved, InputError, NotFound, StoreDamaged, TooLarge
from substrate.kv.api import ReadTransaction, Store, WriteTransaction
from substrate.limits import LIMITS
from substrate.log.heads import check_mark, key_in_force, latest_head, require_head
from substrate.log.highwater import Mark
from substrate.log.keyring import Keyring
from substrate.log.map import MapUpdate
from substrate.log.tables import BODIES, ENTRIES, HEADS, KEYS, META, seq_key
from substrate.log.tree import LogTree, root_at
from substrate.proof.bundle import MAP_SALT_BYTES
from substrate.proof.entry import ID_BYTES, SALT_BYTES, Kind, decode_entry, encode_entry
from substrate.proof.hashes import EMPTY, EMPTY_ROOT, commitment, map_key, map_root
from substrate.proof.head import Head, SignedHead
from substrate.proof.note import Note, Signer
from substrate.proof.record import Record, State, decode_record, encode_record

__all__ = ["Appended", "Appender", "Batch", "Expect", "Logged", "Plan", "View"]

_log = logging.getLogger(__name__)
_KEPT = frozenset({Kind.KEY, Kind.FORGET, Kind.MODEL})
"""Kinds whose bodies can not be erased: without them the log could not be checked any more."""


@dataclass(frozen=True, slots=True)
class Expect:
    """What must still hold for an append to happen: the log's size, the version (seq) of each name; None is absent."""

    size: int | None = None
    versions: Mapping[str, int | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Batch:
    """What one append shall write: drafts, and rows of trace tables (table, key, value) that go with them."""

    drafts: Sequence[Draft]
    traces: Sequence[tuple[str, bytes, bytes]] = ()


Plan: TypeAlias = Callable[[ReadTransaction], Batch]


@dataclass(frozen=True, slots=True)
class Logged:
    """An entry as it went into the log, for views."""

    seq: int
    kind: Kind
    subject: bytes
    time: int
    body: bytes | None
    """None: erased."""
    name: str | None = None
    """The name it is about, where its body says one."""


@dataclass(frozen=True, slots=True)
class Appended:
    """On return of an append: the entries' seqs and ids, in the order given, and the head that covers them."""

    seqs: range
    subjects: tuple[bytes, ...]
    head: SignedHead


class View(Protocol):
    """A set of tables that follows from the log alone."""

    name: str
    tables: Sequence[str]

    def apply(self, transaction: WriteTransaction, entries: Sequence[Logged]) -> None:
        """Take in entries that come right after those applied before."""


@dataclass(frozen=True, slots=True)
class Appender:
    """All that appending needs. Holds no state of the log: that is in the store."""

    store: Store
    keyring: Keyring
    clock: Clock
    views: Sequence[View] = ()

    def append(self, plan: Plan, expect: Expect | None = None) -> Appended:
        """Append what `plan` says, which it decides under the write lock, seeing all that was written before.

        On return everything is on disk and covered by the returned head. A batch without drafts writes its traces only;
        the head stays. Raises, with nothing written: InputError or TooLarge (too much), Conflict or HeadMoved
        (`expect`), NotFound (a tombstone or forget of what is not there), Denied (no signing key, read-only),
        RolledBack, Busy, Full, and whatever `plan` raises.
        """

        def checked(transaction: ReadTransaction) -> Batch:
            batch = plan(transaction)
            _check_batch(batch.drafts)
            return batch

        return self._append(checked, expect or Expect())

    def rotate(self, fresh: Signer) -> Appended:
        """Put a new key in force, by an entry under a head that both old and new key sign. Errors as for `append`."""
        appended = self._append(lambda _: Batch([draft_key(fresh.key)]), Expect(), fresh)
        # Under the write lock: someone else's rotation may have staged its key by now.
        with self.store.write() as transaction:
            self.keyring.settle(key_in_force(transaction))
        return appended

    def create(self, signer: Signer, folder: Path) -> None:
        """Write the first entry of a new log, the key entry. Returns if someone else was faster."""
        with self.store.write() as transaction:
            if latest_head(transaction) is not None:
                return
            salt = os.urandom(MAP_SALT_BYTES)
            transaction.put(META, b"origin", signer.key.name.encode())
            transaction.put(META, b"map_salt", salt)
            # Before the commit: a log whose key was never on disk could not be written to again.
            self.keyring.install(signer, folder)
            empty = Head(signer.key.name, 0, EMPTY_ROOT, map_root(salt, EMPTY))
            appended = self._write(transaction, empty, Batch([draft_key(signer.key)]), Expect(), [signer])
        self._raise_mark(appended.head.head)

    def _append(self, plan: Plan, expect: Expect, fresh: Signer | None = None) -> Appended:
        with self.store.write() as transaction:
            head = require_head(transaction).head
            in_force = key_in_force(transaction)
            self.keyring.settle(in_force)
            signers = [self.keyring.signer(in_force)]
            check_mark(transaction, head, self.keyring.high_water.read())
            if fresh is not None:
                self.keyring.stage(fresh)
                signers.append(fresh)
            appended = self._write(transaction, head, plan(transaction), expect, signers)
        self._raise_mark(appended.head.head)
        return appended

    def _write(
        self,
        transaction: WriteTransaction,
        base: Head,
        batch: Batch,
        expect: Expect,
        signers: Sequence[Signer],
    ) -> Appended:
        drafts = batch.drafts
        salt = transaction.get(META, b"map_salt") or b""
        names = _Names(transaction, salt, drafts, expect, base)
        for table, at, value in batch.traces:
            transaction.put(table, at, value)
        if not drafts:
            return Appended(range(base.size, base.size), (), require_head(transaction))
        if root_at(transaction, base.size) != base.root or map_root(salt, names.root()) != base.map_root:
            raise StoreDamaged("the stored tree or map is not the one that the latest head was signed over; run fsck")
        time = self._time(transaction, base.size)
        entries, bodies, leaves, subjects = [], [], [], []
        salts = os.urandom(SALT_BYTES * len(drafts))  # one call: 1,000 small ones cost more than all the hashing
        for i, draft in enumerate(drafts):
            seq = base.size + i
            subject = names.settle(i, seq)
            opening = salts[i * SALT_BYTES : (i + 1) * SALT_BYTES]
            data = encode_entry(draft.kind, subject, time, commitment(opening, draft.body))
            at = seq_key(seq)
            entries.append((at, data))
            bodies.append((at, opening + draft.body))
            leaves.append(sha256(b"\x00" + data).digest())
            subjects.append(subject)
            if draft.kind is Kind.KEY:
                transaction.put(KEYS, at, decode_vkey(draft.body).encode())
            if draft.erase:
                _erase(transaction, draft.erase, base.size)
        transaction.extend(ENTRIES, entries)
        transaction.extend(BODIES, bodies)
        root = LogTree(transaction, base.size).extend(leaves)
        map_tree_root = names.write()
        if self.views:
            logged = [
                Logged(base.size + i, draft.kind, subject, time, draft.body, draft.name)
                for i, (draft, subject) in enumerate(zip(drafts, subjects, strict=True))
            ]
            for view in self.views:
                view.apply(transaction, logged)
        head = Head(base.origin, base.size + len(drafts), root, map_root(salt, map_tree_root))
        text = head.text()
        signed = SignedHead(head, Note(text, tuple(signer.sign(text) for signer in signers)))
        transaction.extend(HEADS, [(seq_key(head.size), str(signed).encode())])
        return Appended(range(base.size, head.size), tuple(subjects), signed)

    def _time(self, transaction: WriteTransaction, size: int) -> int:
        now = self.clock.now()
        last = transaction.get(ENTRIES, seq_key(size - 1)) if size else None
        return now if last is None else max(now, decode_entry(last).time)

    def _raise_mark(self, head: Head) -> None:
        try:
            self.keyring.high_water.raise_to(Mark(head.size, head.root))
        except OSError as error:
            # The entries are durable and acknowledged; a mark that lags is no fault, but someone should know.
            _log.warning("the high-water mark in %s could not be raised: %s", self.keyring.folder, error)


class _Names:
    """What the drafts of one append do to names: their ids, their expected versions, and the map after them."""

    def __init__(
        self, transaction: WriteTransaction, salt: bytes, drafts: Sequence[Draft], expect: Expect, base: Head
    ) -> None:
        self._drafts = drafts
        self._keys = [draft.map_key if draft.name is None else map_key(salt, draft.name) for draft in drafts]
        expected = {name: map_key(salt, name) for name in expect.versions}
        self._update = MapUpdate(transaction, {key for key in self._keys if key is not None} | set(expected.values()))
        self._changed: dict[bytes, bytes] = {}
        if expect.size is not None and expect.size != base.size:
            raise HeadMoved(f"the log is at size {base.size:,}, not {expect.size:,}: read again and decide anew")
        for name, wanted in expect.versions.items():
            record = self._record(expected[name])
            version = record.seq if record is not None and record.state is State.LIVE else None
            if version != wanted:
                said = ["absent" if v is None else f"at version {v}" for v in (version, wanted)]
                raise Conflict(f"{name} is {said[0]}, not {said[1]}: read again and decide anew")

    def _record(self, key: bytes) -> Record | None:
        data = self._changed.get(key) or self._update.record(key)
        return None if data is None else decode_record(data)

    def settle(self, i: int, seq: int) -> bytes:
        """The id of draft `i`, which will be at `seq`; and its record in the map, if it is about a name."""
        draft, key = self._drafts[i], self._keys[i]
        state = draft.state
        if key is None or state is None:
            return draft.subject or _new_id()
        subject = _subject(draft, self._record(key))
        self._changed[key] = encode_record(key, subject, seq, state)
        return subject

    def root(self) -> bytes:
        """The tree root of the map as it was."""
        return self._update.root()

    def write(self) -> bytes:
        """Write the map; its tree root."""
        return self._update.apply(self._changed.values())


def _new_id() -> bytes:
    """A UUIDv4, as bytes; uuid.uuid4 takes three times as long, most of it to make an object we do not keep."""
    drawn = bytearray(os.urandom(ID_BYTES))
    drawn[6] = drawn[6] & 0x0F | 0x40
    drawn[8] = drawn[8] & 0x3F | 0x80
    return bytes(drawn)


def _subject(draft: Draft, record: Record | None) -> bytes:
    """The id that a draft about a name is for; NotFound or Conflict if the name is not in a state for it."""
    if record is None or record.state is State.FORGOTTEN:
        if draft.kind is not Kind.PUT:
            raise NotFound(f"{draft.name or 'the name'}: there is no such atom to {draft.kind.name.lower()}")
        return draft.subject or _new_id()
    if draft.kind is Kind.TOMBSTONE and record.state is State.TOMBSTONED:
        raise NotFound(f"{draft.name}: it is tombstoned already")
    if draft.subject is not None and draft.subject != record.subject:
        raise Conflict(f"{draft.name or 'the name'} belongs to another atom id")
    return record.subject


def _erase(transaction: WriteTransaction, seqs: Sequence[int], size: int) -> None:
    for seq in seqs:
        data = transaction.get(ENTRIES, seq_key(seq)) if seq < size else None
        if data is not None and decode_entry(data).kind in _KEPT:
            raise InputError(f"entry {seq} is needed to check the log and cannot be erased")
        if data is None or not transaction.delete(BODIES, seq_key(seq)):
            raise NotFound(f"entry {seq} has no body to erase")


def _check_batch(drafts: Sequence[Draft]) -> None:
    if len(drafts) > LIMITS["checkpoint_items"]:
        raise TooLarge("checkpoint", len(drafts), LIMITS["checkpoint_items"], "items")
    size = sum(len(draft.body) for draft in drafts)
    if size > LIMITS["checkpoint_bytes"]:
        raise TooLarge("checkpoint", size, LIMITS["checkpoint_bytes"])
    if any(draft.kind is Kind.KEY for draft in drafts):
        raise InputError("a key is put in force by a rotation, not by an append")
