from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.views.vectored import Vectored


@pytest.fixture
def open_vectored(tmp_path: Path) -> Iterator[Callable[..., Vectored]]:
    """Opens the test's store, as often as one likes."""
    opened: list[Vectored] = []

    def open_again(name: str = "store", *, dimensions: int = 8, seal_from: int = 30_000) -> Vectored:
        opened.append(Vectored(tmp_path / name, tmp_path / "home", dimensions, seal_from))
        return opened[-1]

    yield open_again
    for vectored in opened:
        vectored.close()


@pytest.fixture
def vectored(open_vectored: Callable[..., Vectored]) -> Vectored:
    return open_vectored()
