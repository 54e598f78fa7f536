"""The load of many processes finds nothing wrong with the store, and would if there were."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.load import faults, run
from substrate.memory import Memory
from tests.scale import rounds


@pytest.mark.slow
@pytest.mark.soak
def test_under_load_nothing_is_lost_and_fsck_is_clean(tmp_path: Path) -> None:
    assert run(tmp_path, rounds(3, 8), rounds(2, 60), forgets=0.1) == []


def test_what_is_lost_changed_not_forgotten_or_counted_twice_is_found(memory: Memory) -> None:
    memory.checkpoint(["v1.fact.counter = 2", "v1.fact.a = x", "v1.fact.b = y"])
    told = {"there": {"v1.fact.a": 0, "v1.fact.lost": 0}, "gone": ["v1.fact.b"], "steps": 1}
    assert [fault.split()[0] for fault in faults(memory, [told])] == ["v1.fact.a", "v1.fact.lost", "v1.fact.b", "the"]  # type: ignore[list-item]
