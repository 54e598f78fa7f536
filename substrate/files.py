"""Files that survive a crash: replaced whole, and flushed to the disk itself."""

from __future__ import annotations

import fcntl
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

__all__ = ["bounded_lines", "flush", "flush_descriptor", "make_folder", "remove_leftovers", "replace_file"]

_SUFFIX = ".new"


def replace_file(path: Path, data: bytes, mode: int = 0o600) -> None:
    """On return `path` holds `data` and will after a power loss. Until then it holds what it held. Raises OSError."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}{_SUFFIX}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, mode)
    try:
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(descriptor, view) :]
            flush_descriptor(descriptor)
        finally:
            os.close(descriptor)
        temporary.rename(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    flush(path.parent)


def make_folder(path: Path) -> None:
    """On return there is such a folder, private if it is new, and there will be after a power loss. Raises OSError."""
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    for folder in missing:
        flush(folder.parent)


def remove_leftovers(folder: Path) -> None:
    """Remove what processes that were killed in the middle of this left in `folder`. Nobody else may be at it now."""
    for path in folder.glob(f".*{_SUFFIX}"):
        path.unlink(missing_ok=True)


def flush(path: Path) -> None:
    """Make a file's bytes durable, or the names in a folder."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
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


def bounded_lines(lines: Iterable[str], limit: int) -> Iterator[str]:
    """The lines without their newlines. From a file, none is read that is much longer than `limit` characters."""
    readline = getattr(lines, "readline", None)
    if readline is None:
        yield from (line.removesuffix("\n") for line in lines)
        return
    while line := readline(limit + 2):
        yield line.removesuffix("\n")
