"""Children that are forked from a ready process."""

from __future__ import annotations

import os
from io import BytesIO

from tests.ready import Started

NOBODY = 1 << 30
"""The pid of no process: they end below that."""


def test_a_child_that_has_ended_while_its_exit_code_is_on_the_way_is_killed_without_a_fault() -> None:
    status, status_there = os.pipe()
    child = Started(NOBODY, status, None, BytesIO())
    child.kill()
    os.write(status_there, b"0")
    os.close(status_there)
    assert child.wait(0) == 0
