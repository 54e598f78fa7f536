"""The high-water mark: the largest head this machine knows its log to have had, kept outside the store folder.

The signer refuses a store that is behind the mark, or has another root at its size; so a store that was rolled back or
forked is noticed by the first process that wants to write to it, or opens it (`log/copies/behind.py`).

1. The file has two slots, each in disk sectors of its own. A raise writes the slot with the lower size, so that
   whatever a crash leaves of that write, the other slot is whole.
2. The mark never falls. `flock` on the file orders the processes that raise it.
3. A raise is written at once, and forced to disk at most once a second: an honest log is ahead of a mark that lags,
   which is no fault. Only a rollback within that second, after a power loss, escapes the mark (pins still show it).
4. A slot is a line: size, roots, and a digest of it. A second line says in which folder the store was that raised it,
   for people. Programs that do not know of it read the first line alone.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote, unquote_to_bytes

from substrate.errors import Busy, StoreDamaged
from substrate.files import flush, flush_descriptor, replace_file, try_lock, typed_errors
from substrate.proof.head import Head

__all__ = ["HighWater", "Mark"]

_SLOT = 4096
_WORD = "substrate-high-water"
_PLACE = "store"
_SYNC_SECONDS = 1.0
_LOCK_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Mark:
    """A size, and the roots that log and map had at it; and which store's folder that was, if it is known."""

    size: int
    root: bytes
    map_root: bytes
    store: Path | None = field(default=None, compare=False)

    @classmethod
    def of(cls, head: Head, store: Path | None = None) -> Mark:
        """The mark of a head, of the log in the folder `store`."""
        return cls(head.size, head.root, head.map_root, store)


def _encode(mark: Mark) -> bytes:
    line = f"{_WORD} {mark.size} {mark.root.hex()} {mark.map_root.hex()}"
    data = _signed(line) + _place_line(mark.store)
    # A path that has no room is left out: it is a help, no more.
    return (data if len(data) <= _SLOT else _signed(line)).ljust(_SLOT, b"\n")


@lru_cache(maxsize=8)  # each raise writes it again
def _place_line(store: Path | None) -> bytes:
    return b"" if store is None else _signed(f"{_PLACE} {quote(bytes(store))}")


def _signed(line: str) -> bytes:
    return f"{line} {sha256(line.encode()).hexdigest()}\n".encode()


def _words(data: bytes, first: str, count: int) -> list[str] | None:
    """The words of a line between its first and its digest; None if it is not such a line, whole."""
    words = data.decode("ascii", "replace").split()
    line, _, digest = " ".join(words).rpartition(" ")
    if len(words) != count or words[0] != first or sha256(line.encode()).hexdigest() != digest:
        return None
    return words[1:-1]


_WRITTEN: list[tuple[bytes, Mark]] = []
"""The last slot that was written in this process, if any, with its mark: who writes meets it again."""


def _read(slot: bytes) -> Mark | None:
    for known, mark in _WRITTEN:
        if known == slot:
            return mark
    return _decode(slot)


@lru_cache(maxsize=8)
def _decode(slot: bytes) -> Mark | None:
    """The mark in a slot, without the empty lines that fill it up; None if it holds none, whole."""
    first, _, rest = slot.partition(b"\n")
    words = _words(first, _WORD, 5)
    if words is None:
        return None
    store = _place(rest.partition(b"\n")[0])
    return Mark(int(words[0]), bytes.fromhex(words[1]), bytes.fromhex(words[2]), store)


@lru_cache(maxsize=8)  # the same in every mark of a store
def _place(line: bytes) -> Path | None:
    place = _words(line, _PLACE, 3)
    return None if place is None else Path(os.fsdecode(unquote_to_bytes(place[0])))


class HighWater:
    """The mark of one log. Opens its file anew for each use: it is small, and this way it is fork-safe."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._synced_at = float("-inf")

    def read(self) -> Mark | None:
        """The mark; None if there is none yet. StoreDamaged if the file is there and holds none, also if it is empty.

        It was put in place whole (`_create`): no crash leaves an empty one.
        """
        with typed_errors(f"reading {self._path}"):
            try:
                descriptor = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
            except FileNotFoundError:
                return None
            try:
                data = os.pread(descriptor, 2 * _SLOT, 0)
            finally:
                os.close(descriptor)
        mark = _highest(data)
        if mark is None:
            raise self._unreadable()
        return mark

    def _unreadable(self) -> StoreDamaged:
        return StoreDamaged(
            f"the high-water mark in {self._path} is unreadable, so a rollback could not be noticed. "
            "If you are sure of this store (fsck, a pin), remove that file and open again"
        )

    def check_writable(self) -> None:
        """Return if the mark could be raised, as far as can be told without. Denied and the like if not."""
        with typed_errors(f"opening {self._path} to raise it"):
            os.close(os.open(self._path, os.O_RDWR | os.O_CLOEXEC))

    def raise_to(self, mark: Mark) -> None:
        """Make the mark at least `mark`. StoreDamaged as in `read`; Busy if it is held for a second; DiskFull, ..."""
        with typed_errors(f"raising {self._path}"):
            self._raise_to(mark)

    def _raise_to(self, mark: Mark) -> None:
        try:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            self._create(mark)
            descriptor = os.open(self._path, os.O_RDWR | os.O_CLOEXEC)
        try:
            _lock(descriptor)
            data = os.pread(descriptor, 2 * _SLOT, 0)
            slots = _slots(data)
            sizes = [-1 if slot is None else slot.size for slot in slots]
            if max(sizes) < 0:
                raise self._unreadable()
            if mark.size <= max(sizes):
                return
            slot = _encode(mark)
            os.pwrite(descriptor, slot, _SLOT * sizes.index(min(sizes)))
            _WRITTEN[:] = [(slot.partition(b"\n\n")[0], mark)]
            if time.monotonic() - self._synced_at >= _SYNC_SECONDS:
                flush_descriptor(descriptor)
                self._synced_at = time.monotonic()
        finally:
            os.close(descriptor)

    def _create(self, mark: Mark) -> None:
        """The first raise puts a whole file in place: of one that grows, a crash may leave the length without bytes."""
        folder = os.open(self._path.parent, os.O_RDONLY | os.O_CLOEXEC)
        try:
            _lock(folder)
            if not self._path.exists():
                replace_file(self._path, _encode(mark).ljust(2 * _SLOT, b"\n"))
        finally:
            os.close(folder)

    def sync(self) -> None:
        """Force the mark to disk, as at the end of a session."""
        with typed_errors(f"flushing {self._path}"):
            if self._path.exists():
                flush(self._path)


def _lock(descriptor: int) -> None:
    deadline = time.monotonic() + _LOCK_SECONDS
    while not try_lock(descriptor):
        if time.monotonic() >= deadline:
            raise Busy("another process holds the high-water mark")
        time.sleep(0.001)


def _highest(data: bytes) -> Mark | None:
    return max(filter(None, _slots(data)), key=lambda mark: mark.size, default=None)


def _slots(data: bytes) -> list[Mark | None]:
    """The marks in the two slots of a file."""
    slots = []
    for at in (0, _SLOT):
        end = data.find(b"\n\n", at, at + _SLOT)
        slots.append(_read(data[at : end if end >= 0 else at + _SLOT]))
    return slots
