"""Compaction: nothing is lost, freed bytes are gone, others go on, and a kill leaves the old state or the new one."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from substrate.errors import Busy, Denied, DiskFull, StoreDamaged
from substrate.kv.api import Store
from substrate.kv.lmdb import folder
from substrate.kv.lmdb.environment import LmdbStore, _LmdbTarget, open_store
from tests.kv.child import TABLES, append, tokens
from tests.kv.processes import children, wait_until
from tests.scale import PATIENCE_S


def environments(path: Path) -> list[str]:
    return sorted(entry.name for entry in path.iterdir() if entry.name.startswith("env."))


def content(store: Store) -> dict[str, list[tuple[bytes, bytes]]]:
    with store.read() as transaction:
        return {table: list(transaction.scan(table)) for table in TABLES}


def fill(store: Store, megabytes: int) -> None:
    generator = random.Random(megabytes)
    for _ in range(megabytes):
        with store.write() as transaction:
            transaction.put_many("data", [(generator.randbytes(16), generator.randbytes(1000)) for _ in range(1000)])


def test_compaction_keeps_all_and_shrinks_the_file(tmp_path: Path) -> None:
    path = tmp_path / "store"
    store = open_store(path, TABLES)
    fill(store, 2)
    append(store, "token")
    with store.write() as transaction:
        transaction.put("data", b"large", b"x" * 3_000_000)
        transaction.put("data", b"empty", b"")
    with store.write() as transaction:
        transaction.delete("data", b"large")
    before = content(store)
    size = (path / "env.0001" / "data.mdb").stat().st_size
    store.compact()
    assert content(store) == before
    assert environments(path) == ["env.0002"]
    assert (path / "env.0002" / "data.mdb").stat().st_size < size - 3_000_000
    assert (path / "env.0002" / "data.mdb").stat().st_mode & 0o777 == 0o600
    append(store, "another")
    store.close()
    store = open_store(path, TABLES)
    assert tokens(store) == ["token", "another"]
    store.close()


def test_deleted_bytes_are_gone_from_every_file(tmp_path: Path) -> None:
    path, canary = tmp_path / "store", b"canary-" * 20
    store = open_store(path, TABLES)

    def found() -> bool:
        files = [file for file in path.rglob("*") if file.is_file() and file.name != "lock.mdb"]
        return any(canary in file.read_bytes() for file in files)

    with store.write() as transaction:
        transaction.put("data", b"key", canary)
    with store.write() as transaction:
        transaction.delete("data", b"key")
    assert found()  # LMDB only frees the page
    store.compact()
    assert not found()
    store.close()


def test_an_idle_process_does_not_keep_the_old_bytes(tmp_path: Path) -> None:
    path = tmp_path / "store"
    store = open_store(path, TABLES)
    fill(store, 1)
    with children(("get", path)) as (idle,):
        idle.expect("open")
        store.compact()
        held = [
            os.stat(f"/proc/{idle.process.pid}/fd/{name}").st_size  # noqa: PTH116
            for name in os.listdir(f"/proc/{idle.process.pid}/fd")  # noqa: PTH208
            if os.readlink(f"/proc/{idle.process.pid}/fd/{name}").endswith("data.mdb (deleted)")  # noqa: PTH115
        ]
        assert held
        assert set(held) == {0}
        idle.tell("key")
        idle.expect("-")
    store.close()


def compact_by_rename(store: LmdbStore, path: Path) -> None:
    """What not to do: copy, then put the copy in the place of the live file, without the locks."""
    shared = store._handle.shared()
    target = path / "copy"
    target.mkdir()
    claim = shared.locks.claim()
    environment: Any = shared.enter(claim, time.monotonic() + 60)
    environment._raw.copy(str(target), compact=True)
    claim.end()
    (target / "data.mdb").replace(path / folder.live(path) / "data.mdb")
    folder.discard(target)


def run_while_compacting(path: Path, compact: Callable[[LmdbStore], None], times: int) -> tuple[list[str], list[str]]:
    """Two readers and two writers run on through compactions: the tokens acknowledged, and those found after."""
    store = open_store(path, TABLES)
    with children(("read", path), ("read", path), ("write", path, "x", 10**9), ("write", path, "y", 10**9)) as everyone:
        readers, writers = everyone[:2], everyone[2:]
        for reader in readers:
            reader.expect("reading")
        for number in range(times):
            for writer in writers:
                writer.until((number + 1) * 10)
            compact(store)
        for writer in writers:
            writer.until((times + 1) * 10)
        acknowledged = [token for writer in writers for token in writer.finish()]
        for reader in readers:
            reader.finish()
    store.close()
    store = open_store(path, TABLES)
    found = tokens(store)
    store.close()
    return sorted(acknowledged), sorted(found)


def test_live_readers_and_writers_lose_nothing_through_several_compactions(tmp_path: Path) -> None:
    acknowledged, found = run_while_compacting(tmp_path / "store", LmdbStore.compact, 6)
    assert found == acknowledged
    assert environments(tmp_path / "store") == ["env.0007"]


def test_a_compaction_by_rename_is_caught(tmp_path: Path) -> None:
    path = tmp_path / "store"
    acknowledged, found = run_while_compacting(path, lambda store: compact_by_rename(store, path), 2)
    assert set(acknowledged) - set(found)


def test_a_process_that_does_not_look_at_current_is_caught(tmp_path: Path) -> None:
    """The other half of the flip: such a process writes into the old file, or dies of it since that was cut off."""
    path = tmp_path / "store"
    store = open_store(path, TABLES)
    append(store, "one")
    with children(("ignore-current", path)) as (blind,):
        blind.expect("open")
        store.compact()
        blind.tell("go")
        blind.process.wait(PATIENCE_S)
    assert tokens(store) == ["one"]
    store.close()


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", ["begin_environment", "seal", "flip", "discard"])
def test_killed_at_any_step_the_store_is_whole_and_clean_again(tmp_path: Path, step: str, when: str) -> None:
    path = tmp_path / "store"
    store = open_store(path, TABLES)
    fill(store, 1)
    append(store, "token")
    before = content(store)
    store.close()
    with children(("replace-and-die", path, step, when)) as (child,):
        child.process.wait(PATIENCE_S)
        assert child.process.returncode == 9
    store = open_store(path, TABLES)
    assert content(store) == before
    assert environments(path) == [folder.live(path)]
    assert folder.live(path) == (
        "env.0002" if (step, when) in {("flip", "after"), ("discard", "before"), ("discard", "after")} else "env.0001"
    )
    append(store, "another")
    store.compact()
    assert tokens(store) == ["token", "another"]
    store.close()


def test_killed_at_random_moments_the_store_opens_with_everything(tmp_path: Path) -> None:
    path, generator = tmp_path / "store", random.Random(12)
    store = open_store(path, TABLES)
    fill(store, 2)
    before = content(store)["data"]
    store.close()
    acknowledged: list[str] = []
    for number in range(10):
        with children(("compact", path), ("write", path, f"w{number}", 10**9)) as (compacting, writing):
            compacting.expect("open")
            writing.line()
            time.sleep(generator.uniform(0, 0.05))  # the moment of the kill, not a wait
            compacting.kill()
            acknowledged += writing.kill()
        store = open_store(path, TABLES)
        found = tokens(store)
        # A token that was written but not acknowledged may be there: at most one per kill.
        assert set(acknowledged) <= set(found)
        assert len(found) <= len(acknowledged) + number + 1
        assert content(store)["data"] == before
        assert environments(path) == [folder.live(path)]
        store.close()


def test_a_stopped_reader_makes_compaction_busy_but_holds_up_nobody_else(tmp_path: Path) -> None:
    path = tmp_path / "store"
    store = open_store(path, TABLES, wait_s=3.0)
    append(store, "token")
    with children(("hold", path, "read")) as (stopped,):
        stopped.expect("holding")
        stopped.send(signal.SIGSTOP)
        with children(("compact", path)) as (compacting,):
            compacting.expect("open")
            for _ in range(100):
                wait_until((path / folder.COMPACTING).exists)  # it is at work
                with store.read() as transaction:  # or Busy: the mover is less patient than a reader
                    assert transaction.count("log") == 1
        with pytest.raises(Busy):
            store.compact()
        assert environments(path) == [folder.live(path)] == ["env.0001"]
        stopped.kill()
        store.compact()
    assert tokens(store) == ["token"]
    store.close()


def test_compaction_is_refused_inside_a_transaction_and_by_a_read_only_store(tmp_path: Path) -> None:
    path = tmp_path / "store"
    store = open_store(path, TABLES)
    with store.read(), pytest.raises(Denied):
        store.compact()
    with store.write(), pytest.raises(Denied):
        store.compact()
    reader = open_store(path, TABLES, read_only=True)
    with pytest.raises(Denied):
        reader.compact()
    reader.close()
    store.close()


def test_a_failing_build_leaves_the_old_state_and_no_debris(tmp_path: Path) -> None:
    path = tmp_path / "store"
    store = open_store(path, TABLES)
    append(store, "token")

    def build(target: Path) -> None:
        (target / "data.mdb").write_bytes(b"half")
        raise DiskFull("no room")

    with pytest.raises(DiskFull):
        store._handle.shared().replace(build, 5.0)
    assert environments(path) == ["env.0001"]
    append(store, "another")
    assert tokens(store) == ["token", "another"]
    store.close()


def test_without_room_for_both_files_nothing_is_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Free pages of the old file do not count: a file that is mostly free can be compacted on a disk that is full."""
    path = tmp_path / "store"
    store = open_store(path, TABLES)
    fill(store, 1)
    append(store, "token")
    extend = _LmdbTarget.extend
    portions: list[object] = []

    def count(*given: Any) -> None:
        portions.append(given[1])
        extend(*given)

    monkeypatch.setattr(_LmdbTarget, "extend", count)
    monkeypatch.setattr(folder.shutil, "disk_usage", lambda _: SimpleNamespace(total=1 << 30, free=1 << 20))
    with pytest.raises(DiskFull, match="1,048,576 are free: free some space"):
        store.compact()
    assert not portions
    assert environments(path) == ["env.0001"]
    assert not (path / folder.COMPACTING).exists()
    with store.write() as transaction:
        for key, _ in list(transaction.scan("data"))[100:]:
            transaction.delete("data", key)
    store.compact()
    assert portions
    assert environments(path) == ["env.0002"]
    assert tokens(store) == ["token"]
    store.close()


def test_an_incomplete_copy_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "store"
    store = open_store(path, TABLES)
    append(store, "token")
    monkeypatch.setattr("substrate.kv.lmdb.environment._batches", lambda _: iter([[]]))
    with pytest.raises(StoreDamaged, match="cannot be read whole"):
        store.compact()
    assert environments(path) == ["env.0001"]
    assert tokens(store) == ["token"]
    store.close()


# Of a hundred random stores some four show the fault of a copy by pages: three of them are among these.
SHOWING = range(66, 76)


def erased_bytes_after(compact: Callable[[LmdbStore], None], path: Path, seed: int) -> bool:
    """Whether bytes of deleted rows are in the file after `compact`. Their pages go on holding other rows."""
    generator = random.Random(seed)
    store = open_store(path, TABLES)
    numbers = generator.randint(3, 60)
    with store.write() as transaction:
        for number in range(numbers):
            transaction.put("data", b"%04d" % number, b"value-%04d-" % number + b"x" * generator.randint(0, 900))
    gone = [b"%04dz" % generator.randrange(numbers) for _ in range(generator.randint(1, 5))]
    for key in gone:
        with store.write() as transaction:
            transaction.put("data", key, b"canary-abcdefgh" * generator.randint(1, 40))
            if generator.random() < 0.5:
                transaction.put("data", key + b"q", b"later" * generator.randint(1, 40))
    with store.write() as transaction:
        for key in gone:
            transaction.delete("data", key)
        if generator.random() < 0.5:
            transaction.put("data", b"zzz", b"1")
    compact(store)
    store.close()
    return b"canary" in next(path.glob("env.*/data.mdb")).read_bytes()


def copy_by_pages(store: LmdbStore) -> None:
    """What not to do: LMDB's own compacting copy takes pages as they are, with what was deleted from them."""

    def copy(environment: Any, _: object, target: Path, __: object = None) -> None:
        environment._raw.copy(str(target), compact=True)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("substrate.kv.lmdb.environment._LmdbEnvironment.copy", copy)
        shared = store._handle.shared()
        shared.replace(lambda target: shared.copy(target, time.monotonic() + PATIENCE_S), PATIENCE_S)


def test_deleted_bytes_are_gone_from_pages_that_hold_other_rows(tmp_path: Path) -> None:
    assert not any(erased_bytes_after(LmdbStore.compact, tmp_path / str(seed), seed) for seed in SHOWING)


def test_a_compaction_page_by_page_is_caught(tmp_path: Path) -> None:
    assert any(erased_bytes_after(copy_by_pages, tmp_path / str(seed), seed) for seed in SHOWING)


def test_a_table_that_this_handle_does_not_know_is_compacted_too(tmp_path: Path) -> None:
    path = tmp_path / "store"
    store = open_store(path, TABLES)
    with children(("add-table", path, "extra")) as (child,):
        child.expect("added")
    append(store, "token")
    store.compact()
    assert tokens(store) == ["token"]
    store.close()
    store = open_store(path, [*TABLES, "extra"])
    with store.read() as transaction:
        assert list(transaction.scan("extra")) == [(b"k", b"v")]
    store.close()
