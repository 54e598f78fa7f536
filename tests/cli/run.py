"""Runs commands: in this process with streams of its own, which is fast, or as a child, which is real."""

from __future__ import annotations

import io
import json
import os
import pty
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from substrate.cli import main
from tests.scale import PATIENCE_S

__all__ = ["Commands", "Ran", "in_terminal"]

PROGRAM = Path(sys.executable).with_name("substrate")


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def error(self) -> Any:
        return json.loads(self.err)["error"]

    @property
    def rows(self) -> list[list[str]]:
        return [line.split("\t") for line in self.out.splitlines()]


class _Stream(io.TextIOWrapper):
    def __init__(self, *, terminal: bool, text: str | bytes = b"") -> None:
        super().__init__(io.BytesIO(text.encode() if isinstance(text, str) else text), encoding="utf-8", newline="")
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal

    def written(self) -> str:
        self.flush()
        return self.buffer.getvalue().decode()  # type: ignore[attr-defined, no-any-return]


class Commands:
    """`run("list", "--json")`, in the folder of the test, with a home and a store of its own."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self._monkeypatch = monkeypatch

    def __call__(self, *words: str, stdin: str | bytes = b"", terminal: bool = False, piped: bool = False) -> Ran:
        """`piped`: standard output alone is no terminal."""
        out = _Stream(terminal=terminal and not piped)
        streams = [_Stream(terminal=terminal, text=stdin), out, _Stream(terminal=terminal)]
        with self._monkeypatch.context() as patch:
            for name, stream in zip(("stdin", "stdout", "stderr"), streams, strict=True):
                patch.setattr(sys, name, stream)
            code = main(words)
        return Ran(int(code), streams[1].written(), streams[2].written())

    def ok(self, *words: str, stdin: str | bytes = b"") -> Ran:
        ran = self(*words, stdin=stdin)
        assert ran.code == 0, ran.err
        return ran

    def child(self, *words: str, stdin: bytes = b"", **environment: str) -> subprocess.CompletedProcess[bytes]:
        """The installed program itself."""
        env = {**os.environ, **environment}
        command = [PROGRAM, *words]
        return subprocess.run(command, input=stdin, capture_output=True, check=False, timeout=PATIENCE_S, env=env)


def in_terminal(command: list[str], answers: bytes = b"", **environment: str) -> tuple[int, str]:
    """The exit code of a command on a terminal of its own, and all that this terminal was sent."""
    pid, terminal = pty.fork()
    if pid == 0:  # pragma: no cover - the child
        try:
            env = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", **environment}
            os.execvpe(command[0], command, env)  # noqa: S606 - what a terminal does
        finally:
            os._exit(127)
    os.write(terminal, answers)
    sent = b""
    try:
        while data := os.read(terminal, 65536):
            sent += data
    except OSError:  # how Linux says that the other side is closed
        pass
    os.close(terminal)
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status), sent.decode()
