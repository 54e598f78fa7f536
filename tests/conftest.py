"""What all tests share: no store embeds in the background unless a test wants it to, since that loads a model."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import is_hypothesis_test

_COUNTED = ("tests/proof/", "tests/log/")
"""Where lines count that only a property reaches: all of what is tested there must be covered."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Properties count no lines: they run those that others cover hundreds of times, and would take twice as long."""
    for item in items:
        if is_hypothesis_test(getattr(item, "obj", None)) and not item.nodeid.startswith(_COUNTED):
            item.add_marker(pytest.mark.no_cover)


@pytest.fixture(autouse=True)
def _without_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUBSTRATE_MODEL", "none")


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Models and their exports, made once for all workers of the session; see tests/models.py."""
    from tests.models import shared  # noqa: PLC0415 - only for tests that need it

    base = tmp_path_factory.getbasetemp()
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("SUBSTRATE_MODEL", raising=False)
        return shared(base.parent if "PYTEST_XDIST_WORKER" in os.environ else base)


@pytest.fixture
def cache(made: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The shared cache of exports, as the settings say it, and the default model. A test that harms it makes a copy."""
    monkeypatch.delenv("SUBSTRATE_MODEL", raising=False)
    monkeypatch.setenv("SUBSTRATE_CACHE", str(made / "cache"))
    monkeypatch.setenv("HF_HUB_CACHE", str(made / "hub"))
    return made / "cache"
