"""What is written while the store is compacted: it is all in the new file, whoever wrote it, whatever the copy had."""

from __future__ import annotations

import errno
import random
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from substrate.errors import Busy, Denied, DiskFull, MapFull, Unusable
from substrate.kv.api import ReadTransaction, Store
from substrate.kv.lmdb import compaction, environment, folder, journal
from substrate.kv.lmdb.environment import LmdbStore, open_store
from substrate.kv.lmdb.locks import MoverLock
from substrate.kv.lmdb.process import Shared
from substrate.kv.lmdb.transactions import Writing
from tests.kv.child import AFTER_THE_LAST_ROUND, STEPS, TABLES, append, tokens
from tests.kv.processes import children
from tests.scale import PATIENCE_S

Rows = dict[bytes, bytes]


def data_of(store: LmdbStore) -> Rows:
    with store.read() as transaction:
        return dict(transaction.scan("data"))


def journal_rows(store: LmdbStore) -> int:
    """How many rows the journal has."""
    shared = store._handle.shared()
    claim = shared.locks.claim()
    inside, txn = shared.begin(claim, PATIENCE_S, write=False)
    try:
        return int(txn.stat(inside.journal)["entries"])
    finally:
        txn.abort()
        claim.end()


def _raise_if(condition: bool) -> None:  # noqa: FBT001
    if condition:
        raise LookupError


class Busybody:
    """Writes at random, and knows what must be there."""

    def __init__(self, store: LmdbStore, seed: int) -> None:
        self.rows: Rows = {}
        self._store = store
        self._random = random.Random(seed)

    def write(self) -> None:
        """One transaction: rows set, changed, deleted; now and then one that leaves nothing behind."""
        key, value, number = self._key, self._random.randbytes, self._random.randint
        rows = dict(self.rows)
        try:
            with self._store.write() as transaction:
                for _ in range(number(1, 8)):
                    at = key()
                    transaction.put("data", at, rows.setdefault(at, value(number(0, 300))))
                    rows[at] = value(number(0, 300))
                    transaction.put_many("data", [(at, rows[at])])
                for _ in range(number(0, 4)):
                    at = key()
                    transaction.delete("data", at)
                    rows.pop(at, None)
                _raise_if(number(0, 5) == 0)
        except LookupError:
            return
        self.rows = rows

    def _key(self) -> bytes:
        return b"%04d" % self._random.randint(0, 2000)


@contextmanager
def between_portions(work: Callable[[], object]) -> Iterator[None]:
    """In the block, a compaction copies a few rows at a time, and `work` is done after each portion."""
    extend = environment._LmdbTarget.extend

    def extend_and_work(*arguments: Any) -> None:
        extend(*arguments)
        work()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(environment, "_COPIED_ROWS", 50)
        patch.setattr(environment._LmdbTarget, "extend", extend_and_work)
        yield


def compacted_while_writing(path: Path, seed: int) -> tuple[Rows, Rows]:
    """What must be in a store that was written to while it was compacted, and what is."""
    store = open_store(path, TABLES)
    busy = Busybody(store, seed)
    for _ in range(300):
        busy.write()
    with between_portions(busy.write):
        store.compact()
    found = data_of(store)
    assert journal_rows(store) == 0
    store.close()
    return busy.rows, found


@pytest.mark.parametrize("seed", range(3))
def test_what_is_written_while_the_store_is_copied_is_in_the_new_file(tmp_path: Path, seed: int) -> None:
    wanted, found = compacted_while_writing(tmp_path / "store", seed)
    assert found == wanted
    assert folder.live(tmp_path / "store") == "env.0002"


def test_a_writer_that_appends_after_each_portion_does_not_keep_the_copy_from_ending(tmp_path: Path) -> None:
    store = open_store(tmp_path / "store", TABLES)
    wanted = [f"t{number}" for number in range(120)]
    for token in wanted:
        append(store, token)

    def write() -> None:
        assert len(wanted) < 1000, "the copy does not end"
        wanted.append(f"t{len(wanted)}")
        append(store, wanted[-1])

    with between_portions(write):
        store.compact()
    assert tokens(store) == wanted
    store.close()


def test_a_writer_that_leaves_keys_out_of_the_journal_is_caught(tmp_path: Path) -> None:
    right = journal.write

    def forgetful(txn: Any, table: Any, changed: journal.Changed) -> None:
        some = {name: set(sorted(keys)[1:]) for name, keys in changed.items()}
        right(txn, table, defaultdict(set, some))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(journal, "write", forgetful)
        try:
            wanted, found = compacted_while_writing(tmp_path / "store", 1)
        except environment.StoreDamaged:  # it has other numbers of rows, and was not taken
            return
    assert found != wanted


def test_beside_a_writer_that_keeps_no_journal_the_store_is_copied_under_the_lock(tmp_path: Path) -> None:
    """As an earlier version of this program would be."""
    copies = []
    right = Shared.copy

    def copy(shared: Shared, *given: Any) -> None:
        copies.append(shared.locks.writer.is_mine())
        right(shared, *given)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(journal, "write", lambda *_: None)
        patch.setattr(Shared, "copy", copy)
        wanted, found = compacted_while_writing(tmp_path / "store", 2)
    assert copies == [True]
    assert found == wanted


def test_other_processes_write_and_open_the_store_while_it_is_copied(tmp_path: Path) -> None:
    """Who opens it for writing removes what the dead left behind, and not what somebody is at work on."""
    path = tmp_path / "store"
    store = open_store(path, TABLES)
    busy = Busybody(store, 7)
    for _ in range(100):
        busy.write()
    said: list[str] = []

    def another_process_writes() -> None:
        if not said:
            with children(("write", path, "x", 3)) as (child,):
                said.extend(child.ended())
            assert (path / folder.COMPACTING).exists()

    with between_portions(another_process_writes):
        store.compact()
    assert said == ["x-0", "x-1", "x-2"] == tokens(store)
    assert data_of(store) == busy.rows
    assert folder.live(path) == "env.0002"
    store.close()


@pytest.mark.parametrize("step", [*STEPS, *AFTER_THE_LAST_ROUND])
def test_killed_while_others_write_nothing_acknowledged_is_lost(tmp_path: Path, step: str) -> None:
    path = tmp_path / "store"
    store = open_store(path, TABLES)
    busy = Busybody(store, 3)
    for _ in range(100):
        busy.write()
    append(store, "before")
    store.close()
    with children(("compact-and-die", path, step)) as (child,):
        child.process.wait(PATIENCE_S)
        assert child.process.returncode == 9
        acknowledged = child.kill()
    assert bool(acknowledged) == (step != "begin")
    store = open_store(path, TABLES)
    assert folder.live(path) == ("env.0002" if step == "current" else "env.0001")
    assert tokens(store) == ["before", *acknowledged]
    assert data_of(store) == busy.rows
    assert not folder.debris(path, folder.live(path))
    append(store, "after")  # and whoever writes next ends the journal
    assert journal_rows(store) == 0
    store.compact()
    assert tokens(store) == ["before", *acknowledged, "after"]
    assert data_of(store) == busy.rows
    store.close()


def test_of_two_that_compact_the_second_waits_and_asks_whether_it_still_must(tmp_path: Path) -> None:
    path = tmp_path / "store"
    store = open_store(path, TABLES)
    append(store, "token")
    asked: list[str] = []

    def second() -> None:
        store.compact(needed=lambda: bool(asked.append(folder.live(path))))

    thread = Thread(target=second)
    with between_portions(lambda: None if thread.ident else thread.start()):
        store.compact()
    thread.join(PATIENCE_S)
    assert asked == ["env.0002"]
    assert folder.live(path) == "env.0002"
    with MoverLock(path / folder.MOVER_LOCK).hold(0.0), pytest.raises(Busy, match="compacts or rebuilds"):
        store.compact(queue_s=0.0)
    store.close()


def test_writers_go_first_when_a_reader_does_not_let_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A compaction that waits for a reader gives the writer lock back each time, and takes in what was written."""
    monkeypatch.setattr(compaction, "_PATIENCE_S", 0.05)
    path = tmp_path / "store"
    store = open_store(path, TABLES)
    append(store, "one")
    thread = Thread(target=lambda: store.compact(PATIENCE_S))
    with children(("hold", path, "read"), ("write", path, "x", 10**9)) as (reader, writer):
        reader.expect("holding")
        thread.start()
        writer.until(len(writer.lines) + 30)
        assert thread.is_alive()
        reader.finish()
        thread.join(PATIENCE_S)
        acknowledged = writer.finish()
    assert tokens(store) == ["one", *acknowledged]
    assert folder.live(path) == "env.0002"
    store.close()


def compact(store: LmdbStore) -> None:
    store.compact(PATIENCE_S)


def rewrite(store: LmdbStore) -> None:
    def fill(old: ReadTransaction, new: Store) -> None:
        with new.write() as transaction:
            for table in TABLES:
                transaction.put_many(table, old.scan(table))

    store.rewrite(fill)


def closed_before_the_flip(path: Path, move: Callable[[LmdbStore], None]) -> tuple[list[str], list[str], list[object]]:
    """A thread is about to make its copy live when another closes the store, and a process writes.

    The tokens acknowledged, those found after, and what the first thread said.
    """
    store = open_store(path, TABLES)
    append(store, "before")
    right, is_there, goes_on = folder.seal, Event(), Event()
    said: list[object] = []

    def seal(target: Path) -> None:
        right(target)
        if target.parent == path:  # not of the store that is filled in there
            is_there.set()
            assert goes_on.wait(PATIENCE_S)

    def work() -> None:
        try:
            said.append(move(store))
        except Denied as error:
            said.append(error)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(folder, "seal", seal)
        thread = Thread(target=work)
        thread.start()
        assert is_there.wait(PATIENCE_S)
        store.close()
        with children(("write", path, "x", 2)) as (child,):
            acknowledged = child.ended()
        goes_on.set()
        thread.join(PATIENCE_S)
    store = open_store(path, TABLES)
    found = tokens(store)
    assert not folder.debris(path, folder.live(path))
    append(store, "after")
    assert journal_rows(store) == 0
    store.close()
    return ["before", *acknowledged], found, said


@pytest.mark.parametrize("move", [compact, rewrite])
def test_what_is_written_after_a_close_is_kept_though_a_copy_was_about_to_be_live(
    tmp_path: Path, move: Callable[[LmdbStore], None]
) -> None:
    acknowledged, found, said = closed_before_the_flip(tmp_path / "store", move)
    assert found == acknowledged
    assert isinstance(said[0], Denied)
    assert folder.live(tmp_path / "store") == "env.0001"


@pytest.mark.parametrize("move", [compact, rewrite])
def test_a_copy_that_is_made_live_without_asking_for_a_close_is_caught(
    tmp_path: Path, move: Callable[[LmdbStore], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Shared, "_refuse_closed", lambda _: None)
    acknowledged, found, _ = closed_before_the_flip(tmp_path / "store", move)
    assert set(acknowledged) - set(found)


def put_what_leaves_no_room_for_the_journal(store: LmdbStore) -> None:
    """The rows fit into 1 MiB. The journal holds all keys once more, and does not."""
    with store.write() as transaction:
        transaction.put_many("data", [(b"%0400d" % number, b"") for number in range(1600)])


@pytest.mark.parametrize("limit", [1 << 20, environment.MAP_LIMIT])
def test_a_journal_that_does_not_fit_ends_its_transaction_and_keeps_nobody_waiting(tmp_path: Path, limit: int) -> None:
    path = tmp_path / "store"
    store = open_store(path, TABLES, map_size=1 << 20, map_limit=limit)
    append(store, "before")
    acknowledged = ["before"]
    met: list[MapFull] = []

    def write() -> None:
        if met:
            return
        with pytest.raises(MapFull) as caught:
            put_what_leaves_no_room_for_the_journal(store)
        met.append(caught.value)  # and with it all that its traceback holds
        append(store, "after")
        acknowledged.append("after")
        with children(("write", path, "x", 2)) as (child,):
            acknowledged.extend(child.ended())

    with between_portions(write):
        store.compact()
    assert tokens(store) == acknowledged
    assert data_of(store) == {}
    put_what_leaves_no_room_for_the_journal(store)  # now none is kept
    assert len(data_of(store)) == 1600
    store.close()


def struck_while_the_journal_is_written(path: Path) -> list[str]:
    """The tokens after an interrupt there, whose traceback is kept."""
    store = open_store(path, TABLES)
    append(store, "before")
    met: list[BaseException] = []

    def strike(*_: object) -> None:
        raise KeyboardInterrupt

    def write() -> None:
        if met:
            return
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(journal, "write", strike)
            with pytest.raises(KeyboardInterrupt) as caught:
                append(store, "struck")
        met.append(caught.value)
        append(store, "after")

    try:
        with between_portions(write):
            store.compact()
        return tokens(store)
    finally:
        met.clear()
        store.close()


def test_an_interrupt_while_the_journal_is_written_ends_the_transaction(tmp_path: Path) -> None:
    assert struck_while_the_journal_is_written(tmp_path / "store") == ["before", "after"]


def test_a_transaction_that_outlives_its_block_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def write_only(self: Writing, _: object) -> None:
        if self._changed:
            journal.write(self._txn, self._journal, self._changed)

    monkeypatch.setattr(Writing, "_write_journal", write_only)
    with pytest.raises(Unusable):
        struck_while_the_journal_is_written(tmp_path / "store")


def longest_journal(path: Path) -> tuple[int, Rows, Rows]:
    """How many rows the journal had at most while its compactor did not go on; what must be in the store, and is."""
    store = open_store(path, TABLES)
    busy = Busybody(store, 5)
    busy.write()
    longest = 0

    def write() -> None:
        nonlocal longest
        for _ in range(0 if longest else 300):
            busy.write()
            longest = max(longest, journal_rows(store))

    with between_portions(write):
        store.compact()
    found = data_of(store)
    store.close()
    return longest, busy.rows, found


def test_a_journal_that_is_long_is_ended_and_the_store_is_copied_under_the_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """As beside a compactor that is stopped: the writers go on, and the file does not grow without a bound."""
    monkeypatch.setattr(journal, "_LONG", 1 << 12)
    longest, wanted, found = longest_journal(tmp_path / "store")
    assert longest < 200
    assert found == wanted
    assert folder.live(tmp_path / "store") == "env.0002"
    assert [record.message.split(":")[0] for record in caplog.records] == [
        "the store is copied once more while writers wait"
    ]


def test_a_journal_without_a_bound_is_caught(tmp_path: Path) -> None:
    assert longest_journal(tmp_path / "store")[0] > 200


@pytest.mark.parametrize("move", [compact, lambda store: store._handle.shared().replace(lambda _: None, PATIENCE_S)])
def test_what_cannot_be_cleaned_up_does_not_hide_why_it_was_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, move: Callable[[LmdbStore], None]
) -> None:
    path = tmp_path / "store"
    store = open_store(path, TABLES)
    append(store, "before")

    def fail(error: Exception) -> Callable[..., None]:
        return lambda *_: (_ for _ in ()).throw(error)

    with monkeypatch.context() as patch:
        patch.setattr(folder, "seal", fail(DiskFull("no room")))
        patch.setattr(folder, "discard", fail(PermissionError("not allowed")))
        with pytest.raises(DiskFull, match="no room"):
            move(store)
    store.close()
    store = open_store(path, TABLES)
    assert not folder.debris(path, folder.live(path))
    assert tokens(store) == ["before"]
    store.close()


def test_an_interrupt_right_after_the_flip_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "store"
    store = open_store(path, TABLES)
    append(store, "before")
    right = folder.flip

    def flip(*given: Any) -> None:
        right(*given)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(folder, "flip", flip)
        with pytest.raises(KeyboardInterrupt):
            store.compact()
    assert folder.live(path) == "env.0002"
    assert not folder.debris(path, "env.0002")
    append(store, "after")
    assert tokens(store) == ["before", "after"]
    store.close()


def test_a_compaction_that_cannot_begin_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "store"
    store = open_store(path, TABLES)
    append(store, "before")

    def no_room(*_: object) -> None:
        raise OSError(errno.ENOSPC, "no room")

    for module, step in ((journal, "begin"), (folder, "begin_environment"), (compaction._Compaction, "_open_target")):
        with monkeypatch.context() as patch:
            patch.setattr(module, step, no_room)
            with pytest.raises(DiskFull):
                store.compact()
        assert not folder.debris(path, "env.0001")
        assert journal_rows(store) == 0
    store.compact()
    assert tokens(store) == ["before"]
    store.close()
