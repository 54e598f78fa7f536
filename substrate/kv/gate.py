"""The file locks of one store folder: who may write, and who may move the store under the others.

1. Writers, of all processes and threads, hold `writer.lock` for the whole transaction. They queue at `queue.lock`, so
   that one who writes without pause cannot keep it from the others.
2. Every transaction is inside the gate (`gate.lock`, shared); moving the store holds it alone. Both pass `turn.lock`
   first, so that a stream of new transactions, in any process or thread, cannot keep the mover waiting.
3. A writer takes `writer.lock` before it enters the gate. So whoever is inside the gate waits for no lock, and the
   mover, who holds `writer.lock` too, cannot be part of a circle.
4. A thread inside the gate enters again without waiting: else it would wait for the mover who waits for it.
5. flock belongs to the open file: the threads of a process share it. The first one in locks, the last one out unlocks.
6. Every wait is bounded: by its deadline, and for those in the queue for `Gate`'s door by the deadlines before them.
7. A lock dies with its process. A forked child closes its copies (`Locks.close`): they would outlive the parent's.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock, RLock, get_ident
from time import monotonic, sleep

from substrate.errors import Busy, Denied
from substrate.kv import folder

__all__ = ["Gate", "Locks", "WriterLock"]

_SHARED = fcntl.LOCK_SH | fcntl.LOCK_NB
_ALONE = fcntl.LOCK_EX | fcntl.LOCK_NB
_NO_FILE = -1
# A mover waits this long for those inside, then lets the others pass before it tries again: a transaction that does
# not end (a stopped process, say) must not stop everybody else until the mover gives up.
_PATIENCE_S = 0.5
_BREATH_S = 0.02


def _wait(attempt: Callable[[], bool], deadline: float, message: str) -> None:
    """Return when `attempt` succeeds; Busy if it has not by the deadline. It is tried at least once."""
    pause = 0.0002
    while not attempt():
        left = deadline - monotonic()
        if left <= 0:
            raise Busy(message)
        sleep(min(pause, left))
        pause = min(pause * 1.5, 0.002)


def _try_lock(fd: int, how: int) -> bool:
    try:
        fcntl.flock(fd, how)
    except BlockingIOError:
        return False
    return True


def _lock(fd: int, how: int, deadline: float, message: str) -> None:
    if fd != _NO_FILE and not _try_lock(fd, how):
        _wait(lambda: _try_lock(fd, how), deadline, message)


def _unlock(fd: int) -> None:
    if fd != _NO_FILE:
        fcntl.flock(fd, fcntl.LOCK_UN)


class WriterLock:
    """Held by one thread of one process. Not re-entrant."""

    __slots__ = ("_file", "_owner", "_queue", "_threads")

    def __init__(self, file: int, queue: int) -> None:
        self._file = file
        self._queue = queue
        # Re-entrant only so that `release` can tell whether this thread has it, wherever an interrupt struck.
        self._threads = RLock()
        self._owner: int | None = None

    def is_mine(self) -> bool:
        """Whether the calling thread holds it."""
        return self._owner == get_ident()

    def acquire(self, deadline: float) -> None:
        """Busy if others hold it past the deadline; Denied if this thread holds it."""
        if self.is_mine():
            raise Denied("this thread is writing already; finish that `with store.write()` block first")
        message = "another writer holds the store; try again"
        try:
            if not self._threads.acquire(timeout=max(0.0, deadline - monotonic())):
                raise Busy(message)  # noqa: TRY301
            self._owner = get_ident()
            _lock(self._queue, _ALONE, deadline, message)
            _lock(self._file, _ALONE, deadline, message)
            _unlock(self._queue)
        except BaseException:
            self.release()
            raise

    def try_acquire(self) -> bool:
        """Take it if that needs no wait."""
        try:
            self.acquire(0.0)
        except Busy:
            return False
        return True

    def release(self) -> None:
        """Let go, of all that this thread holds of it."""
        if self.is_mine():
            _unlock(self._queue)
            _unlock(self._file)
            self._owner = None
        with suppress(RuntimeError):  # not ours
            self._threads.release()


class Gate:
    """Shared by transactions, alone for a mover.

    On a read-only mount (`slotless`) LMDB cannot enter readers in its table, and a writer on another mount of the same
    folder would overwrite what they read: there, one thread at a time reads and keeps writers out meanwhile.
    """

    __slots__ = ("_door", "_file", "_inside", "_lock", "_slotless", "_turn", "_writer")

    def __init__(self, file: int, turn: int, writer: int, *, slotless: bool) -> None:
        self._file = file
        self._turn = turn
        self._writer = writer
        self._door = Lock()
        self._lock = Lock()
        self._inside: dict[int, int] = {}
        self._slotless = slotless

    def depth(self) -> int:
        """How often the calling thread is inside."""
        return self._inside.get(get_ident(), 0)

    def refuse_inside(self) -> None:
        """Denied if the calling thread is inside: what it asks for would have to wait for itself."""
        if self.depth():
            raise Denied("this thread is inside a transaction; finish its `with` block first")

    def enter(self, deadline: float) -> None:
        """Go in, once per transaction; Busy if a mover is in the way past the deadline."""
        me = get_ident()
        depth = self._inside.get(me)
        if depth:
            self._inside[me] = depth + 1
            return
        message = "the store is being moved (compacted or rebuilt); try again"
        with self._door:
            if self._slotless:
                _wait(self._is_empty, deadline, message)
                _lock(self._writer, _SHARED, deadline, "another process is writing; try again")
            try:
                _lock(self._turn, _SHARED, deadline, message)
                with self._lock:
                    if not self._inside:
                        _lock(self._file, _SHARED, deadline, message)
                    self._inside[me] = 1
            finally:
                _unlock(self._turn)

    def leave(self) -> None:
        """Go out once."""
        me = get_ident()
        with self._lock:
            depth = self._inside[me] - 1
            if depth:
                self._inside[me] = depth
                return
            del self._inside[me]
            if not self._inside:
                self._open()

    def leave_to(self, depth: int) -> None:
        """Go out until the thread is inside `depth` times: undoes an `enter` that failed at an unknown point."""
        while self.depth() > depth:
            self.leave()
        if not depth:
            with self._door, self._lock:
                if not self._inside:
                    self._open()

    @contextmanager
    def alone(self, deadline: float, *, everywhere: bool) -> Iterator[None]:
        """In the block no transaction of this process (or of any) is live or begins; Busy after the deadline."""
        self.refuse_inside()
        while True:
            with self._door:
                try:
                    self._drain(min(deadline, monotonic() + _PATIENCE_S), everywhere=everywhere)
                    yield
                    return  # noqa: TRY300
                except _Occupied as occupied:
                    if monotonic() >= deadline:
                        raise Busy(str(occupied)) from None
                finally:
                    if everywhere:
                        _unlock(self._turn)
                        with self._lock:
                            if not self._inside:
                                self._open()
            sleep(_BREATH_S)

    def _drain(self, deadline: float, *, everywhere: bool) -> None:
        message = "transactions of this store do not end; try again when they have"
        try:
            if everywhere:
                _lock(self._turn, _ALONE, deadline, message)
            _wait(self._is_empty, deadline, message)
            if everywhere:
                _lock(self._file, _ALONE, deadline, message)
        except Busy as busy:
            raise _Occupied(message) from busy

    def _is_empty(self) -> bool:
        with self._lock:
            return not self._inside

    def _open(self) -> None:
        _unlock(self._file)
        if self._slotless:
            _unlock(self._writer)


class _Occupied(Exception):
    """Not drained within the patience; unlike Busy, it cannot come from the block that runs alone."""


class Locks:
    """The lock files of one folder, opened once per process."""

    __slots__ = ("_fds", "gate", "writer")

    def __init__(self, path: Path, *, create: bool) -> None:
        """Open them, or create them too. Without them a read-only open works only where nobody can write."""
        self._fds: list[int] = []
        slotless = bool(os.statvfs(path).f_flag & os.ST_RDONLY)
        try:
            for name in folder.LOCK_FILES:
                self._fds.append(_open_lock_file(path / name, create=create, optional=slotless))
        except BaseException:
            self.close()
            raise
        writer, queue, gate, turn = self._fds
        self.writer = WriterLock(writer, queue)
        self.gate = Gate(gate, turn, writer, slotless=slotless)

    def close(self) -> None:
        """Close the files. Unlocks nothing that another process, such as the parent of a fork, holds."""
        fds, self._fds = self._fds, []
        for fd in fds:
            if fd != _NO_FILE:
                os.close(fd)


def _open_lock_file(path: Path, *, create: bool, optional: bool) -> int:
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC | (os.O_CREAT if create else 0), 0o600)
    except FileNotFoundError:
        if optional:
            return _NO_FILE
        raise Denied(
            f"{path} is missing, so reading could meet a writer; open the store once for writing to create it"
        ) from None
