"""Backup: a whole store folder, as of one moment, made while others read and write; and the pin of that moment in it.

    CURRENT, env.0001/, ORIGIN, *.lock   as in every store folder
    BACKUP                               the pin

It is a store folder and can be looked at as one; to go on from it, restore it. Until it is whole it is no store for
anybody. The signing key is not in it: back that up too, elsewhere.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Final

from substrate.errors import ProofInvalid, StoreDamaged
from substrate.files import replace_file, resolved, typed_errors
from substrate.foreign_files import read_file
from substrate.kv.api import Store, folder_of
from substrate.log.heads import check_pin, key_in_force, require_head
from substrate.log.keys.origin import write_origin
from substrate.log.tree import root_at
from substrate.messages import FSCK
from substrate.proof.head import Pin
from substrate.values.progress import Progress

__all__ = ["backup", "backup_pin"]

_FILE: Final = "BACKUP"
_MOST: Final = 65_536


def backup(store: Store, target: str | Path, progress: Progress | None = None) -> Pin:
    """Copy the store into the folder `target`, absent or empty. On return it is on disk; the pin of that moment.

    Raises, with nothing left at `target`: InputError (there is something), StoreDamaged, DiskFull, Denied, Busy.
    """
    pins: list[Pin] = []

    def finish(copy: Store, folder: Path) -> None:
        with copy.read() as transaction:
            signed, key = require_head(transaction), key_in_force(transaction)
            if not signed.signed_by(key) or root_at(transaction, signed.head.size) != signed.head.root:
                raise StoreDamaged(f"the copy does not match the signed head {signed.head}; run ", FSCK)
        pin = Pin(key, signed)
        with store.read() as transaction:
            check_pin(transaction, require_head(transaction).head, pin)
        write_origin(folder, signed.head.origin)
        with typed_errors(f"writing {_FILE} in {folder}"):
            replace_file(folder / _FILE, str(pin).encode())
        pins.append(pin)

    folder_of(store).copy(resolved(target), finish, progress)
    return pins[0]


def backup_pin(folder: Path) -> Pin | None:
    """The pin that a backup brings with it; None if `folder` is no backup. StoreDamaged if it is unreadable."""
    try:
        with typed_errors(f"reading {_FILE} in {folder}"), suppress(FileNotFoundError):
            return Pin.parse(read_file(folder / _FILE, _MOST).decode())
    except (ProofInvalid, UnicodeDecodeError):
        raise StoreDamaged(f"{folder / _FILE} is not the pin that a backup has: take another backup") from None
    return None
