"""What all tests share: no store embeds in the background unless a test wants it to, since that loads a model."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _without_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUBSTRATE_MODEL", "none")
