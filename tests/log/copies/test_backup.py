"""A backup is a whole store of one moment, taken while others write; never half, never over something else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from substrate.codec import draft_put
from substrate.errors import InputError, StoreDamaged
from substrate.kv.lmdb import environment as lmdb_module
from substrate.log.copies import backup as backup_module
from substrate.log.copies.backup import backup_pin
from substrate.log.copies.check import check_store
from substrate.log.log import Log, open_log
from substrate.proof.head import Pin
from tests.kv.processes import ROOT, children
from tests.log.grown import VIEWS, content, forget, grow
from tests.scale import PATIENCE_S

WRITER = """
import sys
from substrate.codec import draft_put
from substrate.log.log import open_log
store, home, label = sys.argv[1:]
with open_log(store, home=home) as log:
    i = 0
    while True:
        log.append([draft_put(f"v1.fact.{label}_{i}_{j}", label) for j in range(i % 3 + 1)])
        print(log.head().head.size, flush=True)
        i += 1
"""


def test_a_backup_is_the_store_of_that_moment(tmp_path: Path, home: Path) -> None:
    with open_log(tmp_path / "store", home=home, views=VIEWS) as log:
        grow(log)
        told: list[tuple[int, int]] = []
        pin = log.backup(tmp_path / "backup", lambda done, total: told.append((done, total)))
        assert str(pin) == str(log.pin())
        log.append([draft_put("v1.fact.later", "1")])
        log.check_pin(pin)
    assert told[-1][0] == told[-1][1] > 100
    assert (
        Pin.parse((tmp_path / "backup" / "BACKUP").read_text(encoding="utf-8"))
        == pin
        == backup_pin(tmp_path / "backup")
    )
    assert check_store(tmp_path / "backup", views=VIEWS).damage is None
    with open_log(tmp_path / "backup", home=tmp_path / "elsewhere", views=VIEWS, read_only=True) as copy:
        assert copy.head() == pin.signed
    assert (tmp_path / "backup").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "backup" / "BACKUP").stat().st_mode & 0o777 == 0o600


def test_its_rows_are_those_of_the_store(tmp_path: Path, home: Path) -> None:
    with open_log(tmp_path / "store", home=home, views=VIEWS) as log:
        grow(log)
    with open_log(tmp_path / "store", home=home, read_only=True) as log:  # read-only, and without its views
        log.backup(tmp_path / "backup")
    assert content(tmp_path / "backup") == content(tmp_path / "store")


def test_while_two_processes_write_each_backup_is_whole_and_contains_the_one_before(tmp_path: Path, home: Path) -> None:
    store = tmp_path / "store"
    open_log(store, home=home).close()
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(store), str(home), label], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        for label in ("a", "b")
    ]
    try:
        pins = []
        with open_log(store, home=home, read_only=True) as log:
            for number in range(4):
                before = pins[-1].head.size if pins else 0
                for writer in writers:  # each has written since the backup before: older lines may wait in its pipe
                    assert writer.stdout is not None
                    while int(writer.stdout.readline()) <= before:
                        pass
                pins.append(log.backup(tmp_path / str(number)))
    finally:
        for writer in writers:
            writer.kill()
            writer.communicate()
    assert [pin.head.size for pin in pins] == sorted({pin.head.size for pin in pins})
    for number, pin in enumerate(pins):
        report = check_store(tmp_path / str(number))
        assert (report.damage, report.entries) == (None, pin.head.size)
        with open_log(tmp_path / str(number), home=tmp_path / "elsewhere", read_only=True) as copy:
            assert copy.head() == pin.signed
            for earlier in pins[: number + 1]:
                copy.check_pin(earlier)


class Restless:
    """A broken twin of a snapshot: each table is read as of a later moment, after someone wrote."""

    def __init__(self, environment: Any, log: Log) -> None:
        self.environment, self.log = environment, log
        self.begun: list[Any] = []

    def stat(self, table: Any) -> Any:
        return self.begin().stat(table)

    def cursor(self, table: Any) -> Any:
        writer = Thread(target=self.log.append, args=([draft_put("v1.fact.later", str(len(self.begun)))],))
        writer.start()
        writer.join(PATIENCE_S)
        return self.begin().cursor(table)

    def begin(self) -> Any:
        self.begun.append(self.environment._raw.begin())
        return self.begun[-1]


def test_a_copy_of_several_moments_is_caught(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = lmdb_module._LmdbEnvironment._copy
    with open_log(tmp_path / "store", home=home) as log:
        grow(log)
        monkeypatch.setattr(
            lmdb_module._LmdbEnvironment,
            "_copy",
            lambda self, _, *rest: real(self, Restless(self, log), *rest),  # type: ignore[arg-type]
        )
        try:  # by the backup itself, or, as for any store, by fsck: that depends on the order of tables
            log.backup(tmp_path / "backup")
            found = check_store(tmp_path / "backup").damage
        except StoreDamaged as error:
            found = str(error)
    assert found is not None


def test_nothing_is_overwritten_and_a_failed_backup_leaves_nothing(
    log: Log, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log.append([draft_put("v1.fact.a", "1")])
    log.backup(tmp_path / "backup")
    before = content(tmp_path / "backup")
    for target in ("backup", "store"):
        with pytest.raises(InputError, match="holds a store"):
            log.backup(tmp_path / target)
    assert content(tmp_path / "backup") == before

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(backup_module, "replace_file", fail)
    with pytest.raises(Exception, match="no room on the disk"):
        log.backup(tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_a_killed_backup_is_refused_by_open_and_can_be_repeated_elsewhere(log: Log, tmp_path: Path, home: Path) -> None:
    log.append([draft_put("v1.fact.a", "1")])
    log.close()
    for step in ("found", "_move_up"):
        target = tmp_path / f"killed-{step}"
        with children(("copy-and-die", tmp_path / "store", target, step)) as (child,):
            child.process.wait(PATIENCE_S)
        for read_only in (True, False):
            with pytest.raises(InputError, match="not finished"):
                open_log(target, home=home, read_only=read_only)
    with open_log(tmp_path / "store", home=home) as again:
        again.backup(tmp_path / "backup")


def test_what_is_erased_is_in_no_byte_of_a_backup(log: Log, tmp_path: Path) -> None:
    log.append([draft_put("v1.fact.secret", "canary" * 100)])
    forget(log, "v1.fact.secret")

    def found(folder: str) -> bool:
        files = [path for path in (tmp_path / folder).rglob("*") if path.is_file() and path.name != "lock.mdb"]
        return any(b"canary" in path.read_bytes() for path in files)

    assert found("store")  # it is erased, but not compacted
    log.backup(tmp_path / "backup")
    assert not found("backup")


def test_an_unreadable_pin_is_told(tmp_path: Path) -> None:
    assert backup_pin(tmp_path) is None
    for data in (b"", b"\xff", b"substrate pin v1\n"):
        (tmp_path / "BACKUP").write_bytes(data)
        with pytest.raises(StoreDamaged, match="not the pin"):
            backup_pin(tmp_path)
