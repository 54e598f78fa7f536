"""Learning over a long time, and after mishaps: long sessions, forks, wrong clocks, domains that go, idle callers."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest

from substrate.clock import ManualClock
from substrate.errors import Denied, SecretFound
from substrate.memory import Memory
from substrate.views.learned import episodes
from substrate.views.learned.sessions import IDLE
from tests.stories import LEARNT, NAMES, rows_of

A, B, C, D, *_ = NAMES
MINUTE = 60 * 1_000_000
DAY = 24 * 60 * MINUTE


@pytest.fixture
def lettered(reopen: Callable[..., Memory]) -> Memory:
    memory = reopen(background=False)
    memory.checkpoint([*(f"{name} = {name}" for name in NAMES), "v1.domain.shop = The shop"])
    return memory


def test_a_session_of_thousands_of_accesses_keeps_no_more_than_is_compared(lettered: Memory) -> None:
    with lettered.session() as session:
        for number in range(3000):
            session.access(NAMES[number % len(NAMES)], predictions=0)
            if number % 500 == 0:
                lettered._client.recorder.flush()
        assert session.accesses == 3000
        assert len(session._state.opened) < 1100  # 512, and what waits


def test_a_domain_can_be_forgotten_after_its_episodes_are_too_old_to_be_compared(
    lettered: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(episodes, "MOST", 3)
    for number in range(9):
        domain = "v1.domain.shop" if number < 5 else None
        lettered.observe([A, B, NAMES[number % 5]], objective="ship the login", domain=domain)
    lettered.forget("v1.domain.shop")
    live = rows_of(lettered, LEARNT)
    lettered.rebuild()
    assert rows_of(lettered, LEARNT) == live


def test_a_fork_leaves_what_waits_to_its_parent(lettered: Memory) -> None:
    lettered.access(A)
    lettered._client.recorder._pid = -1  # as a child sees it
    lettered._client.recorder.flush()
    lettered._client.recorder.close()
    assert not rows_of(lettered, ("sessions",))["sessions"]


def test_who_begins_a_session_and_never_closes_it_leaves_it(lettered: Memory, clock: ManualClock) -> None:
    left = lettered.session("a task that was given up")
    left.access(A)
    lettered._client.recorder.flush()
    assert len(lettered._client.recorder._open) == 1
    clock.advance(IDLE + MINUTE)
    lettered._client.recorder.flush()
    assert not lettered._client.recorder._open


def test_a_clock_that_was_decades_ahead_for_a_moment_does_not_undo_what_was_learnt(
    lettered: Memory, clock: ManualClock
) -> None:
    for _ in range(5):
        lettered.observe([A, B])
    clock.advance(40 * 365 * DAY)
    with lettered.session() as session:
        session.access(C)
        session.access(D)
    clock.advance(-40 * 365 * DAY)
    assert lettered.predict(A, 1)[0].name == B
    for before, after in pairwise([A, B, C]):
        assert after in {one.name for one in lettered.predict(before, floor=0)} or before == B


def test_edges_alone_predict_in_a_store_without_sessions(lettered: Memory) -> None:
    lettered.checkpoint(edges=[{"source": A, "type": "references", "target": target} for target in (B, C, D)])
    assert {one.name for one in lettered.predict(A)} == {B, C, D}
    lettered.observe([A, B])
    assert lettered.predict(A, 1)[0].name == B


def test_what_is_not_there_predicts_nothing_and_says_why(lettered: Memory) -> None:
    lettered.observe([A, B, C])
    predictions = lettered.predict("v1.fact.nowhere", floor=0)
    assert not predictions.items
    assert "there is no such atom" in repr(predictions)


def test_who_may_not_observe_is_told_how_to(reopen: Callable[..., Memory], lettered: Memory) -> None:
    lettered.watch(on=False)
    with pytest.raises(Denied, match="watch"):
        lettered.observe([A])
    lettered.watch()
    lettered.close()
    with reopen(observe=False) as memory, pytest.raises(Denied, match="observe=False"):
        memory.observe([A])


def test_no_text_of_a_session_may_be_a_credential(lettered: Memory) -> None:
    secret = "the password: " + "kT9$" + "wq7Lz!p2Vb"
    for call in (
        lambda: lettered.session(secret),
        lambda: lettered.session(name=secret),
        lambda: lettered.bootstrap(secret),
        lambda: lettered.observe([A], session=secret),
    ):
        with pytest.raises(SecretFound) as told:
            call()
        assert "allow_secrets" not in str(told.value)
