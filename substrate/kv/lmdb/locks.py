"""The file locks of one store folder: who may write, and who may move the store under the others.

1. Writers, of all processes and threads, hold `writer.lock` for the whole transaction. They queue at `queue.lock`, so
   that one who writes without pause cannot keep it from the others.
2. Every transaction is inside the gate (`gate.lock`, shared); moving the store holds it alone. Both pass `turn.lock`
   first, so that a stream of new transactions, in any process or thread, cannot keep the mover waiting.
3. A writer takes `writer.lock` before it enters the gate. So whoever is inside the gate waits for no lock, and the
   mover, who holds `writer.lock` too, cannot be part of a circle.
4. A thread inside the gate enters again without waiting: else it would wait for the mover who waits for it.
5. flock belongs to the open file: the threads of a process share it. The first one in locks, the last one out unlocks.
6. Every wait is bounded: by its deadline, and for those at `Gate`'s door by the deadlines of those before them.
7. What is held belongs to a `Claim` and ends with it. Releasing can be repeated from any point, so an interrupt that
   strikes in the middle of it, or instead of it, leaves nothing behind once its traceback is gone.
8. A lock dies with its process. A forked child closes its copies (`Locks.close`): they would outlive the parent's.
9. Whoever makes an environment that is to be live next holds `mover.lock` from before its first byte to after the flip.
   It is taken before `writer.lock`; whoever has that one only looks, and does not wait.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from fcntl import LOCK_EX, LOCK_NB, LOCK_SH, LOCK_UN, flock
from pathlib import Path
from threading import Lock, RLock, get_ident
from time import monotonic, sleep

from substrate.errors import Busy, Denied
from substrate.foreign_files import open_file
from substrate.kv.lmdb import folder

__all__ = ["Claim", "Gate", "Locks", "MoverLock", "WriterLock"]

_SHARED = LOCK_SH | LOCK_NB
_ALONE = LOCK_EX | LOCK_NB
_NO_FILE = -1
# A mover waits this long for those inside, then lets the others pass before it tries again: a transaction that does
# not end (of a stopped process, say) must not stop everybody else until the mover gives up.
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
        flock(fd, how)
    except BlockingIOError:
        return False
    return True


def _lock(fd: int, how: int, deadline: float, message: str) -> None:
    try:
        if fd != _NO_FILE:
            flock(fd, how)
    except BlockingIOError:
        _wait(lambda: _try_lock(fd, how), deadline, message)


def _unlock(fd: int) -> None:
    if fd != _NO_FILE:
        flock(fd, LOCK_UN)


class WriterLock:
    """Held by one claim, of one thread of one process."""

    __slots__ = ("_file", "_queue", "_thread", "_threads", "_using", "owner")

    def __init__(self, file: int, queue: int) -> None:
        self._file = file
        self._queue = queue
        # Re-entrant only so that a thread can be asked whether it has it, wherever an interrupt struck.
        self._threads = RLock()
        # Held for each call on the files, none of which waits, and while they are closed: the number of one that was
        # closed may be another's. Re-entrant: the garbage collector may drop a claim while this thread has it.
        self._using = RLock()
        self.owner: int | None = None
        self._thread: int | None = None

    def is_mine(self) -> bool:
        """Whether the calling thread holds it."""
        return self._thread == get_ident()

    def acquire(self, claim: int, deadline: float) -> None:
        """Busy if others hold it past the deadline; Denied if this thread does."""
        if self.is_mine():
            raise Denied("this thread is writing already; finish that `with` block first")
        message = "another writer holds the store; try again"
        self._release_thread()  # what a claim held that was dropped in another thread
        try:
            if not self._threads.acquire(timeout=max(0.0, deadline - monotonic())):
                raise Busy(message)  # noqa: TRY301
            self.owner, self._thread = claim, get_ident()
            _wait(self._try_queue, deadline, message)
            _wait(self._try_file, deadline, message)
            with self._using:
                _unlock(self._queue)
        except BaseException:
            self.release(claim)
            self._release_thread()
            raise

    def release(self, claim: int) -> None:
        """Let go of all that the claim holds of it; nothing if it holds nothing."""
        if self.owner == claim:
            with self._using:
                _unlock(self._queue)
                _unlock(self._file)
            self.owner = self._thread = None
            self._release_thread()

    def disconnect(self) -> None:
        """The files are about to be closed; in a forked child, a thread that is not here may have the lock."""
        self._using.acquire(timeout=_PATIENCE_S)
        self._file = self._queue = _NO_FILE
        self._threads = RLock()
        with suppress(RuntimeError):  # it was not had
            self._using.release()
        self._using = RLock()

    def _try_queue(self) -> bool:
        with self._using:
            return self._queue == _NO_FILE or _try_lock(self._queue, _ALONE)

    def _try_file(self) -> bool:
        with self._using:
            return self._file == _NO_FILE or _try_lock(self._file, _ALONE)

    def _release_thread(self) -> None:
        with suppress(RuntimeError):  # this thread does not have it
            self._threads.release()


class Gate:
    """Shared by transactions, alone for a mover.

    Where files cannot be written (`slotless`) LMDB cannot enter readers in its table, and a writer on another mount of
    the same folder, or with more rights, would overwrite what they read: there, one thread at a time reads and keeps
    writers out meanwhile. Nobody writes through such a gate: it would take its own lock away.
    """

    __slots__ = ("_door", "_file", "_lock", "_turn", "_writer", "inside", "slotless")

    def __init__(self, file: int, turn: int, writer: int, *, slotless: bool) -> None:
        self._file = file
        self._turn = turn
        self._writer = writer
        self.slotless = slotless
        self._door = Lock()
        # Re-entrant: the garbage collector may drop a claim while this thread has it.
        self._lock = RLock()
        self.inside: dict[int | None, int] = {}  # the thread of each claim

    def is_inside(self) -> bool:
        """Whether the calling thread is inside."""
        return get_ident() in self.inside.values()

    def refuse_inside(self) -> None:
        """Denied if the calling thread is inside: what it asks for would have to wait for itself."""
        if self.is_inside():
            raise Denied("this thread is inside a transaction; finish its `with` block first")

    def enter(self, claim: int, deadline: float) -> None:
        """Let the claim in; Busy if a mover is in the way past the deadline."""
        me = get_ident()
        if me in self.inside.values():
            self.inside[claim] = me
            return
        message = "the store is being moved (compacted or rebuilt); try again"
        with self._door:
            try:
                if self.slotless:
                    _wait(self._is_empty, deadline, message)
                    _lock(self._writer, _SHARED, deadline, "another process is writing; try again")
                _lock(self._turn, _SHARED, deadline, message)
                with self._lock:
                    self.inside[claim] = me
                    if len(self.inside) == 1:
                        _lock(self._file, _SHARED, deadline, message)
            except BaseException:
                self.leave(claim)
                raise
            finally:
                _unlock(self._turn)

    def leave(self, claim: int | None) -> None:
        """Let the claim out, if it is inside. If nobody is, the files are unlocked in any case."""
        with self._lock:
            self.inside.pop(claim, None)
            if not self.inside:
                if self._file != _NO_FILE:
                    flock(self._file, LOCK_UN)
                if self.slotless:
                    _unlock(self._writer)

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
                        self.leave(None)
            sleep(_BREATH_S)

    def disconnect(self) -> None:
        """The files are closed; in a forked child, a thread that is not here may have the lock."""
        self._file = self._turn = self._writer = _NO_FILE
        self._lock = RLock()

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
            return not self.inside


class MoverLock:
    """Held by who makes the environment that is to be live next. While it is free, what lies there is debris.

    Each holder opens the file for itself: so the threads of a process exclude each other as processes do.
    """

    __slots__ = ("_held", "_path")

    def __init__(self, path: Path) -> None:
        self._path = path
        self._held: set[int] = set()

    @contextmanager
    def hold(self, deadline: float) -> Iterator[None]:
        """In the block nobody else makes an environment; Busy if another does so past the deadline."""
        fd = _open_lock_file(self._path, create=True, optional=False)
        self._held.add(fd)
        try:
            _lock(fd, _ALONE, deadline, "another process or thread compacts or rebuilds the store; try again")
            yield
        finally:
            if fd in self._held:
                self._held.remove(fd)
                os.close(fd)

    def is_held(self) -> bool:
        """Whether someone, in this process or another, makes an environment now."""
        if not self._path.exists():
            return False
        fd = _open_lock_file(self._path, create=True, optional=False)
        try:
            return not _try_lock(fd, _SHARED)
        finally:
            os.close(fd)

    def disown(self) -> None:
        """This process is a forked child: the lock is its parent's, and must not outlive it here."""
        while self._held:
            os.close(self._held.pop())


class _Occupied(Exception):
    """Not drained within the patience; unlike Busy, it cannot come from the block that runs alone."""


class Claim:
    """What one caller holds: the writer lock, a place inside the gate, both or neither.

    It ends with the object, for the case that an interrupt kept the caller from ending it.
    """

    __slots__ = ("_gate", "_writer")

    def __init__(self, gate: Gate, writer: WriterLock) -> None:
        self._gate = gate
        self._writer = writer

    def write(self, deadline: float) -> None:
        """Take the writer lock. First: whoever is inside the gate may not wait for it."""
        if not self._writer.is_mine():
            self._gate.refuse_inside()
        self._writer.acquire(id(self), deadline)

    def try_write(self) -> bool:
        """Take the writer lock if that needs no wait, which is allowed inside the gate as well."""
        try:
            self._writer.acquire(id(self), 0.0)
        except Busy:
            return False
        return True

    def enter(self, deadline: float) -> None:
        """Enter the gate."""
        self._gate.enter(id(self), deadline)

    def leave(self) -> None:
        """Leave the gate; the writer lock stays."""
        self._gate.leave(id(self))

    def is_shared(self) -> bool:
        """Whether the calling thread is inside the gate by another claim as well."""
        return list(self._gate.inside.values()).count(get_ident()) > 1

    def end(self) -> None:
        """Let go of everything. Can be repeated."""
        self._gate.leave(id(self))
        self._writer.release(id(self))

    def __del__(self) -> None:
        try:
            if id(self) in self._gate.inside or id(self) == self._writer.owner:
                self.end()
        except AttributeError:  # interrupted before it was made
            pass


class Locks:
    """The lock files of one folder, opened once per process."""

    __slots__ = ("_fds", "gate", "mover", "writer")

    def __init__(self, path: Path, *, create: bool) -> None:
        """Open them, or create them too. Without them a read-only open works only where nobody can write."""
        self._fds: list[int] = []
        self.mover = MoverLock(path / folder.MOVER_LOCK)
        nobody_writes = bool(os.statvfs(path).f_flag & os.ST_RDONLY)
        slotless = nobody_writes or (not create and not folder.lists_readers(path))
        try:
            for name in folder.LOCK_FILES:
                self._fds.append(_open_lock_file(path / name, create=create, optional=nobody_writes))
        except BaseException:
            self.close()
            raise
        writer, queue, gate, turn = self._fds
        self.writer = WriterLock(writer, queue)
        self.gate = Gate(gate, turn, writer, slotless=slotless)

    def claim(self) -> Claim:
        """A claim that holds nothing yet."""
        return Claim(self.gate, self.writer)

    def close(self) -> None:
        """Close the files. Unlocks nothing that another process, such as the parent of a fork, holds.

        A claim that is still there no longer holds anything: the numbers of these files may soon be those of others.
        """
        if len(self._fds) == len(folder.LOCK_FILES):
            self.writer.disconnect()
            self.gate.disconnect()
        fds, self._fds = self._fds, []
        for fd in fds:
            if fd != _NO_FILE:
                os.close(fd)


def _open_lock_file(path: Path, *, create: bool, optional: bool) -> int:
    try:
        return open_file(path, os.O_RDONLY | (os.O_CREAT if create else 0))
    except FileNotFoundError:
        if optional:
            return _NO_FILE
        raise Denied(
            f"{path} is missing, so reading could meet a writer; open the store once for writing to create it"
        ) from None
