"""A store that has lost its CURRENT: the one environment that is there becomes live again, if it is sound.

1. Only if there is exactly one, and CREATING does not say that it is still being built. Whoever makes another one
   leaves the live one beside it until CURRENT names the new one: so the only one was live.
2. Whether it is sound, `fault_of` says of a copy, which is a store of its own in `recovering/`. The original is not
   opened, and nothing is changed, before it is found sound.
3. All of it under the mover's lock and the writer lock.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from time import monotonic

from substrate.errors import StoreDamaged
from substrate.files import typed_errors
from substrate.kv.lmdb import filesystem, folder
from substrate.kv.lmdb.locks import Locks

__all__ = ["recover"]


def recover(path: Path, fault_of: Callable[[Path], str | None], wait_s: float = 30.0) -> None:
    """Give a store its CURRENT back, if it has lost it and has one environment. StoreDamaged if that is not sound.

    `fault_of` looks at a store and says what is wrong with it; None: nothing. Busy, Denied, DiskFull.
    """
    if folder.stray(path) is None:
        return
    filesystem.refuse_network(path)
    with typed_errors(f"looking at the environment in {path}"):
        folder.refuse_foreign_stray(path)
        locks = Locks(path, create=True)
        try:
            deadline = monotonic() + wait_s
            with locks.mover.hold(deadline):
                claim = locks.claim()
                claim.write(deadline)
                try:
                    _recover(path, fault_of)
                finally:
                    claim.end()
        finally:
            locks.close()


def _recover(path: Path, fault_of: Callable[[Path], str | None]) -> None:
    name = folder.stray(path)
    if name is None:  # another process was faster
        return
    copy = folder.begin_recovery(path)
    try:
        folder.found(copy, lambda target: folder.copy_data(path / name, target))
        fault = fault_of(copy)
    finally:
        shutil.rmtree(copy)
    if fault is not None:
        raise StoreDamaged(
            f"{path} has lost its CURRENT, and the one environment that is there, {name}, is not sound: {fault}; "
            "restore the store from a backup"
        )
    folder.flip(path, name)
