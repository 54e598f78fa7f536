from __future__ import annotations

from pathlib import Path

import pytest

from substrate.embed.embedder import Embedder
from substrate.embed.load import load


@pytest.fixture(autouse=True)
def _with_a_model(cache: Path) -> None:
    """Every test here may load models."""


@pytest.fixture
def minilm() -> Embedder:
    return load()


@pytest.fixture
def tiny(made: Path) -> Embedder:
    return load(str(made / "models" / "tiny-mean"))
