"""Who counts as a witness of what an import says again: each line once, however often it is imported."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from math import log2
from pathlib import Path

import pytest

from substrate import open as open_store
from substrate.atoms.resolve import find_subject
from substrate.clock import ManualClock
from substrate.memory import Memory
from substrate.moving import record
from substrate.views.atoms import latest_version
from substrate.views.beside.witnesses import MOST_MARKS, marks_of
from substrate.views.edges import find_link
from substrate.views.traces import Confirmation, confirmation_of
from tests.moving.test_pairs import follow

A, B = "v1.fact.a", "v1.fact.b"
EDGE = {"source": A, "type": "references", "target": B}
HOUR = 3_600_000_000


@pytest.fixture
def store(tmp_path: Path, clock: ManualClock) -> Callable[[], Memory]:
    """Makes stores that share a clock, an hour apart."""
    made: list[Memory] = []

    def make() -> Memory:
        clock.advance(HOUR)
        made.append(open_store(tmp_path / f"store{len(made)}", model="none", clock=clock))
        return made[-1]

    return make


def of_atom(memory: Memory) -> Confirmation | None:
    with memory._store.log.snapshot() as transaction:
        row = latest_version(transaction, find_subject(transaction, A))
        return None if row is None else confirmation_of(transaction, row.subject, row.seq)


def of_edge(memory: Memory) -> Confirmation | None:
    with memory._store.log.snapshot() as transaction:
        ends = (find_subject(transaction, name) for name in (A, B))
        link = find_link(transaction, next(ends), "references", next(ends))
        return None if link is None else confirmation_of(transaction, link.edge, link.seq)


def witnesses(memory: Memory) -> int:
    found = of_atom(memory)
    times = 0 if found is None else found.times
    assert memory.weigh([A])[0].grounds.get("confirmed", 0) == pytest.approx(0.7 * log2(1 + times))
    return times


@pytest.mark.parametrize("older", [False, True])
def test_the_same_export_adds_evidence_once_to_what_the_store_said_itself(
    store: Callable[[], Memory], clock: ManualClock, *, older: bool
) -> None:
    target, *sources = (store() for _ in range(3))
    for memory in (target, *sources):
        clock.advance(HOUR)
        memory.checkpoint([f"{A} = x", f"{B} = x"], edges=[EDGE])
    for count, source in enumerate(sources, 1):
        clock.advance(HOUR)
        follow(target, source, older=older)
        told = of_atom(target), of_edge(target)
        assert [one and one.times for one in told] == [count, count]
        for again in (source, sources[0], source):
            clock.advance(HOUR)
            follow(target, again, older=older)
            assert (of_atom(target), of_edge(target)) == told  # nor does it look fresher
        assert witnesses(target) == count


@pytest.mark.parametrize("older", [False, True])
def test_an_export_confirms_neither_what_it_brought_nor_what_it_was_made_of(
    store: Callable[[], Memory], clock: ManualClock, *, older: bool
) -> None:
    source, target = store(), store()
    source.checkpoint([f"{A} = x", f"{B} = x"], edges=[EDGE])
    for _ in range(3):
        clock.advance(HOUR)
        follow(target, source, older=older)
        follow(source, source, older=older)
        assert [of_atom(target), of_edge(target), of_atom(source), of_edge(source)] == [None] * 4


def test_a_line_of_the_session_that_recorded_it_is_no_second_witness(
    store: Callable[[], Memory], clock: ManualClock
) -> None:
    """So a copy of what a session said counts once, by whichever way it comes."""
    source, copy, target = store(), store(), store()
    source.client("ann", session="garden").checkpoint([f"{A} = x"])
    for one, other in ((copy, source), (target, source), (target, copy)):
        clock.advance(HOUR)
        follow(one, other)
    assert witnesses(target) == 0


@pytest.mark.parametrize("kind", ["table", "lines"])
def test_the_same_file_without_times_adds_evidence_once_and_another_one_once_more(
    store: Callable[[], Memory], clock: ManualClock, tmp_path: Path, kind: str
) -> None:
    memory = store()
    memory.checkpoint([{"name": A, "value": "x", "source": "a book"}])
    line = {"kind": "put", "name": A, "value": "x", "source": "a book"}
    for name in ("one", "two"):
        (tmp_path / f"{name}.csv").write_text(f"name,value,source\n{A},x,a book\n", encoding="utf-8")
    for count, name in enumerate(("one", "two"), 1):
        for _ in range(3):
            clock.advance(HOUR)
            if kind == "table":
                memory.import_file(tmp_path / f"{name}.csv")
            else:
                memory.import_lines(io.StringIO(json.dumps({**line, "session": name})))
            assert witnesses(memory) == count


def test_what_is_kept_of_a_table_that_said_it_again_tells_nothing_without_the_version(
    store: Callable[[], Memory], tmp_path: Path
) -> None:
    """It is hashed with the salt of the version, which a forget erases: so it is another one in each store."""
    (tmp_path / "facts.csv").write_text(f"name,value,source\n{A},x,a book\n", encoding="utf-8")
    marks = []
    for memory in (store(), store()):
        memory.checkpoint([{"name": A, "value": "x", "source": "a book"}])
        memory.import_file(tmp_path / "facts.csv")
        with memory._store.log.snapshot() as transaction:
            row = latest_version(transaction, find_subject(transaction, A))
            assert row is not None
            marks += marks_of(transaction, row.seq)
    assert len(set(marks)) == 2


def test_what_people_say_again_counts_each_time_and_more_lines_than_evidence_counts_are_not_kept(
    store: Callable[[], Memory], clock: ManualClock
) -> None:
    memory = store()
    memory.import_lines(io.StringIO(json.dumps({"kind": "put", "name": A, "value": "x", "recorded_at": "2020-01-01"})))
    for count in range(1, 4):
        clock.advance(HOUR)
        assert memory.checkpoint([f"{A} = x"]).confirmed == (A,)
        assert witnesses(memory) == count
    for day in range(1, 29):
        line = {"kind": "put", "name": A, "value": "x", "recorded_at": f"2019-01-{day:02}T00:00:00Z"}
        assert memory.import_lines(io.StringIO(json.dumps(line))).confirmed == (A,)
    found = of_atom(memory)
    assert found is not None
    assert found.times == 3 + MOST_MARKS
    with memory._store.log.snapshot() as transaction:
        assert len(marks_of(transaction, found.seq)) == 1 + MOST_MARKS


@pytest.mark.parametrize("is_own", [False, True])
@pytest.mark.parametrize("kind", ["tags", "undo", "undone twice"])
def test_versions_of_one_store_that_say_the_same_are_no_witnesses_of_each_other(
    store: Callable[[], Memory], clock: ManualClock, kind: str, *, is_own: bool
) -> None:
    """The same tags again, or an edge or atom that an undo brought back: several lines say the same."""
    source, target = store(), store()
    if kind == "tags":
        for tag in ("one", "other", "one"):
            clock.advance(HOUR)
            source.checkpoint([{"name": A, "value": "x", "tags": [tag]}])
    elif kind == "undone twice":
        for value in ("x", None, None, "y", "x"):
            clock.advance(HOUR)
            if value is None:
                source.undo()
            else:
                source.checkpoint([{"name": A, "value": value, "occurred_at": "2020-01-01"}])
    else:
        source.checkpoint([f"{A} = x", f"{B} = x"], edges=[EDGE])
        clock.advance(HOUR)
        source.checkpoint(unedges=[EDGE])
        clock.advance(HOUR)
        source.undo()
    memory = source if is_own else target
    for _ in range(3):
        clock.advance(HOUR)
        follow(memory, source)
        assert (of_atom(memory), of_edge(memory) if kind == "undo" else None) == (None, None)


@pytest.mark.parametrize("apart", [0, record._BATCH])
def test_of_a_line_and_its_repeat_in_one_file_the_second_is_no_witness_however_far_apart_they_stand(
    store: Callable[[], Memory], clock: ManualClock, apart: int
) -> None:
    memory = store()
    put = {"kind": "put", "value": "x"}
    lines = [{**put, "name": f"v1.fact.n{at}", "recorded_at": "2020-01-02T00:00:00Z"} for at in range(apart)]
    same = [{**put, "name": A, "recorded_at": f"2020-01-0{day}T00:00:00Z"} for day in (1, 3)]
    file = "\n".join(map(json.dumps, (same[0], *lines, same[1])))
    for _ in range(2):
        clock.advance(HOUR)
        memory.import_lines(io.StringIO(file))
        assert of_atom(memory) is None
    memory.import_lines(io.StringIO(json.dumps({**same[0], "recorded_at": "2020-01-04T00:00:00Z"})))
    assert witnesses(memory) == 1


def test_each_line_of_a_file_counts_and_none_takes_back_what_another_one_counted(
    store: Callable[[], Memory], tmp_path: Path
) -> None:
    """The last line is of the session that recorded the atom: it counts for nothing. A table has one row twice."""
    memory = store()
    memory.client("ann", session="garden").checkpoint([{"name": A, "value": "x", "source": "a book"}])
    put = {"kind": "put", "name": A, "value": "x", "source": "a book"}
    lines = [
        {**put, "session": session, "recorded_at": f"2019-01-0{day}T00:00:00Z"}
        for day, session in enumerate(("one", "two", "garden"), 1)
    ]
    memory.import_lines(io.StringIO("\n".join(map(json.dumps, lines))))
    assert witnesses(memory) == 2
    (tmp_path / "facts.csv").write_text("name,value,source\n" + f"{A},x,a book\n" * 2, encoding="utf-8")
    memory.import_file(tmp_path / "facts.csv")
    assert witnesses(memory) == 3
    memory.checkpoint([f"{A} = x", f"{A} = x"])
    assert witnesses(memory) == 4
