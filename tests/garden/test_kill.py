"""A gardener that is killed at any step has written its whole run, or nothing; and the next one goes on."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from substrate.memory import Memory, open_memory
from tests.crash.children import Worker
from tests.garden.test_tend import STATED, edges_of, tended


@pytest.mark.slow
def test_killed_at_each_step_there_is_a_run_with_all_that_it_did_or_none(
    garden: Memory, store: Path, home: Path, tmp_path: Path
) -> None:
    garden.close()
    outcomes: list[int] = []
    with Worker("tests.garden.killed") as worker:
        for stop in range(1, 100):
            place = tmp_path / str(stop)
            shutil.copytree(store, place / "store")
            shutil.copytree(home, place / "home")
            answer = worker.ask({"stop": stop, "store": str(place / "store"), "home": str(place / "home")})
            assert "error" not in answer, answer
            if answer["step"] is None:
                break
            with open_memory(place / "store", home=place / "home", model="none", background=False) as memory:
                listed = memory.tending()
                outcomes.append(listed.runs)
                assert not listed.is_running
                assert edges_of(memory) == (STATED if listed.runs else set())
                assert tended(memory).accepted == (0 if listed.runs else len(STATED))
                assert edges_of(memory) == STATED
            shutil.rmtree(place)
    assert len(outcomes) >= 3
    assert outcomes == sorted(outcomes)
    assert set(outcomes) == {0, 1}
