"""The verbs about a store that is not open: restore a backup, clone an export, rebuild what cannot be opened."""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

from substrate.care.fsck import fsck
from substrate.clock import Clock
from substrate.files import expanded, resolved, users_file
from substrate.kv.open import recover
from substrate.log.copies.clone import clone as clone_log
from substrate.log.copies.rebuild import rebuild_store
from substrate.log.copies.restore import Restored
from substrate.log.copies.restore import restore as restore_log
from substrate.log.keys.origin import noted_origin, write_origin
from substrate.proof.head import Pin
from substrate.values.progress import Progress
from substrate.views.catalogue import CACHE_CHECKS, CHECKS, VIEWS

__all__ = ["clone", "rebuild", "restore"]


def restore(
    backup: str | Path, path: str | Path, *, home: str | Path | None = None, clock: Clock | None = None
) -> Restored:
    """Restore a backup, or any copy of a store folder, into the new or empty folder `path`. Nothing is overwritten.

    The store keeps its key if the signing key is here, the old store is gone, and nothing newer is lost. Otherwise it
    gets a new origin and a new key, and an entry of the log tells what was given up. Then old pins and keys do not lead
    to it. Raises, with nothing left at `path`: InputError, NotFound, StoreDamaged (the backup is), Denied, DiskFull.
    """
    return restore_log(backup, path, home=home, views=VIEWS, checks=CHECKS, clock=clock)


def clone(
    lines: str | Path | TextIO, path: str | Path, *, home: str | Path | None = None, progress: Progress | None = None
) -> Pin:
    """Make the folder `path`, absent or empty, a store from a full export (a file, or an open one); its pin.

    Everything is checked before it is a store. It has the origin of the exported one: without that one's key it can be
    read and checked, not written to. Errors name the line and leave nothing at `path`. Raises InputError (not an
    export, or cut off), TooLarge, FormatTooNew, StoreDamaged (it was changed), Denied, DiskFull.
    """
    if not isinstance(lines, str | Path):
        return clone_log(lines, path, home=home, views=VIEWS, checks=CHECKS, progress=progress)
    with users_file(lines), expanded(lines).open(encoding="utf-8", newline="\n") as file:
        return clone_log(file, path, home=home, views=VIEWS, checks=CHECKS, progress=progress)


def rebuild(path: str | Path, *, home: str | Path | None = None, progress: Progress | None = None) -> None:
    """Rebuild the derived tables from the log, even if the store is too damaged to open.

    A store that has lost its CURRENT gets it back, if one environment is there and `fsck` finds nothing wrong with it.

    Raises, with nothing changed: NotFound, StoreDamaged (the log itself is damaged: restore a backup), RolledBack,
    FormatTooNew, Denied, Busy, Full.
    """

    def fault_of(copy: Path) -> str | None:
        origin = noted_origin(resolved(path))
        if origin is not None:
            write_origin(copy, origin)
        return fsck(copy, home=home).damage

    recover(resolved(path), fault_of)
    rebuild_store(path, home=home, views=VIEWS, caches=CACHE_CHECKS, progress=progress)
