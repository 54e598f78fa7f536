"""Agents that work on one store at once, each through a server of its own, which is killed now and then.

What an agent was told is what its pipe held: an answer that was written before the kill counts, read or not.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.wire import Server

__all__ = ["Agent", "Told"]

NAMES = [f"v1.fact.n{number}" for number in range(40)]
PADDING = (0, 40, 400, 6000)
READS: tuple[tuple[str, Callable[[random.Random], dict[str, Any]]], ...] = (
    ("memory_access", lambda rng: {"key": rng.choice(NAMES), "predictions": 3}),
    ("memory_search", lambda rng: {"query": f"c{rng.randrange(4)}.{rng.randrange(50)}", "limit": 3}),
    ("memory_list_atoms", lambda rng: {"limit": 5, "offset": rng.randrange(5)}),
    ("memory_context", lambda rng: {"keys": rng.sample(NAMES, 2), "depth": 2}),
    ("memory_history", lambda rng: {"key": rng.choice(NAMES), "limit": 3}),
    ("memory_session_bootstrap", lambda rng: {"objective": rng.choice(NAMES), "maxTokens": 300}),
    ("memory_train", lambda rng: {"atoms": rng.sample(NAMES, 3), "passes": 2}),
)


@dataclass
class Told:
    """What was acknowledged to all of them together: heads, and which label each name had."""

    heads: list[tuple[int, str]] = field(default_factory=list)
    labels: list[tuple[str, str]] = field(default_factory=list)
    answers: int = 0


class Agent:
    """One agent. `start` makes the server it speaks to, and makes another one after a kill."""

    def __init__(self, number: int, start: Callable[[], Server], rng: random.Random, told: Told) -> None:
        self._number = number
        self._start = start
        self._rng = rng
        self._told = told
        self._saved = 0
        self._waiting: dict[str, dict[str, str]] = {}
        self.server = start()
        self.server.greet(f"agent {number}")

    def begin(self) -> None:
        """Send a call, one in two of them a save, and do not wait."""
        if self._rng.random() < 0.5:
            self._save()
        else:
            tool, arguments = self._rng.choice(READS)
            self._call(tool, arguments(self._rng), {})

    def _save(self) -> None:
        """Atoms whose values tell which batch they belong to, and how many there are in it."""
        self._saved += 1
        label, names = f"c{self._number}.{self._saved}", self._rng.sample(NAMES, self._rng.choice((1, 2, 5, 12)))
        padding = "x" * self._rng.choice(PADDING)
        atoms = [f"{name} = {label} {i} {len(names)} {padding}x" for i, name in enumerate(names)]
        edges = [{"source": names[0], "type": "depends_on", "target": name} for name in names[1:]]
        self._call(
            "session_checkpoint", {"atoms": atoms, "edges": edges, "includeRoot": True}, dict.fromkeys(names, label)
        )

    def _call(self, tool: str, arguments: dict[str, Any], saves: dict[str, str]) -> None:
        self._waiting[self.server.begin("tools/call", {"name": tool, "arguments": arguments})] = saves

    def finish(self, leave: int = 0) -> None:
        """Read answers until only so many calls are under way."""
        while len(self._waiting) > leave:
            self._hear(self.server.line())

    def _hear(self, line: bytes) -> None:
        said = json.loads(line)
        saves = self._waiting.pop(said.get("id"), None)
        if saves is None:
            return
        self._told.answers += 1
        result = said["result"]
        if saves and not result.get("isError"):
            head = result["structuredContent"]["head"]
            self._told.heads.append((head["size"], head["root"]))
            self._told.labels += saves.items()

    def killed(self) -> int:
        """SIGKILL the server, hear what it still said, and go on with another one. How many calls got no answer."""
        for line in self.server.kill():
            self._hear(line)
        lost, self._waiting = len(self._waiting), {}
        self.server.__exit__()
        self.server = self._start()
        self.server.greet(f"agent {self._number}")
        return lost
