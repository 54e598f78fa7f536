"""The surface `hydramem` beside the original, over stdio: the same notes by the tool `remember`, in turns.

    python -m benchmarks.peers.graph_over_stdio --notes 4000

What a note takes is the CPU time of the server from the first call until it rests, divided by the notes: work that it
leaves for later counts. Both have vectors made of hashes, and beside that both have MiniLM. See docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from statistics import median

from benchmarks.elapsed import say
from benchmarks.minilm import load
from benchmarks.peers.columns import print_columns
from benchmarks.peers.environments import HYDRAMEM, HYDRAMEM_MINILM, Unavailable
from benchmarks.peers.graph_harness import DIMENSIONS, Note
from benchmarks.peers.graph_harness import notes as notes_of
from benchmarks.peers.servers import ROOT, Launch, hydramem_launch
from benchmarks.peers.serving import settle
from benchmarks.stdio_client import StdioServer
from substrate.settings import load_settings

_TURNS, _EACH = 6, 50
"""In which the last notes are saved: each server some, and again."""
_GOAL = 1.0
"""The most that ours may cost of what HydraMem's costs."""
_RESTS = 8
"""Half seconds of rest in a row: a server may wait for more notes before it makes their vectors."""
_COMPARED = {
    "vectors made of hashes": ("Substrate, hashes", "hydramem, hashes"),
    "MiniLM": ("Substrate, MiniLM", "hydramem, MiniLM"),
}


def _ours(module: str, model: str | None) -> Launch:
    load()  # exported once, into the cache: no server does that while it is measured
    cache = str(load_settings().cache)
    told = {} if model is None else {"SUBSTRATE_MODEL": model}

    def variables(home: Path) -> dict[str, str]:
        return {"SUBSTRATE_HOME": str(home / "keys"), "SUBSTRATE_CACHE": cache, "PYTHONPATH": str(ROOT), **told}

    return Launch([sys.executable, "-m", module, "mcp", "--surface", "hydramem", "--store", "store"], variables)


_LAUNCHES = {
    "Substrate, hashes": partial(_ours, "benchmarks.peers.stub_server", "stub"),
    "hydramem, hashes": partial(
        hydramem_launch(HYDRAMEM, HYDRAMEM_EMBEDDER="stub", EMBEDDING_DIM=str(DIMENSIONS)), say
    ),
    "Substrate, MiniLM": partial(_ours, "substrate", None),
    "hydramem, MiniLM": partial(hydramem_launch(HYDRAMEM_MINILM), say),
}


def _save(server: StdioServer, notes: Sequence[Note]) -> tuple[float, float]:
    """CPU milliseconds of a note while the client waits, and in all."""
    before, calls = server.cpu_ns, []
    for source, text in notes:
        began = server.cpu_ns
        added = server.call("remember", {"text": text, "source": source})["structuredContent"]["chunks_added"]
        calls.append(server.cpu_ns - began)
        if added != 1:
            sys.exit(f"a note was not taken as one chunk, but as {added}")
    settle(server, rests=_RESTS)
    return median(calls) / 1e6, (server.cpu_ns - before) / len(notes) / 1e6


def _measure(launches: Mapping[str, Launch], count: int) -> dict[str, list[tuple[float, float]]]:
    """All of them run at once, and take turns: what is compared had the same load."""
    notes = list(notes_of(count + _TURNS * _EACH))
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in launches}
    with ExitStack() as running:
        servers = {}
        for name, launch in launches.items():
            home = running.enter_context(tempfile.TemporaryDirectory(prefix="substrate-peer-"))
            servers[name] = server = running.enter_context(launch.start(Path(home)))
            server.ready()
            _save(server, notes[:count])
            say(f"{name}: {count:,} notes saved")
        for at in range(count, len(notes), _EACH):
            for name, server in servers.items():
                found[name].append(_save(server, notes[at : at + _EACH]))
    return found


def main() -> None:
    """Run all that are there, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers.graph_over_stdio", description=__doc__)
    parser.add_argument("--notes", type=int, default=4_000, help="before those that are timed (default: %(default)s)")
    arguments = parser.parse_args()
    launches = {}
    for name, launch in _LAUNCHES.items():
        try:
            launches[name] = launch()
        except (Unavailable, OSError) as error:
            say(f"{name}: NOT RUN: {error}")
    found = _measure(launches, arguments.notes)
    print(f"remember over stdio, after {arguments.notes:,} notes; CPU ms of the server, medians of {_TURNS} turns")
    rows = [(name, *(f"{median(part):.2f}" for part in zip(*turns, strict=True))) for name, turns in found.items()]
    print_columns(("server", "call", "in all"), rows)
    for vectors, (ours, theirs) in _COMPARED.items():
        if ours in found and theirs in found:
            ratios = [one[1] / other[1] for one, other in zip(found[ours], found[theirs], strict=True)]
            verdict = "met" if median(ratios) <= _GOAL else "MISSED"
            told = f"{median(ratios):.2f} x, from {min(ratios):.2f} to {max(ratios):.2f}"
            print(f"remember, {vectors}: {told}; goal {_GOAL} x: {verdict}")


if __name__ == "__main__":
    main()
