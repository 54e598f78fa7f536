"""Start child processes and talk with them by lines. Every wait has a deadline; nothing sleeps for a guessed time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, Queue
from threading import Thread

from tests.scale import PATIENCE_S

ROOT = Path(__file__).parents[2]


class Child:
    """A child that runs one verb of child.py. What it printed is what it acknowledged."""

    def __init__(self, *words: object, prefix: tuple[str, ...] = (), script: str = "tests.kv.child") -> None:
        command = [*prefix, sys.executable, "-m", script, *map(str, words)]
        self.process = subprocess.Popen(
            command,
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        self.lines: list[str] = []
        self._new: Queue[str | None] = Queue()
        Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._new.put(line.rstrip("\n"))
        self._new.put(None)

    def line(self, timeout: float = PATIENCE_S) -> str:
        """The next line; fails when there is none in time."""
        try:
            line = self._new.get(timeout=timeout)
        except Empty:
            raise AssertionError(f"the child said nothing for {timeout} s after {self.lines[-3:]}") from None
        if line is None:
            self._new.put(None)
            raise AssertionError(f"the child ended after {self.lines[-3:]}: {self.errors()}")
        self.lines.append(line)
        return line

    def expect(self, line: str) -> None:
        assert self.line() == line

    def until(self, count: int) -> None:
        """Read on until the child has said so many lines in all."""
        while len(self.lines) < count:
            self.line()

    def errors(self) -> str:
        self.process.wait(PATIENCE_S)
        assert self.process.stderr is not None
        return self.process.stderr.read()

    def send(self, signum: signal.Signals) -> None:
        os.kill(self.process.pid, signum)

    def kill(self) -> list[str]:
        """SIGKILL; all lines that arrived before and until then."""
        self.process.kill()
        return self._rest()

    def ended(self) -> list[str]:
        """Wait for its end; all its lines. It must have ended well."""
        lines = self._rest()
        assert self.process.returncode == 0, self.errors()
        return lines

    def finish(self) -> list[str]:
        """Close its standard input, which asks it to end, and wait for that."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.ended()

    def tell(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")

    def _rest(self) -> list[str]:
        while True:
            line = self._new.get(timeout=PATIENCE_S)
            if line is None:
                self._new.put(None)
                self.process.wait(PATIENCE_S)
                return self.lines
            self.lines.append(line)


@contextmanager
def children(*commands: tuple[object, ...]) -> Iterator[list[Child]]:
    """Start them all; none outlives the block."""
    started = [Child(*command) for command in commands]
    try:
        yield started
    finally:
        for child in started:
            child.process.kill()
            child.process.wait()
            for stream in (child.process.stdin, child.process.stdout, child.process.stderr):
                if stream is not None and not stream.closed:
                    stream.close()


def wait_until(condition: Callable[[], bool], timeout: float = PATIENCE_S) -> None:
    """Fails when the condition does not come true in time."""
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline, f"not true within {timeout} s: {condition}"
        time.sleep(0.001)
