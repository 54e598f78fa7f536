"""Real shells, spoken to key by key. zsh and fish only where they are installed."""

from __future__ import annotations

import os
import pty
import select
import shutil
import time

import pytest

from tests.cli.run import PROGRAM
from tests.scale import PATIENCE_S

__all__ = ["PATH", "Terminal", "needs"]

PATH = f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}"


def needs(shell: str) -> pytest.MarkDecorator:
    """Skips a test where the shell is missing."""
    return pytest.mark.skipif(
        shutil.which(shell) is None, reason=f"{shell} is not installed: its script is untested here"
    )


class Terminal:
    """A shell on a terminal, spoken to key by key."""

    def __init__(self, *command: str, **environment: str) -> None:
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:  # pragma: no cover - the child
            try:
                env = {**os.environ, "PATH": PATH, "TERM": "xterm", "COLUMNS": "200", "LINES": "50", **environment}
                os.execvpe(command[0], list(command), env)  # noqa: S606
            finally:
                os._exit(127)
        self.seen = ""

    def type(self, keys: str) -> None:
        os.write(self.terminal, keys.encode())

    def wait_for(self, text: str) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while text not in self.seen:
            ready, _, _ = select.select([self.terminal], [], [], max(0, deadline - time.monotonic()))
            assert ready, f"never saw {text!r} in {self.seen!r}"
            self.seen += os.read(self.terminal, 65536).decode(errors="replace")
        self.seen = self.seen.split(text, 1)[1]

    def end(self) -> None:
        os.close(self.terminal)
        os.waitpid(self.pid, 0)
