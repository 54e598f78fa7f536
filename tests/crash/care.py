"""What `test_care.py` kills: a process that makes a store out of another one.

    python -m tests.crash.care DEED SOURCE HOME TARGET

The two twins are broken on purpose: they make the target in its place, where it can be taken for whole too early.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from substrate.log.copies.clone import clone, export_full, line_text
from substrate.log.copies.restore import restore
from substrate.log.log import open_log


def backup(source: Path, home: Path, target: Path) -> None:
    with open_log(source, home=home, read_only=True) as log:
        log.backup(target)


def copy_in_place(source: Path, home: Path, target: Path) -> None:
    """A twin: the folder file by file, as `cp` would."""
    del home
    target.mkdir()
    shutil.copy(source / "CURRENT", target)
    for name in ("writer.lock", "queue.lock", "gate.lock", "turn.lock"):
        shutil.copy(source / name, target)
    for environment in source.glob("env.*"):
        (target / environment.name).mkdir()
        with (environment / "data.mdb").open("rb") as old, (target / environment.name / "data.mdb").open("wb") as new:
            while data := old.read(4096):
                new.write(data)
                new.flush()
                os.fsync(new.fileno())


def clone_in_place(source: Path, home: Path, target: Path) -> None:
    """A twin: a store from the first line on, into which entry after entry is put."""
    with open_log(source, home=home, read_only=True) as log, open_log(target, home=home) as new:
        for stored in log.entries(1):
            with new._store.write() as transaction:
                transaction.put("bodies", stored.seq.to_bytes(8, "big"), b"x" * 20)


def clone_lines(source: Path, home: Path, target: Path) -> None:
    with (source.parent / "export.jsonl").open(encoding="utf-8", newline="\n") as file:
        clone(file, target, home=home)


DEEDS: dict[str, Callable[[Path, Path, Path], object]] = {
    "backup": backup,
    "clone": clone_lines,
    "clone-in-place": clone_in_place,
    "copy-in-place": copy_in_place,
    "restore": lambda source, home, target: restore(source, target, home=home),
}


def export(source: Path, home: Path) -> None:
    """Write the lines that `clone` reads."""
    with (
        open_log(source, home=home, read_only=True) as log,
        log.snapshot() as transaction,
        (source.parent / "export.jsonl").open("w", encoding="utf-8", newline="\n") as file,
    ):
        export_full(transaction, lambda line: file.write(line_text(line) + "\n") and None)


if __name__ == "__main__":
    os.write(1, b"begins\n")
    DEEDS[sys.argv[1]](*map(Path, sys.argv[2:]))
    os.write(1, b"done\n")
