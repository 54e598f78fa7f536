"""Sessions: whose access it was is never mixed up, what was accessed is never lost at an orderly end."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from substrate.clock import ManualClock
from substrate.errors import NotFound, SchemaInvalid, SecretFound, TooLarge
from substrate.learn import recorder as recording
from substrate.learn.recorder import OpenSession, Recorder
from substrate.log.tables import ARCS, ARRIVALS, SESSIONS, USES
from substrate.memory import Memory
from substrate.views.learned.sessions import HOLE, Heard, all_sessions
from tests.scale import PATIENCE_S
from tests.search.happenings import few
from tests.stories import NAMES, a_story, rows_of

A, B, C, D, X, _ = NAMES
MINUTE = 60 * 1_000_000
AB_C, XB_D = (A, B, C), (X, B, D)


def heard(memory: Memory) -> list[Heard]:
    with memory._store.log.snapshot() as transaction:
        return [row for _, row in all_sessions(transaction)]


def named(memory: Memory) -> list[list[str]]:
    """The sessions that were written down, by names: parts of one joined."""
    names = {atom.id.replace("-", ""): atom.name for atom in memory.list(limit=1000)}
    joined: dict[bytes, list[str]] = {}
    with memory._store.log.snapshot() as transaction:
        for key, row in all_sessions(transaction):
            first = joined.setdefault(row.continues or key, [])
            first += [names[item.hex()] for item in row.items if item != HOLE]
    return list(joined.values())


def first_said(memory: Memory, context: Sequence[str]) -> str:
    return memory.predict(context, k=1, floor=0)[0].name


@pytest.fixture
def lettered(reopen: Callable[..., Memory]) -> Memory:
    memory = reopen(background=False)
    memory.checkpoint([f"{name} = {name}" for name in NAMES])
    return memory


# -- two ways that cross -----------------------------------------------------------------------------------------------


def check_told_apart(memory: Memory) -> None:
    assert first_said(memory, [A, B]) == C
    assert first_said(memory, [X, B]) == D


@st.composite
def interleavings(draw: st.DrawFn) -> list[int]:
    """Which of several clients makes its next step: each has three, half of them go the one way, half the other."""
    clients = 2 * draw(st.integers(1, 4))
    return draw(st.permutations([client for client in range(clients) for _ in range(3)]))


def interleaved(memory: Memory, order: Sequence[int], *, flushes: bool) -> None:
    """Clients with sessions of their own; even ones go the one way, odd ones the other."""
    with ExitStack() as stack:
        sessions = {client: stack.enter_context(memory.session()) for client in set(order)}
        ways = {client: iter(XB_D if client % 2 else AB_C) for client in sessions}
        for client in order:
            sessions[client].access(next(ways[client]))
            if flushes:
                memory._client.recorder.flush()


@pytest.mark.no_cover
@few(40)
@given(interleavings(), st.booleans())
def test_ways_that_cross_are_told_apart_under_any_interleaving_of_sessions(order: list[int], flushes: bool) -> None:  # noqa: FBT001
    with a_story() as story:
        interleaved(story.memory, order, flushes=flushes)
        assert sorted(map(tuple, named(story.memory))) == sorted([AB_C, XB_D] * (len(set(order)) // 2))
        check_told_apart(story.memory)
        story.memory.rebuild()
        check_told_apart(story.memory)


@few(15)
@given(st.integers(1, 12).flatmap(lambda n: st.permutations([AB_C, XB_D] * n)), st.booleans())
def test_so_are_those_that_are_observed(sessions: list[tuple[str, ...]], at_once: bool) -> None:  # noqa: FBT001
    with a_story() as story:
        if at_once:
            story.memory.observe([{"items": items} for items in sessions])
        else:
            for items in sessions:
                story.memory.observe(items)
        check_told_apart(story.memory)


def test_a_recorder_that_mixes_two_sessions_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The broken twin: one history for all clients of a store, as the reference has it."""
    one = OpenSession()
    monkeypatch.setattr(Recorder, "current", lambda _: one)
    with a_story() as story:
        interleaved(story.memory, [0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 3, 2], flushes=False)
        story.memory._client.recorder.end(one)
        assert named(story.memory) == [[A, X, B, B, C, D, A, X, B, B, D, C]]
        with pytest.raises(AssertionError):
            check_told_apart(story.memory)


def test_threads_have_sessions_of_their_own(lettered: Memory) -> None:
    turns = threading.Barrier(4, timeout=PATIENCE_S)
    failures: list[BaseException] = []

    def work(way: tuple[str, ...]) -> None:
        try:
            with lettered.session():
                for name in way:
                    turns.wait()
                    lettered.access(name)
        except BaseException as error:  # noqa: BLE001 - handed to the main thread
            failures.append(error)

    threads = [threading.Thread(target=work, args=(way,)) for way in (AB_C, XB_D) * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert sorted(map(tuple, named(lettered))) == sorted([AB_C, XB_D] * 2)
    check_told_apart(lettered)


def test_so_have_tasks_of_one_loop(lettered: Memory) -> None:
    async def work(way: tuple[str, ...]) -> None:
        with lettered.session() as session:
            for name in way:
                await asyncio.sleep(0)
                lettered.access(name)
            assert session.accesses == len(way)

    async def all_at_once() -> None:
        await asyncio.gather(*(work(way) for way in (AB_C, XB_D) * 3))

    asyncio.run(all_at_once())
    assert sorted(map(tuple, named(lettered))) == sorted([AB_C, XB_D] * 3)
    check_told_apart(lettered)


def test_a_session_within_a_session_is_another_one(lettered: Memory) -> None:
    lettered.access(X)
    with lettered.session() as outer:
        lettered.access(A)
        with lettered.session() as inner:
            lettered.access(B)
            outer.access(C)
        lettered.access(D)
    assert (outer.accesses, inner.accesses) == (3, 1)
    lettered.access(B)
    lettered.close()


def test_several_threads_can_be_in_one_session_and_leave_in_any_order(lettered: Memory) -> None:
    session = lettered.session()
    inside, go = threading.Barrier(2, timeout=PATIENCE_S), threading.Event()

    def work() -> None:
        with session:
            inside.wait()
            go.wait(PATIENCE_S)
            lettered.access(B)

    thread = threading.Thread(target=work)
    thread.start()
    with session:
        inside.wait()
        lettered.access(A)
    lettered.access(X)
    go.set()
    thread.join()
    assert session.accesses == 2
    lettered._client.recorder.flush()
    assert sorted(named(lettered)) == [[A, B], [X]]


# -- how sessions end --------------------------------------------------------------------------------------------------


def test_half_an_hour_without_an_access_ends_the_session_that_nobody_closes(
    lettered: Memory, clock: ManualClock
) -> None:
    for name, minutes in ((A, 29), (B, 30), (C, 31), (D, 0)):
        lettered.access(name)
        clock.advance(minutes * MINUTE)
    lettered._client.recorder.flush()
    assert named(lettered) == [[A, B, C], [D]]


def test_idle_time_does_not_end_a_session_that_someone_holds(lettered: Memory, clock: ManualClock) -> None:
    with lettered.session():
        lettered.access(A)
        clock.advance(600 * MINUTE)
        lettered.access(B)
    assert named(lettered) == [[A, B]]


def test_a_clock_that_steps_back_ends_no_session(lettered: Memory, clock: ManualClock) -> None:
    lettered.access(A)
    clock.advance(-600 * MINUTE)
    lettered.access(B)
    lettered._client.recorder.flush()
    assert named(lettered) == [[A, B]]


def test_nothing_is_lost_at_close(reopen: Callable[..., Memory]) -> None:
    memory = reopen()
    memory.checkpoint([f"{name} = {name}" for name in NAMES])
    left_open = memory.session("left open")
    for name in (A, B):
        left_open.access(name)
    for name in (C, D):
        memory.access(name)
    memory.close()
    assert sorted(named(reopen())) == [[A, B], [C, D]]
    assert not [thread for thread in threading.enumerate() if thread.name == "substrate-record"]


def test_a_long_session_is_written_in_parts_and_learnt_as_one(lettered: Memory) -> None:
    with lettered.session("in parts", name="in parts"):
        for name in (A, B, C, D):
            lettered.access(name)
            lettered._client.recorder.flush()
    assert [len(part.items) for part in heard(lettered)] == [1] * 4
    assert named(lettered) == [[A, B, C, D]]
    in_parts = rows_of(lettered, (ARCS, ARRIVALS, USES))
    lettered.forget(session="in parts")
    lettered.observe([A, B, C, D], objective="in parts", session="in parts")
    assert rows_of(lettered, (ARCS, ARRIVALS, USES)) == in_parts


def test_an_endless_session_is_learnt_as_several(lettered: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "_LONG", 5)
    way = [NAMES[i % 6] for i in range(17)]
    with lettered.session("without end"):
        for i, name in enumerate(way):
            lettered.access(name)
            if i % 3 == 2:
                lettered._client.recorder.flush()
    written = named(lettered)
    assert [name for part in written for name in part] == way
    assert all(len(part) <= 5 for part in written)


def test_what_goes_out_of_use_before_it_is_written_leaves_a_hole(lettered: Memory) -> None:
    with lettered.session():
        for name in (A, B, C):
            lettered.access(name)
        lettered.checkpoint(tombstones=[B])
    assert [item == HOLE for item in heard(lettered)[0].items] == [False, True, False]
    assert "next" not in {part for one in lettered.predict(A, floor=0) for part in one.parts if one.name == C}


# -- what they say -----------------------------------------------------------------------------------------------------


def test_a_session_says_what_for_where_and_whose_it_is(reopen: Callable[..., Memory]) -> None:
    memory = reopen(actor="ann", background=False)
    memory.checkpoint(["v1.domain.shop = all of it", f"{A} = a"])
    with memory.session(" sell more ", domain="shop", name="monday") as session:
        memory.access(A)
    assert (session.objective, session.domain, session.accesses) == ("sell more", "v1.domain.shop", 1)
    (row,) = heard(memory)
    assert (row.objective, row.session, row.actor, row.weight) == ("sell more", "monday", "ann", 1)
    assert row.domain != HOLE
    assert "sell more" in repr(session)


@pytest.mark.parametrize(
    ("given_", "refused"),
    [
        ({"objective": 7}, SchemaInvalid),
        ({"objective": "x" * 10_001}, TooLarge),
        ({"objective": "\ud800"}, SchemaInvalid),
        ({"objective": "use AKIAIOSFODNN7EXAMPLQ for it"}, SecretFound),
        ({"domain": "nowhere"}, NotFound),
        ({"domain": ""}, SchemaInvalid),
        ({"name": ""}, SchemaInvalid),
        ({"name": 7}, SchemaInvalid),
        ({"name": "\ud800"}, SchemaInvalid),
        ({"name": "x" * 70_000}, TooLarge),
    ],
)
def test_what_a_session_cannot_be_is_refused(
    lettered: Memory, given_: dict[str, object], refused: type[Exception]
) -> None:
    with pytest.raises(refused):
        lettered.session(**given_)  # type: ignore[arg-type]
    assert rows_of(lettered, (SESSIONS,)) == {SESSIONS: []}


@pytest.mark.parametrize("actor", ["\ud800", "x" * 70_000, 7])
def test_an_actor_that_could_not_be_written_down_is_refused_when_the_store_is_opened(
    reopen: Callable[..., Memory], actor: object
) -> None:
    with pytest.raises((SchemaInvalid, TooLarge)):
        reopen(actor=actor)


@pytest.mark.parametrize("word", ["off", "on", 0, 1, None])
def test_watching_takes_true_or_false_alone(memory: Memory, word: object) -> None:
    """`watch("off")` must not switch it on."""
    memory.watch(on=False)
    with pytest.raises(SchemaInvalid, match="True or False"):
        memory.watch(word)  # type: ignore[arg-type]
    assert not memory.watched
