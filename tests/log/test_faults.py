"""Row 4: the fault table of append. Every internal step fails before or after its effect; the store is looked at anew.

Expected, for each step: either nothing was written (head, log, map and views as before), or, from the commit on,
everything was. Twice at the same size, reopened in between; after that the next append works, and fsck finds nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from substrate.codec import draft_put
from substrate.errors import SubstrateError
from substrate.kv.api import WriteTransaction
from substrate.log import append as append_module
from substrate.log.append import Appender
from substrate.log.copies.behind import Remembered
from substrate.log.copies.check import check_store
from substrate.log.keys.highwater import HighWater
from substrate.log.keys.keyring import Keyring
from substrate.log.log import Log, open_log
from substrate.log.map import MapUpdate
from substrate.log.names import Naming
from substrate.proof.note import Signer

NOTHING, ALL = "nothing", "all"

# What fails -> (where it is looked up, its name, what is there after a failure before its effect, and after it).
STEPS: dict[str, tuple[object, str, str, str]] = {
    "read the head": (append_module, "require_head", NOTHING, NOTHING),
    "read the key in force": (append_module, "key_in_force", NOTHING, NOTHING),
    "settle a rotation": (Keyring, "settle", NOTHING, NOTHING),
    "load the signing key": (Keyring, "signer", NOTHING, NOTHING),
    "check the views": (append_module, "check_views", NOTHING, NOTHING),
    "settle the names": (Naming, "settle", NOTHING, NOTHING),
    "erase": (Naming, "erase", NOTHING, NOTHING),
    "read the mark": (HighWater, "read", NOTHING, NOTHING),
    "check the mark": (Remembered, "check", NOTHING, NOTHING),
    "prepare the mark": (Keyring, "prepare_mark", NOTHING, NOTHING),
    "load the map": (MapUpdate, "_load", NOTHING, NOTHING),
    "tell the time": (Appender, "_time", NOTHING, NOTHING),
    "commit to the bodies": (append_module, "commitment", NOTHING, NOTHING),
    "grow the tree": (append_module, "extend_tree", NOTHING, NOTHING),
    "write the map": (MapUpdate, "apply", NOTHING, NOTHING),
    "sign the head": (Signer, "sign", NOTHING, NOTHING),
    "raise the mark": (HighWater, "_raise_to", ALL, ALL),
}
WRITES = ["put", "put_many", "extend"]


class Fault(Exception):
    """What a step raises here; OSError where the real one would."""


def failing(real: Callable[..., Any], when: str, error: Exception) -> Callable[..., Any]:
    def step(*arguments: Any, **options: Any) -> Any:
        if when == "after":
            real(*arguments, **options)
        raise error

    return step


def contents(log: Log) -> dict[str, list[tuple[bytes, bytes]]]:
    with log._store.read() as transaction:
        return {
            table: list(transaction.scan(table)) for table in ("entries", "bodies", "heads", "nodes", "map", "keys")
        }


@contextmanager
def store_with_one_entry(tmp_path: Path) -> Iterator[Callable[[], Log]]:
    def reopen() -> Log:
        return open_log(tmp_path / "store", home=tmp_path / "home")

    with reopen() as log:
        log.append([draft_put("v1.fact.first", "1")])
    yield reopen
    with reopen() as log:
        done = log.append([draft_put("v1.fact.last", "1")])
        assert done.seqs.stop == log.head().head.size
    report = check_store(tmp_path / "store", home=tmp_path / "home")
    assert report.damage is None


def fail_twice(reopen: Callable[[], Log], arm: Callable[[], None], disarm: Callable[[], None], expected: str) -> None:
    for attempt in ("one", "two"):
        with reopen() as log:
            before = contents(log)
            arm()
            try:
                log.append([draft_put("v1.fact.first", attempt), draft_put(f"v1.fact.{attempt}", attempt)])
            except (Fault, OSError, SubstrateError):
                assert expected == NOTHING
            else:
                assert expected == ALL
            finally:
                disarm()
            assert (contents(log) == before) == (expected == NOTHING)
        with reopen() as log:
            assert (contents(log) == before) == (expected == NOTHING)
            assert (log.record(f"v1.fact.{attempt}") is None) == (expected == NOTHING)


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", STEPS)
def test_a_step_that_fails_leaves_nothing_or_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, when: str
) -> None:
    owner, name, before, after = STEPS[step]
    real = getattr(owner, name)
    error: Exception = OSError(5, "Input/output error") if step == "raise the mark" else Fault(step)
    with store_with_one_entry(tmp_path) as reopen:
        fail_twice(
            reopen,
            lambda: monkeypatch.setattr(owner, name, failing(real, when, error)),
            lambda: monkeypatch.setattr(owner, name, real),
            before if when == "before" else after,
        )


@pytest.mark.parametrize("nth", range(8))
@pytest.mark.parametrize("when", ["before", "after"])
def test_the_nth_write_of_an_append_that_fails_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nth: int, when: str
) -> None:
    with store_with_one_entry(tmp_path) as reopen:
        with reopen() as log, log._store.write() as transaction:
            kind: type[WriteTransaction] = type(transaction)
        reals = {name: getattr(kind, name) for name in WRITES}
        count = iter(range(100))
        reached = []

        def counted(real: Callable[..., Any]) -> Callable[..., Any]:
            def write(*arguments: Any) -> Any:
                if next(count) == nth:
                    reached.append(True)
                    return failing(real, when, Fault(f"write {nth}"))(*arguments)
                return real(*arguments)

            return write

        def arm() -> None:
            nonlocal count
            count = iter(range(100))
            reached.clear()
            for name, real in reals.items():
                monkeypatch.setattr(kind, name, counted(real))

        def disarm() -> None:
            for name, real in reals.items():
                monkeypatch.setattr(kind, name, real)

        with reopen() as log:
            arm()
            try:
                log.append([draft_put("v1.fact.probe", "1")])
            except Fault:
                pass
            finally:
                disarm()
        # An append makes five writes: entries, bodies, nodes, map, head. Beyond those there is nothing to fail.
        assert bool(reached) == (nth < 5)
        if reached:
            fail_twice(reopen, arm, disarm, NOTHING)


def test_an_append_in_two_transactions_would_be_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The broken twin: entries committed on their own, before the head that covers them."""
    real = Appender._write

    def torn(self: Appender, transaction: WriteTransaction, *rest: Any) -> Any:
        real(self, transaction, *rest)
        transaction._txn.commit()  # type: ignore[attr-defined]
        raise Fault("after a commit of its own")

    with pytest.raises((AssertionError, pytest.fail.Exception)), store_with_one_entry(tmp_path) as reopen:
        fail_twice(
            reopen,
            lambda: monkeypatch.setattr(Appender, "_write", torn),
            lambda: monkeypatch.setattr(Appender, "_write", real),
            NOTHING,
        )
