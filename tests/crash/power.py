"""A disk that loses power: from the events of a run, the folders that could be found after it.

1. What was synced is there. Of what was written to a file since, any set of 512-byte sectors is; a sector holds a
   state that it had at some time, whole.
2. A file's length may have grown without the bytes: those read as zeros.
3. Of what happened to the names in a folder since that *folder* was synced, the first so many changes are there. A
   rename is one change. Syncing a file does not make its name durable, nor that of its folder.

Not modelled: disks that lie about flushing, sectors torn inside, file systems that reorder the changes of one folder.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.crash.trace import ROOT, Cut, Event, Folder, Names, Said, Sync, SyncRange, Write

__all__ = ["ALL_THERE", "SECTOR", "Disk", "Fate", "State", "states"]

SECTOR = 512
CHANCES = (0.0, 0.1, 0.5, 0.9, 1.0)
"""Of a change that is not synced to be on disk all the same."""


@dataclass(frozen=True, slots=True)
class Fate:
    """How likely each kind of change is to be on disk although it was not synced."""

    rng: random.Random
    names: float = 1.0
    data: float = 1.0
    lengths: float = 1.0

    def keeps(self, chance: float) -> bool:
        """Draw."""
        return self.rng.random() < chance


ALL_THERE = Fate(random.Random(0))


@dataclass(slots=True)
class _File:
    durable: bytearray = field(default_factory=bytearray)
    pending: list[tuple[int, bytes] | int] = field(default_factory=list)
    """Since the last sync: a piece within one sector, or a length to which the file was cut."""

    def write(self, offset: int, data: bytes) -> None:
        while data:
            size = SECTOR - offset % SECTOR
            self.pending.append((offset, data[:size]))
            offset, data = offset + size, data[size:]

    def sync(self) -> None:
        self.durable = bytearray(self.left(ALL_THERE))
        self.pending.clear()

    def sync_range(self, offset: int, length: int) -> None:
        """To get the bytes there, the file system must get their length there too, and cuts before them."""
        sectors = range(offset // SECTOR, (offset + length - 1) // SECTOR + 1)
        rest: list[tuple[int, bytes] | int] = []
        for change in self.pending:
            if isinstance(change, int) or change[0] // SECTOR in sectors:
                _apply(self.durable, change)
            else:
                rest.append(change)
        self.pending = rest

    def left(self, fate: Fate) -> bytes:
        image, length, lost = bytearray(self.durable), len(self.durable), set[int]()
        for change in self.pending:
            length = change if isinstance(change, int) else max(length, change[0] + len(change[1]))
            sector = -1 if isinstance(change, int) else change[0] // SECTOR
            if sector in lost:
                continue
            if fate.keeps(fate.data):
                _apply(image, change)
            elif sector >= 0:
                lost.add(sector)
        if len(image) < length and fate.keeps(fate.lengths):
            image.extend(bytes(length - len(image)))
        return bytes(image)


def _apply(image: bytearray, change: tuple[int, bytes] | int) -> None:
    offset, data = (change, b"") if isinstance(change, int) else change
    image.extend(bytes(max(0, offset - len(image))))
    if isinstance(change, int):
        del image[change:]
    else:
        image[offset : offset + len(data)] = data


@dataclass(slots=True)
class _Folder:
    durable: dict[str, int] = field(default_factory=dict)
    pending: list[dict[str, int | None]] = field(default_factory=list)

    def sync(self) -> None:
        self.durable = self.left(ALL_THERE)
        self.pending.clear()

    def left(self, fate: Fate) -> dict[str, int]:
        names: dict[str, int | None] = dict(self.durable)
        for change in self.pending:
            if not fate.keeps(fate.names):
                break
            names.update(change)
        return {name: inode for name, inode in names.items() if inode is not None}


class Disk:
    """All files and folders, as far as they are on disk and as far as they are not."""

    def __init__(self) -> None:
        self._files: dict[int, _File] = {}
        self._folders: dict[int, _Folder] = {ROOT: _Folder()}

    def play(self, event: Event) -> None:
        """Let one event happen."""
        match event:
            case Write(inode, offset, data):
                self._file(inode).write(offset, data)
            case Cut(inode, size):
                self._file(inode).pending.append(size)
            case Names(inode, changes):
                self._folders[inode].pending.append(changes)
            case Folder(inode):
                self._folders[inode] = _Folder()
            case SyncRange(inode, offset, length):
                self._file(inode).sync_range(offset, length)
            case Sync(inode):
                (self._folders.get(inode) or self._file(inode)).sync()
            case Said():
                pass

    def left(self, fate: Fate) -> dict[str, bytes | None]:
        """What is found if the power fails now: path -> bytes, or None for a folder."""
        found: dict[str, bytes | None] = {}
        waiting = [("", ROOT)]
        while waiting:
            place, inode = waiting.pop()
            for name, below in self._folders[inode].left(fate).items():
                path = f"{place}{name}"
                if below in self._folders:
                    found[path] = None
                    waiting.append((f"{path}/", below))
                else:
                    found[path] = self._file(below).left(fate)
        return found

    def _file(self, inode: int) -> _File:
        return self._files.setdefault(inode, _File())


@dataclass(frozen=True, slots=True)
class State:
    """A moment of a run at which the power fails: so many events have happened, and this is what was on disk."""

    events: int
    left: dict[str, bytes | None]

    def lay_out(self, folder: Path) -> None:
        """Make the folder as it was found."""
        folder.mkdir(mode=0o700)
        for path, data in self.left.items():
            if data is None:
                (folder / path).mkdir(mode=0o700)
            else:
                (folder / path).write_bytes(data)
                (folder / path).chmod(0o600)


def states(events: Sequence[Event], syncs: slice, more: int, rng: random.Random) -> Iterator[State]:
    """Twice the moment before each of the syncs, and `more` moments at random, of which any part is on disk.

    Before a sync: once all that was written by then is there, once names and lengths are and no bytes (journals tend to
    that). At random: between any two syncs equally often, since the rare steps are those worth trying.
    """
    safe = [at for at, event in enumerate(events) if isinstance(event, Sync | SyncRange)]
    moments = [(at, fate) for at in safe[syncs] for fate in (Fate(rng), Fate(rng, data=0.0))]
    for _ in range(more):
        i = rng.randrange(len(safe))
        fate = Fate(rng, rng.choice(CHANCES), rng.choice(CHANCES), rng.choice(CHANCES))
        moments.append((rng.randint(safe[i - 1] + 1 if i else 1, safe[i]), fate))
    disk, played = Disk(), 0
    for at, fate in sorted(moments, key=lambda moment: moment[0]):
        for event in events[played:at]:
            disk.play(event)
        played = at
        yield State(at, disk.left(fate))
