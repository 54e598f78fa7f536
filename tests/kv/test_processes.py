"""Several processes on one store: all see the same, nothing is lost, nobody waits without bound."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from substrate.errors import Busy
from substrate.kv.api import WriteTransaction
from substrate.kv.lmdb.environment import open_store
from tests.kv.child import TABLES, append, seq_key, tokens
from tests.kv.processes import children


def test_a_write_is_seen_by_the_next_read_of_another_process(tmp_path: Path) -> None:
    store = open_store(tmp_path / "store", TABLES)
    with children(("get", tmp_path / "store")) as (child,):
        child.expect("open")
        for number in range(50):
            with store.write() as transaction:
                transaction.put("data", b"key", b"%d" % number)
            child.tell("key")
            child.expect(str(number))
    store.close()


def test_four_writers_and_two_readers_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "store"
    open_store(path, TABLES).close()
    with children(
        ("read", path), ("read", path), *(("write", path, f"w{number}", 250) for number in range(4))
    ) as everyone:
        readers, writers = everyone[:2], everyone[2:]
        acknowledged = [token for writer in writers for token in writer.ended()]
        seen = [int(reader.finish()[-1]) for reader in readers]
    store = open_store(path, TABLES)
    assert sorted(tokens(store)) == sorted(acknowledged)
    assert len(acknowledged) == 1000
    assert max(seen) <= 1000
    store.close()


def test_a_writer_without_pause_does_not_keep_others_out(tmp_path: Path) -> None:
    path = tmp_path / "store"
    store = open_store(path, TABLES, wait_s=60.0)
    with children(("write", path, "greedy", 10**9)) as (greedy,):
        greedy.until(5)
        for number in range(20):
            append(store, f"patient-{number}")  # or Busy
        greedy.kill()
    store.close()


def test_a_writer_who_waits_too_long_gets_busy_and_can_try_again(tmp_path: Path) -> None:
    path = tmp_path / "store"
    store = open_store(path, TABLES, wait_s=0.2)
    with children(("hold", path, "write")) as (holder,):
        holder.expect("holding")
        start = time.monotonic()
        with pytest.raises(Busy):
            append(store, "token")
        assert time.monotonic() - start >= 0.2
        with store.read() as transaction:  # a read never waits for a writer
            assert transaction.count("log") == 0
        holder.finish()
        append(store, "token")
    assert tokens(store) == ["token"]
    store.close()


def test_a_stopped_writer_makes_others_busy_and_its_death_frees_them(tmp_path: Path) -> None:
    path = tmp_path / "store"
    open_store(path, TABLES).close()
    with children(("hold", path, "write")) as (holder,):
        holder.expect("holding")
        holder.send(signal.SIGSTOP)
        with children(("try-to-write", path, 0.3)) as (other,):
            other.expect("busy")
        holder.kill()
        with children(("try-to-write", path, 5)) as (other,):
            other.expect("written")


def test_many_processes_create_one_store(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "store"
    with children(*(("create", path, f"c{number}") for number in range(6))) as everyone:
        for child in everyone:
            child.expect("ready")
        for child in everyone:
            child.tell("go")
        assert sorted(int(child.line()) for child in everyone) == list(range(6))
        for child in everyone:
            child.finish()
    store = open_store(path, TABLES, create=False)
    assert sorted(tokens(store)) == [f"c{number}" for number in range(6)]
    assert path.stat().st_mode & 0o777 == 0o700
    store.close()


def lose(transaction: WriteTransaction) -> None:
    transaction.delete("log", seq_key(0))


def double(transaction: WriteTransaction) -> None:
    transaction.put("log", seq_key(2), b"one")


def half(transaction: WriteTransaction) -> None:
    transaction.extend("log", [(seq_key(2), b"three")])


@pytest.mark.parametrize("damage", [lose, double, half])
def test_the_check_of_these_tests_notices_damage(tmp_path: Path, damage: Callable[[WriteTransaction], None]) -> None:
    store = open_store(tmp_path / "store", TABLES)
    append(store, "one")
    append(store, "two")
    assert tokens(store) == ["one", "two"]
    with store.write() as transaction:
        damage(transaction)
    with pytest.raises(AssertionError, match=r"gaps in the log|tables do not agree"):
        tokens(store)
    store.close()
