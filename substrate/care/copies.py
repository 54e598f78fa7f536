"""The verbs about a store that is not open: restore a backup, clone an export, rebuild what cannot be opened."""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

from substrate.clock import Clock
from substrate.files import expanded, users_file
from substrate.log.copies.clone import clone as clone_log
from substrate.log.copies.rebuild import rebuild_store
from substrate.log.copies.restore import Restored
from substrate.log.copies.restore import restore as restore_log
from substrate.proof.head import Pin
from substrate.values.progress import Progress
from substrate.views.catalogue import CACHE_CHECKS, CHECKS, VIEWS

__all__ = ["clone", "rebuild", "restore"]


def restore(
    backup: str | Path, path: str | Path, *, home: str | Path | None = None, clock: Clock | None = None
) -> Restored:
    """Bring a backup, or any copy of a store folder, into the folder `path`, absent or empty. Nothing is overwritten.

    If nothing is given up by it, the signing key is here, and the store that was backed up is gone, it goes on as what
    it was. Otherwise it goes on
    under a new origin and a new key, from an entry that says what was given up: old pins and keys do not lead there.
    Raises, with nothing left at `path`: InputError, NotFound, StoreDamaged (the backup is), Denied, DiskFull.
    """
    return restore_log(backup, path, home=home, views=VIEWS, checks=CHECKS, clock=clock)


def clone(
    lines: str | Path | TextIO, path: str | Path, *, home: str | Path | None = None, progress: Progress | None = None
) -> Pin:
    """Make the folder `path`, absent or empty, a store from a full export (a file, or an open one); its pin.

    Everything is checked before it is a store. It has the origin of the exported one: without that one's key it can be
    read and checked, not written to. Raises, with nothing left at `path` and the line named: InputError (not an export,
    or cut off), TooLarge, FormatTooNew, StoreDamaged (it was changed); also Denied, DiskFull.
    """
    if not isinstance(lines, str | Path):
        return clone_log(lines, path, home=home, views=VIEWS, checks=CHECKS, progress=progress)
    with users_file(lines), expanded(lines).open(encoding="utf-8", newline="\n") as file:
        return clone_log(file, path, home=home, views=VIEWS, checks=CHECKS, progress=progress)


def rebuild(path: str | Path, *, home: str | Path | None = None, progress: Progress | None = None) -> None:
    """Make every table that follows from the log anew, even if the store is so damaged that it cannot be opened.

    Raises, with nothing changed: NotFound, StoreDamaged (the log itself is damaged: restore a backup), RolledBack,
    FormatTooNew, Denied, Busy, Full.
    """
    rebuild_store(path, home=home, views=VIEWS, caches=CACHE_CHECKS, progress=progress)
