"""What a process does to the files below one folder, read from strace: the events that `power.py` plays back.

Only one process is followed, with all its threads. What is not understood is an error, so that nothing is missed: who
writes to a file in a new way (a shared mapping apart, which strace cannot see) has to be taught here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import PurePosixPath

__all__ = ["ROOT", "STRACE", "Cut", "Event", "Folder", "Names", "Said", "Sync", "SyncRange", "Write", "read_trace"]

# A regular expression, since not every machine has every one of these calls. Strings in full, and all in hexadecimal:
# then no string holds a quote, a comma or a bracket.
_CALLS = (
    "open|openat|openat2|creat|close|lseek|write|writev|pwrite64|pwritev|pwritev2|fsync|fdatasync|sync|syncfs|msync|"
    "sync_file_range|truncate|ftruncate|fallocate|rename|renameat|renameat2|unlink|unlinkat|rmdir|mkdir|mkdirat|link|"
    "linkat|symlink|symlinkat|sendfile|copy_file_range|splice"
)
STRACE = ("strace", "-f", "-y", "-xx", "-s", str(1 << 24), "-e", f"trace=/^({_CALLS})$", "-e", "signal=none")

ROOT = 0
"""The inode of the folder that is followed. Others are numbered as they are made; a number is never used again."""


@dataclass(frozen=True, slots=True)
class Write:
    """Bytes that a file got. In memory; on disk perhaps."""

    inode: int
    offset: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Cut:
    """A new length of a file."""

    inode: int
    size: int


@dataclass(frozen=True, slots=True)
class Folder:
    """A new folder, which has no name yet. What is not a folder is a file."""

    inode: int


@dataclass(frozen=True, slots=True)
class Names:
    """A change to the names in a folder, all or nothing: which file or folder each stands for from now on."""

    inode: int
    changes: dict[str, int | None]


@dataclass(frozen=True, slots=True)
class Sync:
    """All that happened to this file or folder is on disk."""

    inode: int


@dataclass(frozen=True, slots=True)
class SyncRange:
    """So much of this file is: a write through an O_DSYNC descriptor has returned."""

    inode: int
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class Said:
    """A line on standard output: what was acknowledged."""

    line: str


Event = Write | Cut | Folder | Names | Sync | SyncRange | Said

_LINE = re.compile(r"\d+ +(\w+)\((.*)\) += (-?\d+)", re.DOTALL)
_STRING = re.compile(r'"((?:\\x[0-9a-f]{2})*)"(\.\.\.)?')
_FD = re.compile(r"(\d+)(?:<([^>]*)>)?")
_AT = re.compile(r"AT_FDCWD(?:<[^>]*>)?|\d+<((?:\\x[0-9a-f]{2})*)>")
_NUMBERS = re.compile(r"-?\b\d+\b")


@dataclass(slots=True)
class _Open:
    inode: int
    at: int
    dsync: bool


@dataclass(slots=True)
class _Reader:
    top: PurePosixPath
    events: list[Event] = field(default_factory=list)
    folders: dict[int, dict[str, int]] = field(default_factory=lambda: {ROOT: {}})
    lengths: dict[int, int] = field(default_factory=dict)
    files: dict[int, _Open] = field(default_factory=dict)
    made: int = ROOT

    def read(self, call: str, arguments: str, result: int) -> None:
        strings = [_bytes(match[1], cut=match[2]) for match in _STRING.finditer(arguments)]
        method = getattr(self, f"_{call}", None)
        if method is not None:
            method(arguments, strings, result)
        elif self._touches(arguments, strings):
            raise NotImplementedError(f"the power-failure test does not know {call}({arguments[:300]})")

    # -- names ---------------------------------------------------------------------------------------------------

    def _find(self, arguments: str, name: bytes, which: int = 0) -> tuple[int, str] | None:
        """The folder and the name in it that a path means; None if it is elsewhere."""
        at = list(_AT.finditer(arguments))
        start = _bytes(at[which][1]).decode() if len(at) > which and at[which][1] else "/"
        path = PurePosixPath(start, name.decode())
        if not path.is_relative_to(self.top) or path == self.top:
            return (ROOT, ".") if path == self.top else None
        inode = ROOT
        for part in path.relative_to(self.top).parts[:-1]:
            inode = self.folders[inode][part]
        return inode, path.name

    def _touches(self, arguments: str, strings: list[bytes]) -> bool:
        file = _FD.match(arguments)
        return (file is not None and int(file[1]) in self.files) or any(
            name.startswith(str(self.top).encode()) for name in strings
        )

    def _name(self, folder: int, changes: dict[str, int | None]) -> None:
        for name, inode in changes.items():
            if inode is None:
                del self.folders[folder][name]
            else:
                self.folders[folder][name] = inode
        self.events.append(Names(folder, changes))

    def _openat(self, arguments: str, strings: list[bytes], result: int) -> None:
        self.files.pop(result, None)
        place = self._find(arguments, strings[0])
        if place is None:
            return
        folder, name = place
        flags = set(re.findall(r"O_\w+", arguments))
        inode = ROOT if name == "." else self.folders[folder].get(name)
        if inode is None:
            inode = self.made = self.made + 1
            self.lengths[inode] = 0
            self._name(folder, {name: inode})
        elif "O_TRUNC" in flags:
            self._cut(inode, 0)
        if flags & {"O_APPEND", "O_TMPFILE"}:
            raise NotImplementedError(f"the power-failure test does not know {flags}")
        self.files[result] = _Open(inode, 0, bool(flags & {"O_DSYNC", "O_SYNC"}))

    _open = _creat = _openat

    def _close(self, arguments: str, _: list[bytes], __: int) -> None:
        self.files.pop(int(_number(arguments)), None)

    def _mkdirat(self, arguments: str, strings: list[bytes], _: int) -> None:
        place = self._find(arguments, strings[0])
        if place is not None:
            self.made += 1
            self.folders[self.made] = {}
            self.events.append(Folder(self.made))
            self._name(place[0], {place[1]: self.made})

    _mkdir = _mkdirat

    def _unlinkat(self, arguments: str, strings: list[bytes], _: int) -> None:
        place = self._find(arguments, strings[0])
        if place is not None:
            self._name(place[0], {place[1]: None})

    _unlink = _rmdir = _unlinkat

    def _renameat2(self, arguments: str, strings: list[bytes], _: int) -> None:
        old, new = (self._find(arguments, name, which) for which, name in enumerate(strings))
        if old is None and new is None:
            return
        if old is None or new is None or old[0] != new[0]:
            raise NotImplementedError("the power-failure test knows renames within one folder only")
        self._name(old[0], {old[1]: None, new[1]: self.folders[old[0]][old[1]]})

    _rename = _renameat = _renameat2

    # -- bytes ---------------------------------------------------------------------------------------------------

    def _put(self, file: _Open, offset: int, data: bytes) -> None:
        self.events.append(Write(file.inode, offset, data))
        self.lengths[file.inode] = max(self.lengths[file.inode], offset + len(data))
        if file.dsync:
            self.events.append(SyncRange(file.inode, offset, len(data)))

    def _cut(self, inode: int, size: int) -> None:
        self.lengths[inode] = size
        self.events.append(Cut(inode, size))

    def _write(self, arguments: str, strings: list[bytes], result: int) -> None:
        data = b"".join(strings)[:result]
        number = int(_number(arguments))
        if number == 1:
            self.events += [Said(line) for line in data.decode().splitlines()]
        elif number in self.files:
            file = self.files[number]
            self._put(file, file.at, data)
            file.at += result

    _writev = _write

    def _pwrite64(self, arguments: str, strings: list[bytes], result: int) -> None:
        file = self.files.get(int(_number(arguments)))
        if file is not None:
            offset = int(_NUMBERS.findall(arguments.rpartition('"')[2])[-1])
            self._put(file, offset, b"".join(strings)[:result])

    def _pwritev(self, arguments: str, strings: list[bytes], result: int) -> None:
        file = self.files.get(int(_number(arguments)))
        if file is not None:
            offset = int(_NUMBERS.findall(arguments.rpartition("]")[2])[1])
            self._put(file, offset, b"".join(strings)[:result])

    def _lseek(self, arguments: str, _: list[bytes], result: int) -> None:
        file = self.files.get(int(_number(arguments)))
        if file is not None:
            file.at = result

    def _ftruncate(self, arguments: str, _: list[bytes], __: int) -> None:
        file = self.files.get(int(_number(arguments)))
        if file is not None:
            self._cut(file.inode, int(_NUMBERS.findall(arguments)[-1]))

    def _truncate(self, arguments: str, strings: list[bytes], _: int) -> None:
        place = self._find("", strings[0])
        if place is not None:
            self._cut(self.folders[place[0]][place[1]], int(_NUMBERS.findall(arguments)[-1]))

    def _fsync(self, arguments: str, _: list[bytes], __: int) -> None:
        file = self.files.get(int(_number(arguments)))
        if file is not None:
            self.events.append(Sync(file.inode))

    _fdatasync = _fsync


def _number(arguments: str) -> str:
    file = _FD.match(arguments)
    assert file is not None, arguments[:300]
    return file[1]


def _bytes(text: str, *, cut: str | None = None) -> bytes:
    assert not cut, "strace has cut a string off: raise the size in STRACE"
    return bytes.fromhex(text.replace("\\x", ""))


def read_trace(lines: Iterable[str], top: str) -> list[Event]:
    """The events below the folder `top`, which was empty, in the order in which the calls returned."""
    reader = _Reader(PurePosixPath(top))
    begun: dict[str, str] = {}
    for line in lines:
        thread, _, rest = line.rstrip("\n").partition(" ")
        rest = rest.lstrip()
        if rest.endswith("<unfinished ...>"):
            begun[thread] = rest.removesuffix("<unfinished ...>")
            continue
        if rest.startswith("<... "):
            rest = begun.pop(thread) + rest.partition(" resumed>")[2]
        match = _LINE.match(f"{thread} {rest}")
        if match is not None and int(match[3]) >= 0:
            reader.read(match[1], match[2], int(match[3]))
    return reader.events
