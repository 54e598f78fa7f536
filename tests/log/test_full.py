"""Row 9, for the care of a store: no room for a second one is a typed error, and the first one stays as it was."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.kv.processes import ROOT
from tests.kv.test_full import needs_mount
from tests.scale import rounds


@needs_mount
@pytest.mark.soak
@pytest.mark.parametrize("scenario", ["rebuild", "backup", "restored"])
def test_with_any_room_left_it_is_done_or_refused_and_the_store_is_as_before(scenario: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.log.limited", scenario, str(tmp_path), str(rounds(5, 100))]
    mount = f'mount -t tmpfs -o size=12m none {tmp_path} && exec "$@"'
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", mount, "sh", *command],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=1200,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
