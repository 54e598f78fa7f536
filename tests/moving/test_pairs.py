"""Two stores, of which one follows the other by plain exports, also after undos in the source."""

from __future__ import annotations

import io
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import assume, given, seed, settings
from hypothesis import strategies as st

from substrate import open as open_store
from substrate.errors import InputError, SubstrateError
from substrate.memory import Memory
from substrate.moving import record

NAMES = ("v1.fact.a", "v1.fact.b", "v1.fact.c")
Step = tuple[str, str, str]
PAIRS = st.permutations(NAMES).map(lambda names: names[:2])
STEPS = st.one_of(
    st.tuples(st.just("put"), st.sampled_from(NAMES), st.sampled_from("xyz")),
    st.tuples(st.sampled_from(["put", "tombstone"]), st.sampled_from(NAMES), st.just("x")),
    PAIRS.map(lambda pair: ("edge", *pair)),
    PAIRS.map(lambda pair: ("unedge", *pair)),
    st.just(("undo", "", "")),
)


def take(memory: Memory, step: Step) -> None:
    verb, one, two = step
    edge = {"source": one, "type": "references", "target": two}
    try:
        if verb == "put":
            memory.checkpoint([f"{one} = {two}"])
        elif verb == "tombstone":
            memory.checkpoint(tombstones=[one])
        elif verb == "undo":
            memory.undo()
        else:
            memory.checkpoint(**{f"{verb}s": [edge]})  # type: ignore[arg-type]
    except SubstrateError:
        pass  # there is nothing to undo, or nothing of that name


def state(memory: Memory) -> set[tuple[str, ...]]:
    """Atoms and edges in use, and what the atoms say."""
    edges = {(edge.source, edge.type, edge.target) for name in NAMES for edge in edges_of(memory, name)}
    return {(atom.name, str(atom.value)) for atom in memory.list()} | edges


def edges_of(memory: Memory, name: str) -> list[object]:
    try:
        return list(memory.edges(name))
    except SubstrateError:
        return []


def follow(target: Memory, source: Memory, *, older: bool = False) -> set[str]:
    """Import what the source says; what was left out."""
    file = io.StringIO()
    source.export(file)
    file.seek(0)
    try:
        return set(target.import_lines(file, older=older).older)
    except InputError as error:
        assert "nothing to import" in str(error)  # noqa: PT017
        return set()


@seed(7)
@settings(max_examples=30, deadline=None, database=None)
@given(
    before=st.lists(STEPS, min_size=1, max_size=6),
    mine=st.lists(STEPS.filter(lambda step: step[0] != "undo"), max_size=2),
    after=st.lists(STEPS, max_size=3),
)
def test_a_store_that_follows_another_says_the_same_also_after_an_undo_there(
    before: list[Step], mine: list[Step], after: list[Step]
) -> None:
    """What it changed itself, `mine`, it took back: that counts as never said."""
    with TemporaryDirectory() as folder:
        source, target = (open_store(Path(folder) / name, model="none") for name in ("source", "target"))
        try:
            for step in before:
                take(source, step)
            follow(target, source)
            for step in mine:
                size = target.head().head.size
                take(target, step)
                assume(target.head().head.size > size or step[0] in ("tombstone", "unedge"))  # not only said again
                if target.head().head.size > size:
                    target.undo()
            assert state(target) == state(source)
            for step in (*after, ("undo", "", "")):
                take(source, step)
            assert follow(target, source) == set()
            assert state(target) == state(source)
        finally:
            source.close()
            target.close()


def test_what_a_store_said_itself_stays_if_another_takes_the_same_back(tmp_path: Path) -> None:
    """`b` it said before, in the same words; `c` too, in others: what covers them is named. `d` it changed since."""
    source, target = (open_store(tmp_path / name, model="none") for name in ("source", "target"))
    target.checkpoint(["v1.fact.b = x", "v1.fact.c = mine"])
    source.checkpoint([f"v1.fact.{name} = x" for name in "abcd"])
    follow(target, source)
    target.checkpoint(["v1.fact.d = changed"])
    source.undo()
    assert follow(target, source) == {"v1.fact.c"}
    assert state(target) == {("v1.fact.b", "x"), ("v1.fact.c", "x"), ("v1.fact.d", "changed")}
    assert follow(target, source) == {"v1.fact.c"}
    source.undo()
    follow(target, source)
    assert state(target) == {("v1.fact.a", "x"), *state(target)}
    for memory in (source, target):
        memory.close()


@pytest.mark.parametrize("older", [False, True])
def test_what_a_store_said_again_after_an_import_stays_and_what_only_imports_said_again_goes(
    tmp_path: Path, *, older: bool
) -> None:
    source, target = (open_store(tmp_path / name, model="none") for name in ("source", "target"))
    edge = {"source": "v1.fact.a", "type": "references", "target": "v1.fact.b"}
    source.checkpoint(["v1.fact.a = x", "v1.fact.b = x", "v1.fact.c = x"], edges=[edge])
    for _ in range(3):
        follow(target, source, older=older)
    assert target.checkpoint(["v1.fact.a = x"]).confirmed == ("v1.fact.a",)
    source.undo()
    assert follow(target, source, older=older) == {"v1.fact.a"}
    assert state(target) == {("v1.fact.a", "x")}
    for memory in (source, target):
        memory.close()


def test_what_a_copy_of_another_store_said_again_goes_once_that_store_takes_it_back(tmp_path: Path) -> None:
    """`copy` only imported it. Its export gives the time of that, so its line is not the one of `source`."""
    source, copy, target = (open_store(tmp_path / name, model="none") for name in ("source", "copy", "target"))
    edge = {"source": "v1.fact.a", "type": "references", "target": "v1.fact.b"}
    source.checkpoint(["v1.fact.a = x", "v1.fact.b = x"], edges=[edge])
    for one, other in ((copy, source), (target, source), (target, copy), (target, source)):
        follow(one, other)
    assert len(state(target)) == 3
    source.undo()
    assert follow(target, source) == set()
    assert state(target) == set()
    follow(target, copy)
    assert state(target) == set()
    for memory in (source, copy, target):
        memory.close()


@seed(7)
@settings(max_examples=30, deadline=None, database=None)
@given(
    before=st.lists(st.dictionaries(st.sampled_from(NAMES), st.sampled_from("xy"), min_size=1), min_size=1, max_size=3),
    ways=st.lists(st.sampled_from(["source", "copy"]), max_size=3),
    again=st.sets(st.sampled_from(NAMES)),
)
def test_of_what_is_taken_back_a_store_keeps_what_it_said_again_itself_whichever_way_it_came(
    before: list[dict[str, str]], ways: list[str], again: set[str]
) -> None:
    with TemporaryDirectory() as folder:
        source, copy, target = (open_store(Path(folder) / name, model="none") for name in ("source", "copy", "target"))
        try:
            for facts in before:
                source.checkpoint([f"{name} = {value}" for name, value in facts.items()])
            follow(copy, source)
            for way in ("source", *ways):
                follow(target, source if way == "source" else copy)
            said = {atom for atom in state(target) if atom[0] in again}
            for name, value in said:
                assert target.checkpoint([f"{name} = {value}"]).confirmed == (name,)
            for way in ways:
                follow(target, source if way == "source" else copy)
            gone = source.undo().tombstoned
            kept = {atom for atom in said if atom[0] in gone}
            assert follow(target, source) == {name for name, _ in kept}
            assert state(target) == state(source) | kept
        finally:
            for memory in (source, copy, target):
                memory.close()


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("change", ["value", "tombstone", "twice"])
def test_what_a_store_changed_and_took_back_itself_goes_unless_it_is_said_again_after_that(
    tmp_path: Path, change: str, *, again: bool
) -> None:
    source, target = (open_store(tmp_path / name, model="none") for name in ("source", "target"))
    source.checkpoint(["v1.fact.a = x"])
    follow(target, source)
    for value in "yz"[: 2 if change == "twice" else 1]:
        if change == "tombstone":
            target.checkpoint(tombstones=["v1.fact.a"])
        else:
            target.checkpoint([f"v1.fact.a = {value}"])
        target.undo()
    follow(target, source)
    assert "confirmed" not in target.weigh(["v1.fact.a"])[0].grounds
    if again:
        assert target.checkpoint(["v1.fact.a = x"]).confirmed == ("v1.fact.a",)
    source.undo()
    assert follow(target, source) == ({"v1.fact.a"} if again else set())
    assert state(target) == ({("v1.fact.a", "x")} if again else set())
    for memory in (source, target):
        memory.close()


def test_what_the_same_session_said_again_in_the_other_store_stays(tmp_path: Path) -> None:
    source, target = (open_store(tmp_path / name, model="none") for name in ("source", "target"))
    edge = {"source": "v1.fact.a", "type": "references", "target": "v1.fact.b"}
    source.client("ann", session="garden").checkpoint(["v1.fact.a = x", "v1.fact.b = x"], edges=[edge])
    follow(target, source)
    ann = target.client("ann", session="garden")
    assert ann.checkpoint(["v1.fact.a = x"], edges=[edge]).confirmed == ("v1.fact.a", "v1.fact.a references v1.fact.b")
    assert "confirmed" not in target.weigh(["v1.fact.a"])[0].grounds
    source.undo()
    assert follow(target, source) == {"v1.fact.a", "v1.fact.a references v1.fact.b"}
    assert state(target) == {("v1.fact.a", "x"), ("v1.fact.a", "references", "v1.fact.b")}
    for memory in (source, target):
        memory.close()


def test_what_a_store_said_again_stays_in_use_also_if_a_later_value_is_taken_back_with_it(memory: Memory) -> None:
    times = [f"2025-01-0{day}T00:00:00Z" for day in (1, 2, 3)]
    put = {"kind": "put", "name": "v1.fact.a"}
    x, y = ({**put, "recorded_at": time, "value": value} for time, value in zip(times, "xy", strict=False))
    end = {"kind": "tombstone", "name": "v1.fact.a", "recorded_at": times[2], "took_back": times[:2]}
    memory.import_lines(io.StringIO(json.dumps(x)))
    memory.checkpoint(["v1.fact.a = x"])
    memory.import_lines(io.StringIO(json.dumps(y)))
    taken = memory.import_lines(io.StringIO(json.dumps(end)))
    assert (taken.tombstoned, taken.older) == ((), ("v1.fact.a",))
    assert state(memory) == {("v1.fact.a", "y")}


def test_what_came_with_older_lines_and_was_undone_since_goes_and_words_of_the_stores_own_stay(tmp_path: Path) -> None:
    """`b` and `c` it said before, `d` it changed since; `a` and the edge only came in."""
    source, target = (open_store(tmp_path / name, model="none") for name in ("source", "target"))
    edge = {"source": "v1.fact.a", "type": "references", "target": "v1.fact.b"}
    target.checkpoint(["v1.fact.b = x", "v1.fact.c = mine"])
    source.checkpoint([f"v1.fact.{name} = x" for name in "abcd"], edges=[edge])
    follow(target, source, older=True)
    target.checkpoint(["v1.fact.d = changed"])
    source.undo()
    kept = {("v1.fact.b", "x"), ("v1.fact.c", "x"), ("v1.fact.d", "changed")}
    for _ in range(2):
        assert follow(target, source, older=True) == {"v1.fact.c"}
        assert state(target) == kept
    for memory in (source, target):
        memory.close()


@pytest.mark.parametrize("older", [False, True])
def test_what_is_said_again_while_its_end_comes_in_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, older: bool
) -> None:
    source, target = (open_store(tmp_path / name, model="none") for name in ("source", "target"))
    source.checkpoint(["v1.fact.a = x"])
    follow(target, source, older=older)
    source.undo()
    source.checkpoint(["v1.fact.b = x"])
    write = record.checkpoint

    def meddling(*given: Any, **options: Any) -> Any:
        target.checkpoint(["v1.fact.a = x"])
        return write(*given, **options)

    monkeypatch.setattr(record, "checkpoint", meddling)
    assert follow(target, source, older=older) == {"v1.fact.a"}
    assert state(target) == {("v1.fact.a", "x"), ("v1.fact.b", "x")}
    for memory in (source, target):
        memory.close()


def test_the_export_of_an_undone_atom_names_it_and_leaves_a_new_store_as_it_is(tmp_path: Path) -> None:
    source, target = (open_store(tmp_path / name, model="none") for name in ("source", "target"))
    source.checkpoint(["v1.fact.a = a secret plan"])
    source.undo()
    file = io.StringIO()
    source.export(file)
    assert "took_back" in file.getvalue()
    assert "a secret plan" not in file.getvalue()
    size = target.head().head.size
    follow(target, source)
    assert (state(target), target.head().head.size) == (set(), size)
    for memory in (source, target):
        memory.close()


def test_an_export_made_after_an_undo_is_taken_in_also_with_its_older_lines(tmp_path: Path) -> None:
    source, new, behind = (open_store(tmp_path / name, model="none") for name in ("source", "new", "behind"))
    both = ["v1.fact.a = a", "v1.fact.b = b"]
    edge = {"source": "v1.fact.a", "type": "references", "target": "v1.fact.b"}
    source.checkpoint(both)
    source.checkpoint(["v1.fact.c = c"], edges=[edge])
    follow(behind, source)
    source.undo()
    for memory in (new, behind):
        file = io.StringIO()
        source.export(file)
        file.seek(0)
        memory.import_lines(file, older=True)
        assert state(memory) == {("v1.fact.a", "a"), ("v1.fact.b", "b")}
    for memory in (source, new, behind):
        memory.close()


def test_with_its_older_lines_an_edge_that_was_ended_stated_again_and_undone_is_ended_once(tmp_path: Path) -> None:
    source, behind = (open_store(tmp_path / name, model="none") for name in ("source", "behind"))
    edge = {"source": "v1.fact.a", "type": "references", "target": "v1.fact.b"}
    source.checkpoint(["v1.fact.a = a", "v1.fact.b = b"], edges=[edge])
    source.checkpoint(unedges=[edge])
    source.checkpoint(edges=[edge])
    follow(behind, source)
    source.undo()
    file = io.StringIO()
    source.export(file)
    file.seek(0)
    behind.import_lines(file, older=True)
    assert not behind.edges("v1.fact.a")
    for memory in (source, behind):
        memory.close()
