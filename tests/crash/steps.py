"""Ends a process right before its n-th step towards the disk, for any n: a Worker of `children.py`.

A step is a call that changes files, or one that ends a write transaction. What is done inside LMDB between two steps is
left to the tests that kill at random, and to the power-failure test.
"""

from __future__ import annotations

import os
import select
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

from substrate.codec import draft_put
from substrate.kv.lmdb import folder
from substrate.kv.lmdb.transactions import Writing
from substrate.log.keys.keyring import Keyring
from substrate.log.log import Log, open_log
from substrate.proof.note import Signer
from tests.crash.children import PATIENCE_S, serve

STEPS: list[tuple[Any, str]] = [
    *((os, name) for name in ("write", "pwrite", "fsync", "ftruncate", "fchmod")),
    *((os, name) for name in ("rename", "replace", "unlink", "mkdir", "rmdir")),
    (Writing, "__exit__"),
]
REACHED, MISSED = b"reached", b"missed"


def rotate_unstaged(log: Log) -> None:
    """A broken twin: the new key is on disk only after the log says that it is in force."""
    fresh: list[Signer] = []
    with patch.object(Keyring, "stage", lambda _, signer: fresh.append(signer)):
        log.rotate_key()
    log._keyring.stage(fresh[0])


def compact_hastily(log: Log) -> None:
    """A broken twin: the old environment goes before CURRENT names the new one."""
    flip = folder.flip

    def discard_then_flip(path: Path, name: str) -> None:
        folder.discard(path / folder.live(path))
        flip(path, name)

    with patch.object(folder, "flip", discard_then_flip):
        log.compact()


DEEDS: dict[str, Callable[[Log], object]] = {
    "append": lambda log: log.append([draft_put("v1.fact.step", "step 0 1 ")]),
    "compact": lambda log: log.compact(),
    "compact-hastily": compact_hastily,
    "rebuild": lambda log: log.rebuild(),
    "rotate": lambda log: log.rotate_key(),
    "rotate-unstaged": rotate_unstaged,
}


def arm(stop: int, report: int) -> None:
    """From now on, count the steps, and end the process before step number `stop`."""
    count = 0

    def step(name: str, real: Callable[..., object]) -> Callable[..., object]:
        def counted(*arguments: object, **options: object) -> object:
            nonlocal count
            count += 1
            if count == stop:
                write(report, REACHED + b" " + name.encode())
                os._exit(0)
            return real(*arguments, **options)

        return counted

    write = os.write
    for owner, name in STEPS:
        setattr(owner, name, step(name, getattr(owner, name)))


def stop_at(question: dict[str, Any]) -> dict[str, Any]:
    """Do `deed` on `store` and `home` in a child, up to step `stop`. Which step that was; None if there are fewer."""
    answer, report = os.pipe()
    if not os.fork():
        try:
            write = os.write
            do(question, report)
            write(report, MISSED)
        except BaseException as error:  # noqa: BLE001 - whatever it is, the parent shall tell it
            write(report, repr(error).encode())
        finally:
            os._exit(0)
    os.close(report)
    ready, _, _ = select.select([answer], [], [], PATIENCE_S)
    said = os.read(answer, 4096) if ready else b"the child hangs"
    os.wait()
    os.close(answer)
    word, _, name = said.partition(b" ")
    if word not in {REACHED, MISSED}:
        return {"error": said.decode()}
    return {"step": name.decode() if word == REACHED else None}


def do(question: dict[str, Any], report: int) -> None:
    store, home = Path(question["store"]), Path(question["home"])
    if question["deed"] == "create":
        arm(question["stop"], report)
        open_log(store, home=home)
        return
    log = open_log(store, home=home)
    arm(question["stop"], report)
    DEEDS[question["deed"]](log)


if __name__ == "__main__":
    serve(stop_at)
