from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.run import Commands


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Commands:
    """Commands in a folder of the test's own, without a store yet."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SUBSTRATE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("SUBSTRATE_STORE", raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    return Commands(tmp_path, monkeypatch)


@pytest.fixture
def store(run: Commands) -> Commands:
    """The same, with a store of three atoms and an edge: entries 1 to 5."""
    run.ok("checkpoint", "v1.fact.provider = Stripe", "--source", "kick-off", "--tag", "money")
    run.ok("checkpoint", "v1.fact.currency = EUR", "v1.goal.launch = In March")
    run.ok("checkpoint", "v1.fact.provider = Adyen", "--edge", "v1.fact.provider depends_on v1.fact.currency")
    return run
