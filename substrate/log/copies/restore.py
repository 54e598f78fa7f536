"""Restore: a backup becomes a store again, in a new folder. The one way to go back behind what a log is known to be.

1. If nothing is given up (this machine's high-water mark is part of what the backup holds), the key is here, and the
   store that was backed up is gone, the backup is copied as it is, and the log goes on.
2. Otherwise the log goes on under a new origin and a new key, from an entry that says what it was restored from and
   what was given up. The old key signs nothing: to those who trust it, the old log ended where it ended, and nobody can
   be shown two of its futures.
3. Nothing is overwritten, and the folder is a store when all is done, not before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from substrate.clock import CheckedClock, Clock, SystemClock
from substrate.codec import draft_restore
from substrate.errors import InputError, StoreDamaged
from substrate.files import expanded, resolved
from substrate.kv.api import ReadTransaction, Store, folder_of
from substrate.kv.open import open_store, refuse_occupied, refuse_unfinished
from substrate.log.append import Appender
from substrate.log.copies.backup import backup_pin
from substrate.log.copies.check import check_store
from substrate.log.heads import check_pin, departs, key_in_force, require_head
from substrate.log.keys.highwater import Mark
from substrate.log.keys.keyring import Keyring
from substrate.log.keys.origin import noted_origin, write_origin
from substrate.log.replay import Check, View
from substrate.log.tables import TABLES
from substrate.log.upgrade import upgrade
from substrate.proof.head import Head
from substrate.proof.note import VerifierKey
from substrate.result import Result
from substrate.settings import load_settings

__all__ = ["Abandoned", "Restored", "restore"]


@dataclass(frozen=True, slots=True)
class Abandoned(Result):
    """What a log is known to have been, and is not any more."""

    origin: str
    size: int
    root: bytes


@dataclass(frozen=True, slots=True)
class Restored(Result):
    """Of a restored store: its origin, its verifier key, and what was given up (None: nothing that is known of).

    `before` is the origin that the backup had, if the store goes on under a new one: then the key is new too.
    """

    origin: str
    key: VerifierKey
    abandoned: Abandoned | None
    before: str | None = None


def restore(  # noqa: PLR0913 - everything by keyword
    backup: str | Path,
    path: str | Path,
    *,
    home: str | Path | None = None,
    views: Sequence[View] = (),
    checks: Sequence[Check] = (),
    clock: Clock | None = None,
) -> Restored:
    """Bring a backup, or any copy of a store folder, into the folder `path`, absent or empty.

    Raises, with nothing left at `path`: InputError (there is something; or the backup is not finished), NotFound,
    StoreDamaged (the backup is), Denied, DiskFull, FormatTooNew.
    """
    source, folder = resolved(backup), resolved(path)
    keys = load_settings().home if home is None else expanded(home).resolve()
    if folder.is_relative_to(source) or source.is_relative_to(folder):
        raise InputError("a backup cannot be restored into its own folder, nor into one around it: give another path")
    refuse_occupied(folder)
    refuse_unfinished(source)
    # A later version may have views that the backup has not; the check knows.
    report = check_store(source, views=views, checks=checks)
    if not report.ok:
        raise StoreDamaged(f"the backup in {source} is damaged and was not restored: {report.damage}")
    store = open_store(
        source, [*TABLES, *(table for view in views for table in view.tables)], read_only=True, create=False
    )
    try:
        done, head = _copy(store, source, folder, keys, views, CheckedClock(clock or SystemClock()))
    finally:
        store.close()
    Keyring(keys, head.origin).keep_up(head, folder)
    return done


def _copy(  # noqa: PLR0913, PLR0917
    store: Store, source: Path, folder: Path, keys: Path, views: Sequence[View], clock: Clock
) -> tuple[Restored, Head]:
    pin = backup_pin(source)
    restored: list[tuple[Restored, Head]] = []

    def finish(copy: Store, inside: Path) -> None:
        upgrade(copy, views)
        with copy.read() as transaction:
            head, key = require_head(transaction).head, key_in_force(transaction)
            if pin is not None:
                check_pin(transaction, head, pin)
            keyring = Keyring(keys, head.origin)
            abandoned = _abandoned(transaction, head, keyring.high_water.read())
        before = None
        if abandoned is not None or not keyring.holds(key) or _lives(keyring, head.origin, folder):
            before, origin = head.origin, f"substrate-{uuid4().hex}"
            keyring = Keyring(keys, origin)
            signer = keyring.install(origin, folder)
            given_up = None if abandoned is None else (abandoned.size, abandoned.root)
            draft = draft_restore(signer.key, head.origin, head.size, head.root, given_up)
            head = Appender(copy, folder, keyring, clock, views).restore(draft, signer).head.head
            key = signer.key
        write_origin(inside, head.origin)
        restored.append((Restored(head.origin, key, abandoned, before), head))

    folder_of(store).copy(folder, finish)
    return restored[0]


def _lives(keyring: Keyring, origin: str, folder: Path) -> bool:
    """Whether the store that was backed up is still there: then what is restored beside it is another one."""
    known = keyring.known_store()
    return known is not None and known != folder and noted_origin(known) == origin


def _abandoned(transaction: ReadTransaction, head: Head, mark: Mark | None) -> Abandoned | None:
    """What the mark remembers and the log of `head` does not contain."""
    if mark is None or not departs(transaction, head, mark):
        return None
    return Abandoned(head.origin, mark.size, mark.root)
