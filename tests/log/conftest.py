from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from substrate.clock import ManualClock
from substrate.log.log import Log, open_log


@pytest.fixture
def reopen(tmp_path: Path, home: Path, clock: ManualClock) -> Iterator[Callable[..., Log]]:
    """Opens the test's store, as often as one likes."""
    opened: list[Log] = []

    def open_again(**options: object) -> Log:
        opened.append(open_log(tmp_path / "store", home=home, clock=clock, **options))  # type: ignore[arg-type]
        return opened[-1]

    yield open_again
    for log in opened:
        log.close()


@pytest.fixture
def log(reopen: Callable[..., Log]) -> Log:
    return reopen()
