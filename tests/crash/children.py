"""The child processes of the crash tests: killed on purpose, or allowed to die of what they look at."""

from __future__ import annotations

import json
import os
import select
import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from subprocess import Popen
from time import monotonic
from typing import Any, Self

from tests.ready import Started, start, start_fresh
from tests.scale import PATIENCE_S

__all__ = ["PATIENCE_S", "Child", "Died", "Worker", "serve"]

ROOT = Path(__file__).parents[2]


class Died(Exception):
    """The child ended before it answered. `code` is its return code: minus the signal, if it was one."""

    def __init__(self, code: int, said: str) -> None:
        super().__init__(f"the child ended with code {code}; it said last: {said[-2000:]}")
        self.code = code


class Child:
    """A process that runs one of our modules. Its lines are read as they arrive, and no wait is without a deadline."""

    def __init__(
        self,
        module: str,
        *arguments: str,
        listens: bool = False,
        before: tuple[str, ...] = (),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `end`
        self._process: Started | Popen[bytes]
        options: Any = {"stderr": self._errors, "listens": listens, "environment": environment}
        if before or environment:  # which may be for the interpreter
            self._process = start_fresh(module, *arguments, before=before, **options)
        else:
            self._process = start(module, *arguments, **options)
        self._rest = b""

    def say(self, line: str) -> None:
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # it is dead: `line` will tell
            self._process.stdin.write(line.encode() + b"\n")

    def line(self, deadline: float) -> str | None:
        """The next whole line, or None if there will be no more. TimeoutError after the deadline."""
        assert self._process.stdout is not None
        while b"\n" not in self._rest:
            ready, _, _ = select.select([self._process.stdout], [], [], max(0.0, deadline - monotonic()))
            if not ready:
                raise TimeoutError(f"no line within the time given; errors: {self.errors()}")
            data = os.read(self._process.stdout.fileno(), 1 << 16)
            if not data:
                return None
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        return line.decode()

    def lines(self, deadline: float) -> list[str]:
        """All lines that arrive until the deadline or the end."""
        lines: list[str] = []
        with suppress(TimeoutError):
            while (line := self.line(deadline)) is not None:
                lines.append(line)
        return lines

    def end(self, *, kill: bool) -> list[str]:
        """SIGKILL it, or see it end by itself. Returns the whole lines that it still got out; Died if it failed."""
        if kill:
            self._process.kill()
        lines = self.lines(monotonic() + PATIENCE_S)
        try:
            code = self._process.wait(PATIENCE_S)
        finally:
            self._process.kill()
            for stream in (self._process.stdin, self._process.stdout):
                if stream is not None:
                    stream.close()
            errors = self.errors()
            self._errors.close()
        if code != (-9 if kill else 0):
            raise Died(code, errors)
        return lines

    def errors(self) -> str:
        self._errors.seek(0)
        return self._errors.read().decode(errors="replace")


class Worker:
    """A child that answers questions, one JSON line each. If a question kills it, the next one gets a new child."""

    def __init__(self, module: str) -> None:
        self._module = module
        self._child: Child | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._drop()

    def _drop(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            with suppress(Died):
                child.end(kill=True)

    def ask(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """The answer. Died if the child died of the question; TimeoutError if it hangs."""
        child = self._child = self._child or Child(self._module, listens=True)
        child.say(json.dumps(question))
        try:
            line = child.line(monotonic() + PATIENCE_S)
        except TimeoutError:
            self._drop()
            raise
        if line is None:
            self._child = None
            child.end(kill=False)
            raise Died(0, "no answer")
        answer: dict[str, Any] = json.loads(line)
        return answer


def serve(answer: Callable[[dict[str, Any]], Mapping[str, Any]]) -> None:
    """The child's side of a `Worker`."""
    for line in sys.stdin:
        said = json.dumps(answer(json.loads(line))).encode() + b"\n"
        while said:
            said = said[os.write(1, said) :]
