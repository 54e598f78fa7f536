"""A store that outgrows its map grows, whoever else has it open; and one process has room for many stores."""

from __future__ import annotations

import resource
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from substrate.errors import Busy, Denied, MapFull
from substrate.kv.lmdb import environment, transactions
from substrate.kv.lmdb.environment import MAP_LIMIT, MAP_SIZE, LmdbStore, open_store
from tests.kv.child import TABLES, append, large_rows, put_large, tokens
from tests.kv.processes import children
from tests.scale import PATIENCE_S, rounds

SMALL = 1 << 20
LARGE = 3_000_000


@pytest.fixture
def store(tmp_path: Path) -> Iterator[LmdbStore]:
    opened = open_store(tmp_path / "store", TABLES, map_size=SMALL)
    yield opened
    opened.close()


def map_of(store: LmdbStore) -> int:
    opened = store._handle.shared()._environment
    assert opened is not None
    return opened.size


def test_a_store_grows_with_what_is_written_to_it(store: LmdbStore) -> None:
    assert map_of(store) == SMALL
    names = [f"t{number}" for number in range(100)]
    for name in names:
        with store.write() as transaction:
            transaction.put("data", name.encode(), b"t" * 50_000)
        append(store, name)
    assert map_of(store) == 16 << 20  # the first doubling that holds twice what is there
    assert tokens(store) == names
    assert large_rows(store) == 100 * 50_000


def test_a_store_that_grew_is_opened_with_room_for_what_it_holds(store: LmdbStore, tmp_path: Path) -> None:
    with store.write() as transaction:
        put_large(transaction, "large", LARGE)
    store.close()
    for read_only in (True, False):
        again = open_store(tmp_path / "store", TABLES, map_size=SMALL, read_only=read_only)
        assert map_of(again) == 8 << 20
        assert large_rows(again) == LARGE
        again.close()


def test_a_store_that_was_made_with_a_larger_map_takes_no_more_room_than_others(tmp_path: Path) -> None:
    before = open_store(tmp_path / "store", TABLES, map_size=1 << 40)  # as every store was, once
    append(before, "before")
    before.close()
    store = open_store(tmp_path / "store", TABLES)
    assert map_of(store) == MAP_SIZE
    assert tokens(store) == ["before"]
    store.close()


def test_a_transaction_that_does_not_fit_begins_again_as_the_one_writer(store: LmdbStore) -> None:
    append(store, "before")
    with store.write() as transaction:
        transaction.put("data", b"small", b"lost")
        walk = transaction.scan("log")
        with pytest.raises(MapFull, match="try again, it grows"):
            transaction.put("data", b"large", bytes(LARGE))
        with pytest.raises(Denied), children(("try-to-write", store.cache, "0.2")) as (late,):  # noqa: PT012
            assert transaction.grow()
            assert late.line() == "busy"
            next(walk)  # of a snapshot that is gone: it is refused, and does no harm to this one
        assert transaction.get("data", b"small") is None
        assert transaction.get("log", bytes(8)) == b"before"
        assert not transaction.grow()  # all is well: there is nothing to begin again for
        put_large(transaction, "large", LARGE)
    assert large_rows(store) == LARGE
    assert tokens(store) == ["before"]


def test_the_transaction_after_one_that_did_not_fit_has_more_room(store: LmdbStore) -> None:
    sizes = []
    for _ in range(2):
        with pytest.raises(MapFull, match="try again, it grows"), store.write() as transaction:
            transaction.put_many("data", [(b"large", bytes(LARGE))])
        sizes.append(map_of(store))
    append(store, "fits")
    assert (*sizes, map_of(store)) == (SMALL, 2 * SMALL, 4 * SMALL)
    assert tokens(store) == ["fits"]


def test_processes_that_hold_a_store_open_follow_as_it_grows(store: LmdbStore) -> None:
    append(store, "a")
    with children(("hold-small", store.cache, "write"), ("hold-small", store.cache, "read-only")) as (other, reader):
        for child in (other, reader):
            child.expect("1")
        with store.write() as transaction:
            put_large(transaction, "b", LARGE)
        append(store, "b")
        for child in (other, reader):
            child.tell("read")
            child.expect(f"a b {LARGE}")
        other.tell(f"write c {3 * LARGE}")
        other.expect(f"a b c {4 * LARGE}")
        reader.tell("read")
        reader.expect(f"a b c {4 * LARGE}")
        assert (tokens(store), large_rows(store)) == (["a", "b", "c"], 4 * LARGE)
        with store.write() as transaction:
            put_large(transaction, "d", 9 * LARGE)
        append(store, "d")
        other.tell(f"write e {LARGE}")
        other.expect(f"a b c d e {14 * LARGE}")
        reader.tell("read")
        reader.expect(f"a b c d e {14 * LARGE}")
        other.finish()
        reader.finish()
    store.compact()
    assert large_rows(store) == 14 * LARGE


def test_processes_that_write_and_make_it_grow_at_once_lose_nothing(store: LmdbStore) -> None:
    count = 12
    with children(*(("write-large", store.cache, name, count) for name in "xyz")) as writers:
        while any(len(writer.lines) < count for writer in writers):
            for writer in writers:
                if len(writer.lines) < count:
                    writer.line()
            seen = tokens(store)
            assert {line for writer in writers for line in writer.lines} <= set(seen)
            assert large_rows(store) >= len(seen) * 300_000
        for writer in writers:
            writer.ended()
    assert large_rows(store) == 3 * count * 300_000


def test_copies_and_compactions_of_a_store_that_grew_have_room(store: LmdbStore, tmp_path: Path) -> None:
    with store.write() as transaction:
        put_large(transaction, "large", LARGE)
    store.compact()
    store.copy(tmp_path / "copy", lambda new, _: append(new, "copied"))
    store.rewrite(lambda old, new: refill(new, dict(old.scan("data"))))
    copy = open_store(tmp_path / "copy", TABLES, map_size=SMALL)
    assert (large_rows(copy), tokens(copy)) == (LARGE, ["copied"])
    assert large_rows(store) == 2 * LARGE
    copy.close()


def refill(store: Any, rows: dict[bytes, bytes]) -> None:
    for row in (*rows, b"l"):
        with store.write() as transaction:
            put_large(transaction, row.decode(), LARGE)


def test_a_thread_that_reads_meanwhile_is_waited_for(store: LmdbStore) -> None:
    reading, done = Event(), Event()
    seen: list[int] = []

    def read() -> None:
        with store.read() as transaction:
            reading.set()
            assert done.wait(PATIENCE_S)
            seen.append(transaction.count("data"))

    thread = Thread(target=read)
    thread.start()
    assert reading.wait(PATIENCE_S)
    # Half of the map is used and a reader is inside: no writer waits for that.
    for number in range(7):
        with store.write() as transaction:
            transaction.put("data", b"t%d" % number, b"t" * 90_000)
    assert map_of(store) == SMALL
    with store.write() as transaction:
        with pytest.raises(MapFull):
            transaction.put("data", b"large", bytes(LARGE))
        done.set()
        assert transaction.grow()
        put_large(transaction, "t", LARGE)
    thread.join()
    assert seen == [0]
    assert large_rows(store) == LARGE + 7 * 90_000


def test_a_thread_that_does_not_end_reading_makes_growing_busy_and_nothing_is_written(tmp_path: Path) -> None:
    store = open_store(tmp_path / "store", TABLES, map_size=SMALL, wait_s=0.2)
    reading, done = Event(), Event()

    def read() -> None:
        with store.read():
            reading.set()
            assert done.wait(PATIENCE_S)

    thread = Thread(target=read)
    thread.start()
    assert reading.wait(PATIENCE_S)
    with pytest.raises(Busy, match="do not end"), store.write() as transaction:
        put_large(transaction, "large", LARGE)
    with pytest.raises(MapFull), store.write() as transaction:  # noqa: PT012
        with pytest.raises(MapFull):
            transaction.put("data", b"large", bytes(LARGE))
        with pytest.raises(Busy):
            transaction.grow()
        with pytest.raises(Denied, match="has ended"):
            transaction.put("data", b"small", b"late")
    done.set()
    thread.join()
    append(store, "after")
    assert (tokens(store), large_rows(store)) == (["after"], 0)
    store.close()


def test_a_thread_that_reads_inside_its_own_write_cannot_grow_it(store: LmdbStore) -> None:
    with pytest.raises(MapFull), store.write() as transaction, store.read() as reading:  # noqa: PT012
        with pytest.raises(MapFull):
            transaction.put("data", b"large", bytes(LARGE))
        assert not transaction.grow()
        assert reading.count("data") == 0
    append(store, "after")
    assert tokens(store) == ["after"]


def test_a_read_inside_a_read_is_busy_where_another_process_has_grown_the_store(store: LmdbStore) -> None:
    append(store, "a")
    with children(("hold-small", store.cache, "write")) as (other,):
        other.expect("1")
        with store.read() as outer:
            other.tell(f"write b {LARGE}")
            other.expect(f"a b {LARGE}")
            with pytest.raises(Busy, match="try again"):
                store.read().__enter__()
            assert outer.count("log") == 1
        assert large_rows(store) == LARGE


def test_a_table_that_came_as_the_store_grew_is_found(tmp_path: Path) -> None:
    open_store(tmp_path / "store", ["data"], map_size=SMALL).close()
    reader = open_store(tmp_path / "store", ["data", "log", "tokens"], map_size=SMALL, read_only=True)
    assert tokens(reader) == []
    with children(("hold-small", tmp_path / "store", "write")) as (other,):
        other.expect("0")
        other.tell(f"write b {LARGE}")
        other.expect(f"b {LARGE}")
    assert (tokens(reader), large_rows(reader)) == (["b"], LARGE)
    reader.close()


def test_an_interrupt_at_any_call_of_growing_leaves_no_lock_behind(tmp_path: Path) -> None:
    """Strikes at the first call of our code that `grow` makes, then at the second, and so on until it is through.

    Calls are where Python looks for an interrupt. One that strikes in `__del__` is reported, and goes no further.
    """
    folder = str(Path(transactions.__file__).parent)
    struck = 0
    while True:
        left = struck

        def strike(frame: FrameType, event: str, _: object) -> None:
            nonlocal left
            code = frame.f_code
            if event == "call" and code.co_filename.startswith(folder) and code.co_name != "__del__":
                left -= 1
                if left < 0:
                    sys.settrace(None)
                    raise KeyboardInterrupt

        store = open_store(tmp_path / "store", TABLES, map_size=SMALL)
        before = sys.gettrace()
        try:
            with store.write() as transaction:
                with pytest.raises(MapFull):
                    transaction.put("data", b"large", bytes(2 * SMALL))
                sys.settrace(strike)
                transaction.grow()
                sys.settrace(before)
        except KeyboardInterrupt:
            struck += 1
        finally:
            sys.settrace(before)
        locks = store._handle.shared().locks
        assert not locks.gate.is_inside(), f"still inside the gate, struck at call {struck}"
        assert not locks.writer.is_mine(), f"still holding the writer lock, struck at call {struck}"
        append(store, f"t{struck}")
        store.close()
        if left >= 0:
            break
    assert struck > 20


@given(
    used=st.integers(0, 1 << 50),
    least=st.integers(0, 1 << 50),
    first=st.integers(12, 40).map(lambda bits: 1 << bits),
    limit=st.integers(12, 47).map(lambda bits: 1 << bits),
)
def test_a_map_has_twice_the_room_that_is_used_or_all_that_it_may(
    used: int, least: int, first: int, limit: int
) -> None:
    opener = environment._LmdbOpener(min(first, limit), limit)
    size = opener.room_for(used, least)
    assert size == limit or size >= max(2 * used, least, first)
    assert size <= max(limit, first)
    assert size == min(first, limit) or size // 2 < max(2 * used, least)  # and no more than that


def test_the_address_space_of_a_process_holds_a_thousand_stores_and_each_can_grow() -> None:
    usable = 1 << 47  # what 64-bit Linux and macOS give to a process
    assert usable // 8 >= 1000 * MAP_SIZE
    assert usable // 2 >= MAP_LIMIT


@pytest.mark.soak
def test_one_process_opens_many_stores(tmp_path: Path) -> None:
    count = min(rounds(25, 1000), 1000)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 10 * count:
        pytest.skip("the system gives too few descriptors to a process")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 10 * count), hard))
    stores = []
    try:
        for number in range(count):
            stores.append(open_store(tmp_path / str(number), TABLES))
            append(stores[-1], str(number))
        for number, store in enumerate(stores):
            append(store, "again")
            assert tokens(store) == [str(number), "again"]
    finally:
        for store in stores:
            store.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
