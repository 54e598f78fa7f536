"""A file may end before its last page, if it lacks free pages alone. One that lacks a page in use was cut off.

What is true of a file says `lmdb.verify`, which reads all of it.
"""

from __future__ import annotations

import os
import shutil
import signal
import struct
from collections.abc import Callable
from pathlib import Path

import lmdb
import pytest
from lmdb.verify import verify

from substrate.errors import StoreDamaged
from substrate.kv.lmdb import environment
from substrate.kv.lmdb.environment import open_store
from substrate.kv.lmdb.free_pages import lacks_only_free_pages
from tests.kv.child import TABLES, append, take_and_free, tokens
from tests.kv.processes import children

PAGE = 4096
META = struct.Struct("=16xII16xI4xQQQQQ48xQQ")


@pytest.fixture
def short(tmp_path: Path) -> Path:
    """A sound store whose file ends before its last page: who wrote it was killed right after the commit."""
    path = tmp_path / "store"
    store = open_store(path, TABLES)
    append(store, "before")
    store.close()
    with children(("take-and-free-and-die", path)) as (child,):
        assert child.errors() == ""
        assert child.process.returncode == -signal.SIGKILL
    assert data_of(path).stat().st_size < needed_by(path)
    return path


def data_of(path: Path) -> Path:
    return next(path.glob("env.*/data.mdb"))


def needed_by(path: Path) -> int:
    raw = lmdb.open(str(data_of(path).parent), readonly=True, lock=False, max_dbs=8)
    try:
        return int(raw.info()["last_pgno"] + 1) * int(raw.stat()["psize"])
    finally:
        raw.close()


@pytest.mark.parametrize("read_only", [True, False])
def test_a_store_whose_writer_was_killed_after_a_commit_that_freed_its_last_pages_opens(
    short: Path,
    read_only: bool,  # noqa: FBT001
) -> None:
    size = data_of(short).stat().st_size
    store = open_store(short, TABLES, read_only=read_only)
    assert tokens(store) == ["before"]
    with store.read() as transaction:
        assert transaction.get("data", b"taken0") == b"t" * 5000
    store.close()
    assert data_of(short).stat().st_size == (size if read_only else needed_by(short))
    assert verify(str(data_of(short))) == []


def test_such_a_store_is_written_copied_and_compacted(short: Path, tmp_path: Path) -> None:
    reader = open_store(short, TABLES, read_only=True)
    reader.copy(tmp_path / "copy", lambda new, _: append(new, "copied"))
    store = open_store(short, TABLES)
    append(store, "after")
    take_and_free(store)
    store.compact()
    take_and_free(store)
    store.rewrite(lambda _, new: take_and_free(new))
    for opened in (store, reader):
        opened.close()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(environment.folder, "reach", lambda *_: None)  # as on a full disk
        store = open_store(short, TABLES)
        take_and_free(store)
        append(store, "last")
        store.close()
    copy = open_store(tmp_path / "copy", TABLES)
    assert (tokens(copy), verify(str(data_of(tmp_path / "copy")))) == (["before", "copied"], [])
    copy.close()
    assert verify(str(data_of(short))) == []


def test_a_store_that_lacks_a_page_in_use_is_refused_wherever_it_was_cut(short: Path, tmp_path: Path) -> None:
    """Its last page is the second one of a value, which only who reads that value would miss."""
    whole = data_of(short).read_bytes()
    for left in {*range(2 * PAGE, len(whole), len(whole) // 20), *range(len(whole) - 3 * PAGE, len(whole), 1024)}:
        for read_only in (True, False):
            shutil.copytree(short, tmp_path / "cut")
            os.truncate(data_of(tmp_path / "cut"), left)
            with pytest.raises(StoreDamaged, match="cut off"):
                open_store(tmp_path / "cut", TABLES, read_only=read_only)
            assert data_of(tmp_path / "cut").stat().st_size == left
            shutil.rmtree(tmp_path / "cut")


def test_many_files_are_judged_as_a_reading_of_all_of_them_judges(tmp_path: Path) -> None:
    store = open_store(tmp_path / "store", TABLES)
    for step in range(12):
        with store.write() as transaction:
            for i in range(300):
                transaction.put(TABLES[0], b"%d" % i, b"x" * (97 * step + i))
            for i in range(13 * step, 300):
                transaction.delete(TABLES[0], b"%d" % i)
        store.close()
        data = data_of(tmp_path / "store")
        raw = lmdb.open(str(data.parent), readonly=True, lock=False)
        state = raw.info()["last_txnid"]
        raw.close()
        for cut in (0, 1, 2, 5):
            (tmp_path / "cut").write_bytes(data.read_bytes()[: data.stat().st_size - cut * PAGE])
            fd = os.open(tmp_path / "cut", os.O_RDONLY)
            assert lacks_only_free_pages(fd, PAGE, state) is (not verify(str(tmp_path / "cut"))), (step, cut)
            assert not lacks_only_free_pages(fd, PAGE, state + 2), "the meta page is of another transaction"
            os.close(fd)
        store = open_store(tmp_path / "store", TABLES)
    store.close()


def test_a_file_of_changed_bytes_is_judged_and_the_reading_ends(short: Path) -> None:
    raw = lmdb.open(str(data_of(short).parent), readonly=True, lock=False)
    state = raw.info()["last_txnid"]
    raw.close()
    whole = data_of(short).read_bytes()
    fd = os.open(data_of(short), os.O_RDWR)
    judged = set()
    for at in range(0, len(whole) - 2, 331):
        for value in (b"\xff\xff", b"\0\0", b"\2\0"):
            os.pwrite(fd, value, at)
            judged.add(lacks_only_free_pages(fd, PAGE, state))
        os.pwrite(fd, whole[at : at + 2], at)
    assert judged == {True, False}
    assert lacks_only_free_pages(fd, PAGE, state)
    os.close(fd)


def forged(path: Path, nodes: int, size: int) -> int:
    """A file of few bytes on disk, with a list whose values of `size` bytes lie over each other."""
    fd = os.open(path, os.O_RDWR | os.O_CREAT)
    os.ftruncate(fd, size + PAGE * (nodes + 8))
    os.pwrite(fd, META.pack(0xBEEFC0DE, 1, PAGE, 0, 0, 0, 0, 2, 1 << 40, 2), 0)
    page = bytearray(PAGE)
    struct.pack_into("=QHHHH", page, 0, 2, 0, 2, 16 + 2 * nodes, 0)
    for i in range(nodes):
        at = PAGE - 24 * (i + 1)
        struct.pack_into("=HHHHQQ", page, at, size & 0xFFFF, size >> 16, 1, 8, i, 3 + i)
        struct.pack_into("=H", page, 16 + 2 * i, at)
        os.pwrite(fd, struct.pack("=QHHIQ", 3 + i, 0, 4, 0, size // 8 - 1), (3 + i) * PAGE)
    os.pwrite(fd, page, 2 * PAGE)
    return fd


def read_by(monkeypatch: pytest.MonkeyPatch, judge: Callable[[], bool]) -> tuple[bool, int]:
    """What it says, and how many bytes it read."""
    right, sizes = os.pread, []

    def counted(fd: int, size: int, at: int) -> bytes:
        sizes.append(size)
        return right(fd, size, at)

    with monkeypatch.context() as patched:
        patched.setattr(os, "pread", counted)
        return judge(), sum(sizes)


def test_a_forged_file_costs_no_more_than_it_has_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fd = forged(tmp_path / "data.mdb", 150, 64 << 20)
    on_disk = os.fstat(fd).st_blocks * 512
    is_sound, read = read_by(monkeypatch, lambda: lacks_only_free_pages(fd, PAGE, 2))
    os.close(fd)
    assert not is_sound
    assert read <= on_disk + PAGE


def test_nodes_that_lie_over_each_other_are_refused(tmp_path: Path) -> None:
    """The first list is there once or 1,000 times; the page that the file lacks is in the second one."""
    fd = os.open(tmp_path / "data.mdb", os.O_RDWR | os.O_CREAT)
    os.ftruncate(fd, 4 * PAGE)
    os.pwrite(fd, META.pack(0xBEEFC0DE, 1, PAGE, 0, 0, 0, 0, 2, 5, 2), 0)
    for times, is_sound in ((1, True), (1000, False)):
        page = bytearray(PAGE)
        struct.pack_into("=QHHHH", page, 0, 2, 0, 2, 16 + 2 * (times + 1), 0)
        struct.pack_into(f"={times + 1}H", page, 16, *[PAGE - 32] * times, PAGE - 64)
        for at, free in ((PAGE - 32, 5), (PAGE - 64, 4)):
            struct.pack_into("=HHHHQQQ", page, at, 16, 0, 0, 8, 1, 1, free)
        os.pwrite(fd, page, 2 * PAGE)
        assert lacks_only_free_pages(fd, PAGE, 2) is is_sound
    os.close(fd)


@pytest.mark.parametrize("page_size", [1, 8, 12, 128, 255, 300, 4095])
def test_a_page_size_that_lmdb_does_not_have_is_refused(tmp_path: Path, page_size: int) -> None:
    fd = os.open(tmp_path / "data.mdb", os.O_RDWR | os.O_CREAT)
    os.ftruncate(fd, 300 * PAGE)
    os.pwrite(fd, META.pack(0xBEEFC0DE, 1, page_size, 0, 0, 0, 0, 200, 1 << 30, 2), 0)
    os.pwrite(fd, struct.pack("=QHHHH", 200, 0, 2, 16, 0), 200 * page_size)
    assert not lacks_only_free_pages(fd, page_size, 2)
    os.close(fd)


def test_of_a_long_list_only_what_lies_beyond_the_end_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    size = 100 * PAGE
    fd = forged(tmp_path / "data.mdb", 1, size)
    end = os.fstat(fd).st_size // PAGE
    free = [*range(end + 2, end - 1, -1), *range(end - 1, 4, -1)]
    os.pwrite(fd, struct.pack(f"={1 + len(free)}Q", len(free), *free), 3 * PAGE + 16)
    for last, is_sound, pages in ((end - 1, True, 0), (end, True, 2), (end + 2, True, 2), (end + 3, False, 2)):
        os.pwrite(fd, META.pack(0xBEEFC0DE, 1, PAGE, 0, 0, 0, 0, 2, last, 2), 0)
        found = read_by(monkeypatch, lambda: lacks_only_free_pages(fd, PAGE, 2))
        assert found == (is_sound, META.size + pages * PAGE), last
    os.close(fd)


def test_a_writer_that_stays_open_lengthens_the_file_at_its_next_write(tmp_path: Path) -> None:
    store = open_store(tmp_path / "store", TABLES)
    opened = store._handle.shared()._environment
    assert isinstance(opened, environment._LmdbEnvironment)
    data, shorter = data_of(tmp_path / "store"), 0
    for _ in range(5):
        take_and_free(store)
        shorter += data.stat().st_size < opened._used()
        with store.write():
            assert data.stat().st_size >= opened._used()
    store.close()
    assert shorter
