"""What a call over stdio takes beside an empty call of the SDK, and beside the same verb called in this process.

One client, one call at a time, servers and model warm. CPU is that of the process that does the work: of the server for
a call over stdio, of this one for a call in process.
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from typing import Any

import substrate
from benchmarks.mcp_start import bare, ours
from benchmarks.search_stores import SearchStore
from benchmarks.search_workload import SearchTexts, name_of
from benchmarks.stdio_client import StdioServer
from benchmarks.table import Beside, Result
from benchmarks.timing import Contender, Samples, excess, interleave, ratio
from substrate.memory import Memory

__all__ = ["measure_calls"]

_ROUNDS, _CALLS = 30, 10
_FEWER = 5
_SEED = 11
_LIMIT = 10
_TOKENS = 1_200
_MANY = 100
_WARM_S = 60.0
_ACCESS_S = 0.5e-3
_OVER_STDIO_S = 2e-3
_IN_PROCESS = {"in process": "in process"}


def measure_calls(store: SearchStore, texts: SearchTexts) -> list[Result]:
    """Access beside an empty call, search and bootstrap beside themselves in process, and checkpoints."""
    with (
        bare().start() as empty,
        ours(store.path, store.home).start() as server,
        substrate.open(store.path, home=store.home) as memory,
    ):
        empty.ready()
        server.ready()
        _warm(server, memory, texts.questions[0])
        calls = _Calls(store, texts, empty, server, memory)
        return [*calls.access(), *calls.search(), *calls.bootstrap(), *calls.checkpoint(), _memory(store, server)]


def _warm(server: StdioServer, memory: Memory, question: str) -> None:
    """Search until both go by meaning."""
    found = memory.search(question, wait=_WARM_S)
    if found.meaning:
        raise AssertionError(f"search in process does not go by meaning: {found.meaning}")
    until, expected = time.monotonic() + _WARM_S, list(found.remarks)
    while (
        said := server.call("memory_search", {"query": question})["structuredContent"].get("remarks", [])
    ) != expected:
        if time.monotonic() > until:
            raise AssertionError(f"search over stdio is not what it is in process: {said}, {expected}")


class _Calls:
    """The contenders over one store, and the rows that come of them."""

    def __init__(
        self, store: SearchStore, texts: SearchTexts, empty: StdioServer, server: StdioServer, memory: Memory
    ) -> None:
        self._size = store.size
        self._questions = texts.questions
        self._empty, self._server, self._memory = empty, server, memory
        draw = random.Random(_SEED)
        self._names = [name_of(draw.randrange(store.size)) for _ in range(10_000)]
        self._written = 0

    def access(self) -> list[Result]:
        """Random atoms; beside what the SDK takes for nothing, and the verb alone."""
        names = self._names
        samples = interleave(
            {
                "ours": self._over("memory_access", lambda call: {"key": names[call % len(names)]}),
                "sync": Contender(lambda _: self._empty.call("empty", {}), cpu_ns=lambda: self._empty.cpu_ns),
                "async": Contender(lambda _: self._empty.call("empty_async", {}), cpu_ns=lambda: self._empty.cpu_ns),
                "in process": Contender(
                    lambda name: self._memory.access(name, predictions=0), lambda call: names[-call % len(names)]
                ),
            },
            _ROUNDS,
            _CALLS,
            warm_up=3,
        )
        besides = {"sync": "bare SDK, empty def", "async": "bare SDK, empty async def", "in process": "in process"}
        return self._rows("memory_access", samples, besides, _ACCESS_S)

    def search(self) -> list[Result]:
        """Ten hits for each question; the model embeds it, in both."""
        samples = self._beside(
            "memory_search",
            lambda query: {"query": query, "limit": _LIMIT},
            lambda query: self._memory.search(query, limit=_LIMIT),
        )
        return self._rows("memory_search", samples, _IN_PROCESS, _OVER_STDIO_S)

    def bootstrap(self) -> list[Result]:
        """By an objective, which the model embeds, in both."""
        samples = self._beside(
            "memory_session_bootstrap",
            lambda query: {"objective": query, "maxTokens": _TOKENS},
            lambda query: self._memory.bootstrap(query, max_tokens=_TOKENS),
        )
        return self._rows("memory_session_bootstrap", samples, _IN_PROCESS, _OVER_STDIO_S)

    def checkpoint(self) -> list[Result]:
        """New atoms, on disk when the call returns. By wall alone: which process embeds them afterwards is chance."""
        results = []
        for count in (1, _MANY):
            samples = interleave(
                {
                    "ours": self._over("session_checkpoint", lambda _, count=count: {"atoms": self._atoms(count)}),
                    "in process": Contender(self._memory.checkpoint, lambda _, count=count: self._atoms(count)),
                },
                _ROUNDS // 3,
                _FEWER,
            )
            what = "1 atom" if count == 1 else f"{count} atoms"
            results += self._rows(f"session_checkpoint of {what}", samples, _IN_PROCESS, None)[:1]
        return results

    def _over(self, tool: str, arguments: Any) -> Contender:  # noqa: ANN401 - a function of the call's number
        """One of our tools, over stdio."""
        return Contender(lambda given: self._server.call(tool, given), arguments, cpu_ns=lambda: self._server.cpu_ns)

    def _beside(self, tool: str, arguments: Any, verb: Any) -> dict[str, Samples]:  # noqa: ANN401 - functions of a question
        """A tool and its verb, on the same questions."""

        def asked(call: int) -> str:
            return self._questions[call % len(self._questions)]

        over = self._over(tool, lambda call: arguments(asked(call)))
        return interleave({"ours": over, "in process": Contender(verb, asked)}, _ROUNDS, _FEWER, warm_up=2)

    def _atoms(self, count: int) -> list[str]:
        """Atoms that were never written, with texts of the size of a note."""
        self._written += 1
        texts, first = self._questions, self._written * _MANY
        return [f"v1.fact.bench_{first + i:08d} = {texts[(first + i) % len(texts)]}" for i in range(count)]

    def _rows(
        self, work: str, samples: Mapping[str, Samples], besides: Mapping[str, str], most: float | None
    ) -> list[Result]:
        """By wall and by CPU; the target is what the first beside it takes, and `most` seconds more."""
        mine, first = samples["ours"], samples[next(iter(besides))]
        walls, cpus = [], []
        for name, what in besides.items():
            other = samples[name]
            walls.append(Beside(what, other.wall, "ms", ratio(mine.wall_rounds, other.wall_rounds)))
            cpus.append(Beside(what, other.cpu, "ms", ratio(mine.cpu_rounds, other.cpu_rounds)))
        walls.append(Beside("  the least of it, beside the least of ours", first.least, "ms", mine.least / first.least))
        cpus.append(Beside("  ours less it, round by round", excess(mine.cpu_rounds, first.cpu_rounds), "ms"))
        wall, cpu = (None, None) if most is None else (first.wall + most, first.cpu + most)
        return [
            Result(f"{work}: wall p50", self._size, mine.wall, "ms", wall, walls, {"least": mine.least}),
            Result(f"{work}: CPU p50", self._size, mine.cpu, "ms", cpu, cpus),
        ]


def _memory(store: SearchStore, server: StdioServer) -> Result:
    """What the server holds after all that."""
    found = server.residence()
    beside = [Beside("of which in no file", found.anonymous, "MB")]
    return Result("resident after these calls", store.size, found.resident, "MB", None, beside)
