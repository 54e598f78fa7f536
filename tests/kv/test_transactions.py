"""Transactions: isolation, the thread and the block they belong to, nesting, and errors that leave no trace."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from pathlib import Path
from threading import Barrier, Event, Thread
from typing import Any

import lmdb
import pytest

from substrate.errors import Denied, DiskFull, SchemaInvalid, StoreDamaged, TooLarge, Unusable
from substrate.kv.lmdb.environment import LmdbStore, open_store
from tests.kv.broken import break_at, lmdb_error
from tests.scale import PATIENCE_S


@pytest.fixture
def store(tmp_path: Path) -> Iterator[LmdbStore]:
    store = open_store(tmp_path / "store", ["a", "b"], wait_s=5.0)
    with store.write() as transaction:
        transaction.put_many("a", [(b"%d" % number, b"old") for number in range(10)])
    yield store
    store.close()


def in_thread(work: Any) -> None:
    """Run it in another thread; its exception is raised here."""
    caught: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001
            caught.append(error)

    thread = Thread(target=run)
    thread.start()
    thread.join(PATIENCE_S)
    assert not thread.is_alive()
    if caught:
        raise caught[0]


def put(store: LmdbStore, key: bytes, value: bytes) -> None:
    with store.write() as transaction:
        transaction.put("a", key, value)


def test_a_read_sees_one_snapshot_while_others_write(store: LmdbStore) -> None:
    with store.read() as transaction:
        items = transaction.scan("a")
        assert next(items) == (b"0", b"old")
        in_thread(lambda: put(store, b"1", b"new"))
        assert transaction.get("a", b"1") == b"old"
        assert next(items) == (b"1", b"old")
    with store.read() as transaction:
        assert transaction.get("a", b"1") == b"new"


def test_a_write_is_invisible_until_it_ends(store: LmdbStore) -> None:
    with store.write() as transaction:
        transaction.put("a", b"1", b"new")
        assert transaction.get("a", b"1") == b"new"

        def look() -> None:
            with store.read() as other:
                assert other.get("a", b"1") == b"old"

        in_thread(look)
    with store.read() as transaction:
        assert transaction.get("a", b"1") == b"new"


def test_an_exception_passes_unchanged_and_leaves_no_trace(store: LmdbStore) -> None:
    mine = ZeroDivisionError("mine")
    with pytest.raises(ZeroDivisionError) as caught, store.write() as transaction:  # noqa: PT012
        transaction.put("a", b"1", b"new")
        raise mine
    assert caught.value is mine
    with store.read() as transaction:
        assert transaction.get("a", b"1") == b"old"
    put(store, b"1", b"newer")  # the lock was released


def test_an_exception_of_the_callers_iterator_passes_and_nothing_of_it_is_written(store: LmdbStore) -> None:
    def items() -> Iterator[tuple[bytes, bytes]]:
        yield b"x", b"1"
        raise ZeroDivisionError

    with store.write() as transaction:
        with pytest.raises(ZeroDivisionError):
            transaction.put_many("a", items())
        assert transaction.get("a", b"x") is None


def test_a_thread_may_read_while_it_reads_and_while_it_writes(store: LmdbStore) -> None:
    with store.write() as writing:
        writing.put("a", b"1", b"new")
        with store.read() as outer, store.read() as inner:
            assert outer.get("a", b"1") == inner.get("a", b"1") == b"old"
    with store.read() as outer:
        assert outer.get("a", b"1") == b"new"


def test_a_write_inside_a_transaction_of_the_same_thread_is_denied(store: LmdbStore) -> None:
    with store.write() as writing:
        with pytest.raises(Denied, match="writing already"), store.write():
            pass
        writing.put("a", b"1", b"new")
    with store.read() as reading:
        with pytest.raises(Denied, match="inside a transaction"), store.write():
            pass
        assert reading.get("a", b"1") == b"new"
    put(store, b"1", b"newer")


def test_a_transaction_that_ended_is_denied(store: LmdbStore) -> None:
    with store.write() as transaction:
        items = transaction.scan("a")
        untouched = transaction.scan("a")
        next(items)
    for use in (
        lambda: transaction.get("a", b"1"),
        lambda: transaction.get_many("a", [b"1"]),
        lambda: transaction.scan("a"),
        lambda: transaction.count("a"),
        lambda: transaction.put("a", b"1", b"x"),
        lambda: transaction.put_many("a", [(b"1", b"x")]),
        lambda: transaction.extend("a", [(b"z", b"x")]),
        lambda: transaction.delete("a", b"1"),
        lambda: next(items),
        lambda: next(untouched),
        transaction.__enter__,
    ):
        with pytest.raises(Denied):
            use()


def test_a_transaction_that_has_not_begun_is_denied(store: LmdbStore) -> None:
    with pytest.raises(Denied, match="has not begun"):
        store.read().get("a", b"1")


def test_a_transaction_is_denied_to_another_thread(store: LmdbStore) -> None:
    with store.write() as transaction:
        items = transaction.scan("a")
        next(items)
        for use in (
            lambda: transaction.get("a", b"1"),
            lambda: transaction.get_many("a", [b"1"]),
            lambda: transaction.scan("a"),
            lambda: transaction.count("a"),
            lambda: transaction.put("a", b"1", b"x"),
            lambda: transaction.put_many("a", [(b"1", b"x")]),
            lambda: transaction.delete("a", b"1"),
            lambda: next(items),
            lambda: transaction.__exit__(None, None, None),
        ):
            with pytest.raises(Denied, match="thread"):
                in_thread(use)
        transaction.put("a", b"1", b"new")
    with store.read() as transaction:
        assert transaction.get("a", b"1") == b"new"


def test_keys_have_a_size(store: LmdbStore) -> None:
    with store.write() as transaction:
        transaction.put("a", b"k" * 400, b"longest")
        for call in (
            lambda key: transaction.get("a", key),
            lambda key: transaction.get_many("a", [b"ok", key]),
            lambda key: transaction.put("a", key, b""),
            lambda key: transaction.put_many("a", [(b"ok", b""), (key, b"")]),
            lambda key: transaction.extend("a", [(b"z", b""), (key, b"")]),
            lambda key: transaction.delete("a", key),
        ):
            with pytest.raises(SchemaInvalid, match="at least one byte"):
                call(b"")
            with pytest.raises(TooLarge, match="key has 401 bytes; the limit is 400"):
                call(b"k" * 401)
    with store.read() as transaction:  # nothing of the refused calls, all of the rest
        assert transaction.get("a", b"k" * 400) == b"longest"
        assert transaction.get("a", b"ok") is None
        assert transaction.count("a") == 11


def test_wrong_types_and_unknown_tables_are_named(store: LmdbStore) -> None:
    wrong: Any = "text"
    with store.write() as transaction:
        with pytest.raises(SchemaInvalid, match="no table 'c'; the store was opened with a, b"):
            transaction.get("c", b"1")
        with pytest.raises(SchemaInvalid, match="no table 'c'"):
            transaction.put_many("c", [])
        with pytest.raises(SchemaInvalid, match="are bytes"):
            transaction.put("a", b"k", wrong)
        with pytest.raises(SchemaInvalid, match="are bytes"):
            transaction.get("a", wrong)
    with pytest.raises(SchemaInvalid, match="are bytes"), store.write() as transaction:
        transaction.put_many("a", [(b"x", b"1"), (b"y", wrong)])
    with store.read() as transaction:
        assert transaction.get("a", b"x") is None


def test_an_extend_below_the_last_key_cannot_commit_even_if_the_caller_goes_on(store: LmdbStore) -> None:
    for items in ([(b"0", b"")], [(b"9", b"")], [(b"x", b""), (b"w", b"")], [(b"x", b""), (b"x", b"")]):
        with pytest.raises(StoreDamaged, match="do not lie above"), store.write() as transaction:  # noqa: PT012
            transaction.put("a", b"1", b"new")
            with pytest.raises(StoreDamaged):
                transaction.extend("a", items)
    with store.write() as transaction:
        transaction.extend("a", [(b"x", b""), (b"y", b"")])
        transaction.extend("a", [])
        transaction.extend("b", [(b"0", b"")])
        assert transaction.get("a", b"1") == b"old"


@pytest.mark.parametrize(
    "error", [lmdb_error(lmdb.DiskError), lmdb_error(lmdb.Error, errno.EDQUOT), lmdb_error(lmdb.Error, errno.EFBIG)]
)
def test_a_commit_without_room_leaves_the_store_usable(store: LmdbStore, error: Exception) -> None:
    with pytest.raises(DiskFull), store.write() as transaction:  # noqa: PT012
        transaction.put("a", b"1", b"new")
        break_at(transaction, "commit", error)
    with store.read() as transaction:
        assert transaction.get("a", b"1") == b"old"
    put(store, b"1", b"newer")


@pytest.mark.parametrize(
    "error", [lmdb_error(lmdb.Error, errno.EIO), lmdb_error(lmdb.Error, errno.EROFS), lmdb_error(lmdb.PanicError)]
)
def test_an_io_error_at_commit_makes_all_handles_unusable_until_reopened(
    store: LmdbStore, tmp_path: Path, error: Exception
) -> None:
    other = open_store(tmp_path / "store", ["a", "b"])
    with pytest.raises(Unusable, match="open the store again"), store.write() as transaction:
        break_at(transaction, "commit", error)
    for handle in (store, other, store):
        with pytest.raises(Unusable, match="open the store again"):
            handle.read().__enter__()
        with pytest.raises(Unusable, match="open the store again"):
            handle.write().__enter__()
        with pytest.raises(Unusable, match="open the store again"):
            handle.compact()
    again = open_store(tmp_path / "store", ["a", "b"])
    put(again, b"1", b"newer")
    with pytest.raises(Unusable), store.read():
        pass
    other.close()
    again.close()


def test_a_panic_at_begin_makes_the_store_unusable(store: LmdbStore, monkeypatch: pytest.MonkeyPatch) -> None:
    def begin(*_: object, **__: object) -> None:
        raise Unusable("panic")

    monkeypatch.setattr("substrate.kv.lmdb.environment._LmdbEnvironment.begin", begin)
    with pytest.raises(Unusable, match="panic"), store.read():
        pass
    monkeypatch.undo()
    with pytest.raises(Unusable, match="panic"), store.read():
        pass


def test_a_refused_put_spoils_its_transaction(store: LmdbStore) -> None:
    with pytest.raises(StoreDamaged), store.write() as transaction:  # noqa: PT012
        break_at(transaction, "put", lmdb_error(lmdb.CorruptedError))
        with pytest.raises(StoreDamaged):
            transaction.put("a", b"1", b"new")
    put(store, b"1", b"newer")


def test_sixteen_threads_read_and_write(store: LmdbStore) -> None:
    threads, rounds = 16, 15
    barrier = Barrier(threads)
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            barrier.wait(PATIENCE_S)
            for turn in range(rounds):
                with store.write() as transaction:
                    total = int.from_bytes(transaction.get("b", b"total") or b"", "big")
                    transaction.put("b", b"total", (total + 1).to_bytes(4, "big"))
                    transaction.put("b", b"%d-%d" % (number, turn), b"")
                for _ in range(10):
                    with store.read() as transaction:
                        total = int.from_bytes(transaction.get("b", b"total") or b"", "big")
                        assert transaction.count("b") == total + 1
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    workers = [Thread(target=work, args=(number,)) for number in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(PATIENCE_S)
    assert not failures
    with store.read() as transaction:
        assert transaction.get("b", b"total") == (threads * rounds).to_bytes(4, "big")


def test_threads_go_on_while_one_compacts(store: LmdbStore) -> None:
    stop = Event()
    written: list[int] = []
    failures: list[BaseException] = []

    def read() -> None:
        try:
            while not stop.is_set():
                with store.read() as transaction:
                    assert transaction.get("a", b"9") == b"old"
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    def write() -> None:
        try:
            while not stop.is_set():
                with store.write() as transaction:
                    transaction.put("b", b"%d" % len(written), b"")
                written.append(len(written))
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    workers = [Thread(target=work) for work in (read, read, read, read, write)]
    for worker in workers:
        worker.start()
    for _ in range(5):
        store.compact()
    stop.set()
    for worker in workers:
        worker.join(PATIENCE_S)
    assert not failures
    with store.read() as transaction:
        assert transaction.count("b") == len(written) > 0
