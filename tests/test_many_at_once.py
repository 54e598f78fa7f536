"""Two processes and three threads write and read at once: every write is seen by all at their next call."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from substrate.log.copies.check import check_store
from substrate.memory import Memory, open_memory
from substrate.views.catalogue import VIEWS
from tests import worker
from tests.kv.processes import Child
from tests.scale import PATIENCE_S, rounds


@contextmanager
def workers(count: int, store: Path, home: Path) -> Iterator[list[Child]]:
    """Processes that have the store open. None outlives the block."""
    started = [Child(store, home, script="tests.worker") for _ in range(count)]
    try:
        for child in started:
            child.expect("open")
        yield started
    finally:
        for child in started:
            child.close()


def ask(child: Child, *command: object) -> object:
    child.tell(json.dumps(command))
    return json.loads(child.line(PATIENCE_S))


def all_see(memory: Memory, children: list[Child], name: str) -> object:
    """What all processes, and this one, say of a name; they must say the same."""
    here = worker.see(memory, name)
    assert [ask(child, "see", name) for child in children] == [here] * len(children)
    return here


def test_every_write_is_seen_by_every_process_at_its_next_call(memory: Memory, store: Path, home: Path) -> None:
    with workers(2, store, home) as children:
        one, two = children
        for number in range(10):
            name = f"v1.fact.n{number}"
            assert all_see(memory, children, name) == ["not_found", [], [], [], "absent"]
            ask(one, "put", name, "x")
            assert all_see(memory, children, name) == ["x", ["x"], ["put"], [], "current"]
            ask(two, "put", name, "y")
            assert all_see(memory, children, name) == ["y", ["y"], ["put", "put"], [], "current"]
            worker.link(memory, name, "v1.fact.z")
            assert all_see(memory, children, name) == ["y", ["y"], ["put", "put"], ["v1.fact.z"], "current"]
            ask(one, "tombstone", name)
            said = ["not_found", [], ["put", "put", "tombstone"], ["v1.fact.z"], "tombstoned"]
            assert all_see(memory, children, name) == said
            if number % 3 == 0:
                ask(two, "forget", name)
                assert all_see(memory, children, name) == ["forgotten", [], ["gap"] * 3, [], "forgotten"]
            if number % 3 == 1:
                memory.rebuild()
                assert all_see(memory, children, name) == said


@pytest.mark.soak
def test_processes_and_threads_write_and_read_at_once_and_all_is_there_once(
    memory: Memory, store: Path, home: Path
) -> None:
    count = rounds(15, 400)
    with workers(2, store, home) as children:
        for number, child in enumerate(children):
            child.tell(json.dumps(["at_once", f"p{number}t", 3, count]))
            child.expect("ready")
        for child in children:
            child.tell("go")
        sizes: list[int] = []
        here = [
            threading.Thread(target=lambda n=n: sizes.append(worker.read_and_write(memory, f"here{n}", count)))  # type: ignore[misc]
            for n in range(3)
        ]
        for thread in here:
            thread.start()
        for thread in here:
            thread.join(PATIENCE_S)
        ends = [json.loads(child.line(PATIENCE_S)) for child in children]
    labels = [*(f"p{p}t{t}" for p in range(2) for t in range(3)), *(f"here{n}" for n in range(3))]
    assert len(sizes) == 3
    wanted = sorted(f"v1.fact.{label}_{number:03}" for label in labels for number in range(count))
    found: list[str] = []
    after = None
    while True:
        page = memory.list(after=after)
        found += [atom.name for atom in page]
        after = page.next
        if after is None:
            break
    assert found == wanted
    assert max(*ends, *sizes) == memory.head().head.size == 1 + len(labels) * (2 * count - 1)
    memory.close()
    assert check_store(store, home=home, views=VIEWS).damage is None


def test_of_processes_that_expect_the_same_version_exactly_one_wins(memory: Memory, store: Path, home: Path) -> None:
    """In every round all expect what is there; who was faster makes the others' expectation wrong."""
    name, turns = "v1.fact.prize", 15
    with workers(3, store, home) as children:
        for child in children:
            child.tell(json.dumps(["race_at_once", name, turns]))
        expected: int | None = None
        for _ in range(turns):
            for child in children:
                child.expect("ready")
            for child in children:
                child.tell(json.dumps(expected))
            for child in children:
                child.expect("done")
            expected = memory.access(name).atom.seq
        won = [json.loads(child.line(PATIENCE_S)) for child in children]
    assert sorted(turn for turns_won in won for turn in turns_won) == list(range(turns))
    assert len(memory.history(name)) == turns


@pytest.mark.parametrize("handles", ["one", "several"])
def test_of_threads_that_expect_the_same_version_exactly_one_wins(reopen: Callable[..., Memory], handles: str) -> None:
    first = reopen()
    memories = [first] * 6 if handles == "one" else [reopen() for _ in range(6)]
    expected: int | None = None
    for number in range(5):
        barrier, won = threading.Barrier(6), []

        def work(memory: Memory, label: str, barrier: threading.Barrier, won: list[str], seq: int | None) -> None:
            barrier.wait(PATIENCE_S)
            if worker.race(memory, "v1.fact.prize", seq, label):
                won.append(label)

        threads = [
            threading.Thread(target=work, args=(memory, f"{number}.{i}", barrier, won, expected))
            for i, memory in enumerate(memories)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE_S)
        found = first.access("v1.fact.prize").atom
        assert won == [found.value]
        expected = found.seq


def test_a_head_that_moved_is_refused_and_the_one_that_did_not_is_taken(
    reopen: Callable[..., Memory], memory: Memory
) -> None:
    other = reopen()
    for pinned in (memory.head, memory.pin):
        before = pinned()
        other.checkpoint([f"v1.fact.a = {before}"], allow_secrets=True)
        with pytest.raises(worker.Conflict):
            memory.checkpoint(["v1.fact.b = x"], expect=before)
        assert memory.checkpoint([f"v1.fact.b = {before}"], expect=pinned(), allow_secrets=True).seqs


def test_one_reader_never_sees_half_a_checkpoint(store: Path, home: Path) -> None:
    """Names that are always saved together are always listed with the same value."""
    names = [f"v1.fact.n{i}" for i in range(20)]
    with open_memory(store, home=home) as writer, open_memory(store, home=home, read_only=True) as reader:
        writer.checkpoint([f"{name} = 0" for name in names])
        stop, torn = threading.Event(), []

        def look() -> None:
            while not stop.is_set():
                values = {atom.value for atom in reader.list()}
                torn.extend([values] if len(values) != 1 else [])

        thread = threading.Thread(target=look)
        thread.start()
        for number in range(1, 40):
            writer.checkpoint([f"{name} = {number}" for name in names])
        stop.set()
        thread.join(PATIENCE_S)
    assert torn == []
