"""Files: replaced whole and flushed to the disk itself, so they survive a crash; and what the system's errors mean."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import TracebackType
from typing import TextIO

from substrate.errors import Busy, Denied, DiskFull, InputError, SubstrateError, Unusable
from substrate.foreign_files import make_file, open_file
from substrate.messages import FSCK, Message

__all__ = [
    "IN_DOUBT",
    "NO_RIGHT",
    "NO_ROOM",
    "bounded_lines",
    "expanded",
    "flush",
    "flush_descriptor",
    "from_os",
    "make_folder",
    "new_file",
    "open_lock",
    "refuse_pipe",
    "remove_leftovers",
    "replace_file",
    "resolved",
    "try_lock",
    "typed_errors",
    "users_file",
    "users_folder",
    "write_whole",
]

_SUFFIX = ".new"
_PRIVATE = 0o700
_SHOWN = 200

NO_ROOM = "no room on the disk, nothing was written: free some space"
NO_RIGHT = "not allowed: check who owns the store folder and whether it can be written"
_NO_HANDLE = "the system is out of files or locks: close some, or raise the limit (ulimit -n), and try again"
IN_DOUBT = Message("the disk or the store failed: open the store again, run ", FSCK)

_BY_NUMBER: dict[int, tuple[type[SubstrateError], str]] = {
    errno.ENOSPC: (DiskFull, NO_ROOM),
    errno.EDQUOT: (DiskFull, NO_ROOM),
    errno.EFBIG: (DiskFull, NO_ROOM),
    errno.EACCES: (Denied, NO_RIGHT),
    errno.EPERM: (Denied, NO_RIGHT),
    errno.EROFS: (Denied, NO_RIGHT),
    errno.EMFILE: (Busy, _NO_HANDLE),
    errno.ENFILE: (Busy, _NO_HANDLE),
    errno.ENOLCK: (Busy, _NO_HANDLE),
}


def replace_file(path: Path, data: bytes, mode: int = 0o600) -> None:
    """On return `path` holds `data` and will after a power loss. Until then it holds what it held. Raises OSError."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}{_SUFFIX}")
    descriptor = make_file(temporary, mode)
    try:
        try:
            write_whole(descriptor, data)
        finally:
            os.close(descriptor)
        temporary.rename(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    flush(path.parent)


def write_whole(descriptor: int, data: bytes) -> None:
    """On return the file has all of `data` and will after a power loss, if its folder does. Raises OSError."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
    flush_descriptor(descriptor)


@contextmanager
def new_file(path: Path, mode: int = 0o600) -> Iterator[TextIO]:
    """A text file that is there, whole and on disk, when the block has ended; if it fails or is killed, there is none.

    Raises FileExistsError if there is something at `path` by then, and other OSErrors.
    """
    if os.path.lexists(path):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
    descriptor, temporary = _open_nameless(path, mode)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            yield file
            file.flush()
            flush_descriptor(file.fileno())
            if temporary is None:
                _give_name(file.fileno(), path)
            else:
                _move_to(temporary, path)
        flush(path.parent)
    except BaseException:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        raise


def _open_nameless(path: Path, mode: int) -> tuple[int, Path | None]:
    """A file in the folder of `path` that has no name yet; one with a temporary name where the system has no such."""
    flags = os.O_WRONLY | os.O_CLOEXEC
    if hasattr(os, "O_TMPFILE") and Path("/proc/self/fd").exists():
        try:
            return os.open(path.parent, flags | os.O_TMPFILE, mode), None
        except OSError as error:
            if error.errno not in {errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL, errno.ENOENT}:
                raise
    temporary = path.with_name(f".{path.name}.{os.getpid()}{_SUFFIX}")
    return os.open(temporary, flags | os.O_CREAT | os.O_EXCL, mode), temporary


def _give_name(descriptor: int, path: Path) -> None:
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:  # with a folder given, Python asks for the file behind the link, as is needed here
        os.link(f"/proc/self/fd/{descriptor}", path.name, dst_dir_fd=folder, follow_symlinks=True)
    finally:
        os.close(folder)


def _move_to(temporary: Path, path: Path) -> None:
    """Never over what is there; where the file system has no second names, as far as one can see."""
    try:
        path.hardlink_to(temporary)
    except FileExistsError:
        raise
    except OSError:
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from None
        temporary.rename(path)
    temporary.unlink(missing_ok=True)


def make_folder(path: Path) -> None:
    """On return there is such a folder, and there will be after a power loss. Raises OSError.

    It is private if it is new, and so are those above it that are new: whatever the user's mask says.
    """
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    for folder in reversed(missing):
        try:
            folder.mkdir(mode=_PRIVATE)
        except FileExistsError:  # another process was faster
            continue
        if stat.S_IMODE(folder.stat().st_mode) != _PRIVATE:  # a mask can take away what the owner needs
            folder.chmod(_PRIVATE)
        flush(folder.parent)
    path.mkdir(exist_ok=True)  # that is, FileExistsError if it is a file


def remove_leftovers(folder: Path) -> None:
    """Remove what processes that were killed in the middle of this left in `folder`. Nobody else may be at it now."""
    for path in folder.glob(f".*{_SUFFIX}"):
        path.unlink(missing_ok=True)


def flush(path: Path) -> None:
    """Make a file's bytes durable, or the names in a folder."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        flush_descriptor(descriptor)
    finally:
        os.close(descriptor)


def flush_descriptor(descriptor: int) -> None:
    """To the disk itself: on macOS a plain fsync stops at the disk's own cache."""
    if sys.platform == "darwin":  # pragma: no cover
        fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
    else:
        os.fsync(descriptor)


@contextmanager
def open_lock(path: Path) -> Iterator[int]:
    """The descriptor of a lock file, made if need be. Its lock ends with the block, or the process. Raises OSError."""
    descriptor = open_file(path, os.O_RDWR | os.O_CREAT)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def try_lock(descriptor: int) -> bool:
    """Take the lock of an open file or folder; False if another has it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def bounded_lines(lines: Iterable[str], limit: int) -> Iterator[str]:
    """The lines without their newlines. From a file, none is read that is much longer than `limit` characters."""
    readline = getattr(lines, "readline", None)
    if readline is None:
        yield from (line.removesuffix("\n") for line in lines)
        return
    while line := readline(limit + 2):
        yield line.removesuffix("\n")


def from_os(number: int, what: str) -> SubstrateError:
    """Our error for an errno."""
    kind, meaning = _BY_NUMBER.get(number, (Unusable, IN_DOUBT))
    reason = f", {os.strerror(number)}" if number else ""
    return kind(meaning, f" ({what}{reason})")


class typed_errors:  # noqa: N801 - it reads as a verb; not a generator: every append begins several
    """In this block an OSError becomes one of ours, which says `what` was done."""

    __slots__ = ("_what",)

    def __init__(self, what: str) -> None:
        self._what = what

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, OSError):
            raise from_os(error.errno or 0, self._what) from error


def refuse_pipe(path: Path) -> None:
    """InputError if there is something other than a plain file: it may never end, or be read once only."""
    if path.exists() and not path.is_file():
        raise InputError(f"{path} is not a plain file. To read an export from a pipe, give - as the file")


@contextmanager
def users_file(path: object, advice: str = "") -> Iterator[None]:
    """In this block an OSError becomes one of ours, and says that a file is at fault that the user named."""
    try:
        yield
    except OSError as error:
        kind, _ = _BY_NUMBER.get(error.errno or 0, (InputError, ""))
        raise kind(f"{path}: {error.strerror or error}{advice}") from error


def users_folder(path: object) -> AbstractContextManager[None]:
    """The same for a folder that is to be made where the user said."""
    return users_file(path, "; give another folder")


def expanded(path: str | os.PathLike[str]) -> Path:
    """The path without `~`. InputError if there is no such user, or if nothing can have that name."""
    with _leading_somewhere(path):
        if "\0" in str(path):
            raise ValueError("it holds a zero byte")
        return Path(path).expanduser()


def resolved(path: str | os.PathLike[str]) -> Path:
    """Where `path` leads: absolute, without links and `~`. InputError if no folder can have that name."""
    with _leading_somewhere(path):
        found = expanded(path).resolve()
    try:
        str(found).encode()
    except UnicodeEncodeError:
        raise InputError("the path of the store is not UTF-8 text: give another path") from None
    return found


@contextmanager
def _leading_somewhere(path: object) -> Iterator[None]:
    try:
        yield
    except (OSError, RuntimeError, ValueError) as error:
        raise InputError(f"{str(path)[:_SHOWN]!r} leads nowhere ({error}): give another path") from None
