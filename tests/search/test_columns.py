from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import substrate.search.columns.documents as module
from substrate.errors import StoreDamaged
from substrate.kv.api import ReadTransaction
from substrate.kv.lmdb.environment import LmdbStore
from substrate.log.tables import DOCUMENTS, HEADS, seq_key
from substrate.memory import Memory
from substrate.search.columns.documents import Columns, Documents
from substrate.search.columns.versions import Chains
from substrate.values.times import from_microseconds
from substrate.views import follow as trail
from substrate.views import words
from substrate.views.words import ROW
from tests.scale import PATIENCE_S, rounds
from tests.search.happenings import START, Happening, a_store, do, done, few, happenings, times


def at(columns: Columns, memory: Memory) -> Documents:
    with memory._store.log.snapshot() as transaction:
        return columns.at(transaction)


def seqs(mask: np.ndarray) -> list[int]:
    return [int(seq) for seq in np.flatnonzero(mask)]


def same(one: Documents, other: Documents) -> bool:
    return all(np.array_equal(getattr(one, field.name), getattr(other, field.name)) for field in fields(Documents))


def listed(memory: Memory, upto: int | None, valid_at: int | None) -> list[int]:
    when = None if valid_at is None else from_microseconds(valid_at)
    return sorted(atom.seq for atom in memory.list(superseded=True, limit=1000, as_of=upto, valid_at=when))


def compare(happened: Sequence[Happening], moments: Sequence[tuple[int, int | None]]) -> None:
    """Columns that follow are those that are loaded anew; and the masks are what a list shows."""
    columns = Columns()
    for memory in done(happened):
        documents = at(columns, memory)
        assert same(documents, at(Columns(), memory))
        assert seqs(documents.current()) == listed(memory, None, None)
        for back, valid_at in moments:
            upto = documents.size - 1 - back if 0 <= back < documents.size else None
            assert seqs(documents.current(upto, valid_at)) == listed(memory, upto, valid_at)


DAY = 86_400_000_000


def said(value: str, actor: str | None = None, **more: object) -> Happening:
    return "put", ([{"name": "v1.fact.a", "value": value, **more}], actor)


MOMENTS = st.lists(st.tuples(st.integers(-1, 12), st.none() | times), min_size=2, max_size=5)


@pytest.mark.no_cover
@pytest.mark.soak
@few(rounds(16, 1000))
@given(happenings(undo=True), MOMENTS)
def test_the_masks_show_what_a_list_shows_at_any_moment(
    happened: list[Happening], moments: list[tuple[int, int | None]]
) -> None:
    compare(happened, moments)


def test_a_value_that_was_refined_many_times_holds_since_it_was_first_said() -> None:
    refined = [said("y", confidence=i / 10) for i in range(9)]
    happened = [said("x"), ("time passes", DAY), *(step for r in refined for step in (r, ("time passes", DAY)))]
    compare(happened, [(back, START + day * DAY // 2) for back in (-1, 0, 3) for day in range(-1, 24)])


def test_columns_in_small_portions_with_few_heads_known_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "ROWS", 4)
    monkeypatch.setattr(module, "_AT_ONCE", 2)
    monkeypatch.setattr(trail, "_HEADS", 2)
    gap: Happening = "edge", ("v1.fact.a", "v1.fact.b")
    happened = [said(str(i)) if i % 7 else gap for i in range(40)]
    with a_store() as (memory, clock):
        columns = Columns()
        for i, happening in enumerate(happened):
            do(memory, clock, happening)
            if i % 5 == 0:
                assert same(at(columns, memory), at(Columns(), memory))
        with memory._store.log.snapshot() as older:
            expected = Columns().at(older)
            with ThreadPoolExecutor(1) as elsewhere:
                for i in range(4):
                    elsewhere.submit(memory.checkpoint, [f"v1.fact.more{i} = x"]).result()
                    elsewhere.submit(at, columns, memory).result()
            assert same(columns.at(older), expected)
        assert same(at(columns, memory), at(Columns(), memory))


def test_a_version_tells_its_atom_and_the_last_of_each_atom_may_be_a_tombstone() -> None:
    with a_store() as (memory, _):
        memory.checkpoint(["v1.fact.a = x", "v1.fact.b = y"])
        atom = memory.access("v1.fact.a").atom
        memory.checkpoint(tombstones=["v1.fact.a"])
        documents = at(Columns(), memory)
        assert UUID(bytes=documents.subject(atom.seq)) == UUID(atom.id)
        assert seqs(documents.current()) == [2]
        assert seqs(documents.current(-1)) == seqs(documents.current(0)) == []


class RefinementsStandAlone(Documents):
    @property
    def _first(self) -> np.ndarray:  # type: ignore[override]
        return np.arange(self.size)


class TombstonesHoldFromTheirRecording(Documents):
    def _valid(self, stop: int, at: int) -> np.ndarray:
        plain = {field.name: getattr(self, field.name) for field in fields(self)}
        occurred = np.where(self.kind == 2, module.NONE, self.occurred)
        return Documents(**{**plain, "occurred": occurred})._valid(stop, at)


class ErasedVersionsAreJumpedOver(Documents):
    def _valid(self, stop: int, at: int) -> np.ndarray:
        plain = {field.name: getattr(self, field.name) for field in fields(self)}
        time = np.where(self.flags == module.ERASED, 2**62, self.time)
        return Documents(**{**plain, "time": time})._valid(stop, at)


class LaterTombstonesEmptyThePast(Documents):
    def _said_last(self, stop: int) -> np.ndarray:
        return super()._said_last(stop) & self.now if stop < self.size else super()._said_last(stop)


CAUGHT: list[tuple[type[Documents], list[Happening]]] = [
    (RefinementsStandAlone, [said("x"), ("time passes", DAY), said("y"), ("time passes", DAY), said("y", tags=["t"])]),
    (
        TombstonesHoldFromTheirRecording,
        [said("x"), ("time passes", 3 * DAY), ("tombstone", ("v1.fact.a", from_microseconds(START + DAY)))],
    ),
    (
        ErasedVersionsAreJumpedOver,
        [
            said("x"),
            ("time passes", DAY),
            said("y", "ann"),
            said("z", valid_from=from_microseconds(START + 5 * DAY)),
            ("forget actor", "ann"),
        ],
    ),
    (LaterTombstonesEmptyThePast, [said("x"), ("tombstone", ("v1.fact.a", None))]),
]


@pytest.mark.parametrize(("twin", "happened"), CAUGHT)
def test_masks_with_one_thing_wrong_are_found_out(
    twin: type[Documents], happened: list[Happening], monkeypatch: pytest.MonkeyPatch
) -> None:
    every = [(back, START + day * DAY // 2) for back in (-1, 0, 1, 2) for day in range(-2, 12)]
    compare(happened, [*every, (1, None), (2, None)])
    monkeypatch.setattr(module, "Documents", twin)
    with pytest.raises(AssertionError):
        compare(happened, [*every, (1, None), (2, None)])


def test_columns_that_do_not_follow_forgets_are_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Columns, "_blank", lambda *_: None)
    with pytest.raises(AssertionError):
        compare([("put", ([{"name": "v1.fact.a", "value": "x"}], None)), ("forget", "v1.fact.a")], [])


def test_what_was_handed_out_stays_as_it_was() -> None:
    columns = Columns()
    with a_store() as (memory, _):
        memory.checkpoint([f"v1.fact.n{i} = x" for i in range(100)])
        before = at(columns, memory)
        kept, shown = at(Columns(), memory), seqs(before.current())
        memory.checkpoint(["v1.fact.n1 = y"], tombstones=["v1.fact.n2"])
        memory.forget("v1.fact.n3")
        memory.checkpoint([f"v1.fact.m{i} = x" for i in range(2000)])
        after = at(columns, memory)
        assert same(before, kept)
        assert seqs(before.current()) == shown
        assert len(seqs(after.current())) == 2098
        with pytest.raises(ValueError, match="read-only"):
            before.time[0] = 1


def test_an_older_snapshot_gets_its_own_versions_before_and_after_a_forget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LmdbStore, "compact", lambda *_, **__: None)  # it would wait for the reader
    columns = Columns()
    with a_store() as (memory, _), ThreadPoolExecutor(1) as elsewhere:
        memory.checkpoint([f"v1.fact.n{i} = x" for i in range(10)])
        with memory._store.log.snapshot() as older:
            expected = Columns().at(older)
            for change in (
                lambda: memory.checkpoint(["v1.fact.n5 = y", "v1.fact.new = z"]),
                lambda: memory.forget("v1.fact.n5"),
            ):
                elsewhere.submit(change).result()
                elsewhere.submit(at, columns, memory).result()
                assert same(columns.at(older), expected)
        assert same(at(columns, memory), at(Columns(), memory))


def test_two_processes_agree_at_the_same_seq() -> None:
    with a_store() as (memory, _):
        columns = Columns()
        for i in range(4):
            memory.checkpoint([f"v1.fact.n{i} = {i}", f"v1.fact.same = {i}"])
            at(columns, memory)
        memory.forget("v1.fact.n2")
        here = at(columns, memory)
        script = (
            "import sys, substrate\nfrom substrate.search.columns.documents import Columns\n"
            "with substrate.open(sys.argv[1], read_only=True) as memory, memory._store.log.snapshot() as snapshot:\n"
            "    there = Columns().at(snapshot)\n"
            "    print(there.size, there.current().tobytes().hex(), there.value.tobytes().hex())"
        )
        run = [sys.executable, "-c", script, str(memory._store.log.path)]
        there = subprocess.run(run, capture_output=True, text=True, check=True, timeout=PATIENCE_S).stdout.split()
        assert there == [str(here.size), here.current().tobytes().hex(), here.value.tobytes().hex()]


def test_another_log_is_loaded_anew_even_if_it_is_as_long() -> None:
    columns = Columns()
    for value in ("x", "y"):
        with a_store() as (memory, _):
            memory.checkpoint([f"v1.fact.n{i} = {value}" for i in range(5)])
            assert same(at(columns, memory), at(Columns(), memory))
            memory.checkpoint(["v1.fact.more = z"])
            assert same(at(columns, memory), at(Columns(), memory))


def test_rows_beyond_the_last_entry_are_damage() -> None:
    with a_store() as (memory, _):
        memory.checkpoint(["v1.fact.n = x"])
        with memory._store.log._store.write() as transaction:
            transaction.put(DOCUMENTS, seq_key(0), bytes(ROW.size * 9))
        with pytest.raises(StoreDamaged):
            at(Columns(), memory)
        with memory._store.log._store.write() as transaction:
            for key, _ in list(transaction.scan(HEADS)):
                transaction.delete(HEADS, key)
        with pytest.raises(StoreDamaged), memory._store.log._store.read() as reading:
            Columns().at(reading)


def test_what_fails_half_way_is_begun_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = Columns()
    with a_store() as (memory, _):
        memory.checkpoint(["v1.fact.n = x"])
        at(columns, memory)
        memory.checkpoint(["v1.fact.n = y"])

        def failing(_: Columns, __: ReadTransaction, ___: int, ____: int) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(Columns, "_blank", failing)
            with pytest.raises(KeyboardInterrupt):
                at(columns, memory)
        assert same(at(columns, memory), at(Columns(), memory))


HALVES = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 3), st.integers(0, 2)), max_size=60)


@few(200)
@given(HALVES, st.integers(0, 60), st.integers(1, 9))
def test_chains_are_those_of_whole_ids_however_they_are_met(
    rows: list[tuple[int, int, int]], first: int, step: int
) -> None:
    """Ids whose first halves are the same are still two; most here have colliding halves."""
    module_tail, chains_module = 4, Chains.extend.__globals__
    known = chains_module["_TAIL"]
    chains_module["_TAIL"] = module_tail
    try:
        kind = np.array([row[0] for row in rows], np.uint8)
        high, low = (np.array([row[i] for row in rows], np.uint64) for i in (1, 2))
        chains, at = Chains(), 0
        stops = [*range(min(first, len(rows)), len(rows), step), len(rows)]
        for stop in stops:
            if stop > at or at == 0:
                chains.extend(at, stop, kind, high, low)
                at = stop
        before, followers = chains.arrays(len(rows))
    finally:
        chains_module["_TAIL"] = known
    last: dict[tuple[int, int], int] = {}
    expected = []
    for seq, (is_version, *halves) in enumerate(rows):
        key = (halves[0], halves[1])
        expected.append(last.get(key, -1) if is_version else -1)
        if is_version:
            last[key] = seq
    assert before.tolist() == expected
    assert followers.tolist() == [seq for seq, earlier in enumerate(expected) if earlier >= 0]
