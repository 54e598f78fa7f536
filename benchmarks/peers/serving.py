"""What one memory server does over stdio: started, filled note by note, asked; with what each took."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.peers.notes import Notes, mark_of
from benchmarks.peers.servers import Launch, Words
from benchmarks.stdio_client import Residence, ServerFailed, StdioServer

__all__ = ["Served", "Start", "hits", "serve", "settle", "start"]

K = 5
"""Of how many results one must be a note that is wanted."""
_SAVED = 50
"""Notes that are timed, after all others."""
_QUIET_S, _QUIET_SHARE = 0.5, 0.05
_SETTLE_S = 180.0


@dataclass(frozen=True, slots=True)
class Start:
    """From spawning to the list of tools: seconds, CPU seconds, and the memory then."""

    wall: float
    cpu: float
    memory: Residence


@dataclass(slots=True)
class Served:
    """Seconds of each call; recall by kind of question; the errors of calls, none of which ended the run."""

    save: list[float] = field(default_factory=list)
    save_cpu: list[float] = field(default_factory=list)
    search: list[float] = field(default_factory=list)
    search_cpu: list[float] = field(default_factory=list)
    settled: float = 0.0
    found: dict[str, list[bool]] = field(default_factory=dict)
    memory: Residence = field(default_factory=lambda: Residence(0, 0))
    errors: list[str] = field(default_factory=list)

    def row(self) -> dict[str, Any]:
        """Medians and shares, for the table and for JSON."""
        times = {name: getattr(self, name) for name in ("save", "save_cpu", "search", "search_cpu")}
        return {
            **{f"{name}_ms": 1000 * median(values) if values else None for name, values in times.items()},
            "settled_s": self.settled,
            "recall": {kind: sum(found) / len(found) for kind, found in self.found.items()},
            "resident_mb": self.memory.resident,
            "anonymous_mb": self.memory.anonymous,
            "errors": len(self.errors),
            "first_error": self.errors[0] if self.errors else None,
        }


def start(launch: Launch, home: Path) -> Start:
    """One start, in an empty home."""
    with launch.start(home) as server:
        server.ready()
        wall, cpu = server.age, server.cpu_ns / 1e9
        return Start(wall, cpu, server.residence())


def hits(found: Sequence[str], numbers: Mapping[str, int], wanted: frozenset[int]) -> bool:
    """Whether one of the first five results is a note that is wanted. What is no note takes a place all the same."""
    return any(numbers.get(mark_of(text)) in wanted for text in found[:K])


def serve(launch: Launch, words: Words, notes: Notes, home: Path, say: Callable[[str], None]) -> Served:
    """All notes, one call each; then, when nothing goes on in it any more, the questions. Raises ServerFailed."""
    served = Served()
    numbers = {mark_of(text): number for number, text in enumerate(notes.texts)}
    numbers |= {f"n{number}": number for number in range(len(notes.texts))}
    with launch.start(home) as server:
        server.ready()
        for number, text in enumerate(notes.texts):
            taken = _timed(server, words.save(number, text), served.errors)
            if taken is not None and number >= len(notes.texts) - _SAVED:
                served.save.append(taken.wall)
                served.save_cpu.append(taken.cpu)
        say(f"{len(notes.texts)} notes saved")
        _timed(server, words.search(notes.texts[0]), served.errors)  # what the first search loads is not counted
        served.settled = settle(server)
        for question in notes.questions:
            taken = _timed(server, words.search(question.text), served.errors)
            if taken is not None:
                served.search.append(taken.wall)
                served.search_cpu.append(taken.cpu)
            right = taken is not None and hits(words.found(taken.result), numbers, question.wanted)
            served.found.setdefault(question.kind, []).append(right)
        served.memory = server.residence()
    return served


@dataclass(frozen=True, slots=True)
class _Taken:
    wall: float
    cpu: float
    result: dict[str, Any]


def _timed(server: StdioServer, call: tuple[str, dict[str, Any]], errors: list[str]) -> _Taken | None:
    """What a call took; None, and one error more, if the tool said that it is one."""
    cpu, wall = server.cpu_ns, time.perf_counter()
    try:
        result = server.call(*call)
    except ServerFailed as error:
        if not server.alive:
            raise
        errors.append(str(error))
        return None
    wall = time.perf_counter() - wall
    return _Taken(wall, (server.cpu_ns - cpu) / 1e9, result)


def settle(server: StdioServer, *, patience: float = _SETTLE_S, rests: int = 1) -> float:
    """Wait until it uses next to no CPU, several times in a row; the seconds that it took until then."""
    began, last, quiet = time.monotonic(), server.cpu_ns, 0
    while time.monotonic() - began < patience:
        time.sleep(_QUIET_S)
        now = server.cpu_ns
        quiet = quiet + 1 if now - last < _QUIET_SHARE * _QUIET_S * 1e9 else 0
        if quiet == rests:
            return time.monotonic() - began - rests * _QUIET_S
        last = now
    return patience
