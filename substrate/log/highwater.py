"""The high-water mark: the largest head this machine knows its log to have had, kept outside the store folder.

The signer refuses a store that is behind the mark, or has another root at its size; so a store that was rolled back or
forked is noticed by the first process that wants to write to it, or opens it.

1. The file has two slots of one disk sector each. A raise writes the slot with the lower size, so that whatever a crash
   leaves of that write, the other slot is whole.
2. The mark never falls. `flock` on the file orders the processes that raise it.
3. A raise is written at once, and forced to disk at most once a second: an honest log is ahead of a mark that lags,
   which is no fault. Only a rollback within that second, after a power loss, escapes the mark (pins still show it).
"""

from __future__ import annotations

import fcntl
import os
import time
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from substrate.errors import StoreDamaged
from substrate.files import sync_folder

__all__ = ["HighWater", "Mark"]

_SLOT = 512
_WORD = "substrate-high-water"
_SYNC_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Mark:
    """A size, and the root the log had at it."""

    size: int
    root: bytes


def _encode(mark: Mark) -> bytes:
    line = f"{_WORD} {mark.size} {mark.root.hex()}"
    return f"{line} {sha256(line.encode()).hexdigest()}\n".encode().ljust(_SLOT, b"\n")


def _decode(slot: bytes) -> Mark | None:
    words = slot.decode("ascii", "replace").split()
    if len(words) != 4 or words[0] != _WORD or not words[1].isdigit():  # noqa: PLR2004 - word, size, root, check
        return None
    line = " ".join(words[:3])
    if sha256(line.encode()).hexdigest() != words[3]:
        return None
    return Mark(int(words[1]), bytes.fromhex(words[2]))


class HighWater:
    """The mark of one log. Opens its file anew for each use: it is small, and this way it is fork-safe."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._synced_at = float("-inf")

    def read(self) -> Mark | None:
        """The mark; None if there is none yet. StoreDamaged if the file is there and holds none."""
        try:
            data = self._path.read_bytes()
        except FileNotFoundError:
            return None
        mark = _highest(data)
        if mark is None and data:
            raise StoreDamaged(
                f"the high-water mark in {self._path} is unreadable, so a rollback could not be noticed. "
                "If you are sure of this store (fsck, a pin), remove that file and open again"
            )
        return mark

    def raise_to(self, mark: Mark) -> None:
        """Make the mark at least `mark`. Raises OSError if the file cannot be written."""
        new = not self._path.exists()
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            data = os.pread(descriptor, 2 * _SLOT, 0)
            slots = [_decode(data[at : at + _SLOT]) for at in (0, _SLOT)]
            sizes = [-1 if slot is None else slot.size for slot in slots]
            if mark.size <= max(sizes):
                return
            os.pwrite(descriptor, _encode(mark), _SLOT * sizes.index(min(sizes)))
            if time.monotonic() - self._synced_at >= _SYNC_SECONDS:
                os.fsync(descriptor)
                self._synced_at = time.monotonic()
        finally:
            os.close(descriptor)
        if new:
            sync_folder(self._path.parent)

    def sync(self) -> None:
        """Force the mark to disk, as at the end of a session."""
        try:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            return
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _highest(data: bytes) -> Mark | None:
    marks = [mark for at in (0, _SLOT) if (mark := _decode(data[at : at + _SLOT])) is not None]
    return max(marks, key=lambda mark: mark.size, default=None)
