"""What tests of the server and of its surfaces stand on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.mcp_clients import MODES, Agent, home_for_a_module, in_memory


@pytest.fixture(scope="module", autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with home_for_a_module(tmp_path_factory.mktemp("home")) as folder:
        yield folder


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def agent(store: Path, mode: str) -> Iterator[Agent]:
    """An agent with a store of its own, which is not made yet; in both eras of the protocol."""
    with in_memory(store, mode=mode) as connected:
        yield connected
