"""From spawning a server to the list of its tools, and the memory it holds then: ours beside a bare one of the SDK."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from benchmarks.search_stores import SearchStore
from benchmarks.stdio_client import Residence, StdioServer
from benchmarks.table import Beside, Result

__all__ = ["Launch", "bare", "measure_start", "ours"]

_ROUNDS = 12
_START_S = 0.3
_MEMORY_MB = 40.0
_NOTHING: tuple[str, dict[str, object]] = ("empty", {})
_SEARCH: tuple[str, dict[str, object]] = ("memory_search", {"query": "the name of a file"})
_BARE = Path(__file__).with_name("bare_mcp.py")
_ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class Launch:
    """How a server is started."""

    command: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)

    def start(self) -> StdioServer:
        """One that has just been spawned."""
        return StdioServer(self.command, environment={**os.environ, **self.environment}, folder=_ROOT)


def bare() -> Launch:
    """The server of the SDK with tools that do nothing."""
    return Launch([sys.executable, str(_BARE)])


def ours(store: Path, home: Path) -> Launch:
    """Ours, on a store that is made if it is not there."""
    return Launch([sys.executable, "-m", "substrate", "mcp", "--store", str(store)], {"SUBSTRATE_HOME": str(home)})


@dataclass(frozen=True, slots=True)
class _Start:
    """What one start took: seconds, what was in memory at its end, and the seconds of the first call after it."""

    wall: float
    cpu: float
    memory: Residence
    call: float


def _start(launch: Launch, tool: str, arguments: Mapping[str, object]) -> _Start:
    with launch.start() as server:
        server.ready()
        wall, cpu = server.age, server.cpu_ns / 1e9
        memory = server.residence()
        server.call(tool, arguments)
        return _Start(wall, cpu, memory, server.age - wall)


def measure_start(stores: Sequence[SearchStore], empty: Path) -> list[Result]:
    """Wall and CPU until the tools are listed, and memory right then: with no atoms, and with each of the stores.

    And the first call after it, which pays for what a server puts off: a search, in the words that every store has.
    """
    launches = {None: bare(), 0: ours(empty / "store", empty / "home")}
    launches |= {store.size: ours(store.path, store.home) for store in stores}
    found: dict[int | None, list[_Start]] = {size: [] for size in launches}
    order = list(launches)
    for turn in range(-1, _ROUNDS):
        for size in order:
            call = _NOTHING if size is None else _SEARCH
            taken = _start(launches[size], *call)
            if turn >= 0:
                found[size].append(taken)
        order.append(order.pop(0))
    beside = found.pop(None)
    results = []
    for size, starts in found.items():
        results += [*_times(size, starts, beside), *_room(size, starts, beside), _first(size, starts)]
    return results


def _times(size: int, starts: Sequence[_Start], beside: Sequence[_Start]) -> list[Result]:
    results = []
    for what in ("wall", "cpu"):
        mine, theirs = ([getattr(one, what) for one in some] for some in (starts, beside))
        over = median(one / other for one, other in zip(mine, theirs, strict=True))
        rows = [
            Beside("bare SDK server", median(theirs), "ms", over),
            Beside("  the least of it, beside the least of ours", min(theirs), "ms", min(mine) / min(theirs)),
        ]
        work = f"spawn to tools/list: {'CPU' if what == 'cpu' else what} p50"
        results.append(Result(work, size, median(mine), "ms", median(theirs) + _START_S, rows))
    return results


def _room(size: int, starts: Sequence[_Start], beside: Sequence[_Start]) -> list[Result]:
    results = []
    for work, of in (("resident", 0), ("  of which in no file", 1)):
        mine, theirs = (median(one.memory[of] for one in some) for some in (starts, beside))
        target = None if of else theirs + _MEMORY_MB
        what = [Beside("bare SDK server", theirs, "MB", mine / theirs)]
        results.append(Result(f"{work} after tools/list", size, mine, "MB", target, what))
    return results


def _first(size: int, starts: Sequence[_Start]) -> Result:
    return Result("first memory_search after it, by words: wall p50", size, median(one.call for one in starts), "ms")
