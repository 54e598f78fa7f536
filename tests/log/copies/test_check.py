"""fsck names the first damage, whichever row of whichever table it is in."""

from __future__ import annotations

import re
import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from substrate.care import fsck as fsck_module
from substrate.care.fsck import fsck
from substrate.codec import draft_forget, draft_other, draft_put, draft_tombstone
from substrate.errors import FormatTooNew, NotFound, SubstrateError
from substrate.kv.api import WriteTransaction
from substrate.log.copies import check as check_module
from substrate.log.copies.check import Report, check_store
from substrate.log.copies.contents import Truth
from substrate.log.log import Log, open_log
from substrate.log.map import TOP
from substrate.log.tables import BODIES, ENTRIES, HEADS, KEYS, MAP, META, NODES, seq_key
from substrate.proof.entry import Kind
from tests.log.grown import EDGE, Values
from tests.scale import PATIENCE_S


@pytest.fixture
def grown(log: Log) -> Log:
    """A log with entries of all kinds, two keys, and an erased body."""
    log.append([draft_put(f"v1.fact.n{i}", str(i)) for i in range(40)])
    log.append([draft_tombstone("v1.fact.n1"), draft_other(Kind.EDGE, EDGE)])
    log.rotate_key()
    record = log.record("v1.fact.n2")
    assert record is not None
    log.append([draft_forget(record.subject, [record.seq], record.key), draft_put("v1.fact.n3", "new")])
    return log


def test_a_sound_store_has_no_damage_and_progress_is_told(
    grown: Log, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check_module, "BATCH", 10)
    told: list[tuple[int, int]] = []
    report = check_store(tmp_path / "store", home=home, progress=lambda done, total: told.append((done, total)))
    size = grown.head().head.size
    assert report == Report(size, 5, None)
    assert report.ok
    assert told == [(done, size) for done in range(10, size, 10)]


@pytest.mark.usefixtures("grown")
def test_fsck_runs_in_a_child_and_says_the_same(tmp_path: Path, home: Path) -> None:
    assert fsck(tmp_path / "store", home=home) == check_store(tmp_path / "store", home=home)
    assert fsck(tmp_path / "store").ok
    with pytest.raises(NotFound, match="no store"):
        fsck(tmp_path / "nowhere")


def test_fsck_does_not_run_what_lies_in_the_working_folder(
    log: Log, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log.append([draft_put("v1.fact.a", "1")])
    (tmp_path / "lmdb.py").write_text("raise SystemExit('taken in')", encoding="ascii")
    monkeypatch.chdir(tmp_path)
    assert fsck(tmp_path / "store").ok


def test_a_store_of_tomorrow_is_no_damage(log: Log, tmp_path: Path) -> None:
    log.close()
    (tmp_path / "store" / "CURRENT").write_text("substrate 2 env.0001\n", encoding="ascii")
    with pytest.raises(FormatTooNew):
        fsck(tmp_path / "store")


def test_a_writer_at_work_is_no_damage(log: Log, tmp_path: Path, home: Path) -> None:
    done = threading.Event()

    def write() -> None:
        for _ in range(1000):  # a longer log would only be slower to check
            if done.is_set():
                break
            log.append([draft_put("v1.fact.a", "1")])

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(8):
            assert check_store(tmp_path / "store", home=home).damage is None
            open_log(tmp_path / "store", home=home).close()
    finally:
        done.set()
        writer.join(PATIENCE_S)


def flip(data: bytes | None, at: int) -> bytes:
    assert data is not None
    at %= len(data)
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def change(table: str, key: bytes, at: int = 0) -> Callable[[WriteTransaction], None]:
    return lambda t: t.put(table, key, flip(t.get(table, key), at))


def drop(table: str, key: bytes) -> Callable[[WriteTransaction], None]:
    return lambda t: t.delete(table, key) and None


def swap_heads(t: WriteTransaction) -> None:
    first, second = t.get(HEADS, seq_key(1)), t.get(HEADS, seq_key(41))
    t.put(HEADS, seq_key(41), first or b"")
    t.put(HEADS, seq_key(1), second or b"")


def earlier(t: WriteTransaction) -> None:
    data = t.get(ENTRIES, seq_key(7)) or b""
    t.put(ENTRIES, seq_key(7), data[:18] + bytes(8) + data[26:])


def strip_signature(t: WriteTransaction) -> None:
    lines = (t.get(HEADS, seq_key(44)) or b"").decode().splitlines(keepends=True)
    t.put(HEADS, seq_key(44), "".join(lines[:-1]).encode())


def add_signature(t: WriteTransaction) -> None:
    note = t.get(HEADS, seq_key(41)) or b""
    t.put(HEADS, seq_key(41), note + "\N{EM DASH} witness AQIDBAUG\n".encode())


def keep_body(t: WriteTransaction) -> None:
    """As if a forget had not erased what it lists: another version of the forgotten name, never listed."""
    t.put(BODIES, seq_key(3), b"x" * 20)


DAMAGE: dict[str, tuple[Callable[[WriteTransaction], None], str]] = {
    "an entry's kind": (change(ENTRIES, seq_key(5), 1), "body of entry 5|entry 5|nodes at entry 5"),
    "an entry's format": (change(ENTRIES, seq_key(5), 0), "entry 5 is malformed"),
    "an entry's id": (change(ENTRIES, seq_key(5), 4), "nodes at entry 5"),
    "an entry's time": (change(ENTRIES, seq_key(5), 25), "nodes at entry 5|older"),
    "an entry's time, backwards": (earlier, "entry 7 is older"),
    "an entry's commitment": (change(ENTRIES, seq_key(5), 40), "body of entry 5 is not"),
    "an entry lost": (drop(ENTRIES, seq_key(5)), "entry 5 is missing"),
    "the last entry lost": (drop(ENTRIES, seq_key(45)), "beyond the last entry"),
    "a body": (change(BODIES, seq_key(5), -1), "body of entry 5 is not"),
    "a salt": (change(BODIES, seq_key(5), 3), "body of entry 5 is not"),
    "a body lost": (drop(BODIES, seq_key(5)), "body of entry 5 is gone without a forget entry"),
    "a body beyond the end": (lambda t: t.put(BODIES, seq_key(99), b"x" * 20), "beyond the last entry"),
    "an erased body back": (lambda t: t.put(BODIES, seq_key(3), b"x" * 20), "body of entry 3 is not"),
    "a leaf": (change(NODES, seq_key(6), 0), "nodes at entry 6"),
    "an inner node": (change(NODES, seq_key(7), 70), "nodes at entry 7"),
    "a node lost": (drop(NODES, seq_key(6)), "nodes at entry 6"),
    "a node beyond the end": (lambda t: t.put(NODES, seq_key(99), bytes(32)), "beyond the last entry"),
    "a signature": (change(HEADS, seq_key(41), -10), "head at size 41 is not signed|malformed"),
    "a head's text": (change(HEADS, seq_key(41), 60), "head at size 41"),
    "a head's root": (change(HEADS, seq_key(41), 45), "head at size 41"),
    "a head that is no text": (lambda t: t.put(HEADS, seq_key(41), b"\xff"), "head at size 41 is malformed"),
    "heads swapped": (swap_heads, "head at size 1 is of another log or size"),
    "a head beyond the end": (lambda t: t.put(HEADS, seq_key(99), b"x"), "beyond the last entry"),
    "a rotation's head lost": (drop(HEADS, seq_key(44)), "head at size 44"),
    "a rotation's second signature": (strip_signature, "head at size 44 is not signed by just"),
    "a signature too many": (add_signature, "head at size 41 is not signed by just"),
    "a forgotten name's body": (keep_body, "body of entry 3 is not|gone|though entry"),
    "a view's applied seq": (lambda t: t.put(META, b"applied:x", seq_key(1)), "a view has not applied"),
    "the last head lost": (drop(HEADS, seq_key(46)), "no head covers the last"),
    "a key": (change(KEYS, seq_key(43), -3), "table keys"),
    "a key too many": (lambda t: t.put(KEYS, seq_key(44), b"x"), "table keys"),
    "the map's top": (change(MAP, TOP, 20), "topmost tile|map"),
    "the map's bitmap": (change(MAP, TOP, 2), "malformed"),
    "a tile lost": (lambda t: t.delete(MAP, second_tile(t)) and None, "map lacks the tile"),
    "a tile's record": (lambda t: t.put(MAP, second_tile(t), flip(t.get(MAP, second_tile(t)), -1)), "map's tile"),
    "a tile too many": (lambda t: t.put(MAP, TOP + b"0123456", bytes(8)), "no tile above them names"),
    "the map salt": (change(META, b"map_salt"), "map"),
    "the origin": (change(META, b"origin", -1), "the data in it is of"),
    "a stranger in meta": (lambda t: t.put(META, b"x", b"y"), "table meta"),
    "meta lost": (drop(META, b"map_salt"), "table meta"),
}


def second_tile(t: WriteTransaction) -> bytes:
    return next(key for key, _ in t.scan(MAP) if key != TOP)


@pytest.mark.parametrize("what", DAMAGE)
def test_any_damaged_row_is_found_and_named(grown: Log, tmp_path: Path, home: Path, what: str) -> None:
    damage, message = DAMAGE[what]
    with grown._store.write() as transaction:
        damage(transaction)
    report = check_store(tmp_path / "store", home=home)
    assert report.damage is not None
    assert re.search(message, report.damage), report.damage


def test_a_map_that_is_right_in_itself_but_not_what_the_log_says_is_found(grown: Log, tmp_path: Path) -> None:
    with grown._store.write() as transaction:
        row = transaction.get(MAP, TOP)
        assert row is not None
    # The twin: a check that leaves out where a record lies and what the log says of it passes what ours finds.
    real = Truth._replay

    def forgetful(self: Truth, seq: int, *rest: object) -> None:
        if seq != 10:
            real(self, seq, *rest)  # type: ignore[arg-type]

    Truth._replay = forgetful  # type: ignore[assignment]
    try:
        report = check_store(tmp_path / "store")
    finally:
        Truth._replay = real  # type: ignore[method-assign]
    assert "record that the log does not have" in str(report.damage)


def test_a_view_is_compared_with_a_replay(reopen: Callable[..., Log], tmp_path: Path) -> None:
    log = reopen(views=[Values()])
    log.append([draft_put(f"v1.fact.n{i}", str(i)) for i in range(5)])
    record = log.record("v1.fact.n2")
    assert record is not None
    log.append([draft_forget(record.subject, [3], record.key)])
    assert check_store(tmp_path / "store", views=[Values()]).damage is None
    with log._store.write() as transaction:
        transaction.put("values", seq_key(4), b"wrong")
    assert "view values" in str(check_store(tmp_path / "store", views=[Values()]).damage)


def test_a_body_that_outlived_the_forgetting_of_its_name_is_found(log: Log, tmp_path: Path) -> None:
    log.append([draft_put("v1.fact.a", "first")])
    log.append([draft_put("v1.fact.a", "second")])
    record = log.record("v1.fact.a")
    assert record is not None
    log.append([draft_forget(record.subject, [record.seq], record.key)])
    assert "body of entry 1 is there, though entry 3 forgot its name" in str(check_store(tmp_path / "store").damage)


def test_a_rolled_back_store_is_told_by_fsck_when_it_knows_the_home(grown: Log, tmp_path: Path, home: Path) -> None:
    shutil.copytree(tmp_path / "store", tmp_path / "old")
    grown.append([draft_put("v1.fact.more", "1")])
    assert check_store(tmp_path / "old").ok
    report = check_store(tmp_path / "old", home=home)
    assert (report.ok, report.behind) == (False, True)
    assert f"last in {tmp_path / 'store'}" in str(report.damage)


def test_a_file_that_crashes_its_reader_still_gives_a_report(
    grown: Log, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grown.close()
    monkeypatch.setattr(fsck_module.sys, "executable", "/bin/false")
    with pytest.raises(SubstrateError, match="says nothing about the store"):
        fsck(tmp_path / "store")
    crash = tmp_path / "crash"
    crash.write_text("#!/bin/sh\nkill -SEGV $$\n", encoding="ascii")
    crash.chmod(0o755)
    monkeypatch.setattr(fsck_module.sys, "executable", str(crash))
    assert "SIGSEGV" in str(fsck(tmp_path / "store").damage)
