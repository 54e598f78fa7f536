"""Start child processes and talk with them by lines. Every wait has a deadline; nothing sleeps for a guessed time."""

from __future__ import annotations

import io
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, Queue
from threading import Thread

from tests.ready import start, start_fresh
from tests.scale import PATIENCE_S

ROOT = Path(__file__).parents[2]


class Child:
    """A child that runs one verb of child.py. What it printed is what it acknowledged."""

    def __init__(self, *words: object, script: str = "tests.kv.child") -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the child
        # A fork server for a process that is itself a child of a test would cost more than it saves.
        begin = start if "pytest" in sys.modules else start_fresh
        self.process = begin(script, *map(str, words), stderr=self._errors)
        self.lines: list[str] = []
        self._new: Queue[str | None] = Queue()
        self._listening = Thread(target=self._listen, daemon=True)
        self._listening.start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        with io.BufferedReader(self.process.stdout) as lines:  # type: ignore[arg-type, type-var]
            for line in lines:
                self._new.put(line.decode().rstrip("\n"))
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
        self._errors.seek(0)
        return self._errors.read().decode()

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
        self.process.stdin.write(line.encode() + b"\n")

    def close(self) -> None:
        """Kill it, if it still runs, and let go of its streams."""
        self.process.kill()
        self.process.wait(PATIENCE_S)
        self._listening.join(PATIENCE_S)
        for stream in (self.process.stdin, self.process.stdout, self._errors):
            if stream is not None:
                stream.close()

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
            child.close()


def wait_until(condition: Callable[[], bool], timeout: float = PATIENCE_S) -> None:
    """Fails when the condition does not come true in time."""
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline, f"not true within {timeout} s: {condition}"
        time.sleep(0.001)
