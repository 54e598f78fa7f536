"""Several opens of one folder in one process share one environment; a closed handle is closed."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Barrier, Event, Thread
from time import monotonic

import pytest

from substrate.errors import Busy, Denied, SubstrateError
from substrate.kv.lmdb import folder, handle
from substrate.kv.lmdb.environment import LmdbStore, open_store
from tests.kv.child import TABLES, append, tokens
from tests.kv.processes import children, wait_until
from tests.scale import PATIENCE_S


def put(store: LmdbStore, table: str, key: bytes) -> None:
    with store.write() as transaction:
        transaction.put(table, key, b"v")


def has(store: LmdbStore, table: str, key: bytes) -> bool:
    with store.read() as transaction:
        return transaction.get(table, key) == b"v"


def files_open(path: Path) -> int:
    links = (Path("/proc/self/fd") / name for name in os.listdir("/proc/self/fd"))  # noqa: PTH208
    return sum(str(path) in os.readlink(link) for link in links if os.path.lexists(link))  # noqa: PTH115


def test_handles_share_whatever_the_path_is_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "store"
    (tmp_path / "link").symlink_to(path)
    monkeypatch.chdir(tmp_path)
    stores = [open_store(name, ["a"]) for name in (path, "store", tmp_path / "link", tmp_path / "x" / ".." / "store")]
    assert len({id(store._handle.shared()) for store in stores}) == 1
    put(stores[0], "a", b"k")
    assert all(has(store, "a", b"k") for store in stores)
    for store in stores:
        store.close()


def test_the_last_handle_closes_the_files_and_not_before(tmp_path: Path) -> None:
    path = tmp_path / "store"
    first, second = open_store(path, ["a"]), open_store(path, ["a"])
    first.close()
    first.close()  # can be repeated, and counts once
    put(second, "a", b"k")
    assert files_open(path) > 0
    second.close()
    assert files_open(path) == 0
    assert folder.identity(path) not in handle._register.opened


def test_a_closed_handle_is_denied(tmp_path: Path) -> None:
    store, other = open_store(tmp_path, ["a"]), open_store(tmp_path, ["a"])
    transaction = store.read()
    store.close()
    for use in (lambda: store.read().__enter__(), lambda: store.write().__enter__(), store.compact):
        with pytest.raises(Denied, match="closed; open it again"):
            use()
    with pytest.raises(Denied, match="closed"):
        transaction.__enter__()
    put(other, "a", b"k")
    other.close()


def test_a_thread_that_comes_late_does_not_bring_a_closed_store_back(tmp_path: Path) -> None:
    store = open_store(tmp_path, ["a"])
    shared = store._handle.shared()  # as far as a transaction gets before another thread closes the store
    store.close()
    with pytest.raises(Denied, match="closed; open it again"):
        shared.enter(shared.locks.claim(), monotonic() + 1)
    assert files_open(tmp_path) == 0
    again = open_store(tmp_path, ["a"])
    put(again, "a", b"k")
    again.close()


@pytest.mark.parametrize("order", ["reader first", "writer first"])
def test_a_reader_and_a_writer_share_in_either_order(tmp_path: Path, order: str) -> None:
    open_store(tmp_path, ["a"]).close()
    if order == "reader first":
        reader = open_store(tmp_path, ["a"], read_only=True)
        assert not has(reader, "a", b"k")
        writer = open_store(tmp_path, ["a"])
    else:
        writer = open_store(tmp_path, ["a"])
        reader = open_store(tmp_path, ["a"], read_only=True)
    put(writer, "a", b"k")
    assert has(reader, "a", b"k")
    assert (reader.read_only, writer.read_only) == (True, False)
    with pytest.raises(Denied, match="read_only=False"):
        reader.write()
    writer.close()
    assert has(reader, "a", b"k")
    reader.close()


def test_a_writer_begins_while_a_reader_of_the_same_process_reads(tmp_path: Path) -> None:
    """The environment, opened for reading, is opened again: that waits for the read, and the read is undisturbed."""
    open_store(tmp_path, ["a"]).close()
    reader = open_store(tmp_path, ["a"], read_only=True)
    writer = open_store(tmp_path, ["a"])
    reading, done = Event(), Event()

    def read() -> None:
        with reader.read() as transaction:
            reading.set()
            assert transaction.count("a") == 0
            done.wait(PATIENCE_S)
            assert transaction.count("a") == 0

    thread = Thread(target=read)
    thread.start()
    reading.wait(PATIENCE_S)
    writing = Thread(target=put, args=(writer, "a", b"k"))
    writing.start()
    done.set()
    thread.join(PATIENCE_S)
    writing.join(PATIENCE_S)
    assert has(reader, "a", b"k")
    reader.close()
    writer.close()


def test_a_second_handle_may_bring_more_tables(tmp_path: Path) -> None:
    first = open_store(tmp_path, ["a"])
    put(first, "a", b"k")
    second = open_store(tmp_path, ["a", "b"])
    put(second, "b", b"k")
    assert has(first, "a", b"k")
    assert has(second, "b", b"k")
    first.close()
    second.close()


def test_a_handle_with_more_tables_is_refused_inside_a_transaction_of_the_same_thread(tmp_path: Path) -> None:
    store = open_store(tmp_path, ["a"])
    with store.read() as transaction:
        with pytest.raises(Denied, match="inside a transaction"):
            open_store(tmp_path, ["b"])
        open_store(tmp_path, ["a"]).close()
        assert transaction.count("a") == 0
    store.close()


def test_closing_waits_for_transactions_and_is_denied_inside_one(tmp_path: Path) -> None:
    store = open_store(tmp_path, ["a"], wait_s=0.1)
    with store.read(), pytest.raises(Denied):
        store.close()
    reading, done = Event(), Event()

    def read() -> None:
        with store.read():
            reading.set()
            done.wait(PATIENCE_S)

    thread = Thread(target=read)
    thread.start()
    reading.wait(PATIENCE_S)
    with pytest.raises(Busy):
        store.close()
    done.set()
    thread.join(PATIENCE_S)
    store.close()


def test_many_threads_open_and_close_at_once(tmp_path: Path) -> None:
    barrier, failures = Barrier(8), list[BaseException]()

    def work(number: int) -> None:
        try:
            barrier.wait(PATIENCE_S)
            for turn in range(10):
                store = open_store(tmp_path / "store", ["a", f"t{number}"])
                put(store, f"t{number}", b"%d" % turn)
                assert has(store, f"t{number}", b"%d" % turn)
                store.close()
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    threads = [Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert not failures
    assert folder.identity(tmp_path / "store") not in handle._register.opened
    assert files_open(tmp_path / "store") == 0


def test_a_writer_that_waits_while_the_store_is_closed_is_denied(tmp_path: Path) -> None:
    """It waits for a lock whose file is gone then: the number of that file may be another's."""
    path = tmp_path / "store"
    store = open_store(path, TABLES)
    writer = store._handle.shared().locks.writer
    said: list[str] = []

    def write() -> None:
        try:
            append(store, "late")
        except SubstrateError as error:
            said.append(error.code)

    with children(("hold", path, "write")) as (holder,):
        holder.expect("holding")
        thread = Thread(target=write)
        thread.start()
        wait_until(lambda: writer.owner is not None)
        store.close()
        thread.join(PATIENCE_S)
        holder.finish()
    assert said == ["denied"]
    store = open_store(path, TABLES)
    assert tokens(store) == []
    store.close()
