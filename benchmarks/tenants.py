"""`make bench`: a server for many tenants, beside the SDK's empty HTTP call and beside its own verbs.

One client, one call at a time, on a connection that stays open. CPU is that of the server for a call over HTTP, of this
process for a verb and for the limiter. Without a model: what it takes is measured elsewhere.
"""

from __future__ import annotations

import argparse
import secrets
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

from mcp.types import CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY, PROTOCOL_VERSION_META_KEY

import substrate
from benchmarks.calibration import calibrate, machine
from benchmarks.elapsed import say
from benchmarks.http_client import HttpServer
from benchmarks.report import Report
from benchmarks.table import Beside, Result
from benchmarks.timing import Contender, Samples, excess, interleave, ratio
from substrate.memory import Memory
from substrate.server.compose import listed_bytes, listing
from substrate.server.http.rates import Rates
from substrate.server.http.tenant_tokens import TokenBook
from substrate.server.http.tenants import MOST_OPEN
from substrate.server.launch import Launch

_ROUNDS, _CALLS = 30, 10
_PER_CALL_S = 2e-3
_LIMITER_S = 20e-6
_TENANT_MB = 6.0
_COLD_S = 50e-3
_LIST_BYTES = 8_000
_ATOMS = 200
_RATE = 1_000_000
_TAKES = 100_000
_QUESTION = "who paid by card"
_TODAY = {
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": "tools/call",
}
_META = {
    PROTOCOL_VERSION_META_KEY: "2026-07-28",
    CLIENT_CAPABILITIES_META_KEY: {},
    CLIENT_INFO_META_KEY: {"name": "bench", "version": "1"},
}


def main() -> None:
    """Fill the tenants, start both servers, and print one table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tenants", description=__doc__)
    parser.add_argument("tenants", nargs="?", type=int, default=1000, help="tenants on disk (default 1000)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="save the results there too")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="substrate-bench-") as folder:
        scratch = Path(folder)
        about = [*machine(scratch), "; ".join(f"{name} {version(name)}" for name in ("mcp", "pydantic", "uvicorn"))]
        before = calibrate(scratch)
        environment = {"SUBSTRATE_HOME": str(scratch / "home"), "SUBSTRATE_MODEL": "none"}
        root, names = scratch / "tenants", [f"t{number:05d}" for number in range(max(given.tenants, 2 * MOST_OPEN))]
        say(f"{len(names):,} tenants")
        tokens = dict(_filled(root, scratch / "home", names))
        words = ("substrate", "mcp", "--http", "--port", "0", "--tenants", str(root), "--surface", "knowmind")
        results = [_limiter(), _listing()]
        with (
            HttpServer((*words, "--wait", "0"), environment) as server,
            HttpServer(("benchmarks.bare_http",), environment) as bare,
        ):
            team = _Team(server, tokens)
            say("calls")
            with substrate.open(root / names[0], home=scratch / "home", model="none") as memory:
                results += _calls(team, bare, memory, names[0])
            say("open tenants")
            results.append(_open(team, names))
            say("cold calls")
            results.append(_cold(team, names))
        calibrations = {0: [before, calibrate(scratch)]}
    Report(about, calibrations, results).tell(given.json)


class _Team:
    """The server, called as its document prints it."""

    def __init__(self, server: HttpServer, tokens: dict[str, str]) -> None:
        self.server = server
        self._tokens = tokens

    def call(self, tenant: str, tool: str, arguments: dict[str, Any]) -> Any:  # noqa: ANN401 - as JSON has it
        """What a tool says to a tenant."""
        params = {"name": f"knowmind.{tool}", "arguments": arguments}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        return self.server.post(body, {"Authorization": f"Bearer {self._tokens[tenant]}"})["result"]


def _filled(root: Path, home: Path, names: list[str]) -> Iterator[tuple[str, str]]:
    """Tenants with a store of their own, and their tokens. As many as are open at once have some atoms, others one."""
    book = TokenBook(root)
    for number, name in enumerate(names):
        many = _ATOMS if number < MOST_OPEN else 1
        with substrate.open(root / name, home=home, model="none", background=False) as memory:
            memory.checkpoint([f"v1.fact.n{at} = Note {at} of tenant {name}: paid by card" for at in range(many)])
        yield name, book.add(name, ("read", "write"), rate=_RATE)[0]


def _calls(team: _Team, bare: HttpServer, memory: Memory, tenant: str) -> list[Result]:
    def empty(tool: str) -> Contender:
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "_meta": _META}}
        return Contender(lambda _: bare.post(body, {**_TODAY, "Mcp-Name": tool}), cpu_ns=lambda: bare.cpu_ns)

    def recall() -> None:
        """The search, and for each hit the question whether its short id means it alone."""
        for hit in memory.search(_QUESTION, limit=5, hops=2):
            memory.which(f"memory_{hit.name.split('.', 2)[2]}")

    verbs: dict[str, tuple[dict[str, Any], Callable[[], object]]] = {
        "stats": ({}, memory.stats),
        "recall": ({"query": _QUESTION, "k": 5}, recall),
    }
    results = []
    for tool, (arguments, verb) in verbs.items():

        def ours(_: int, tool: str = tool, arguments: dict[str, Any] = arguments) -> object:
            return team.call(tenant, tool, arguments)

        samples = interleave(
            {
                "ours": Contender(ours, cpu_ns=lambda: team.server.cpu_ns),
                "sync": empty("empty"),
                "async": empty("empty_async"),
                "verb": Contender(lambda _, verb=verb: verb()),
            },
            _ROUNDS,
            _CALLS,
            warm_up=3,
        )
        results.append(_row(f"knowmind.{tool}, plain: CPU p50", samples))
    return results


def _row(work: str, samples: dict[str, Samples]) -> Result:
    """Beside an empty tool that runs on a worker thread, as ours do, and beside one that does not."""
    mine, sync, bare, verb = (samples[name] for name in ("ours", "sync", "async", "verb"))
    beside = [
        Beside("bare SDK over HTTP, empty def", sync.cpu, "ms", ratio(mine.cpu_rounds, sync.cpu_rounds)),
        Beside("bare SDK over HTTP, empty async def", bare.cpu, "ms", ratio(mine.cpu_rounds, bare.cpu_rounds)),
        Beside("its verbs in process", verb.cpu, "ms", ratio(mine.cpu_rounds, verb.cpu_rounds)),
        Beside("  ours less the first, round by round", excess(mine.cpu_rounds, sync.cpu_rounds), "ms"),
    ]
    return Result(work, None, mine.cpu, "ms", sync.cpu + verb.cpu + _PER_CALL_S, beside, {"wall": mine.wall})


def _limiter() -> Result:
    rates, tokens = Rates(), [secrets.token_hex(32) for _ in range(1000)]
    began = time.process_time()
    for number in range(_TAKES):
        rates.take(tokens[number % len(tokens)], _RATE)
    return Result("limiter: CPU of a call", 1000, (time.process_time() - began) / _TAKES, "us", _LIMITER_S)


def _listing() -> Result:
    size = listed_bytes(listing(Launch(Path("store"), ("knowmind",))))
    return Result("tools/list of knowmind", None, float(size), "bytes", float(_LIST_BYTES))


def _open(team: _Team, names: list[str]) -> Result:
    """What each of as many tenants as may be open takes of the server's memory, after a search in each."""
    asked = {"query": _QUESTION}
    team.call(names[0], "recall", asked)
    before = team.server.megabytes()
    for name in names[1:MOST_OPEN]:
        team.call(name, "recall", asked)
    each = (team.server.megabytes() - before) / (MOST_OPEN - 1)
    beside = [Beside("the server with one open", before, "MB")]
    return Result("an open tenant (PSS)", _ATOMS, each, "MB", _TENANT_MB, beside)


def _cold(team: _Team, names: list[str]) -> Result:
    """A call of a tenant whose store is not open, and the closing of another one for it."""
    walls, cpus = [], []
    for name in names[MOST_OPEN:]:
        cpu, wall = team.server.cpu_ns, time.perf_counter()
        team.call(name, "stats", {})
        walls.append(time.perf_counter() - wall)
        cpus.append((team.server.cpu_ns - cpu) / 1e9)
    more = {"wall": median(walls), "worst CPU": max(cpus)}
    beside = [Beside("wall p50", median(walls), "ms")]
    return Result("cold call: CPU p50", len(names), median(cpus), "ms", _COLD_S, beside, more)


if __name__ == "__main__":
    main()
