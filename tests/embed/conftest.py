from __future__ import annotations

import os
from pathlib import Path

import pytest

from substrate.embed.embedder import Embedder
from substrate.embed.loading import load
from tests.models import shared


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Models and their exports, shared by all workers of the session."""
    base = tmp_path_factory.getbasetemp()
    before = os.environ.pop("SUBSTRATE_MODEL", None)
    try:
        return shared(base.parent if "PYTEST_XDIST_WORKER" in os.environ else base)
    finally:
        if before is not None:
            os.environ["SUBSTRATE_MODEL"] = before


@pytest.fixture(autouse=True)
def cache(made: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The shared cache, as the settings say it. To be read only: a test that harms it makes a copy."""
    monkeypatch.delenv("SUBSTRATE_MODEL", raising=False)
    monkeypatch.setenv("SUBSTRATE_CACHE", str(made / "cache"))
    monkeypatch.setenv("HF_HUB_CACHE", str(made / "hub"))
    return made / "cache"


@pytest.fixture
def minilm() -> Embedder:
    return load()


@pytest.fixture
def tiny(made: Path) -> Embedder:
    return load(str(made / "models" / "tiny-mean"))
