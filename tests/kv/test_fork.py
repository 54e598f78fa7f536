"""A forked child works on, with files of its own, and does nothing to its parent's."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.kv import fork_scenarios
from tests.kv.processes import ROOT
from tests.scale import PATIENCE_S


def run(scenario: Callable[[Path], None], path: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.kv.fork_scenarios", scenario.__name__, str(path)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE_S, check=False)


@pytest.mark.parametrize("scenario", fork_scenarios.SOUND, ids=lambda scenario: scenario.__name__)
def test_fork(scenario: Callable[[Path], None], tmp_path: Path) -> None:
    done = run(scenario, tmp_path / "store")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("scenario", "reason"),
    [
        (fork_scenarios.twin_that_closes_what_it_inherited, "the child lost its place"),
        (fork_scenarios.twin_that_keeps_the_lock_files, "another writer holds the store"),
    ],
)
def test_a_broken_twin_is_caught(scenario: Callable[[Path], None], reason: str, tmp_path: Path) -> None:
    done = run(scenario, tmp_path / "store")
    assert done.returncode == 1
    assert reason in done.stderr
