"""The log of one store: opening, appending, reading, proving. Each call sees one snapshot of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Self
from uuid import uuid4

from substrate.clock import CheckedClock, Clock, SystemClock
from substrate.codec import Draft, decode_body
from substrate.errors import (
    Forgotten,
    InputError,
    NotFound,
    ProofInvalid,
    RolledBack,
    SchemaInvalid,
    StoreDamaged,
)
from substrate.files import expanded, resolved, users_folder
from substrate.kv.api import ReadTransaction, Store, folder_of
from substrate.kv.open import open_store
from substrate.log.append import Appended, Appender, Plan
from substrate.log.copies.backup import backup
from substrate.log.copies.behind import Remembered
from substrate.log.copies.rebuild import rebuild
from substrate.log.decode import stored_entry
from substrate.log.expect import Expect
from substrate.log.heads import check_pin, head_at, key_in_force, require_head
from substrate.log.keys.keyring import Keyring
from substrate.log.keys.origin import find_origin, unfinished_origin
from substrate.log.missing_views import Overlay
from substrate.log.prove import find_record, opening_of, prove_extended, prove_name, prove_recorded
from substrate.log.replay import Check, View
from substrate.log.tables import ENTRIES, NODES, TABLES, read_seq, seq_key
from substrate.log.tree import root_at
from substrate.log.upgrade import upgrade
from substrate.log.view_versions import outdated_views, read_cursors, refuse_newer
from substrate.messages import FSCK
from substrate.names import check_known_name
from substrate.proof.bundle import Bundle, Opening
from substrate.proof.entry import Entry
from substrate.proof.hashes import HASH_BYTES, leaf_hash
from substrate.proof.head import MAX_SIZE, Pin, SignedHead
from substrate.proof.note import VerifierKey, check_key_name, generate_signer
from substrate.proof.record import Record, State
from substrate.settings import load_settings
from substrate.values.behind import Behind
from substrate.values.progress import Progress

__all__ = ["Log", "StoredEntry", "open_log"]

_TAIL = 256
"""Entries whose leaves are checked at every open; fsck checks all."""


@dataclass(frozen=True, slots=True)
class StoredEntry:
    """An entry at its seq. `opening` is None if its body was erased."""

    seq: int
    entry: Entry
    opening: Opening | None


def open_log(  # noqa: PLR0913 - one way to open, everything by keyword
    path: str | Path,
    *,
    home: str | Path | None = None,
    read_only: bool = False,
    create: bool = True,
    views: Sequence[View] = (),
    clock: Clock | None = None,
    origin: str | None = None,
    progress: Progress | None = None,
) -> Log:
    """Open the log in the store folder `path`; make it if there is none and `create` is set.

    `home` is where signing keys and high-water marks live (default: settings). `origin` names a *new* log; a random
    one is made up otherwise. Raises NotFound, Denied, FormatTooNew, StoreDamaged; RolledBack if the store is empty and
    was not. One that is older than this machine knows it to have been opens, for reading: see `Log.behind`. With
    `read_only` nothing is written, and no key is needed.

    Views that the store lacks, or has in an older version, are made before it returns, which `progress` tells of; with
    `read_only` they are replayed in memory by who needs them.
    """
    folder = resolved(path)
    keys = load_settings().home if home is None else expanded(home).resolve()
    tables = [*TABLES, *(table for view in views for table in view.tables)]
    with users_folder(folder):
        if folder.exists() and not folder.is_dir():
            raise InputError(f"{folder} is a file; a store is a folder: give another path")
    if origin is not None:
        _check_origin(origin)
    checked = CheckedClock(clock or SystemClock())
    store = open_store(folder, tables, read_only=read_only, create=create)
    try:
        if find_origin(store, folder) is None and not read_only:
            new = unfinished_origin(store, folder, keys) or origin or f"substrate-{uuid4().hex}"
            Appender(store, folder, Keyring(keys, new), checked, views).create(new)
        known = find_origin(store, folder)
        if known is None:
            raise NotFound(f"the store in {folder} holds no log yet: open it for writing once")  # noqa: TRY301
        if origin not in (None, known):
            raise InputError(f"the store in {folder} is of the origin {known}, not {origin}")  # noqa: TRY301
        log = Log(folder, store, Keyring(keys, known), checked, views)
        log.check_at_open(progress)
    except BaseException:
        store.close()
        raise
    return log


def _check_origin(origin: str) -> None:
    try:
        check_key_name(origin)
    except ProofInvalid as error:
        raise InputError(f"origin: {error}") from None


def _pin(pin: Pin | str | None) -> Pin | None:
    return None if pin is None else _required(pin)


def _required(pin: Pin | str) -> Pin:
    if not isinstance(pin, str | Pin):
        raise SchemaInvalid("a pin is a Pin, or the text of a pin file")
    return Pin.parse(pin) if isinstance(pin, str) else pin


def _check_size(size: object) -> None:
    if size is not None and (isinstance(size, bool) or not isinstance(size, int) or not 0 < size <= MAX_SIZE):
        raise SchemaInvalid("the size of a head is a whole number from 1 on")


def _stored(transaction: ReadTransaction, seq: int, data: bytes | None) -> StoredEntry:
    entry = stored_entry(seq, data)
    return StoredEntry(seq, entry, opening_of(transaction, seq, entry))


def _key(key: VerifierKey | str | None) -> VerifierKey | None:
    if key is not None and not isinstance(key, str | VerifierKey):
        raise SchemaInvalid("a verifier key is a VerifierKey, or its text")
    return VerifierKey.parse(key.strip()) if isinstance(key, str) else key


class Log:
    """An open log. Safe to share between threads. Use `open_log`; close it, or use it as a context manager."""

    def __init__(self, path: Path, store: Store, keyring: Keyring, clock: Clock, views: Sequence[View]) -> None:
        self.path = path
        self.cache = store.cache
        self.clock = clock
        self._store = store
        self._keyring = keyring
        self._views = views
        self._overlay = Overlay(store, views)
        self._appender = Appender(store, path, keyring, clock, views)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Release the store. What was acknowledged is on disk already."""
        try:
            if not self._store.read_only:
                self._keyring.high_water.sync()
        finally:
            self._store.close()

    # -- writing -------------------------------------------------------------------------------------------------

    def append(self, drafts: Iterable[Draft], *, expect: Expect | None = None) -> Appended:
        """Append drafts as one. On return they are on disk, and covered by the returned head.

        Raises, with nothing written: InputError or TooLarge (nothing given, too much, or what cannot be erased),
        Conflict or HeadMoved (`expect`), NotFound (a tombstone or forget of what is not there), Denied (no signing key,
        read-only, views missing), FormatTooNew, StoreDamaged, RolledBack, Busy, Full.
        """
        if isinstance(drafts, Draft):
            raise SchemaInvalid("append takes a list of drafts: put this one into brackets")
        if expect is not None and not isinstance(expect, Expect):
            raise SchemaInvalid("expect must be an Expect: Expect(versions={name: seq}), or Expect(size=...)")
        return self._appender.append(list(drafts), expect)

    def decide(self, plan: Plan, *, expect: Expect | None = None) -> Appended:
        """Append what `plan` decides under the write lock, from what is there then, with rows of trace tables.

        Raises as `append` does, and what `plan` raises; with nothing written. Of nothing to append, `seqs` is empty.
        """
        return self._appender.decide(plan, expect)

    def consider(self, plan: Plan) -> None:
        """Let `plan` decide from what is there now, and append nothing. Raises what `plan` raises."""
        with self.snapshot() as transaction:
            plan(transaction, self.clock.now())

    def rotate_key(self) -> VerifierKey:
        """Put a new signing key in force and destroy the old one. Old heads stay valid under the old verifier key."""
        fresh = generate_signer(self.key().name)
        self._appender.rotate(fresh)
        return fresh.key

    def compact(
        self,
        wait_s: float | None = None,
        *,
        queue_s: float | None = None,
        readers_s: float | None = None,
        needed: Callable[[], bool] | None = None,
    ) -> None:
        """Rewrite the store's file without freed pages: what was erased is gone from it after. Others go on meanwhile.

        What is erased while this runs may still be in the new file: compact again after that. Busy, with nothing
        changed, if a reader does not let go of the old file in `wait_s` seconds (default: half a minute), or another
        compaction does not end in `queue_s`. When nobody else is at it, `needed` says whether to do it at all. With
        `readers_s`, nothing is copied if there are readers who do not let go in that time: it would be in vain.
        DiskFull, before anything is copied, if both files do not fit. RolledBack if the store is behind.
        """
        self.check_current()
        folder_of(self._store).compact(wait_s, queue_s=queue_s, readers_s=readers_s, needed=needed)

    def rebuild(self, progress: Progress | None = None, caches: Sequence[Check] = ()) -> None:
        """Make every table that follows from the log anew, beside the store, and put it in place. Others go on reading.

        Caches stay if all of `caches` find them sound, and are left behind otherwise.
        Raises, with nothing changed: StoreDamaged if the log itself is damaged, RolledBack, Denied, Busy, Full.
        """
        self.check_current()  # before the work: it would be in vain
        rebuild(self._store, Remembered.of(self.path, self._keyring), self._views, progress, caches)

    def backup(self, target: str | Path, progress: Progress | None = None) -> Pin:
        """Copy the store into the folder `target`, absent or empty, as of one moment, while others write; its pin.

        On return it is on disk. Raises, with nothing left: InputError, StoreDamaged, DiskFull, Denied, Busy.
        """
        if self.path in resolved(target).parents:
            raise InputError("a backup does not belong into the folder of its store: give another path")
        return backup(self._store, target, progress)

    # -- reading -------------------------------------------------------------------------------------------------

    def size_on_disk(self) -> int:
        """How many bytes the store's data takes on disk."""
        return folder_of(self._store).size()

    def snapshot(self) -> AbstractContextManager[ReadTransaction]:
        """All tables as of now, for one call of a verb above; it must end with that call.

        FormatTooNew if a later program has upgraded the store since it was opened.
        """
        return self._overlay.read()

    def head(self) -> SignedHead:
        """The latest head."""
        with self._store.read() as transaction:
            return require_head(transaction)

    def key(self) -> VerifierKey:
        """The verifier key in force: what an auditor needs, and should get by another way than the bundle."""
        with self._store.read() as transaction:
            return key_in_force(transaction)

    def pin(self, size: int | None = None) -> Pin:
        """The latest head, or the one of this size, and the key in force after it, to be remembered outside the store.

        NotFound if no head was signed at that size.
        """
        _check_size(size)
        with self._store.read() as transaction:
            head = require_head(transaction) if size is None else head_at(transaction, size)
            return Pin(key_in_force(transaction, head.head.size), head)

    def record(self, name: str) -> Record | None:
        """Which entry a name is at, and in which state; None if the store never held it."""
        name = check_known_name(name)
        with self._store.read() as transaction:
            return find_record(transaction, name)

    def get(self, name: str) -> str:
        """The current value of a name. NotFound if it is not there or tombstoned, Forgotten if it was forgotten.

        What is read is checked against its entry, not against the head: for that, `prove` it and have it verified.
        """
        name = check_known_name(name)
        with self._store.read() as transaction:
            record = find_record(transaction, name)
            if record is not None and record.state is State.FORGOTTEN:
                raise Forgotten(f"{name} was forgotten by entry {record.seq}")
            if record is None or record.state is State.TOMBSTONED:
                raise NotFound(f"there is no {name}" + (": it was tombstoned" if record else ""))
            opening = _stored(transaction, record.seq, transaction.get(ENTRIES, seq_key(record.seq))).opening
            value = None if opening is None else decode_body(opening.body).get("value")
            if not isinstance(value, str):
                raise StoreDamaged(f"the body of entry {record.seq} holds no value; run ", FSCK)
            return value

    def entry(self, seq: int) -> StoredEntry:
        """One entry. NotFound past the end."""
        if not isinstance(seq, int):
            raise SchemaInvalid("an entry is read by its seq, a whole number; for a name, use get or record")
        with self._store.read() as transaction:
            data = transaction.get(ENTRIES, seq_key(seq)) if 0 <= seq <= MAX_SIZE else None
            if data is None:
                raise NotFound(f"there is no entry {seq}")
            return _stored(transaction, seq, data)

    def entries(self, start: int = 0, limit: int = 1000) -> list[StoredEntry]:
        """Up to `limit` entries from `start` on, in order. InputError if one of the two is negative."""
        if start < 0 or limit < 0:
            raise InputError("start and limit are whole numbers from 0 on")
        with self._store.read() as transaction:
            rows = transaction.scan(ENTRIES, seq_key(min(start, MAX_SIZE)), seq_key(min(start + limit, MAX_SIZE)))
            return [_stored(transaction, read_seq(at), data) for at, data in rows]

    # -- proving -------------------------------------------------------------------------------------------------

    def behind(self) -> Behind | None:
        """In which way this store is behind what this machine has signed of its log; None if it is not.

        It may come to be while it is open: when a copy of its folder is written to.
        """
        remembered = Remembered.of(self.path, self._keyring)
        with self._store.read() as transaction:
            return remembered.behind(transaction)

    def check_current(self) -> None:
        """Return if this store may be written to, and prove what is current; RolledBack if it is behind."""
        behind = self.behind()
        if behind is not None:
            raise RolledBack(str(behind))

    def check_unforked(self) -> None:
        """Return if this store may prove what was recorded; RolledBack if its log is one of two histories."""
        behind = self.behind()
        if behind is not None and behind.forked:
            raise RolledBack(str(behind))

    def prove(self, name: str, *, since: Pin | str | None = None, trusting: VerifierKey | str | None = None) -> Bundle:
        """What `name` is at the latest head: current, tombstoned, forgotten or absent.

        With `since`, the bundle also connects that pin to the head; with `trusting`, it leads from that (older) key to
        the one in force; both may be given as text. RolledBack if the pin is not of this history, or if this
        store is behind: what is current here need not be.
        """
        name, pin, key = check_known_name(name), _pin(since), _key(trusting)
        self.check_current()
        with self._store.read() as transaction:
            return prove_name(transaction, name, pin, key)

    def prove_entry(
        self, seq: int, *, since: Pin | str | None = None, trusting: VerifierKey | str | None = None
    ) -> Bundle:
        """That entry `seq` is in the log, with its body. NotFound, or Forgotten if the body was erased.

        It names its head. RolledBack if the log forked; one that is merely behind can prove what it holds.
        """
        pin, key = _pin(since), _key(trusting)
        if isinstance(seq, bool) or not isinstance(seq, int):
            raise SchemaInvalid("an entry is named by its seq, a whole number")
        self.check_unforked()
        with self._store.read() as transaction:
            return prove_recorded(transaction, seq, pin, key)

    def prove_extended(self, since: Pin | str, *, until: int | None = None) -> Bundle:
        """That the log contains all of the pinned one: the log of now, or as it was at the head of size `until`.

        RolledBack if it does not, or if it forked. NotFound if no head was signed at that size, InputError if the pin
        is newer.
        """
        pin = _required(since)
        _check_size(until)
        self.check_unforked()
        with self._store.read() as transaction:
            return prove_extended(transaction, pin, until)

    def check_pin(self, pin: Pin | str) -> None:
        """Return if this log contains the pinned one; RolledBack, naming both heads, if not."""
        pinned = _required(pin)
        with self._store.read() as transaction:
            try:
                check_pin(transaction, require_head(transaction).head, pinned)
            except InputError as error:  # of another log: for who pinned this one, that is what a swap looks like
                raise RolledBack(str(error)) from None

    def check_at_open(self, progress: Progress | None = None) -> None:
        """What every open checks: the head's signature, its root, the last entries, the versions of views.

        For writing, it also brings the mark up to a log that is ahead of it, and makes outdated views anew; unless the
        store is behind: then it is left as it is.
        """
        remembered = Remembered.of(self.path, self._keyring)
        with self._store.read() as transaction:
            signed = require_head(transaction)
            if not signed.signed_by(key_in_force(transaction)):
                raise StoreDamaged(f"the head of {signed.head} is not signed by the key in force; run ", FSCK)
            if root_at(transaction, signed.head.size) != signed.head.root:
                raise StoreDamaged(f"the log tree does not lead to the root of {signed.head}; run ", FSCK)
            _check_tail(transaction, signed.head.size)
            behind = remembered.behind(transaction)
            cursors = read_cursors(transaction)
            refuse_newer(cursors, self._views)
            outdated = outdated_views(cursors, self._views, signed.head.size)
        if self._store.read_only or behind is not None:
            return
        if outdated:
            upgrade(self._store, self._views, progress)
        if remembered.mark is None or remembered.mark.size < signed.head.size:
            self._keyring.keep_up(signed.head, self.path)
        self._keyring.note_store(self.path)


def _check_tail(transaction: ReadTransaction, size: int) -> None:
    keys = [seq_key(seq) for seq in range(max(0, size - _TAIL), size)]
    for at, data, row in zip(keys, transaction.get_many(ENTRIES, keys), transaction.get_many(NODES, keys), strict=True):
        if data is None or row is None or row[:HASH_BYTES] != leaf_hash(data):
            raise StoreDamaged(f"entry {read_seq(at)} is missing or is not what its leaf says; run ", FSCK)
