"""Ctrl-C at random moments, as in a notebook: `python -m tests.kv.interrupted PATH SECONDS`.

No lock may stay behind, of ours or of LMDB.
"""

from __future__ import annotations

import random
import signal
import sys
import time
from pathlib import Path
from typing import Any

from substrate.kv.lmdb.environment import LmdbStore, open_store
from tests.kv.child import TABLES, append, tokens
from tests.kv.processes import children


def work(store: LmdbStore, token: str, acknowledged: list[str]) -> None:
    with store.read() as outer, store.read() as inner:
        outer.count("log")
        inner.get("data", b"key")
    if token.endswith(("0", "3", "6", "9")):
        append(store, token)
        acknowledged.append(token)


def main(path: Path, seconds: float) -> None:
    store = open_store(path, TABLES, wait_s=5.0)
    generator = random.Random(3)
    armed = False

    def interrupt(*_: object) -> None:
        if armed:
            raise KeyboardInterrupt

    signal.signal(signal.SIGALRM, interrupt)
    acknowledged: list[str] = []
    number = struck = 0
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        number += 1
        try:
            armed = True
            signal.setitimer(signal.ITIMER_REAL, generator.uniform(1e-6, 1e-4))
            work(store, f"t{number}", acknowledged)
            armed = False
        except KeyboardInterrupt:
            armed = False
            struck += 1
        signal.setitimer(signal.ITIMER_REAL, 0)
        locks = store._handle.shared().locks
        assert not locks.gate.is_inside(), "still inside the gate"
        assert not locks.writer.is_mine(), "still holding the writer lock"
    found = tokens(store)
    assert set(acknowledged) <= set(found)
    assert len(found) == len(set(found))
    # Nothing is left of the files' locks either, nor of LMDB's slots: other processes go on.
    with children(("compact", path)) as (compacting,):
        compacting.until(2)
        compacting.finish()
    append(store, "after")
    environment: Any = store._handle.shared()._environment
    assert len(str(environment._raw.readers()).splitlines()) <= 3
    print(number, struck)


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]))
