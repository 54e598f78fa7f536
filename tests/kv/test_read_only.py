"""A read-only open writes nothing and creates nothing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from substrate.errors import Denied
from substrate.kv.lmdb.environment import open_store
from tests.kv.child import TABLES, append, tokens
from tests.kv.limited import digest
from tests.kv.processes import children
from tests.kv.test_full import needs_mount, run


@pytest.fixture
def path(tmp_path: Path) -> Path:
    store = open_store(tmp_path / "there", TABLES)
    for number in range(20):
        append(store, f"t{number}")
    store.compact()
    store.close()
    return tmp_path / "there"


def test_a_read_only_session_changes_no_file(path: Path) -> None:
    (path / "env.0009").mkdir()  # debris, too, is left to a writer
    before = digest(path)
    store = open_store(path, TABLES, read_only=True)
    assert len(tokens(store)) == 20
    with store.read() as transaction:
        assert transaction.get("data", b"nothing") is None
    for refused in (store.write, store.compact):
        with pytest.raises(Denied, match="read_only=False"):
            refused()
    store.close()
    assert digest(path) == before


def test_the_digest_of_this_test_sees_a_write(path: Path) -> None:
    before = digest(path)
    store = open_store(path, TABLES)
    append(store, "more")
    store.close()
    assert digest(path) != before


def test_a_table_that_is_not_there_is_empty_until_a_writer_creates_it(path: Path) -> None:
    reader = open_store(path, [*TABLES, "new"], read_only=True)
    with reader.read() as transaction:
        assert transaction.get("new", b"k") is None
        assert transaction.get_many("new", [b"k", b"l"]) == [None, None]
        assert list(transaction.scan("new")) == list(transaction.scan("new", reverse=True)) == []
        assert transaction.count("new") == 0
        assert transaction.count("log") == 20
    with children(("add-table", path, "new")) as (child,):
        child.expect("added")
    with reader.read() as transaction:
        assert transaction.get("new", b"k") == b"v"
    reader.close()


def test_a_reader_follows_a_compaction_by_another_process(path: Path) -> None:
    reader = open_store(path, TABLES, read_only=True)
    with children(("compact", path)) as (compacting,):
        compacting.expect("open")
        for count in range(2, 8):
            compacting.until(count)
            assert len(tokens(reader)) == 20
    reader.close()


def test_a_copy_without_lock_files_is_not_read_where_one_could_write(path: Path) -> None:
    copy = path.with_name("copy")
    shutil.copytree(path, copy, ignore=shutil.ignore_patterns("*.lock"))
    before = digest(copy)
    with pytest.raises(Denied, match="open the store once for writing"):
        open_store(copy, TABLES, read_only=True)
    assert digest(copy) == before
    open_store(copy, TABLES).close()
    reader = open_store(copy, TABLES, read_only=True)
    assert len(tokens(reader)) == 20
    reader.close()


@needs_mount
def test_a_read_only_mount(path: Path) -> None:
    here = path.with_name("here")
    here.mkdir()
    run("read_only_mount", path.parent, f"mount --bind {path} {here} && mount -o remount,ro,bind {here}")


@needs_mount
def test_a_read_only_mount_without_lock_files(path: Path) -> None:
    here = path.with_name("here")
    here.mkdir()
    for file in [*path.glob("*.lock"), *path.rglob("lock.mdb")]:
        file.unlink()
    scenario = "read_only_mount_without_lock_files"
    run(scenario, path.parent, f"mount --bind {path} {here} && mount -o remount,ro,bind {here}")


def test_a_store_of_someone_else_is_denied(path: Path) -> None:
    """Run as another user, since the folder's mode does not bind root."""
    with children(("read-as-nobody", path)) as (child,):
        assert child.line() in {"denied", "cannot change user"}
