"""Appending: the one write transaction. One call, one run of entries, one signed head; all of it or nothing.

1. Under the write lock, before anything is written or signed: the latest head is signed by the key in force, the log
   contains the one of the high-water mark, and tree and map lead to that head's roots, along every way that the append
   takes through them. So no signature ever covers a tree or map that someone changed behind our back.
2. Entries, bodies, tree, map, views and head go into the same transaction. Its commit is the acknowledgement.
3. Times never step back along the log, whatever the clock does. Order is by seq alone.
4. The mark is raised after the commit. Before it, the mark is as far as the head before and can be written: else
   nothing is. If raising it fails all the same, the entries are there, and the next append is refused until it can be.
   From reading the mark until then nobody else signs with this key, also not for a copy of the store.
5. What to append can be decided under the write lock, from what is then there: nobody can come in between. If it does
   not fit, the store grows, still under the lock, and the same decision is written again, whole.
6. Views are handed in. They see entries in order, inside the transaction, and must not fail on what the log accepts.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias

from substrate.clock import Clock
from substrate.codec import Draft, decode_vkey, draft_key
from substrate.errors import Busy, InputError, MapFull, SchemaInvalid, StoreDamaged
from substrate.kv.api import ReadTransaction, Store, WriteTransaction
from substrate.limits import check_size
from substrate.log.copies.behind import Remembered
from substrate.log.decode import stored_entry
from substrate.log.expect import Expect
from substrate.log.heads import keep_head, key_in_force, latest_head, require_head
from substrate.log.keys.keyring import Keyring
from substrate.log.keys.origin import write_origin
from substrate.log.map import MapUpdate
from substrate.log.names import Naming
from substrate.log.replay import Logged, View, apply_views, observe_traces
from substrate.log.tables import BODIES, CACHES, DOMAIN_KEYS, ENTRIES, HEADS, KEYS, META, PENDING, TRACES, seq_key
from substrate.log.tree import bag, extend_tree, peaks_at
from substrate.log.view_versions import begin_views, check_views, mark_applied
from substrate.messages import FSCK
from substrate.proof.bundle import MAP_SALT_BYTES
from substrate.proof.entry import SALT_BYTES, Kind, encode_entry
from substrate.proof.hashes import EMPTY, EMPTY_ROOT, commitment, map_root
from substrate.proof.head import Head, SignedHead
from substrate.proof.note import Note, Signer

__all__ = ["Appended", "Appender", "Decision", "Plan"]

_log = logging.getLogger(__name__)
_BESIDE = frozenset((*TRACES, *CACHES, *PENDING, DOMAIN_KEYS))
"""Tables whose rows do not follow from the log."""


@dataclass(frozen=True, slots=True)
class Appended:
    """On return of an append: the entries' seqs and ids, in the order given, and the head that covers them."""

    seqs: range
    subjects: tuple[bytes, ...]
    head: SignedHead


@dataclass(frozen=True, slots=True)
class Decision:
    """What to append, and which rows beside the log go with it: (table, key, value; None deletes).

    May be nothing.
    """

    drafts: Sequence[Draft] = ()
    traces: Sequence[tuple[str, bytes, bytes | None]] = ()


Plan: TypeAlias = Callable[[ReadTransaction, int], Decision]
"""Decides from what is there, and the time that the entries will bear."""


@dataclass(frozen=True, slots=True)
class Appender:
    """All that appending needs. Holds no state of the log: that is in the store."""

    store: Store
    folder: Path
    """Where it is, or will be."""
    keyring: Keyring
    clock: Clock
    views: Sequence[View] = ()
    _vouched: list[SignedHead] = field(default_factory=list)
    """The last head that was signed here: one signature that need not be checked again."""

    def append(self, drafts: Sequence[Draft], expect: Expect | None = None) -> Appended:
        """Append the drafts. On return they are on disk and covered by the returned head.

        Raises, with nothing written: InputError or TooLarge (nothing given, too much, or what cannot be erased),
        Conflict or HeadMoved (`expect`), NotFound (a tombstone or forget of what is not there), Denied (no signing key,
        read-only, views missing), FormatTooNew, StoreDamaged, RolledBack, Busy, Full.
        """
        check_batch(drafts)
        return self._append(lambda _, __: Decision(drafts), expect or Expect())

    def decide(self, plan: Plan, expect: Expect | None = None) -> Appended:
        """Append what `plan` decides, called under the write lock. It must not keep the transaction.

        On return all of it is on disk; if there was nothing to append, `seqs` is empty and the head the one before.
        Raises as `append` does, and what `plan` raises; with nothing written. `expect` is checked before it is called.
        """

        def checked(transaction: ReadTransaction, time: int) -> Decision:
            decision = plan(transaction, time)
            if decision.drafts:
                check_batch(decision.drafts)
            return decision

        return self._append(checked, expect or Expect())

    def rotate(self, fresh: Signer) -> Appended:
        """Put a new key in force, by an entry under a head that both old and new key sign. Errors as for `append`."""
        appended = self._append(lambda _, __: Decision([draft_key(fresh.key)]), Expect(), fresh)
        try:
            # Under the write lock: someone else's rotation may have staged its key by now.
            with self.store.write() as transaction:
                self.keyring.settle(key_in_force(transaction))
        except Busy:
            _log.info("the new signing key is in force; its file gets its name with the next append")
        return appended

    def create(self, origin: str) -> None:
        """Write the first entry of a new log, the key entry. Returns if someone else was faster."""
        with self.store.write() as transaction:
            if latest_head(transaction) is not None:
                return
            # On disk before the commit: a log whose key was never there could not be written to again, and a store that
            # is emptied later must not be taken for a new one.
            signer = self.keyring.install(origin, self.folder)
            write_origin(self.folder, origin)
            salt = os.urandom(MAP_SALT_BYTES)
            transaction.put(META, b"origin", origin.encode())
            transaction.put(META, b"map_salt", salt)
            begin_views(transaction, self.views)
            empty = Head(origin, 0, EMPTY_ROOT, map_root(salt, EMPTY))
            naming = Naming(transaction, salt, [draft_key(signer.key)], Expect(), empty)
            appended = self._write(transaction, naming, empty, self.clock.now(), [signer])
        self.keyring.keep_up(appended.head.head, self.folder)

    def restore(self, draft: Draft, fresh: Signer) -> Appended:
        """Go on under the origin and the key of `fresh`, from a restore entry, in a store that nobody else has open.

        It alone signs: the key before it never vouches for a second history. The mark is left to the caller.
        """
        with self.store.write() as transaction:
            head = require_head(transaction).head
            check_views(transaction, self.views, head.size)
            transaction.put(META, b"origin", fresh.key.name.encode())
            base = replace(head, origin=fresh.key.name)
            naming = Naming(transaction, transaction.get(META, b"map_salt") or b"", [draft], Expect(), base)
            return self._write(transaction, naming, base, self._time(transaction, base.size), [fresh])

    def _append(self, plan: Plan, expect: Expect, fresh: Signer | None = None) -> Appended:
        with ExitStack() as until_the_mark_is_raised:
            appended = self._commit(plan, expect, fresh, until_the_mark_is_raised)
            self._vouched[:] = [appended.head]
            self.keyring.keep_up(appended.head.head, self.folder)
        return appended

    def _commit(self, plan: Plan, expect: Expect, fresh: Signer | None, held: ExitStack) -> Appended:
        with self.store.write() as transaction:
            held.enter_context(self.keyring.alone())
            signed = require_head(transaction)
            in_force = key_in_force(transaction)
            self.keyring.settle(in_force)
            signers = [self.keyring.signer(in_force)]
            if signed not in self._vouched and not signed.signed_by(in_force):
                raise StoreDamaged(f"the head of {signed.head} is not signed by the key in force; run ", FSCK)
            remembered = Remembered.of(self.folder, self.keyring)
            remembered.check(transaction)
            self.keyring.prepare_mark(signed.head, self.folder, remembered.mark)
            check_views(transaction, self.views, signed.head.size)
            if fresh is not None:
                self.keyring.stage(fresh)
                signers.append(fresh)
            return self._decide(transaction, signed, plan, expect, signers)

    def _decide(
        self, transaction: WriteTransaction, signed: SignedHead, plan: Plan, expect: Expect, signers: Sequence[Signer]
    ) -> Appended:
        update: MapUpdate | None = None
        if expect.size is not None or expect.versions:
            salt = transaction.get(META, b"map_salt") or b""
            # A conflict is said before what a plan may object to. What was loaded of the map for that is used again.
            update = Naming(transaction, salt, (), expect, signed.head).update
        time = self._time(transaction, signed.head.size)
        decision = plan(transaction, time)
        while True:
            try:
                return self._carry_out(transaction, signed, decision, expect, time, signers, update)
            except MapFull:
                update = None  # it is half changed
                # Nobody else has written since the plan was made: it holds in the larger store, and is not asked again.
                if not transaction.grow():
                    raise

    def _carry_out(  # noqa: PLR0913, PLR0917
        self,
        transaction: WriteTransaction,
        signed: SignedHead,
        decision: Decision,
        expect: Expect,
        time: int,
        signers: Sequence[Signer],
        update: MapUpdate | None,
    ) -> Appended:
        appended = Appended(range(signed.head.size, signed.head.size), (), signed)
        if decision.drafts:
            salt = transaction.get(META, b"map_salt") or b""
            naming = Naming(transaction, salt, decision.drafts, expect, signed.head, update)
            appended = self._write(transaction, naming, signed.head, time, signers)
        for table, key, value in decision.traces:
            if table not in _BESIDE:
                raise SchemaInvalid(f"{table} holds neither traces nor a cache: what it holds follows from the log")
            if value is None:
                transaction.delete(table, key)
            else:
                transaction.put(table, key, value)
        observe_traces(transaction, self.views, decision.traces)
        return appended

    def _write(
        self, transaction: WriteTransaction, naming: Naming, base: Head, time: int, signers: Sequence[Signer]
    ) -> Appended:
        drafts = naming.drafts
        peaks = peaks_at(transaction, base.size)
        if bag(peaks) != base.root or map_root(naming.salt, naming.root()) != base.map_root:
            raise StoreDamaged("the stored tree or map is not the one that the latest head was signed over; run ", FSCK)
        entries, bodies, leaves, subjects = [], [], [], []
        salts = os.urandom(SALT_BYTES * len(drafts))  # one call: 1,000 small ones cost more than all the hashing
        for i, draft in enumerate(drafts):
            seq = base.size + i
            subject = naming.settle(i, seq)
            opening = salts[i * SALT_BYTES : (i + 1) * SALT_BYTES]
            data = encode_entry(draft.kind, subject, time, commitment(opening, draft.body))
            at = seq_key(seq)
            entries.append((at, data))
            bodies.append((at, opening + draft.body))
            leaves.append(sha256(b"\x00" + data).digest())
            subjects.append(subject)
            if draft.kind == Kind.KEY:
                transaction.put(KEYS, at, decode_vkey(draft.body).encode())
        naming.erase()
        transaction.extend(ENTRIES, entries)
        transaction.extend(BODIES, bodies)
        root = extend_tree(transaction, base.size, peaks, leaves)
        head = Head(base.origin, base.size + len(drafts), root, map_root(naming.salt, naming.write()))
        if self.views:
            logged = [
                Logged(base.size + i, draft.kind, subject, time, draft.body, draft.name)
                for i, (draft, subject) in enumerate(zip(drafts, subjects, strict=True))
            ]
            apply_views(transaction, self.views, logged)
            mark_applied(transaction, self.views, head.size)
        text = head.text()
        signed = SignedHead(head, Note(text, tuple(signer.sign(text) for signer in signers)))
        note = str(signed).encode()
        transaction.extend(HEADS, [(seq_key(head.size), note)])
        keep_head(note, signed)
        return Appended(range(base.size, head.size), tuple(subjects), signed)

    def _time(self, transaction: WriteTransaction, size: int) -> int:
        return max(self.clock.now(), stored_entry(size - 1, transaction.get(ENTRIES, seq_key(size - 1))).time)


def check_batch(drafts: Sequence[Draft]) -> None:
    """InputError, TooLarge or SchemaInvalid if no store takes these as one append."""
    if not drafts:
        raise InputError("nothing to append: give at least one item")
    if not all(isinstance(draft, Draft) for draft in drafts):
        raise SchemaInvalid("an append takes drafts: make them with draft_put and the like")
    check_size("checkpoint", len(drafts), "checkpoint_items", "items")
    check_size("checkpoint", sum(len(draft.body) for draft in drafts), "checkpoint_bytes")
    if any(draft.kind == Kind.KEY for draft in drafts):
        raise InputError("a key is put in force by a rotation, not by an append")
