"""Forks with an open store: `python -m tests.kv.fork_scenarios NAME PATH`. Ends with 0 if all that should hold did.

In a process of their own, with no threads but those they start.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from typing import Any

from substrate.errors import Denied
from substrate.kv.lmdb import handle
from substrate.kv.lmdb.environment import LmdbStore, _LmdbEnvironment, open_store
from tests.kv.child import TABLES, append, tokens
from tests.scale import PATIENCE_S

# Python 3.12 and later warn of forks in a process with threads: here that is the point.
warnings.simplefilter("ignore", DeprecationWarning)


def in_child(work: Callable[[], object], *, leave_normally: bool = False) -> int:
    """Fork, and run this in the child; its pid. The child ends with 0 if nothing was raised."""
    pid = os.fork()
    if pid:
        return pid
    try:
        work()
    except BaseException:  # noqa: BLE001
        sys.excepthook(*sys.exc_info())
        sys.stderr.flush()
        os._exit(1)
    if leave_normally:
        sys.exit(0)  # with all that the interpreter does at its end
    os._exit(0)


def ended_well(pid: int) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while True:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            assert os.waitstatus_to_exitcode(status) == 0, f"the child ended with {os.waitstatus_to_exitcode(status)}"
            return
        assert time.monotonic() < deadline, "the child hangs"
        time.sleep(0.001)


def denied(work: Callable[[], object]) -> None:
    try:
        work()
    except Denied as error:
        assert "forked" in str(error), error  # noqa: PT017
    else:
        raise AssertionError("not denied")


def slots(store: LmdbStore) -> str:
    """LMDB's table of readers."""
    environment: Any = store._handle.shared()._environment
    return str(environment._raw.readers())


def write_many(store: LmdbStore, name: str, count: int = 20) -> None:
    for number in range(count):
        append(store, f"{name}-{number}")


def parent_and_children_write_at_once(path: Path) -> None:
    store = open_store(path, TABLES)
    append(store, "before")
    pids = [in_child(lambda name=name: write_many(store, name), leave_normally=name == "c1") for name in ("c1", "c2")]
    write_many(store, "parent")
    for pid in pids:
        ended_well(pid)
    write_many(store, "later", 2)
    assert len(tokens(store)) == len(set(tokens(store))) == 63


def a_child_of_a_child_writes(path: Path) -> None:
    store = open_store(path, TABLES)

    def child() -> None:
        append(store, "child")
        ended_well(in_child(lambda: append(store, "grandchild")))
        append(store, "child again")

    ended_well(in_child(child))
    append(store, "parent")
    assert tokens(store) == ["child", "grandchild", "child again", "parent"]


def a_child_closes_its_own_files_only(path: Path) -> None:
    store = open_store(path, TABLES)
    append(store, "one")

    def child() -> None:
        assert tokens(store) == ["one"]
        store.close()
        assert not handle._register.opened
        other = open_store(path, TABLES)
        append(other, "two")
        other.close()

    with store.read() as transaction:
        ended_well(in_child(child, leave_normally=True))
        assert transaction.count("log") == 1
    append(store, "three")
    assert tokens(store) == ["one", "two", "three"]


def an_inherited_read_is_denied_and_stays_whole_in_the_parent(path: Path) -> None:
    store = open_store(path, TABLES)
    write_many(store, "t", 10)
    with store.read() as transaction:
        items = transaction.scan("log")
        next(items)

        def child() -> None:
            denied(lambda: transaction.get("log", b"x"))
            denied(lambda: transaction.scan("log"))
            denied(lambda: next(items))
            transaction.__exit__(None, None, None)  # leaving the block is harmless
            write_many(store, "child", 30)  # reuses every page that no reader holds

        ended_well(in_child(child, leave_normally=True))
        assert str(os.getpid()) in slots(store), "the child freed the parent's slot"
        assert len(list(items)) == 9
        assert transaction.count("log") == 10
    assert len(tokens(store)) == 40


def an_inherited_write_commits_in_the_parent_only(path: Path) -> None:
    store = open_store(path, TABLES)
    with store.write() as transaction:
        transaction.put("data", b"who", b"parent")

        def child() -> None:
            denied(lambda: transaction.put("data", b"who", b"child"))
            denied(lambda: transaction.__exit__(None, None, None))
            transaction.__exit__(ZeroDivisionError, ZeroDivisionError(), None)  # leaving by an error is harmless
            with store.read() as reading:
                assert reading.get("data", b"who") is None

        ended_well(in_child(child, leave_normally=True))
        transaction.put("data", b"more", b"parent")
    with store.read() as reading:
        assert reading.get("data", b"who") == reading.get("data", b"more") == b"parent"
    append(store, "token")


def a_fork_beside_busy_threads(path: Path) -> None:
    store = open_store(path, TABLES)
    stop = Event()
    count = [0]

    def write() -> None:
        while not stop.is_set():
            append(store, f"thread-{count[0]}")
            count[0] += 1

    def read() -> None:
        while not stop.is_set():
            tokens(store)

    threads = [Thread(target=work) for work in (write, read, read)]
    for thread in threads:
        thread.start()
    for number in range(8):
        ended_well(
            in_child(lambda number=number: write_many(store, f"child-{number}", 2), leave_normally=number % 2 == 0)
        )
    stop.set()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert len(tokens(store)) == len(set(tokens(store))) == count[0] + 16


def a_parent_killed_in_a_write_frees_the_lock_although_its_child_lives(path: Path) -> None:
    open_store(path, TABLES).close()
    forked, wait = os.pipe(), os.pipe()

    def parent() -> None:
        store = open_store(path, TABLES)
        with store.write() as transaction:
            transaction.put("data", b"key", b"half")
            child = os.fork()
            if not child:
                os.write(forked[1], str(os.getpid()).encode())
                os.read(wait[0], 1)
                os._exit(0)
            signal.pause()

    killed = in_child(parent)
    child = int(os.read(forked[0], 20))
    os.kill(killed, signal.SIGKILL)
    os.waitpid(killed, 0)
    os.kill(child, 0)  # still alive
    store = open_store(path, TABLES, wait_s=2.0)
    try:
        append(store, "token")
    finally:
        os.write(wait[1], b"x")
    with store.read() as transaction:
        assert transaction.get("data", b"key") is None


def a_child_keeps_its_place_in_the_table_of_readers(path: Path) -> None:
    store = open_store(path, TABLES)
    write_many(store, "t", 5)
    ready, wait = os.pipe(), os.pipe()

    def child() -> None:
        tokens(store)  # opens anew, and lets go of what it inherited
        gc.collect()
        with store.read() as transaction:
            os.write(ready[1], b"x")
            os.read(wait[0], 1)
            assert transaction.count("log") == 5

    pid = in_child(child)
    os.read(ready[0], 1)
    store.close()
    store = open_store(path, TABLES)  # alone, LMDB would clear the table
    try:
        assert str(pid) in slots(store), "the child lost its place"
    finally:
        os.write(wait[1], b"x")
    ended_well(pid)


def multiprocessing_children_write(path: Path) -> None:
    store = open_store(path, TABLES)
    append(store, "before")
    processes = [
        multiprocessing.get_context("fork").Process(target=write_many, args=(store, "fork", 5)),
        multiprocessing.get_context("spawn").Process(target=open_and_write, args=(str(path), "spawn")),
    ]
    for process in processes:
        process.start()
    write_many(store, "parent", 5)
    for process in processes:
        process.join(PATIENCE_S)
        assert process.exitcode == 0
    assert len(tokens(store)) == 16


def open_and_write(path: str, name: str) -> None:
    store = open_store(path, TABLES)
    write_many(store, name, 5)
    store.close()


def twin_that_closes_what_it_inherited(path: Path) -> None:
    """A child that does not disown the environment: its lock on the table of readers goes with the inherited files."""
    _LmdbEnvironment.disown = lambda _: None  # type: ignore[method-assign]
    a_child_keeps_its_place_in_the_table_of_readers(path)


def twin_that_keeps_the_lock_files(path: Path) -> None:
    """A child that keeps its copies of the lock files: they hold the lock after the parent's death."""
    from substrate.kv.lmdb.locks import Locks  # noqa: PLC0415

    right, parent = Locks.close, os.getpid()
    Locks.close = lambda self: right(self) if os.getpid() == parent else None  # type: ignore[method-assign]
    a_parent_killed_in_a_write_frees_the_lock_although_its_child_lives(path)


SOUND = [
    parent_and_children_write_at_once,
    a_child_of_a_child_writes,
    a_child_closes_its_own_files_only,
    an_inherited_read_is_denied_and_stays_whole_in_the_parent,
    an_inherited_write_commits_in_the_parent_only,
    a_fork_beside_busy_threads,
    a_parent_killed_in_a_write_frees_the_lock_although_its_child_lives,
    a_child_keeps_its_place_in_the_table_of_readers,
    multiprocessing_children_write,
]
TWINS = [twin_that_closes_what_it_inherited, twin_that_keeps_the_lock_files]

if __name__ == "__main__":
    {scenario.__name__: scenario for scenario in SOUND + TWINS}[sys.argv[1]](Path(sys.argv[2]))
