"""Care on a small disk, in a mount of its own: `python -m tests.log.limited NAME FOLDER POINTS`."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from substrate.codec import draft_put
from substrate.errors import DiskFull
from substrate.log.copies.check import check_store
from substrate.log.copies.clone import clone, export_full, line_text
from substrate.log.copies.restore import restore
from substrate.log.log import Log, open_log
from tests.log.grown import VIEWS, Content, content

SIZE = 3 << 20
"""Of what one more copy of the store takes, and a bit."""


def leave_free(folder: Path, room: int) -> None:
    """A file that fills the disk up to so many bytes."""
    ballast = folder / "ballast"
    ballast.unlink(missing_ok=True)
    disk = os.statvfs(folder)
    with ballast.open("wb") as file:
        file.write(bytes(max(0, disk.f_bavail * disk.f_frsize - room)))


def make(folder: Path) -> tuple[Path, Path]:
    store, home = folder / "store", folder / "home"
    with open_log(store, home=home, views=VIEWS) as log:
        for part in range(10):
            log.append([draft_put(f"v1.fact.n{part}_{i}", "x" * 500) for i in range(100)])
    return store, home


def at_every_fill(folder: Path, points: int, work: Callable[[], None], check: Callable[[bool], None]) -> None:
    """Do the work with more and more room: it fails for want of it, until it does not."""
    outcomes = []
    for point in range(points):
        leave_free(folder, SIZE * point // (points - 1))
        try:
            work()
        except DiskFull:
            outcomes.append(False)
        else:
            outcomes.append(True)
        check(outcomes[-1])
    assert outcomes[0] is False, "there was room all the time"
    assert outcomes[-1] is True, "there was never room"


def sound(store: Path, home: Path, before: Content) -> None:
    assert content(store) == before
    assert check_store(store, home=home, views=VIEWS).damage is None
    assert len(list(store.glob("env.*"))) == 1, "debris is left"


def rebuild(folder: Path, points: int) -> None:
    store, home = make(folder)
    before = content(store)
    log = open_log(store, home=home, views=VIEWS)
    at_every_fill(folder, points, log.rebuild, lambda _: sound(store, home, before))
    at_every_fill(folder, points, log.compact, lambda _: sound(store, home, before))
    still_writable(folder, log)


def backup(folder: Path, points: int) -> None:
    store, home = make(folder)
    before = content(store)
    log = open_log(store, home=home, views=VIEWS)
    target = folder / "backup"
    at_every_fill(folder, points, lambda: log.backup(target) and None, made(target, store, home, before))
    still_writable(folder, log)


def restored(folder: Path, points: int) -> None:
    store, home = make(folder)
    before = content(store)
    with open_log(store, home=home, read_only=True) as log, log.snapshot() as transaction:
        lines: list[str] = []
        export_full(transaction, lambda line: lines.append(line_text(line)))
    target = folder / "new"

    def from_store() -> None:
        for note in home.glob("keys/*/store"):
            note.unlink()  # as if the store were gone: else this one would be another
        restore(store, target, home=home, views=VIEWS)

    def from_lines() -> None:
        clone(lines, target, home=home, views=VIEWS)

    for work in (from_store, from_lines):
        at_every_fill(folder, points, work, made(target, store, home, before))


def made(target: Path, store: Path, home: Path, before: Content) -> Callable[[bool], None]:
    def check(succeeded: bool) -> None:  # noqa: FBT001
        assert target.exists() == succeeded
        if succeeded:
            sound(target, home, before)
            shutil.rmtree(target)
        sound(store, home, before)

    return check


def still_writable(folder: Path, log: Log) -> None:
    (folder / "ballast").unlink()
    log.append([draft_put("v1.fact.after", "1")])
    log.close()


SCENARIOS: dict[str, Callable[[Path, int], None]] = {"rebuild": rebuild, "backup": backup, "restored": restored}

if __name__ == "__main__":
    SCENARIOS[sys.argv[1]](Path(sys.argv[2]), int(sys.argv[3]))
