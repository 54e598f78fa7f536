"""The lease of the gardener: a lock file, so that it ends with the process that has it, however that ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Final

from substrate.errors import Busy, Denied
from substrate.files import open_lock, try_lock

__all__ = ["is_leased", "lease"]

_FILE: Final = "gardener.lock"
_WAIT_S: Final = 0.2
"""Who only asks whether it is taken has it for a moment."""


@contextmanager
def lease(folder: Path) -> Iterator[None]:
    """In the block no other tends this store, in this process or another. Busy if another does."""
    path = folder / _FILE
    try:
        with open_lock(path) as lock:
            deadline = monotonic() + _WAIT_S
            while not try_lock(lock):
                if monotonic() >= deadline:
                    raise Busy("another gardener tends this store; try again when it has ended")
                sleep(0.005)
            yield
    except PermissionError as error:
        raise Denied(f"{path} cannot be written: {error.strerror}; tending needs a store that can be") from None


def is_leased(folder: Path) -> bool:
    """Whether a gardener is at work. It is asked by taking the lease, for a moment."""
    path = folder / _FILE
    if not path.exists():
        return False
    try:
        with open_lock(path) as lock:
            return not try_lock(lock)
    except OSError:  # it can only be read: nobody here tends it
        return False
