"""Files in a folder that may come from anybody: a link in it leads nowhere, and nothing but a plain file is opened.

1. Nothing behind a symbolic link is read or written. What is no regular file (a pipe, a device) is never waited for.
2. It is looked at by the descriptor that is used after, so that no exchange in between goes unnoticed.
3. What has another owner, or a second name (a hard link), may be read. It is not written: it may be somebody else's.
4. Nothing is cut or overwritten that was there before. What stands in the way of a new file loses its name, no more.

Each refusal is Denied. What the system says otherwise comes as OSError.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from substrate.errors import Denied
from substrate.text.quote import as_word

__all__ = [
    "OddFile",
    "cut",
    "is_folder",
    "make_file",
    "open_file",
    "open_folder",
    "read_file",
    "refuse_foreign",
    "refuse_not_ours",
    "status_of",
]

_ROOT = 0
_KINDS = {
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFDIR: "a folder",
    stat.S_IFREG: "a file",
}


class OddFile(Denied):
    """What was to be a plain file or folder is something else; `kind` says what, in words."""

    def __init__(self, message: str, kind: str) -> None:
        super().__init__(message)
        self.kind = kind


def open_file(path: Path, flags: int = os.O_RDONLY, *, folder: int | None = None) -> int:
    """A descriptor of the regular file at `path`, inherited by no child. With O_CREAT it is made if it is not there.

    `folder` is a descriptor of its folder (`open_folder`), where that may have been exchanged for a link.
    """
    where = path if folder is None else path.name
    with suppress(FileNotFoundError):
        # Before it is opened: some devices act on that.
        _refuse_odd(path, os.stat(where, dir_fd=folder, follow_symlinks=False))
    try:
        descriptor = os.open(where, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600, dir_fd=folder)
    except OSError as error:
        if error.errno in {errno.ELOOP, errno.ENXIO, errno.EISDIR}:
            raise _odd(path, "no regular file") from None
        raise
    try:
        _refuse_odd(path, os.fstat(descriptor))
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


@contextmanager
def open_folder(path: Path, *, folder: int | None = None) -> Iterator[int]:
    """In the block: a descriptor of the folder at `path`, which is no link. `folder`: as for `open_file`."""
    where = path if folder is None else path.name
    try:
        descriptor = os.open(where, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    except NotADirectoryError:  # so says Linux of a link, too
        _refuse_no_folder(path, os.stat(where, dir_fd=folder, follow_symlinks=False))
        raise
    except OSError as error:
        raise _odd(path, _KINDS[stat.S_IFLNK]) if error.errno == errno.ELOOP else error from None
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def read_file(path: Path, most: int) -> bytes:
    """The first `most` bytes of the regular file at `path`."""
    descriptor = open_file(path)
    try:
        data = b""
        while len(data) < most and (more := os.read(descriptor, most - len(data))):
            data += more
        return data
    finally:
        os.close(descriptor)


def make_file(path: Path, mode: int = 0o600) -> int:
    """A descriptor of a new, empty file at `path`. What had that name before loses it, and is not changed."""
    try:
        path.unlink(missing_ok=True)
    except (IsADirectoryError, PermissionError):
        if is_folder(path):
            raise _odd(path, _KINDS[stat.S_IFDIR]) from None
        raise
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)


def cut(path: Path) -> None:
    """Leave no byte in a file that is about to be removed, if it is ours alone. Otherwise it stays as it is."""
    with suppress(Denied, FileNotFoundError, NotADirectoryError, PermissionError), open_folder(path.parent) as folder:
        descriptor = open_file(path, os.O_WRONLY, folder=folder)
        try:
            status = os.fstat(descriptor)
            if status.st_nlink == 1 and status.st_uid == os.geteuid():
                os.ftruncate(descriptor, 0)
        finally:
            os.close(descriptor)


def is_folder(path: Path) -> bool:
    """Whether there is a folder at `path`; False if there is nothing, Denied if it is a link or anything else."""
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return False
    _refuse_no_folder(path, status)
    return True


def status_of(path: Path) -> os.stat_result | None:
    """What the regular file at `path` is, without opening it; None if there is nothing."""
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return None
    _refuse_odd(path, status)
    return status


def refuse_foreign(path: Path, status: os.stat_result, store: Path) -> None:
    """Denied if a file of the store folder `store` may not be written, since it is not ours alone."""
    refuse_not_ours(path, status, store)
    if status.st_nlink > 1:
        here, own = _quoted(store)
        raise Denied(
            f"{path} has a second name (a hard link), so writing here would change the other copy too. The store can "
            f"be read. To give it files of its own, type: cp -r {here} {own} && rm -r {here} && mv {own} {here}"
        )


def refuse_not_ours(path: Path, status: os.stat_result, store: Path) -> None:
    """Denied if a file or folder of the store folder `store` is another user's. A folder may be the system's."""
    trusted = {os.geteuid(), _ROOT} if stat.S_ISDIR(status.st_mode) else {os.geteuid()}
    if status.st_uid not in trusted:
        here, own = _quoted(store)
        command = f"substrate restore {here} --store {own}"  # in a terminal, whatever face says it
        raise Denied(
            f"{path} belongs to another user (number {status.st_uid}, you are {os.geteuid()}). The store can be read. "
            f"To write, work as that user, or take a copy, in a terminal: {command}"
        )


def _quoted(store: Path) -> tuple[str, str]:
    """A store folder and a copy beside it, as a shell takes them."""
    return as_word(str(store)), as_word(f"{store}.own")


def _refuse_odd(path: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise _odd(path, _kind(status))


def _refuse_no_folder(path: Path, status: os.stat_result) -> None:
    if not stat.S_ISDIR(status.st_mode):
        raise _odd(path, _kind(status))


def _kind(status: os.stat_result) -> str:
    return _KINDS.get(stat.S_IFMT(status.st_mode), "no regular file")


def _odd(path: Path, kind: str) -> OddFile:
    remove = f"{'rm -r' if kind == _KINDS[stat.S_IFDIR] else 'rm'} {as_word(str(path))}"
    return OddFile(
        f"{path} is {kind}, which no store has in that place: it was not touched. If the store is not yours, do not "
        f"trust it. If it is, put the real file or folder there, or remove this: {remove}",
        kind,
    )
