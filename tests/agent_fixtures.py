"""What tests of the server and of its surfaces stand on.

In the newer era of the protocol: tests/server/test_stdio.py calls every tool in the older one too.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agents import Agent, home_for_a_module, in_memory


@pytest.fixture(scope="module", autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with home_for_a_module(tmp_path_factory.mktemp("home")) as folder:
        yield folder


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def agent(store: Path) -> Iterator[Agent]:
    """An agent with a store of its own, which is not made yet."""
    with in_memory(store) as connected:
        yield connected
