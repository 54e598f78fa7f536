"""The locks: many inside or one alone, nobody starves, every wait ends."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Thread

import pytest

from substrate.errors import Busy, Denied
from substrate.kv.lmdb import locks as gate
from substrate.kv.lmdb.locks import Locks
from tests.kv.processes import wait_until
from tests.scale import PATIENCE_S

Opener = Callable[[], Locks]


def soon(seconds: float = 60.0) -> float:
    return time.monotonic() + seconds


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opener]:
    """Each set of locks is what one process would have: flock belongs to the open file."""
    all_locks: list[Locks] = []

    def open_locks() -> Locks:
        all_locks.append(Locks(tmp_path, create=True))
        return all_locks[-1]

    yield open_locks
    for locks in all_locks:
        locks.close()


class Worker:
    """Runs in a thread, steps when told."""

    def __init__(self, work: Callable[[], None]) -> None:
        self.error: BaseException | None = None
        self._work = work
        self.thread = Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        try:
            self._work()
        except BaseException as error:  # noqa: BLE001
            self.error = error

    def end(self) -> None:
        self.thread.join(PATIENCE_S)
        assert not self.thread.is_alive()
        if self.error is not None:
            raise self.error


@pytest.mark.parametrize("same_process", [True, False])
def test_a_stream_of_transactions_does_not_keep_the_mover_out(opened: Opener, same_process: bool) -> None:  # noqa: FBT001
    mine = opened()
    theirs = mine if same_process else opened()
    stop, inside = Event(), [0]

    def read() -> None:
        while not stop.is_set():
            claim = theirs.claim()
            claim.enter(soon())
            inside[0] += 1
            time.sleep(0.001)  # a transaction takes a while; with four threads one is always inside
            claim.leave()

    workers = [Worker(read) for _ in range(4)]
    wait_until(lambda: inside[0] > 20)
    for _ in range(10):
        with mine.gate.alone(soon(), everywhere=True):  # or Busy
            before = inside[0]
            time.sleep(0.002)
            assert inside[0] == before
    stop.set()
    for worker in workers:
        worker.end()


def test_without_the_turn_lock_the_mover_starves(opened: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    """The broken twin of the test above."""
    mine, theirs = opened(), opened()
    right = gate._lock

    def no_turn(fd: int, how: int, deadline: float, message: str) -> None:
        if fd != theirs.gate._turn:
            right(fd, how, deadline, message)

    monkeypatch.setattr(gate, "_lock", no_turn)
    stop, inside = Event(), [0]

    def read() -> None:
        while not stop.is_set():
            claim = theirs.claim()
            claim.enter(soon())
            inside[0] += 1
            time.sleep(0.001)
            claim.leave()

    workers = [Worker(read) for _ in range(4)]
    wait_until(lambda: inside[0] > 20)

    def move() -> None:
        for _ in range(20):  # on a busy machine all four may be outside for a moment
            with mine.gate.alone(soon(0.4), everywhere=True):
                pass

    with pytest.raises(Busy):
        move()
    stop.set()
    for worker in workers:
        worker.end()


def enter_and_leave(locks: Locks, seconds: float = 60.0) -> None:
    claim = locks.claim()
    claim.enter(soon(seconds))
    claim.end()


def test_a_thread_inside_enters_again_although_a_mover_waits(opened: Opener) -> None:
    mine, theirs, watcher = opened(), opened(), opened()
    claim = mine.claim()
    claim.enter(soon())

    def move() -> None:
        with theirs.gate.alone(soon(), everywhere=True):
            pass

    def mover_waits() -> bool:
        free = gate._try_lock(watcher.gate._turn, gate._SHARED)
        if free:
            gate._unlock(watcher.gate._turn)
        return not free

    mover = Worker(move)
    wait_until(mover_waits)
    enter_and_leave(mine)
    claim.leave()
    mover.end()


def test_nobody_enters_while_one_is_alone_and_the_wait_is_bounded(opened: Opener) -> None:
    mine, theirs = opened(), opened()
    with mine.gate.alone(soon(), everywhere=True):
        start = time.monotonic()
        with pytest.raises(Busy, match="being moved"):
            enter_and_leave(theirs, 0.1)
        assert time.monotonic() - start >= 0.1
        with pytest.raises(Busy), theirs.gate.alone(soon(0.1), everywhere=True):
            pass
    enter_and_leave(theirs)


def test_alone_in_a_process_does_not_touch_the_others(opened: Opener) -> None:
    mine, theirs = opened(), opened()
    claim = theirs.claim()
    claim.enter(soon())
    with mine.gate.alone(soon(0.5), everywhere=False):
        pass
    with pytest.raises(Busy, match="do not end"), mine.gate.alone(soon(0.1), everywhere=True):
        pass
    claim.end()


def test_an_error_in_the_block_opens_the_gate(opened: Opener) -> None:
    mine, theirs = opened(), opened()
    for error in (ZeroDivisionError, Busy("from inside")):
        with pytest.raises((ZeroDivisionError, Busy)), mine.gate.alone(soon(), everywhere=True):
            raise error
        enter_and_leave(theirs)


def test_one_inside_cannot_be_alone_nor_begin_to_write(opened: Opener) -> None:
    mine = opened()
    claim = mine.claim()
    claim.enter(soon())
    with pytest.raises(Denied, match="inside a transaction"), mine.gate.alone(soon(), everywhere=False):
        pass
    with pytest.raises(Denied, match="inside a transaction"):
        mine.claim().write(soon())
    claim.end()


def test_the_writer_lock_is_held_by_one_thread_of_one_process(opened: Opener) -> None:
    mine, theirs = opened(), opened()
    claim, other = mine.claim(), theirs.claim()
    claim.write(soon())
    assert mine.writer.is_mine()
    with pytest.raises(Denied, match="writing already"):
        mine.claim().write(soon())
    with pytest.raises(Busy):
        other.write(soon(0.05))
    assert not other.try_write()

    def other_thread() -> None:
        assert not mine.writer.is_mine()
        with pytest.raises(Busy):
            mine.claim().write(soon(0.05))

    Worker(other_thread).end()
    assert not other.try_write()  # the claims that failed took nothing with them
    claim.end()
    assert other.try_write()
    claim.end()
    assert not mine.claim().try_write()
    other.end()
    other.end()


def test_a_claim_that_is_dropped_lets_go_of_everything(opened: Opener) -> None:
    mine, theirs = opened(), opened()
    claim = mine.claim()
    claim.write(soon())
    claim.enter(soon())
    del claim
    assert not mine.writer.is_mine()
    other = theirs.claim()
    assert other.try_write()
    with theirs.gate.alone(soon(0.5), everywhere=True):
        pass


def test_a_claim_dropped_in_another_thread_lets_go_of_everything(opened: Opener) -> None:
    mine, theirs = opened(), opened()
    claims = [mine.claim()]
    claims[0].write(soon())
    claims[0].enter(soon())
    Worker(claims.clear).end()
    with theirs.gate.alone(soon(0.5), everywhere=True):
        pass
    other = theirs.claim()
    assert other.try_write()
    other.end()
    again = mine.claim()
    again.write(soon())
    again.end()

    def write() -> None:
        claim = mine.claim()
        claim.write(soon(1))

    Worker(write).end()


def test_a_claim_that_outlives_its_files_touches_nobodys(opened: Opener, tmp_path: Path) -> None:
    mine = opened()
    claim = mine.claim()
    claim.write(soon())
    claim.enter(soon())
    mine.close()
    new = Locks(tmp_path, create=True)  # gets the same numbers
    holder = new.claim()
    holder.write(soon())
    holder.enter(soon())
    del claim
    assert not opened().claim().try_write()
    with pytest.raises(Busy), opened().gate.alone(soon(0.1), everywhere=True):
        pass
    holder.end()
    new.close()


def test_a_missing_lock_file_is_refused_for_reading_and_created_for_writing(tmp_path: Path) -> None:
    with pytest.raises(Denied, match="open the store once for writing"):
        Locks(tmp_path, create=False)
    assert list(tmp_path.iterdir()) == []
    Locks(tmp_path, create=True).close()
    Locks(tmp_path, create=False).close()
