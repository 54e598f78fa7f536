"""The thread that embeds when it is woken."""

from __future__ import annotations

import threading

import pytest

from substrate.embed import background
from substrate.embed.background import Background
from tests.scale import PATIENCE_S


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "QUIET_S", 0.0)


def test_a_wake_while_the_work_ends_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "IDLE_S", 0.0)
    rounds, twice = [0], threading.Event()

    def work() -> None:
        rounds[0] += 1
        if rounds[0] == 1:
            worker.wake()  # the work has looked; something was saved behind it
        else:
            twice.set()

    worker = Background("test-background", work, at_exit=lambda: None)
    worker.wake()
    assert twice.wait(PATIENCE_S)
    worker.close()


def test_who_waits_is_let_go_when_it_is_closed() -> None:
    begun = threading.Event()

    def work() -> None:
        begun.set()
        worker.stopping.wait(PATIENCE_S)
        worker.check()

    worker = Background("test-background", work, at_exit=lambda: None)
    worker.wake()
    assert begun.wait(PATIENCE_S)
    closing = threading.Thread(target=worker.close)
    closing.start()
    assert worker.run(PATIENCE_S)
    closing.join()
    assert worker.run(PATIENCE_S), "also later"
