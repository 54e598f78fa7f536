"""A store made anew beside the live one, and a copy of it elsewhere: whole or not at all, while others go on."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Event, Thread

import pytest

from substrate.errors import Busy, Denied, InputError, StoreDamaged
from substrate.kv.api import ReadTransaction, Store
from substrate.kv.lmdb import folder
from substrate.kv.lmdb.environment import make_store, open_store
from tests.kv.child import TABLES, append, tokens
from tests.kv.processes import children
from tests.kv.test_compaction import content, environments
from tests.scale import PATIENCE_S


def copy_all(old: ReadTransaction, new: Store) -> None:
    for table in TABLES:
        with new.write() as transaction:
            transaction.extend(table, old.scan(table))


def nothing(_: Store, __: Path) -> None:
    """A copy needs no finishing touch."""


def test_what_was_filled_is_the_store_from_then_on_for_every_handle_and_process(tmp_path: Path) -> None:
    path = tmp_path / "store"
    store, other = open_store(path, TABLES), open_store(path, TABLES, read_only=True)
    append(store, "one")

    def fill(old: ReadTransaction, new: Store) -> None:
        copy_all(old, new)
        with new.write() as transaction:
            transaction.put("data", b"key", b"new")

    with children(("get", path)) as (child,):
        child.expect("open")
        store.rewrite(fill)
        child.tell("key")
        child.expect("new")
    assert environments(path) == ["env.0002"]
    assert {file.name for file in (path / "env.0002").iterdir()} == {"data.mdb", "lock.mdb"}
    append(store, "two")
    assert tokens(other) == ["one", "two"]
    other.close()
    store.close()


def test_a_table_that_this_handle_does_not_know_is_not_in_the_new_store(tmp_path: Path) -> None:
    path = tmp_path / "store"
    with children(("add-table", path, "extra")) as (child,):
        child.expect("added")
    store = open_store(path, TABLES)
    store.rewrite(copy_all)
    store.close()
    store = open_store(path, [*TABLES, "extra"], read_only=True)
    with store.read() as transaction:
        assert transaction.count("extra") == 0
    store.close()


def test_what_fill_raises_leaves_the_store_as_it_was_and_no_debris(tmp_path: Path) -> None:
    path = tmp_path / "store"
    store = open_store(path, TABLES)
    append(store, "one")

    def fail(old: ReadTransaction, new: Store) -> None:
        copy_all(old, new)
        raise StoreDamaged("not what it should be")

    with pytest.raises(StoreDamaged, match="not what it should be"):
        store.rewrite(fail)
    assert environments(path) == ["env.0001"]
    append(store, "two")
    assert tokens(store) == ["one", "two"]
    store.close()


def test_meanwhile_others_read_and_writers_wait_a_bounded_time(tmp_path: Path) -> None:
    path = tmp_path / "store"
    store = open_store(path, TABLES)
    append(store, "one")
    at_work, go_on = Event(), Event()

    def fill(old: ReadTransaction, new: Store) -> None:
        at_work.set()
        assert go_on.wait(PATIENCE_S)
        copy_all(old, new)

    thread = Thread(target=store.rewrite, args=(fill,))
    thread.start()
    try:
        assert at_work.wait(PATIENCE_S)
        with children(("get", path), ("try-to-write", path, "0.2")) as (reader, writer):
            reader.expect("open")
            reader.tell("key")
            reader.expect("-")
            writer.expect("busy")
        hasty = open_store(path, TABLES, wait_s=0.1)
        assert tokens(hasty) == ["one"]
        with pytest.raises(Busy):
            hasty.write().__enter__()
        with pytest.raises(Busy):
            hasty.rewrite(copy_all)
        hasty.close()
    finally:
        go_on.set()
        thread.join(PATIENCE_S)
    assert environments(path) == ["env.0002"]
    append(store, "two")
    assert tokens(store) == ["one", "two"]
    store.close()


def test_it_is_refused_inside_a_transaction_and_by_a_read_only_store(tmp_path: Path) -> None:
    store = open_store(tmp_path / "store", TABLES)
    with store.read(), pytest.raises(Denied):
        store.rewrite(copy_all)
    reader = open_store(tmp_path / "store", TABLES, read_only=True)
    with pytest.raises(Denied):
        reader.rewrite(copy_all)
    reader.close()
    store.close()


def test_a_copy_is_a_store_of_its_own_with_all_tables(tmp_path: Path) -> None:
    path, target = tmp_path / "store", tmp_path / "below" / "copy"
    with children(("add-table", path, "extra")) as (child,):
        child.expect("added")
    store = open_store(path, TABLES)
    append(store, "one")
    store.close()
    told: list[tuple[int, int]] = []

    def finish(copy: Store, inside: Path) -> None:
        append(copy, "two")
        (inside / "NOTE").write_text("note", encoding="ascii")
        with pytest.raises(InputError, match="not finished"):
            open_store(target, TABLES)

    store = open_store(path, TABLES, read_only=True)
    store.copy(target, finish, lambda done, total: told.append((done, total)))
    assert told[0] == (0, 3)
    assert told[-1] == (3, 3)
    assert tokens(store) == ["one"]
    store.close()
    assert sorted(entry.name for entry in target.iterdir() if not entry.name.endswith(".lock")) == [
        "CURRENT",
        "NOTE",
        "env.0001",
    ]
    copy = open_store(target, [*TABLES, "extra"], read_only=True)
    assert tokens(copy) == ["one", "two"]
    with copy.read() as transaction:
        assert transaction.get("extra", b"k") == b"v"
    copy.close()


def test_a_copy_is_of_one_moment_while_others_write(tmp_path: Path) -> None:
    path = tmp_path / "store"
    store = open_store(path, TABLES)
    with children(("write", path, "x", 10**9), ("write", path, "y", 10**9)) as writers:
        for number in range(5):
            for writer in writers:
                writer.until((number + 1) * 5)
            store.copy(tmp_path / str(number), nothing)
        for writer in writers:
            writer.finish()
    seen = []
    for number in range(5):
        copy = open_store(tmp_path / str(number), TABLES, read_only=True)
        seen.append(tokens(copy))
        copy.close()
    last = tokens(store)
    assert all(last[: len(copied)] == copied for copied in seen)
    assert [len(copied) for copied in seen] == sorted(len(copied) for copied in seen)
    store.close()


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    store = open_store(tmp_path / "store", TABLES)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_bytes(b"x")
    (tmp_path / "file").write_bytes(b"x")
    for target, message in {"store": "holds a store", "full": "not empty", "file": "is a file"}.items():
        with pytest.raises(InputError, match=message):
            store.copy(tmp_path / target, nothing)
    assert (tmp_path / "full" / "mine").read_bytes() == b"x"
    assert tokens(store) == []
    (tmp_path / "empty").mkdir()
    store.copy(tmp_path / "empty", nothing)
    store.close()


@pytest.mark.parametrize("there", [False, True])
def test_what_finish_raises_leaves_the_folder_as_it_was(tmp_path: Path, there: bool) -> None:  # noqa: FBT001
    store, target = open_store(tmp_path / "store", TABLES), tmp_path / "copy"
    if there:
        target.mkdir()

    def fail(_: Store, inside: Path) -> None:
        (inside / "NOTE").write_bytes(b"x")
        raise StoreDamaged("no")

    with pytest.raises(StoreDamaged):
        store.copy(target, fail)
    with pytest.raises(StoreDamaged):
        make_store(target, TABLES, fail)
    assert target.exists() == there
    assert not there or not list(target.iterdir())
    store.close()


@pytest.mark.parametrize("step", ["found", "_move_up", "after"])
def test_a_killed_copy_is_refused_until_it_is_whole(tmp_path: Path, step: str) -> None:
    store, target = open_store(tmp_path / "store", TABLES), tmp_path / "copy"
    append(store, "one")
    store.close()
    with children(("copy-and-die", tmp_path / "store", target, step)) as (child,):
        child.process.wait(PATIENCE_S)
        assert child.process.returncode == 9
    if step == "after":  # only the empty folder is still there
        copy = open_store(target, TABLES)
        assert tokens(copy) == ["one"]
        assert not (target / "unfinished").exists()
        copy.close()
        return
    for options in ({"read_only": True}, {"create": False}, {}):
        with pytest.raises(InputError, match="not finished"):
            open_store(target, TABLES, **options)  # type: ignore[arg-type]
    store = open_store(tmp_path / "store", TABLES)
    with pytest.raises(InputError, match="not finished"):
        store.copy(target, nothing)
    store.close()


def test_a_table_added_in_the_middle_of_it_is_busy_not_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store(tmp_path / "store", TABLES)
    with children(("add-table", tmp_path / "store", "extra")) as (child,):
        child.expect("added")
    monkeypatch.setattr("substrate.kv.lmdb.process.Shared.declare_all", lambda _, __: None)
    with pytest.raises(Busy, match="extra"):
        store.copy(tmp_path / "copy", nothing)
    with pytest.raises(Busy, match="extra"):
        store.compact()
    store.close()


def test_a_made_store_has_what_was_filled_in(tmp_path: Path) -> None:
    def fill(new: Store, _: Path) -> None:
        append(new, "one")
        append(new, "two")

    make_store(tmp_path / "made", TABLES, fill)
    store = open_store(tmp_path / "made", TABLES)
    assert tokens(store) == ["one", "two"]
    assert content(store)["data"] == []
    store.close()


def test_a_lock_file_is_reserved_unless_nothing_may_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.reserve_lock_file(tmp_path)
    size = (tmp_path / "lock.mdb").stat().st_size
    folder.reserve_lock_file(tmp_path)
    assert (tmp_path / "lock.mdb").stat().st_size == size > 1024 * 64
    monkeypatch.setattr(os, "write", lambda *_: 10)
    (tmp_path / "full").mkdir()
    with pytest.raises(OSError, match="no room"):
        folder.reserve_lock_file(tmp_path / "full")
    assert not list((tmp_path / "full").iterdir())
    with pytest.raises(FileNotFoundError):
        folder.reserve_lock_file(tmp_path / "nowhere")
