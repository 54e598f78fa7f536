"""Readers that are killed or stopped: their slots come back, and the file does not grow for the dead."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest

from substrate.kv.lmdb.environment import LmdbStore, _LmdbEnvironment, open_store
from tests.kv.child import TABLES
from tests.kv.processes import children

KEYS = [b"%d" % number for number in range(20)]


def overwrite(store: LmdbStore, times: int = 40) -> None:
    for number in range(times):
        with store.write() as transaction:
            transaction.put_many("data", [(key, b"%d" % number * 1000) for key in KEYS])


def size(path: Path) -> int:
    return (path / "env.0001" / "data.mdb").stat().st_size


def slots(store: LmdbStore) -> str:
    environment: Any = store._handle.shared()._environment
    return str(environment._raw.readers())


def usual_size(path: Path) -> int:
    store = open_store(path, TABLES)
    overwrite(store)
    store.close()
    return size(path)


def size_with_dead_readers(path: Path) -> tuple[int, list[int], str]:
    """The size after ten readers were killed in a transaction, one after the other, while we wrote; their slots."""
    store = open_store(path, TABLES)
    overwrite(store, 2)
    dead = []
    for _ in range(10):
        with children(("hold", path, "read")) as (reader,):
            reader.expect("holding")
            dead.append(reader.process.pid)
            reader.kill()
        overwrite(store, 4)
    found = slots(store)
    store.close()
    return size(path), dead, found


def test_killed_readers_cost_neither_slots_nor_space(tmp_path: Path) -> None:
    usual = usual_size(tmp_path / "usual")
    grown, dead, found = size_with_dead_readers(tmp_path / "store")
    assert not [pid for pid in dead if str(pid) in found.split()]
    assert grown <= 2 * usual


def test_without_clearing_dead_readers_the_file_grows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The broken twin of the test above."""
    monkeypatch.setattr(_LmdbEnvironment, "begin", lambda self, *, write: self._raw.begin(write=write))
    usual = usual_size(tmp_path / "usual")
    grown, dead, found = size_with_dead_readers(tmp_path / "store")
    assert [pid for pid in dead if str(pid) in found.split()]
    assert grown > 2 * usual


def test_a_stopped_reader_keeps_its_snapshot_and_the_file_stops_growing_when_it_ends(tmp_path: Path) -> None:
    path = tmp_path / "store"
    store = open_store(path, TABLES)
    overwrite(store, 5)
    with children(("hold", path, "read")) as (reader,):
        reader.expect("holding")
        reader.send(signal.SIGSTOP)
        overwrite(store, 20)  # nobody waits for it
        grown = size(path)
        reader.send(signal.SIGCONT)
        reader.finish()
    overwrite(store, 40)
    assert size(path) <= 2 * grown
    store.compact()
    assert (path / "env.0002" / "data.mdb").stat().st_size < grown
    store.close()


def test_a_reader_stopped_outside_a_transaction_costs_nothing(tmp_path: Path) -> None:
    usual = usual_size(tmp_path / "usual")
    path = tmp_path / "store"
    store = open_store(path, TABLES)
    with children(("get", path)) as (idle,):
        idle.expect("open")
        idle.tell("key")
        idle.expect("-")
        idle.send(signal.SIGSTOP)
        overwrite(store)
    assert size(path) <= 2 * usual
    store.close()


def test_slots_of_many_threads_and_processes_come_back(tmp_path: Path) -> None:
    path = tmp_path / "store"
    store = open_store(path, TABLES)
    for _ in range(2000):  # more than there are slots
        with store.read() as transaction:
            next(transaction.scan("data"), None)
    assert len(slots(store).splitlines()) <= 3
    store.close()


def test_a_snapshot_begun_across_two_commits_is_begun_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """LMDB may hand out the pages of a commit that is still being flushed; rare, so the moment is made here."""
    store = open_store(tmp_path, TABLES)
    overwrite(store, 3)
    environment: Any = store._handle.shared()._environment
    begun: list[int] = []

    class Sleepy:
        def begin(self) -> Any:
            transaction = raw.begin()
            begun.append(transaction.id())
            if len(begun) < 3:
                overwrite_raw()
                overwrite_raw()
            return transaction

        def info(self) -> Any:
            return raw.info()

    def overwrite_raw() -> None:
        with raw.begin(write=True) as transaction:
            transaction.put(b"key", b"value", db=environment.tables["data"])

    raw = environment._raw
    monkeypatch.setattr(environment, "_raw", Sleepy())
    with store.read():
        assert begun == [begun[0], begun[0] + 2, begun[0] + 4]
    monkeypatch.undo()
    store.close()
