from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from substrate.clock import ManualClock
from substrate.engine.memory import Memory, open_memory


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def reopen(store: Path, home: Path, clock: ManualClock) -> Iterator[Callable[..., Memory]]:
    """Opens the test's store, as often as one likes."""
    opened: list[Memory] = []

    def open_again(**options: object) -> Memory:
        opened.append(open_memory(store, home=home, clock=clock, **options))  # type: ignore[arg-type]
        return opened[-1]

    yield open_again
    for memory in opened:
        memory.close()


@pytest.fixture
def memory(reopen: Callable[..., Memory]) -> Memory:
    return reopen()
