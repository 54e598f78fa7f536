"""Rows of what is learnt that are malformed: StoreDamaged from fsck and from who reads them, never anything else."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

import substrate
from substrate.clock import ManualClock
from substrate.errors import StoreDamaged, SubstrateError
from substrate.log.copies.check import check_store
from substrate.log.replay import Logged
from substrate.log.tables import ARCS, ARRIVALS, EPISODES, MIXING, SESSIONS, USES
from substrate.memory import Memory, open_memory
from substrate.proof.entry import Kind
from substrate.views.catalogue import CHECKS, VIEWS
from substrate.views.learned.arcs import ArcView
from substrate.views.learned.counts import read_uses
from substrate.views.learned.mixing import check_mixing, read_mixing
from substrate.views.learned.sessions import HOLE, Heard, read_session, session_row
from tests.stories import NAMES

A, B, C, D, *_ = NAMES
TABLES = (SESSIONS, MIXING, ARCS, ARRIVALS, EPISODES, USES)


@pytest.fixture
def taught(tmp_path: Path) -> Memory:
    memory = open_memory(tmp_path / "store", home=tmp_path / "home", clock=ManualClock(), background=False)
    memory.checkpoint([*(f"{name} = {name}" for name in NAMES), "v1.domain.shop = all of it"])
    memory.observe([{"items": [A, B, C], "objective": "repair the bicycle", "domain": "shop"}] * 3)
    memory.train([B, D], 2, objective="repair the bicycle")
    return memory


def rows(memory: Memory, table: str) -> list[tuple[bytes, bytes]]:
    with memory._store.log.snapshot() as transaction:
        return list(transaction.scan(table))


def write(memory: Memory, table: str, key: bytes, row: bytes) -> None:
    """Behind the back of the log."""
    with memory._store.log._store.write() as transaction:
        transaction.put(table, key, row)


def fsck(memory: Memory) -> str | None:
    return check_store(memory._store.log.path, views=VIEWS, checks=CHECKS).damage


def read_all(memory: Memory) -> None:
    """Everything that reads what is learnt."""
    with memory.session(observe=False):
        for name in (A, B, C, D):
            memory.access(name)
            memory.predict([name, A], domain="shop", again=True, floor=0)
            memory.predict(name, horizon="session")
        memory.predict(objective="repair the bicycle", domain="shop")
        memory.bootstrap("go on where we left off", begin=False)
        memory.transition_matrix()


def survives(work: Callable[[Memory], None], memory: Memory) -> bool:
    """Whether it is done; False if the damage was told. Nothing else may come out of it."""
    try:
        work(memory)
    except StoreDamaged:
        return False
    return True


def bent(row: bytes, rng: Random) -> bytes:
    """A row, cut, lengthened, emptied, filled up or with bits flipped."""
    at = rng.randrange(len(row) + 1)
    changed = bytearray(row)
    for _ in range(rng.randrange(1, 4)):
        if changed:
            changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return rng.choice([row[:at], row + b"\x00" * rng.randrange(1, 20), b"", b"\xff" * len(row), bytes(changed)])


@pytest.mark.no_cover
@pytest.mark.parametrize("table", TABLES)
def test_no_damage_to_a_row_gets_out_as_anything_but_itself(taught: Memory, table: str) -> None:
    rng = Random(f"bent {table}")
    for _ in range(40):
        key, row = rng.choice(rows(taught, table))
        damaged = bent(row, rng)
        if damaged == row:
            continue
        write(taught, table, key, damaged)
        survives(read_all, taught)
        if table not in (SESSIONS, MIXING):  # of a trace nobody knows what it was: only that it cannot be this
            assert fsck(taught) is not None
        else:
            fsck(taught)
        write(taught, table, key, row)
    assert fsck(taught) is None
    read_all(taught)


class _Enough(Exception):
    """Ends a transaction, so that nothing of it is written."""


@pytest.mark.parametrize("table", [ARCS, ARRIVALS, EPISODES, USES])
def test_nor_when_something_is_learnt_on_top_of_it(taught: Memory, table: str) -> None:
    rng, view, told = Random(f"learnt {table}"), ArcView(), 0
    key, row = key_behind(taught), session_row(a_session(taught))
    gone = list(tombstones(a_session(taught)))
    for at, whole in [rng.choice(rows(taught, table)) for _ in range(60)]:
        with suppress(_Enough), taught._store.log._store.write() as transaction:
            transaction.put(table, at, bent(whole, rng))
            try:
                view.observe(transaction, [(key, row)])
                view.apply(transaction, gone)
            except StoreDamaged:
                told += 1
            raise _Enough
    assert told or table == ARRIVALS  # its rows say nothing: their keys do
    assert fsck(taught) is None


def tombstones(heard: Heard) -> Iterator[Logged]:
    for number, subject in enumerate((*heard.items, heard.domain)):
        yield Logged(1000 + number, Kind.TOMBSTONE, subject, heard.time, b"{}")


def key_behind(memory: Memory) -> bytes:
    last = rows(memory, SESSIONS)[-1][0]
    return last[:8] + (int.from_bytes(last[8:], "big") + 1).to_bytes(4, "big")


def a_session(memory: Memory) -> Heard:
    items = tuple(bytes.fromhex(memory.list(name)[0].id.replace("-", "")) for name in (A, B, C, D))
    domain = bytes.fromhex(memory.list("v1.domain.shop")[0].id.replace("-", ""))
    return Heard(items, 1_700_000_000_000_000, domain, "repair the bicycle")


# -- traces, of which nobody knows what they were ----------------------------------------------------------------------


def head(**said: Any) -> bytes:
    text = json.dumps({"time": 1, "weight": 1, **said}).encode()
    return len(text).to_bytes(2, "big") + text


@pytest.mark.parametrize(
    "row",
    [
        b"",
        b"\x00",
        b"\x00\x02[]",
        b"\x00\x04null",
        b"\xff\xff{}",
        b"\x00\x02{}",
        head(weight=0),
        head(weight=4),
        head(weight=True),
        head(weight="1"),
        head(time=None),
        head(time=2**70),
        head(time=1.5),
        head(domain="zz"),
        head(domain="00"),
        head(objective=7),
        head(session=[]),
        head(actor={}),
        head(continues="00"),
        head(continues=7),
        head() + b"half an id",
        (40_000).to_bytes(2, "big") + b"[" * 40_000,
    ],
)
def test_a_row_of_sessions_that_cannot_be_is_told_by_fsck_and_left_behind_by_a_rebuild(
    taught: Memory, row: bytes
) -> None:
    with pytest.raises(StoreDamaged):
        read_session(row)
    key, _ = rows(taught, SESSIONS)[0]
    write(taught, SESSIONS, key, row)
    assert fsck(taught) is not None
    taught.rebuild()
    assert fsck(taught) is None
    assert key not in dict(rows(taught, SESSIONS))


def test_what_is_malformed_does_not_keep_an_atom_from_being_forgotten(taught: Memory) -> None:
    key, _ = rows(taught, SESSIONS)[0]
    write(taught, SESSIONS, key, b"\x00\x02{}")
    taught.forget(taught.list()[0].name)
    assert key not in dict(rows(taught, SESSIONS))
    assert fsck(taught) is None


@pytest.mark.parametrize(
    "key", [b"", b"\x00" * 12, b"\xff" * 12, b"\x00" * 7 + b"\x01\x00", b"\x00" * 7 + b"\x02" + b"\x00" * 5]
)
def test_a_row_of_sessions_that_was_not_written_here_is_told_by_fsck(taught: Memory, key: bytes) -> None:
    write(taught, SESSIONS, key or b"\x00", session_row(Heard((HOLE,), 1)))
    assert fsck(taught) is not None
    assert survives(read_all, taught), "it is passed over, as one that cannot be read"


@pytest.mark.parametrize(
    "row",
    [
        b"",
        b"[]",
        b"\xff\xfe",
        b'{"next": "much"}',
        b'{"next": null}',
        b'{"next": NaN}',
        b'{"next": Infinity}',
        b'{"next": -0.1}',
        b'{"next": 0}',
        b'{"next": 1.5}',
        b'{"next": 1' + b"0" * 400 + b"}",
        b"[" * 40_000,
    ],
)
def test_weights_that_cannot_be_are_told_by_fsck_and_by_who_reads_them(taught: Memory, row: bytes) -> None:
    for question in (b"next1", b"new1"):
        write(taught, MIXING, question, row)
    assert fsck(taught) is not None
    with taught._store.log.snapshot() as transaction:
        with pytest.raises(StoreDamaged):
            read_mixing(transaction, "next1")
        with pytest.raises(StoreDamaged):
            check_mixing(transaction)
    with pytest.raises(StoreDamaged):
        taught.predict(A)


def test_a_row_of_uses_that_cannot_be_is_told(taught: Memory) -> None:
    key, _ = rows(taught, USES)[0]
    write(taught, USES, key, b"short")
    with taught._store.log.snapshot() as transaction, pytest.raises(StoreDamaged):
        read_uses(transaction, key)
    assert "uses" in (fsck(taught) or "")


def test_a_check_of_views_alone_would_miss_a_trace_that_cannot_be(taught: Memory) -> None:
    """The broken twin: fsck without what looks at traces."""
    write(taught, MIXING, b"next1", b"{")
    assert check_store(taught._store.log.path, views=VIEWS).damage is None
    assert fsck(taught) is not None


def test_a_clone_takes_what_was_learnt_along_and_refuses_sessions_that_cannot_be(
    taught: Memory, tmp_path: Path
) -> None:
    taught.watch(on=False)
    taught.export(tmp_path / "lines", full=True)
    substrate.clone(tmp_path / "lines", tmp_path / "copy", home=tmp_path / "other")
    with open_memory(tmp_path / "copy", home=tmp_path / "other", read_only=True, clock=ManualClock()) as copy:
        assert {table: rows(copy, table) for table in TABLES} == {table: rows(taught, table) for table in TABLES}
        assert copy.predict(A) == taught.predict(A)
    write(taught, SESSIONS, rows(taught, SESSIONS)[0][0], head(weight=9))
    taught.export(tmp_path / "bad", full=True)
    with pytest.raises(SubstrateError):
        substrate.clone(tmp_path / "bad", tmp_path / "copy2", home=tmp_path / "other2")
