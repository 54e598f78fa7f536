"""What the crash tests kill: a process that appends, compacts or rotates without end, and says what it *has* done.

    python -m tests.crash.writer STORE HOME DEED SEED

Each line goes out by one unbuffered write after the call has returned, so "acknowledged" is what the pipe holds. The
deeds `append-early`, `append-split` and `rebuild-in-place` are broken on purpose: the checks must find them out.
"""

from __future__ import annotations

import json
import os
import random
import sys
from collections.abc import Callable
from pathlib import Path

from substrate.codec import Draft, draft_put
from substrate.log.append import Appended, Appender
from substrate.log.log import Log, open_log
from substrate.log.tables import KEYS, MAP, NODES

PADDING = (0, 40, 400, 6000)


def say(deed: str, log: Log | None = None) -> None:
    said: dict[str, object] = {"deed": deed}
    if log is not None:
        head = log.head().head
        said |= {"size": head.size, "root": head.root.hex(), "key": str(log.key())}
    os.write(1, json.dumps(said).encode() + b"\n")


def batch(label: str, rng: random.Random) -> list[Draft]:
    """Atoms whose values tell which batch they belong to, and how many there are in it."""
    size = rng.choice((1, 2, 5, 20, 60))
    return [
        draft_put(f"v1.fact.n{rng.randrange(300)}", f"{label} {i} {size} {'x' * rng.choice(PADDING)}")
        for i in range(size)
    ]


def append(log: Log, label: str, rng: random.Random) -> None:
    log.append(batch(label, rng))
    say("append", log)


def append_early(log: Log, label: str, rng: random.Random) -> None:
    """The twin that acknowledges before the commit."""
    write = Appender._write

    def hasty(*arguments: object) -> Appended:
        appended = write(*arguments)
        head = appended.head.head
        said = {"deed": "append", "size": head.size, "root": head.root.hex()}
        os.write(1, json.dumps(said).encode() + b"\n")
        return appended

    Appender._write = hasty
    try:
        log.append(batch(label, rng))
    finally:
        Appender._write = write


def append_split(log: Log, label: str, rng: random.Random) -> None:
    """The twin that writes a batch in two transactions."""
    drafts = batch(label, rng)
    for part in filter(None, (drafts[: len(drafts) // 2], drafts[len(drafts) // 2 :])):
        log.append(part)
    say("append", log)


def compact(log: Log, label: str, rng: random.Random) -> None:
    append(log, label, rng)
    say("compacting")
    log.compact()
    say("compact", log)


def rotate(log: Log, label: str, rng: random.Random) -> None:
    append(log, label, rng)
    say("rotating")
    log.rotate_key()
    say("rotate", log)


def rebuild(log: Log, label: str, rng: random.Random) -> None:
    append(log, label, rng)
    say("rebuilding")
    log.rebuild()
    say("rebuild", log)


def rebuild_in_place(log: Log, label: str, rng: random.Random) -> None:
    """The twin that empties the tables of the live store, then fills them again, row by row: slow enough for a kill."""
    append(log, label, rng)
    say("rebuilding")
    with log._store.read() as old:
        rows = {table: list(old.scan(table)) for table in (NODES, MAP, KEYS)}
    with log._store.write() as transaction:
        for table, items in rows.items():
            for key, _ in items:
                transaction.delete(table, key)
    for table, items in rows.items():
        for key, row in items:
            with log._store.write() as transaction:
                transaction.put(table, key, row)
    say("rebuild", log)


DEEDS: dict[str, Callable[[Log, str, random.Random], None]] = {
    "append": append,
    "append-early": append_early,
    "append-split": append_split,
    "compact": compact,
    "rebuild": rebuild,
    "rebuild-in-place": rebuild_in_place,
    "rotate": rotate,
}


def main(store: str, home: str, deed: str, seed: str) -> None:
    rng = random.Random(seed)
    say("opening")
    with open_log(Path(store), home=Path(home)) as log:
        say("open", log)
        number = 0
        while True:
            DEEDS[deed](log, f"{seed}.{number}", rng)
            number += 1


if __name__ == "__main__":
    main(*sys.argv[1:])
