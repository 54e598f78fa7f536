"""The store folder: numbered environments and the pointer that names the live one.

    CURRENT       `substrate 1 env.0001`: a word, the format, the live environment
    env.0001/     data.mdb, and lock.mdb, which is LMDB's table of readers
    *.lock        empty files to lock, see locks.py
    CREATING      only while the store is being created: the CURRENT to be
    compacting/   only while the store is compacted: the environment to be
    recovering/   only while a lost CURRENT is brought back: a copy of the environment, to look at
    unfinished/   only while a whole store (a copy, say) is being made here: what will be moved up, CURRENT last

1. CURRENT is replaced whole (temporary file, flush, rename, flush of the folder), after what it names is on disk.
2. An environment that CURRENT does not name is no store: no transaction is in it. Whoever holds the mover's lock may
   begin one, and remove what others left there: they are dead, or theirs is live by now. For both it holds the writer
   lock too.
3. Without CURRENT nothing is removed, unless CREATING says that no data was ever there. A folder without CURRENT that
   holds `unfinished` is refused: who was making it was stopped. One that holds environments is refused too, until
   `recover.py` has found the only one sound.
4. The format is read before LMDB sees a file, and LMDB never gets to create data.mdb in the place of a lost one.
5. Nothing here opens a lock.mdb that is there: closing it would drop the locks that LMDB holds on it in this process.
6. The folder may come from anybody: files in it are opened, made and cut by `substrate/foreign_files.py`. LMDB opens by
   name, so what it gets is looked at before (`examine`) and again after. An exchange that is undone in between goes
   unnoticed: SECURITY.md says so.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from substrate.errors import Denied, DiskFull, FormatTooNew, InputError, NotFound, StoreDamaged
from substrate.files import flush, flush_descriptor, users_folder
from substrate.foreign_files import (
    cut,
    is_folder,
    make_file,
    open_file,
    open_folder,
    refuse_foreign,
    refuse_not_ours,
    status_of,
)

__all__ = [
    "COMPACTING",
    "FORMAT",
    "LOCK_FILES",
    "MOVER_LOCK",
    "Examined",
    "Pointer",
    "after",
    "begin_environment",
    "begin_recovery",
    "copy_data",
    "debris",
    "discard",
    "examine",
    "flip",
    "found",
    "fresh",
    "identity",
    "is_full",
    "is_store",
    "lists_readers",
    "live",
    "parse",
    "prepare",
    "reach",
    "read_pointer",
    "refuse_foreign_data",
    "refuse_foreign_store",
    "refuse_foreign_stray",
    "refuse_occupied",
    "refuse_unfinished",
    "refuse_without_current",
    "refuse_without_room",
    "remove_debris",
    "reserve_lock_file",
    "seal",
    "stray",
]

FORMAT = 1
LOCK_FILES = ("writer.lock", "queue.lock", "gate.lock", "turn.lock")
MOVER_LOCK = "mover.lock"
COMPACTING = "compacting"

_CURRENT, _NEXT, _CREATING = "CURRENT", "CURRENT.new", "CREATING"
_DATA, _READERS = "data.mdb", "lock.mdb"
_FIRST = "env.0001"
_UNFINISHED = "unfinished"
_RECOVERING = "recovering"
_BACKUP = "restore the store from a backup"
_POINTER = re.compile(rb"substrate ([0-9]{1,9}) (.*)\n", re.DOTALL)
_ENVIRONMENT = re.compile(r"env\.[0-9]{4,9}")
_TWO_META_PAGES = 2 * 4096
_ROOM = 1 << 16
_LOCK_FILE_BYTES = 18 * 4096
"""Room for more readers than an environment is opened with; LMDB takes the file as large as it is."""


@dataclass(frozen=True, slots=True)
class Pointer:
    """One state of CURRENT, held open: no later CURRENT can have the same inode meanwhile, so comparing it is exact."""

    name: str
    path: str
    fd: int
    device: int
    inode: int

    def is_current(self) -> bool:
        """Whether CURRENT is still this one. If it cannot be told, no."""
        try:
            now = os.lstat(self.path)
        except OSError:
            return False
        return now.st_ino == self.inode and now.st_dev == self.device

    def close(self) -> None:
        """Let go of it."""
        os.close(self.fd)


def identity(folder: Path) -> tuple[int, int]:
    """What makes two paths the same folder."""
    status = folder.stat()
    return status.st_dev, status.st_ino


def is_store(folder: Path) -> bool:
    """Whether the folder has a CURRENT, be it one that is refused."""
    return os.path.lexists(folder / _CURRENT)


def read_pointer(folder: Path) -> Pointer:
    """Read CURRENT and hold it open. NotFound if it is not there; FormatTooNew, StoreDamaged if it cannot be used."""
    try:
        fd = open_file(folder / _CURRENT)
    except FileNotFoundError:
        raise NotFound(f"there is no store at {folder} any more; was the folder moved or deleted?") from None
    try:
        status = os.fstat(fd)
        name = parse(os.read(fd, 4096), folder)
        return Pointer(name, str(folder / _CURRENT), fd, status.st_dev, status.st_ino)
    except BaseException:
        os.close(fd)
        raise


def live(folder: Path) -> str:
    """The environment that CURRENT names now."""
    now = read_pointer(folder)
    now.close()
    return now.name


def after(name: str) -> str:
    """The environment to build after this one."""
    return f"env.{int(name.removeprefix('env.')) + 1:04d}"


def parse(pointer: bytes, folder: Path) -> str:
    """The environment that the text of a CURRENT names."""
    match = _POINTER.fullmatch(pointer)
    if match and int(match[1]) > FORMAT:
        raise FormatTooNew(
            f"{folder} has format {int(match[1])}, this version knows {FORMAT}; upgrade substrate to open it "
            "(nothing was changed)"
        )
    name = match[2].decode("ascii", "replace") if match else ""
    if not match or int(match[1]) < 1 or not _ENVIRONMENT.fullmatch(name):
        raise StoreDamaged(f"{folder / _CURRENT} does not name an environment; {_remedy(folder)}")
    return name


def stray(folder: Path) -> str | None:
    """The one environment of a store that has lost its CURRENT; None if it has not, or there is not just one."""
    return None if _names_one(folder) else _only_environment(folder)


def _names_one(folder: Path) -> bool:
    """Whether CURRENT names an environment, be it one of a later format."""
    try:
        fd = open_file(folder / _CURRENT)
    except (FileNotFoundError, NotADirectoryError):
        return False
    try:
        match = _POINTER.fullmatch(os.read(fd, 4096))
    finally:
        os.close(fd)
    return match is not None and (int(match[1]) > FORMAT or _names_environment(match))


def _names_environment(match: re.Match[bytes]) -> bool:
    return int(match[1]) == FORMAT and _ENVIRONMENT.fullmatch(match[2].decode("ascii", "replace")) is not None


def _only_environment(folder: Path) -> str | None:
    """The environment that was live, if there is one alone, and it was not still being built."""
    try:
        names = os.listdir(folder)  # noqa: PTH208
    except (FileNotFoundError, NotADirectoryError):
        return None
    found = [name for name in names if _ENVIRONMENT.fullmatch(name)]
    if len(found) != 1 or _CREATING in names or _UNFINISHED in names:
        return None
    return found[0]


def _remedy(folder: Path) -> str:
    if _only_environment(folder) is None:
        return _BACKUP
    return f"run substrate rebuild, which gets the one that is there back if it is sound; else {_BACKUP}"


def refuse_without_current(folder: Path) -> None:
    """StoreDamaged if there are environments, but nothing to say which is live: that is no new store."""
    with suppress(FileNotFoundError, NotADirectoryError):
        names = os.listdir(folder)  # noqa: PTH208
        if not is_store(folder) and _CREATING not in names and any(map(_ENVIRONMENT.fullmatch, names)):
            raise StoreDamaged(f"{folder} has environments but no {_CURRENT} to say which is live; {_remedy(folder)}")


@dataclass(frozen=True, slots=True)
class Examined:
    """An environment that was found in order, and held open: nothing else can have these inodes meanwhile."""

    path: Path
    fd: int
    """Of data.mdb."""
    lists_readers: bool
    """Whether lock.mdb can take readers up. If not, a reader has to keep writers out."""
    identities: tuple[tuple[int, int], ...]

    def size(self) -> int:
        """How many bytes the data file has now."""
        return os.fstat(self.fd).st_size

    def refuse_exchanged(self) -> None:
        """Denied if another file, or another folder, has come to this place."""
        if _identities(self.path) != self.identities:
            raise Denied(f"{self.path} was exchanged while it was being opened: open the store again")

    def close(self) -> None:
        """Let go of it."""
        os.close(self.fd)


def examine(path: Path, *, writable: bool) -> Examined:
    """Look at an environment before LMDB opens it, and give it its lock.mdb. StoreDamaged if there is no data file.

    Denied if a part of it is not what it must be; to be `writable`, it must be ours alone.
    """
    fd = _open_data(path)
    try:
        lists = writable or _lists_readers(path)
        if lists:
            reserve_lock_file(path)
        if writable:
            refuse_foreign_data(path)
            _refuse_foreign_readers(path)
        return Examined(path, fd, lists, _identities(path))
    except BaseException:
        os.close(fd)
        raise


def reach(path: Path, size: int) -> None:
    """Lengthen the data file of an environment to `size`, where it has less. The caller keeps other writers out."""
    with suppress(OSError):  # a full disk
        if os.stat(os.path.join(path, _DATA)).st_size < size:  # noqa: PTH116, PTH118 - each write asks
            with os.fdopen(open_file(path / _DATA, os.O_RDWR), "r+b") as file:
                if os.fstat(file.fileno()).st_size < size:  # it may be another file by now
                    file.truncate(size)


def _open_data(path: Path) -> int:
    with suppress(FileNotFoundError), open_folder(path) as folder:
        fd = open_file(path / _DATA, folder=folder)
        if os.fstat(fd).st_size >= _TWO_META_PAGES:
            return fd
        os.close(fd)
    raise StoreDamaged(f"{path / _DATA} is missing or cut off; restore the store from a backup")


def _identities(path: Path) -> tuple[tuple[int, int], ...]:
    found = []
    for place in (path, path / _DATA, path / _READERS):
        with suppress(FileNotFoundError):
            status = os.lstat(place)
            found.append((status.st_dev, status.st_ino))
    return tuple(found)


def lists_readers(folder: Path) -> bool:
    """Whether the store in `folder` can take readers up in its lock.mdb. If not, they have to keep writers out."""
    return not is_store(folder) or _lists_readers(folder / live(folder))


def _lists_readers(path: Path) -> bool:
    """Whether the lock.mdb of an environment may be written, or made.

    Not one with a second name: what has the other is somebody else's. And a reader makes nothing in another's folder.
    """
    with suppress(FileNotFoundError):
        if is_folder(path):
            status = status_of(path / _READERS)
            if status is None:
                return path.stat().st_uid == os.geteuid() and _may_write(path)
            return status.st_nlink == 1 and _may_write(path / _READERS)
    return True  # there is no environment, which is for others to say


def _may_write(path: Path) -> bool:
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def refuse_foreign_store(folder: Path) -> None:
    """Denied if the store in `folder`, or what is to become one, may not be written: it is not ours alone."""
    with suppress(FileNotFoundError, NotADirectoryError):  # what is wrong then, others say
        refuse_not_ours(folder, folder.stat(), folder)
        path = folder / live(folder) if is_store(folder) else None
        if path is not None and is_folder(path):
            refuse_not_ours(path, path.stat(), folder)
            refuse_foreign_data(path)
            _refuse_foreign_readers(path)


def refuse_foreign_stray(folder: Path) -> None:
    """The same of a store that has lost its CURRENT."""
    refuse_not_ours(folder, folder.stat(), folder)
    name = stray(folder)
    if name is not None and is_folder(folder / name):
        refuse_not_ours(folder / name, (folder / name).stat(), folder)
        refuse_foreign_data(folder / name)
        _refuse_foreign_readers(folder / name)


def refuse_foreign_data(path: Path) -> None:
    """Denied if the data file of an environment may not be written. Asked before each write: links come at any time."""
    data = path / _DATA
    if (status := status_of(data)) is not None:
        refuse_foreign(data, status, path.parent)


def _refuse_foreign_readers(path: Path) -> None:
    if (status := status_of(path / _READERS)) is not None:
        refuse_foreign(path / _READERS, status, path.parent)


def prepare(folder: Path) -> None:
    """Make sure that a store can be created here: an empty folder, private if it is new, or one half created before."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        names = {path.name for path in folder.iterdir()}
    except (FileExistsError, NotADirectoryError):
        raise InputError(f"{folder} is a file; a store is a folder: give another path") from None
    foreign = names - {*LOCK_FILES, MOVER_LOCK, _CURRENT, _NEXT, _CREATING}
    if _CREATING in names:
        foreign = {name for name in foreign if not _ENVIRONMENT.fullmatch(name)}
    if not foreign or is_store(folder):  # asked again: another process may have finished it meanwhile
        return
    refuse_without_current(folder)
    raise InputError(f"{folder} is neither empty nor a store (it has {min(foreign)!r}); give an empty or a new folder")


def found(folder: Path, build: Callable[[Path], None]) -> None:
    """Create the store: `build` makes the first environment. The caller holds the writer lock; a repeat is harmless."""
    if is_store(folder):
        return
    _write(folder / _CREATING, _FIRST)
    flush(folder)
    discard(folder / _FIRST)
    build(begin_environment(folder, _FIRST))
    seal(folder / _FIRST)
    (folder / _CREATING).rename(folder / _CURRENT)
    flush(folder)
    for parent in folder.parents:  # of those above, `prepare` may have made some
        with suppress(PermissionError):
            flush(parent)


@contextmanager
def fresh(folder: Path) -> Iterator[Path]:
    """Where to put together a store that `folder`, absent or empty, becomes at the end of the block: whole, on disk.

    If the block fails, `folder` is as it was. If the process is killed in it, `folder` is refused by everybody.
    """
    was_there = folder.exists()
    refuse_occupied(folder)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    inside = folder / _UNFINISHED
    ours = {_UNFINISHED}
    inside.mkdir(mode=0o700)
    try:
        for parent in (folder, *folder.parents):
            with suppress(PermissionError):
                flush(parent)
        yield inside
        ours.update(path.name for path in inside.iterdir())
        _move_up(folder, inside)
    except BaseException:
        for name in ours:
            _remove(folder / name)
        if not was_there:
            with suppress(OSError):  # somebody has put something there
                folder.rmdir()
        raise


def _move_up(folder: Path, inside: Path) -> None:
    for path in inside.iterdir():
        if path.is_file():
            flush(path)
        if path.name != _CURRENT:
            path.rename(folder / path.name)
    flush(folder)
    (inside / _CURRENT).rename(folder / _CURRENT)
    flush(folder)
    inside.rmdir()


def refuse_occupied(folder: Path) -> None:
    """InputError unless there is nothing at `folder`, or an empty folder."""
    with users_folder(folder):
        refuse_unfinished(folder)
        try:
            there = min((path.name for path in folder.iterdir()), default=None)
        except FileNotFoundError:
            return
        except NotADirectoryError:
            raise InputError(f"{folder} is a file; a store is a folder: give another path") from None
    if there is not None:
        kind = "holds a store" if is_store(folder) else f"is not empty (it has {there!r})"
        raise InputError(f"{folder} {kind}; nothing is overwritten: give a new folder, or move that one away first")


def refuse_unfinished(folder: Path) -> None:
    """InputError if a store was being made here and whoever did so was stopped."""
    if (folder / _UNFINISHED).exists() and not is_store(folder):
        raise InputError(
            f"{folder} is not finished: the backup, restore or import that was making it was stopped, or is still at "
            "work. If it was stopped, remove the folder and start again"
        )


def refuse_without_room(folder: Path, needed: int) -> None:
    """DiskFull if so many bytes do not fit beside the store. Where the system does not tell, they do."""
    disk = shutil.disk_usage(folder)
    if disk.total and disk.free < needed:
        raise DiskFull(
            f"compaction needs up to {needed:,} bytes, but only {disk.free:,} are free: free some space, then try again"
        )


def begin_environment(folder: Path, name: str) -> Path:
    """An empty folder for an environment that is not live yet. The caller holds the mover's lock, or is its founder."""
    path = folder / name
    path.mkdir(mode=0o700)
    return path


def begin_recovery(folder: Path) -> Path:
    """An empty folder for a store to look at, with its lock files. The caller holds the mover's lock."""
    path = folder / _RECOVERING
    _remove(path)  # of who was killed at it
    path.mkdir(mode=0o700)
    for name in LOCK_FILES:
        os.close(make_file(path / name))
    return path


def copy_data(source: Path, target: Path) -> None:
    """Copy the data file of an environment. StoreDamaged if it is missing or cut off."""
    with os.fdopen(_open_data(source), "rb") as data, os.fdopen(make_file(target / _DATA), "wb") as copy:
        shutil.copyfileobj(data, copy)


def seal(path: Path) -> None:
    """On return the environment, which nobody has open, is on disk with all its names."""
    fd = open_file(path / _DATA)
    try:
        os.fchmod(fd, 0o600)
        reserve_lock_file(path)  # while it can still be called off
        flush_descriptor(fd)
    finally:
        os.close(fd)
    flush(path)
    flush(path.parent)


def reserve_lock_file(path: Path) -> None:
    """Give the environment in `path` its lock.mdb, if it has none and may be written. OSError if there is no room.

    LMDB would make it as one large hole and map it: on a full disk, the first touch of that ends the process (SIGBUS).
    """
    try:
        fd = os.open(path / _READERS, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except OSError as error:
        if error.errno in {errno.EEXIST, errno.EACCES, errno.EPERM, errno.EROFS}:
            return
        raise
    try:
        if os.write(fd, bytes(_LOCK_FILE_BYTES)) < _LOCK_FILE_BYTES:
            raise OSError(errno.ENOSPC, "no room for lock.mdb")  # noqa: TRY301
    except BaseException:
        (path / _READERS).unlink()
        raise
    finally:
        os.close(fd)


def flip(folder: Path, name: str) -> None:
    """Make `name` the live environment. On return that is on disk; the caller holds the gate alone."""
    _write(folder / _NEXT, name)
    (folder / _NEXT).replace(folder / _CURRENT)
    flush(folder)


def debris(folder: Path, live: str) -> list[Path]:
    """Every environment but the live one: of who is at work, or was killed at it."""
    return [
        path
        for path in folder.iterdir()
        if path.name == COMPACTING or (_ENVIRONMENT.fullmatch(path.name) and path.name != live)
    ]


def remove_debris(folder: Path, live: str) -> None:
    """Remove every environment but the live one, and what else was temporary.

    The caller holds the writer lock, and if there is another environment the mover's too.
    """
    environments = debris(folder, live)
    if environments:
        # Whoever wrote CURRENT may have been killed before its flush: a power cut must not bring the old one back.
        flush(folder)
    for path in environments:
        discard(path)
    for name in (_NEXT, _CREATING, _RECOVERING):
        _remove(folder / name)
    with suppress(OSError):  # empty, if whoever made the store was killed right at the end
        (folder / _UNFINISHED).rmdir()


def discard(path: Path) -> None:
    """Remove an environment that is not live, or whatever else has its name. Nothing behind a link is touched."""
    # An idle process may keep the file open until its next call: cut it off, so that its bytes are gone now.
    cut(path / _DATA)
    _remove(path)


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)  # a link too: what is behind it stays
    except (IsADirectoryError, PermissionError):  # of a folder, Linux says the one and macOS the other
        if not is_folder(path):
            raise
        with suppress(FileNotFoundError):
            shutil.rmtree(path)  # which follows no link, not even one that comes while it is at work


def is_full(path: Path) -> bool:
    """Whether the data file of an environment cannot grow. The caller holds the writer lock."""
    try:
        with os.fdopen(open_file(path / _DATA, os.O_RDWR), "r+b", buffering=0) as file:
            end = file.seek(0, os.SEEK_END)
            try:
                return (file.write(bytes(_ROOM)) or 0) < _ROOM
            finally:
                file.truncate(end)
    except OSError as error:
        return error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def _write(path: Path, name: str) -> None:
    fd = make_file(path)
    try:
        os.fchmod(fd, 0o600)
        os.write(fd, f"substrate {FORMAT} {name}\n".encode())
        flush_descriptor(fd)
    finally:
        os.close(fd)
