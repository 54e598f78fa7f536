"""Files under a root, as they are read for an ingest: nothing outside the root, no link followed, no wait for a pipe.

1. The root is chosen by the caller and opened once. Every folder and file below is opened relative to the descriptor of
   the one above it, and none of them may be a link. So whatever is exchanged meanwhile, nothing else is reached.
2. Only regular files are opened, at most as large as the limit; devices are not even opened.
3. What cannot be read is one file's failure, told with its path; the others go on.
"""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from substrate.documents.formats.catalogue import media_type_of
from substrate.documents.naming import has_utf8
from substrate.errors import Denied, InputError, PathEscape, SchemaInvalid, SubstrateError
from substrate.files import expanded
from substrate.foreign_files import OddFile, open_file, open_folder
from substrate.limits import LIMITS, check_size
from substrate.text.quote import in_quotes

__all__ = ["FileRead", "Found", "Listed", "Root", "locate", "open_root"]

_HIDDEN: Final = "hidden"
_UNKNOWN: Final = "of no known format"
_EXAMPLES: Final = 3
"""Files of no known format that are named."""
_FIRST_READ: Final = 1 << 16
_SHOWN: Final = 80
"""Characters of a path that the system does not take that a message repeats."""


class Found(NamedTuple):
    """A file below a root: the names of its folders and its own, and what the system says of it."""

    parts: tuple[str, ...]
    size: int
    modified_ns: int


class FileRead(NamedTuple):
    """The bytes of a file, and when it was last changed, in nanoseconds."""

    data: bytes
    modified_ns: int


@dataclass(slots=True)
class Listed:
    """The files of a folder in the order of their paths; those that cannot be read; and how many were not looked at."""

    files: list[Found] = field(default_factory=list)
    failed: list[tuple[tuple[str, ...], SubstrateError]] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    unknown: list[tuple[str, ...]] = field(default_factory=list)
    """The first few files of no known format."""


def locate(path: Path, root: str | Path | None = None) -> tuple[Path, tuple[str, ...]]:
    """The root that a path is read under, and the path below it; nothing below: the root itself is meant.

    Without a root that is the folder itself, or the folder of the file. PathEscape if the path leads out of `root`.
    """
    if "\0" in str(path):
        raise SchemaInvalid("a path cannot hold a NUL")
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        raise SchemaInvalid("a path cannot hold half a character (a lone surrogate)") from None
    if root is None:
        path = expanded(path)
        return (path, ()) if _is_folder(path) else (path.parent, (path.name,))
    folder = expanded(root)
    below = path.parts
    if path.is_absolute():
        top = Path(os.path.abspath(folder)).parts  # noqa: PTH100 - links in it are not to be resolved here
        if below[: len(top)] != top:
            raise PathEscape("the path is outside of the root: give one below it")
        below = below[len(top) :]
    if ".." in below:
        raise PathEscape("the path holds `..`, which may lead out of the root: give one below it")
    return folder, below


def _is_folder(path: Path) -> bool:
    """Whether a folder is at this path, which may be a link. InputError, Denied."""
    try:
        return path.is_dir()
    except OSError as error:  # such as of a name that is too long
        raise _from_os(error, in_quotes(str(path)[:_SHOWN])) from None


@contextmanager
def open_root(path: Path) -> Iterator[Root]:
    """In the block: the folder at `path`, which may itself be reached by links. InputError, Denied."""
    try:
        resolved = path.resolve(strict=True)
        descriptor = os.open(resolved, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        raise InputError(f"there is no file or folder {path}") from None
    except OSError as error:
        raise _from_os(error, str(path)) from None
    except RuntimeError:  # links that lead to each other
        raise Denied(f"{path} is a link that leads to itself") from None
    try:
        yield Root(resolved.name or "root", descriptor, os.fsencode(resolved))
    finally:
        os.close(descriptor)


class Root:
    """A folder that is open. `name` is the folder's own, without those above it; `place` is its whole path."""

    def __init__(self, name: str, descriptor: int, place: bytes = b"") -> None:
        self.name = name
        self.place = place
        self._descriptor = descriptor

    def read(self, parts: tuple[str, ...]) -> FileRead:
        """The file at this path below the root. Denied, TooLarge, InputError."""
        _check(parts)
        shown = "/".join(parts)
        with ExitStack() as opened, _explained(shown):
            folder = self._descriptor
            for part in parts[:-1]:
                folder = opened.enter_context(open_folder(Path(part), folder=folder))
            descriptor = open_file(Path(parts[-1]), folder=folder)
            opened.callback(os.close, descriptor)
            status = os.fstat(descriptor)
            check_size("the file", status.st_size, "file_bytes")
            return FileRead(_read(descriptor, status.st_size), status.st_mtime_ns)

    def find(self, below: tuple[str, ...] = ()) -> Listed:
        """The files in a folder below the root and in all folders below that, but for hidden ones.

        TooLarge if there are too many; Denied, InputError if the folder itself cannot be read.
        """
        _check(below, empty=True)
        listed = Listed()
        with ExitStack() as opened, _explained("/".join(below) or self.name):
            folder = self._descriptor
            for part in below:
                folder = opened.enter_context(open_folder(Path(part), folder=folder))
            entries = _entries(folder)
        for name in entries:
            self._take((*below, name), listed)
        listed.files.sort()
        return listed

    def is_folder(self, parts: tuple[str, ...]) -> bool:
        """Whether a path below the root is a folder; a link to one is none."""
        if not parts:
            return True
        _check(parts)
        try:
            with ExitStack() as opened:
                folder = self._descriptor
                for part in parts:
                    folder = opened.enter_context(open_folder(Path(part), folder=folder))
        except (OSError, Denied):
            return False
        return True

    def _take(self, parts: tuple[str, ...], listed: Listed) -> None:
        """Note one entry of a folder, and all below it."""
        if parts[-1].startswith("."):
            listed.skipped[_HIDDEN] += 1
            return
        try:
            check_size("the path", len(parts), "folder_depth", "folders")
            status, entries = self._look(parts)
        except SubstrateError as error:
            listed.failed.append((parts, error))
            return
        if entries is not None:
            for name in entries:
                self._take((*parts, name), listed)
        elif media_type_of(parts[-1]) is None:
            listed.skipped[_UNKNOWN] += 1
            if len(listed.unknown) < _EXAMPLES:
                listed.unknown.append(parts)
        elif not has_utf8("/".join(parts)):
            listed.failed.append((parts, SchemaInvalid("its name is not UTF-8: rename it")))
        else:
            check_size("the folder", len(listed.files) + 1, "folder_files", "files")
            listed.files.append(Found(parts, status.st_size, status.st_mtime_ns))

    def _look(self, parts: tuple[str, ...]) -> tuple[os.stat_result, list[str] | None]:
        """What is at a path, and of a folder what is in it. Denied if it is neither file nor folder."""
        with ExitStack() as opened, _explained("/".join(parts)):
            folder = self._descriptor
            for part in parts[:-1]:
                folder = opened.enter_context(open_folder(Path(part), folder=folder))
            status = os.stat(parts[-1], dir_fd=folder, follow_symlinks=False)
            if stat.S_ISREG(status.st_mode):
                return status, None
            # It says what it is, if it is no folder.
            return status, _entries(opened.enter_context(open_folder(Path(parts[-1]), folder=folder)))


def _entries(folder: int) -> list[str]:
    with os.scandir(folder) as entries:
        return sorted(entry.name for entry in entries)


def _check(parts: tuple[str, ...], *, empty: bool = False) -> None:
    """PathEscape or InputError unless each part is the name of something in a folder."""
    if not parts and not empty:
        raise InputError("the path is empty: give a file or a folder")
    for part in parts:
        if part in {"", ".", ".."} or "/" in part or "\0" in part:
            raise PathEscape("a path below a root has plain names in it, no empty ones, no `..` and no NUL")
    check_size("the path", len(parts), "folder_depth", "folders")


def _read(descriptor: int, size: int) -> bytes:
    """All of a file, which may grow meanwhile; TooLarge if it grows beyond the limit."""
    most = LIMITS["file_bytes"]
    parts: list[bytes] = []
    total = 0
    while total <= most and (more := os.read(descriptor, max(min(size, most) - total + 1, _FIRST_READ))):
        parts.append(more)
        total += len(more)
    check_size("the file", total, "file_bytes")
    return b"".join(parts)


@contextmanager
def _explained(shown: str) -> Iterator[None]:
    """In the block, what is no plain file, and what the system says, is told in words about documents."""
    try:
        yield
    except OddFile as error:
        told = f"{shown} is {error.kind}: only plain files and folders are read, and no link is followed"
        raise OddFile(told, error.kind) from None
    except OSError as error:
        raise _from_os(error, shown) from None


def _from_os(error: OSError, shown: str) -> SubstrateError:
    if isinstance(error, FileNotFoundError):
        return InputError(f"there is no file or folder {shown}")
    why = error.strerror or str(error)
    if isinstance(error, PermissionError):
        return Denied(f"{shown} cannot be read: {why}")
    return InputError(f"{shown} cannot be read: {why}")
