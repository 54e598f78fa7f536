from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from substrate.memory import Memory, open_memory


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with open_memory(tmp_path / "store", home=tmp_path / "home", actor="ann") as memory:
        yield memory
