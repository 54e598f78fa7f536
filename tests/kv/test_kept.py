"""What is worked out of rows is kept for as long as nobody writes, and never told of other rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from substrate.kv.api import carried_by, kept_by
from substrate.kv.lmdb import environment
from substrate.kv.lmdb.environment import LmdbStore, open_store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[LmdbStore]:
    """A store with a table."""
    opened = open_store(tmp_path / "store", ["a"])
    with opened.write() as transaction:
        transaction.put("a", b"key", b"one")
    yield opened
    opened.close()


def test_snapshots_of_one_state_share_what_is_kept(store: LmdbStore) -> None:
    with store.read() as one:
        kept_by(one, "lengths")[b"key"] = 3
    with store.read() as two, store.read() as three:
        assert kept_by(two, "lengths") == kept_by(three, "lengths") == {b"key": 3}
        assert kept_by(two, "others") == {}


def test_a_write_leaves_it_behind_whoever_writes(store: LmdbStore, tmp_path: Path) -> None:
    with store.read() as before:
        kept_by(before, "lengths")[b"key"] = 3
    other = open_store(tmp_path / "store", ["a"])
    with other.write() as transaction:
        transaction.put("a", b"key", b"three")
    other.close()
    with store.read() as after:
        assert kept_by(after, "lengths") == {}


def test_an_older_snapshot_and_a_newer_one_share_nothing(store: LmdbStore) -> None:
    def write() -> None:
        with store.write() as transaction:
            transaction.put("a", b"key", b"three")

    with store.read() as older:
        kept_by(older, "lengths")[b"key"] = 3
        writer = Thread(target=write)
        writer.start()
        writer.join()
        with store.read() as newer:
            kept_by(newer, "lengths")[b"key"] = 5
            assert kept_by(older, "lengths") == {}
            kept_by(older, "lengths")[b"key"] = 3
            assert kept_by(newer, "lengths") == {}


def test_of_a_transaction_that_writes_nothing_is_kept(store: LmdbStore) -> None:
    with store.write() as transaction:
        kept_by(transaction, "lengths")[b"key"] = 3
        assert kept_by(transaction, "lengths") == {}
    with store.read() as after:
        assert kept_by(after, "lengths") == {}


def test_it_does_not_grow_without_end(store: LmdbStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "_MOST_KEPT", 10)
    for number in range(100):
        with store.read() as transaction:
            kept_by(transaction, "numbers")[number] = number
            assert len(kept_by(transaction, "numbers")) <= 11


def test_what_is_carried_outlives_a_write_and_is_not_for_who_writes(store: LmdbStore) -> None:
    with store.read() as before:
        carried = carried_by(before, "lengths")
        assert carried == {}
        carried[b"key"] = 3
    with store.write() as transaction:
        assert carried_by(transaction, "lengths") is None
        transaction.put("a", b"key", b"three")
    with store.read() as after:
        assert carried_by(after, "lengths") == {b"key": 3}
        assert carried_by(after, "others") == {}
