"""What the power-failure test records: a session with every kind of write, which says what it has done.

    python -m tests.crash.power_writer STORE HOME SEED [TWIN]

The twins are broken on purpose: `no-sync` commits without flushing, `no-names` never syncs a folder.
"""

from __future__ import annotations

import os
import random
import stat
import sys
from pathlib import Path

import lmdb

from substrate.codec import draft_forget, draft_put
from substrate.log.log import Log, open_log
from tests.crash.writer import append, say

__all__ = ["CANARY"]

CANARY = "the-erased-words"


def no_sync() -> None:
    opened = lmdb.open
    lmdb.open = lambda *args, **options: opened(*args, **{**options, "sync": False, "metasync": False})


def no_names() -> None:
    fsync = os.fsync

    def files_only(fd: int) -> None:
        if not stat.S_ISDIR(os.fstat(fd).st_mode):
            fsync(fd)

    os.fsync = files_only


def commits(log: Log, count: int, rng: random.Random) -> None:
    for _ in range(count):
        append(log, f"{rng.getrandbits(32)}", rng)


def main(store: str, home: str, seed: str, twin: str = "") -> None:
    {"": lambda: None, "no-sync": no_sync, "no-names": no_names}[twin]()
    rng = random.Random(seed)
    with open_log(Path(store), home=Path(home)) as log:
        say("open", log)
        commits(log, 10, rng)
        log.rotate_key()
        say("rotate", log)
        commits(log, 10, rng)
        secret = log.append([draft_put("v1.fact.secret", f"secret 0 1 {CANARY}")])
        say("append", log)
        record = log.record("v1.fact.secret")
        log.append([draft_forget(secret.subjects[0], secret.seqs, record.key)])
        say("forget", log)
        log.compact()
        say("compact", log)
        commits(log, 8, rng)
    with open_log(Path(store), home=Path(home)) as log:
        say("open", log)
        commits(log, 8, rng)
        log.rotate_key()
        say("rotate", log)


if __name__ == "__main__":
    main(*sys.argv[1:])
