"""Tends a store in a child, and ends it right before its n-th step towards the disk: a Worker of `tests/crash`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import substrate.garden.tend  # noqa: F401 - loaded once, and not by every child
from substrate.memory import open_memory
from tests.crash import steps
from tests.crash.children import serve


def do(question: dict[str, Any], report: int) -> None:
    memory = open_memory(Path(question["store"]), home=Path(question["home"]), model="none", background=False)
    steps.arm(question["stop"], report)
    memory.tend("docs")


if __name__ == "__main__":
    steps.do = do
    serve(steps.stop_at)
