"""Recording: reads wait for nobody, what was acknowledged survives a kill, and who does not want it is not observed."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from substrate.errors import Busy, Denied
from substrate.learn import recorder as recording
from substrate.learn.calibration import Judge
from substrate.learn.recorder import OpenSession, Recorder
from substrate.log.tables import MIXING, SESSIONS, TABLES
from substrate.memory import Memory
from tests.learn.test_sessions import heard, named
from tests.scale import PATIENCE_S
from tests.stories import NAMES, rows_of
from tests.test_many_at_once import ask, workers

A, B, C, D, *_ = NAMES


@pytest.fixture
def lettered(memory: Memory) -> Memory:
    memory.checkpoint([f"{name} = {name}" for name in NAMES])
    return memory


def until(condition: Callable[[], bool]) -> None:
    """Look again and again, without a pause, until it holds; no longer than one can wait."""
    deadline, pause = monotonic() + PATIENCE_S, threading.Event()
    while not condition():
        assert monotonic() < deadline, "it never came to that"
        pause.wait(0.01)


def in_time(work: Callable[[], object], seconds: float = PATIENCE_S) -> bool:
    """Whether it is done within so many seconds, in a thread of its own."""
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(seconds)
    return not thread.is_alive()


@contextmanager
def write_lock_held(memory: Memory) -> Iterator[None]:
    """By another thread, as a long write would."""
    held, release = threading.Event(), threading.Event()

    def hold() -> None:
        with memory._store.log._store.write():
            held.set()
            release.wait(PATIENCE_S)

    thread = threading.Thread(target=hold)
    thread.start()
    assert held.wait(PATIENCE_S)
    try:
        yield
    finally:
        release.set()
        thread.join()


# -- reads and the write lock ------------------------------------------------------------------------------------------


def test_a_read_does_not_wait_for_a_writer_of_another_process(lettered: Memory, store: Path, home: Path) -> None:
    with workers(1, store, home) as (child,):
        child.tell(json.dumps(["hold"]))
        child.expect("held")
        assert in_time(lambda: (lettered.access(A), lettered.predict([A, B]), lettered.access(B)))
        child.tell("go on")
        assert json.loads(child.line()) == "released"
    lettered._client.recorder.flush()
    assert named(lettered) == [[A, B]]


def writer_that_waits(memory: Memory, session: OpenSession) -> threading.Thread:
    """A thread that writes the session down, and is waiting for the write lock."""
    taken = threading.Event()
    judged = memory._client.recorder._judged

    def judging(*arguments: Any) -> Judge | None:
        taken.set()
        return judged(*arguments)

    memory._client.recorder._judged = judging  # type: ignore[method-assign]

    def write() -> None:
        try:
            memory._client.recorder._write(session)
        except Busy:
            memory._client.recorder._write(session)

    thread = threading.Thread(target=write)
    thread.start()
    assert taken.wait(PATIENCE_S)
    return thread


def test_a_read_does_not_wait_for_the_thread_that_writes_its_session_down(reopen: Callable[..., Memory]) -> None:
    memory = reopen(background=False)
    memory.checkpoint([f"{name} = {name}" for name in NAMES])
    memory.access(A)
    with write_lock_held(memory):
        thread = writer_that_waits(memory, memory._client.recorder.current())
        assert in_time(lambda: memory.access(B))
    thread.join()
    memory._client.recorder.flush()
    assert named(memory) == [[A, B]]


def test_a_recorder_that_keeps_its_list_locked_while_it_writes_is_caught(
    reopen: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    def greedy(self: Recorder, session: OpenSession) -> None:
        with session.guard:
            items, session.waiting = session.waiting, []
            self._write_down(session, [], items)

    monkeypatch.setattr(Recorder, "_write", greedy)
    memory = reopen(background=False)
    memory.checkpoint([f"{name} = {name}" for name in NAMES])
    memory.access(A)
    with write_lock_held(memory):
        thread = writer_that_waits(memory, memory._client.recorder.current())
        assert not in_time(lambda: memory.access(B), 0.5)
    thread.join()


def test_a_read_after_idle_time_does_not_wait_either(lettered: Memory, clock: object) -> None:
    lettered.access(A)
    lettered._client.recorder.flush()
    clock.advance(31 * 60 * 1_000_000)  # type: ignore[attr-defined]
    with write_lock_held(lettered):
        assert in_time(lambda: lettered.access(B))
    lettered.close()


# -- in the background -------------------------------------------------------------------------------------------------


def test_what_is_accessed_is_written_down_in_the_background(lettered: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "_QUIET_S", 0.0)
    lettered.access(A)
    until(lambda: named(lettered) == [[A]])
    lettered.access(B)
    until(lambda: named(lettered) == [[A, B]])


def test_what_could_not_be_written_at_first_is_tried_again(lettered: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "_QUIET_S", 0.0)
    tries: list[int] = []
    write = recording.write_sessions

    def busy_at_first(*arguments: object, **options: object) -> object:
        tries.append(1)
        if len(tries) < 3:
            raise Busy("someone else writes")
        return write(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(recording, "write_sessions", busy_at_first)
    lettered.access(A)
    until(lambda: named(lettered) == [[A]])
    assert len(tries) == 3


def test_what_cannot_be_written_at_all_is_logged_and_reading_goes_on(
    lettered: Memory, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_: object, **__: object) -> object:
        raise Denied("the key is gone")

    monkeypatch.setattr(recording, "_QUIET_S", 0.0)
    monkeypatch.setattr(recording, "write_sessions", refuse)
    with caplog.at_level(logging.WARNING):
        lettered.access(A)
        until(lambda: "the key is gone" in caplog.text)
        assert lettered.access(B).value == B
        session = lettered.session()
        session.access(C)
        with pytest.raises(Denied):
            session.close()
        monkeypatch.undo()
        session.close()
    lettered.close()


# -- a process that is killed ------------------------------------------------------------------------------------------


def test_what_was_explicit_is_there_after_a_kill_and_what_was_written_down(
    lettered: Memory, store: Path, home: Path
) -> None:
    with workers(1, store, home) as (child,):
        assert ask(child, "session", A, B) == 2
        assert ask(child, "observe", B, C) == 2
        trained = ask(child, "train", C, D)
        ask(child, "access", D, A)
        child.process.kill()
        child.process.wait()
    written = named(lettered)
    assert written[:2] == [[A, B], [B, C]]
    assert written[2:] in ([], [[D]], [[D, A]])
    assert lettered.prove_entry(trained).claim == "recorded"  # type: ignore[arg-type]
    assert [one.name for one in lettered.predict(C, k=1)] == [D]
    lettered.rebuild()


def test_what_a_process_accesses_is_written_down_soon_and_then_survives_a_kill(
    lettered: Memory, store: Path, home: Path
) -> None:
    with workers(1, store, home) as (child,):
        ask(child, "access", A, B, C)
        until(lambda: named(lettered) == [[A, B, C]])
        child.process.kill()
        child.process.wait()
    assert named(lettered) == [[A, B, C]]
    assert [one.name for one in lettered.predict(A, k=1)] == [B]


# -- who does not want it ----------------------------------------------------------------------------------------------


def test_a_session_that_is_not_to_be_observed_is_not(lettered: Memory) -> None:
    with lettered.session(observe=False) as session:
        lettered.access(A)
        assert [one.name for one in session.predict(floor=0)] == []
    assert session.accesses == 1
    assert heard(lettered) == []


def test_nor_is_a_store_that_was_opened_so(lettered: Memory, reopen: Callable[..., Memory]) -> None:
    with reopen(observe=False) as unseen:
        assert not unseen.watching
        with unseen.session():
            unseen.access(A)
        unseen.access(B)
    assert heard(lettered) == []


def test_watch_holds_for_all_who_have_the_store_open(lettered: Memory, store: Path, home: Path) -> None:
    with workers(1, store, home) as (child,):
        assert ask(child, "watching") is True
        lettered.watch(on=False)
        assert not lettered.watching
        assert ask(child, "watching") is False
        assert ask(child, "session", A, B) == 2
        assert ask(child, "observe", A, B) == "denied"
        assert heard(lettered) == []
        assert ask(child, "watch", "on") is True
        assert lettered.watching
        assert ask(child, "session", A, B) == 2
    assert named(lettered) == [[A, B]]


def test_what_was_accessed_while_nobody_watched_is_not_written_later(lettered: Memory) -> None:
    with lettered.session():
        lettered.watch(on=False)
        lettered.access(A)
        lettered._client.recorder.flush()
        lettered.watch()
        lettered.access(B)
    assert named(lettered) == [[B]]


def test_the_choice_outlives_a_rebuild_and_a_restart(lettered: Memory, reopen: Callable[..., Memory]) -> None:
    lettered.watch(on=False)
    lettered.rebuild()
    lettered.close()
    assert not reopen().watching


def test_a_read_only_open_writes_nothing(lettered: Memory, reopen: Callable[..., Memory], store: Path) -> None:
    lettered.observe([A, B])
    lettered.close()
    before = {path: path.read_bytes() for path in store.rglob("*.mdb") if "lock" not in path.name}
    with reopen(read_only=True) as reader:
        assert not reader.watching
        with reader.session("reads only") as session:
            reader.access(A)
            assert [one.name for one in session.predict()] == [B]
        reader.access(A)
        with pytest.raises(Denied):
            reader.train([A, B])
        with pytest.raises(Denied):
            reader.watch(on=False)
    assert {path: path.read_bytes() for path in before} == before


def test_only_accesses_of_what_is_now_count(lettered: Memory) -> None:
    lettered.observe([A, B])
    before = rows_of(lettered, tuple(TABLES))
    lettered.predict([A])
    lettered.predict(objective="find b", horizon="session")
    lettered.search("fact")
    lettered.list()
    lettered.history(A)
    lettered.edges(A)
    lettered.access(A, as_of=1)
    lettered.access(A, valid_at="2023-12-01")
    lettered._client.recorder.flush()
    assert rows_of(lettered, tuple(TABLES)) == before


def test_the_weights_of_the_parts_move_with_what_is_accessed(lettered: Memory) -> None:
    lettered.observe([{"items": [A, B, C]}] * 3)
    assert rows_of(lettered, (MIXING,))[MIXING] != []
    before = rows_of(lettered, (MIXING, SESSIONS))
    with lettered.session("the same once more"):
        for name in (A, B, C):
            lettered.access(name)
    after = rows_of(lettered, (MIXING, SESSIONS))
    assert after[MIXING] != before[MIXING]
    assert len(after[SESSIONS]) == len(before[SESSIONS]) + 1
