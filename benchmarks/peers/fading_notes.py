"""The surface `cortexgraph` beside the original, over stdio: the same notes, the same calls, in turns.

    python -m benchmarks.peers.fading_notes --notes 10000 --clusters 1000

What each call takes is the CPU time of the server. A save may leave work for later: `save` is what the server takes in
all, until it rests, divided by the notes saved; `call` is what it takes while the client waits (p50). Each is run as it
comes, and beside it the like of the other: without a model, and with MiniLM. See docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.elapsed import say
from benchmarks.minilm import load
from benchmarks.peers.columns import print_columns
from benchmarks.peers.environments import CORTEXGRAPH, CORTEXGRAPH_MINILM, Unavailable
from benchmarks.peers.notes import Question, gather_notes, mark_of
from benchmarks.peers.servers import Launch, cortexgraph_launch
from benchmarks.peers.serving import settle
from benchmarks.retrieval import bench_folder
from benchmarks.stdio_client import ServerFailed, StdioServer
from benchmarks.texts import sentences
from substrate.settings import load_settings

_ROOT = Path(__file__).resolve().parents[2]
_SEED = 7
_ASKED = 100
_SAVED = 100
_TURNS = 4
"""In which the last notes are saved: each server some, and again."""
_REPEATED = 5
_SETTLE_S, _RESTS = 900.0, 8
"""A server has settled when it rested for so many half seconds."""
_KEYS: Mapping[str, frozenset[str]] = {
    "save_memory": frozenset(
        ("success", "memory_id", "message", "has_embedding", "enrichment_applied", "auto_entities",
         "calculated_strength")
    ),
    "search_memory": frozenset(("results", "pagination")),
    "gc": frozenset(
        ("success", "dry_run", "removed_count", "archived_count", "freed_score_sum", "memory_ids", "total_affected",
         "message")
    ),
    "read_graph": frozenset(("memories", "relations", "stats", "pagination")),
    "cluster_memories": frozenset(("clusters", "clusters_found", "strategy", "threshold")),
}  # fmt: skip
"""The keys that the document names."""
_COMPARED = (
    ("both as they come", "Substrate", "cortexgraph"),
    ("both without a model", "Substrate without a model", "cortexgraph"),
    ("both with MiniLM", "Substrate", "cortexgraph with MiniLM"),
)


def _ours(model: str | None = None) -> Launch:
    load()  # exported once, into the cache: no server does that while it is measured
    cache = str(load_settings().cache)
    told = {} if model is None else {"SUBSTRATE_MODEL": model}

    def variables(home: Path) -> dict[str, str]:
        return {"SUBSTRATE_HOME": str(home / "keys"), "SUBSTRATE_CACHE": cache, "PYTHONPATH": str(_ROOT), **told}

    command = [sys.executable, "-m", "substrate", "mcp", "--surface", "cortexgraph", "--store", "store"]
    return Launch(command, variables)


class _Taken:
    """CPU milliseconds of calls, by what they are."""

    def __init__(self, server: StdioServer) -> None:
        self._server = server
        self.times: dict[str, list[float]] = {}
        self.missing: dict[str, list[str]] = {}

    def call(self, what: str, tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """What a tool says; its time is kept under `what`, unless that is empty."""
        before = self._server.cpu_ns
        result = self._server.call(tool, arguments)
        if what:
            self.times.setdefault(what, []).append((self._server.cpu_ns - before) / 1e6)
        said: Mapping[str, Any] = result["structuredContent"]
        if lacking := _KEYS.get(tool, frozenset()) - said.keys():
            self.missing[tool] = sorted(lacking)
        return said


@dataclass(slots=True)
class _Contender:
    """A server that runs, and what was taken of it."""

    server: StdioServer
    taken: _Taken
    by_meaning: Mapping[str, Any]
    own: list[bool] = field(default_factory=list)
    reworded: list[bool] = field(default_factory=list)

    def search(self, query: str) -> list[str]:
        """The contents that it finds."""
        asked = {"query": query, "preview_length": 0, **self.by_meaning}
        return [hit["content"] for hit in self.taken.call("search", "search_memory", asked)["results"][:10]]

    def row(self) -> dict[str, Any]:
        """What was measured."""
        return {
            "own": sum(self.own) / len(self.own),
            "reworded": sum(self.reworded) / len(self.reworded) if self.reworded else None,
            "cpu_ms": {what: median(times) for what, times in self.taken.times.items()},
            "mb": self.server.residence().resident,
            "missing": self.taken.missing,
        }


def _save(one: _Contender, texts: Sequence[str]) -> None:
    before = one.server.cpu_ns
    for text in texts:
        one.taken.call("call", "save_memory", {"content": text})
    settle(one.server, patience=_SETTLE_S, rests=_RESTS)
    one.taken.times.setdefault("save", []).append((one.server.cpu_ns - before) / 1e6 / len(texts))


def _measure(
    launches: Mapping[str, tuple[Launch, Mapping[str, Any]]], texts: Sequence[str], asked: Sequence[Question]
) -> dict[str, dict[str, Any]]:
    """All of them run at once, and each call is made of one after the other: what is compared had the same load."""
    draw = random.Random(_SEED)
    own = draw.sample(range(len(texts)), min(_ASKED, len(texts)))
    numbers = {mark_of(text): number for number, text in enumerate(texts)}
    with ExitStack() as running:
        contenders: dict[str, _Contender] = {}
        for name, (launch, by_meaning) in launches.items():
            home = running.enter_context(tempfile.TemporaryDirectory(prefix="substrate-peer-"))
            server = running.enter_context(launch.start(Path(home)))
            server.ready()
            contenders[name] = one = _Contender(server, _Taken(server), by_meaning)
            for text in texts[:-_SAVED]:
                one.taken.call("", "save_memory", {"content": text})
            settle(server, patience=_SETTLE_S, rests=_RESTS)
            one.taken.call("", "search_memory", {"query": texts[0], **by_meaning})
            settle(server, patience=_SETTLE_S, rests=_RESTS)
            say(f"{name}: {len(texts) - _SAVED:,} saved")
        for at in range(len(texts) - _SAVED, len(texts), _SAVED // _TURNS):
            for one in contenders.values():
                _save(one, texts[at : at + _SAVED // _TURNS])
        say("saves were measured")
        for one in contenders.values():
            one.taken.call("", "search_memory", {"query": texts[0], **one.by_meaning})
        for number in own:
            for one in contenders.values():
                one.own.append(number in {numbers.get(mark_of(found)) for found in one.search(texts[number])})
        for question in asked:
            for one in contenders.values():
                found = {numbers.get(mark_of(found)) for found in one.search(question.text)}
                one.reworded.append(not question.wanted.isdisjoint(found))
        for _ in range(_REPEATED):
            for one in contenders.values():
                one.taken.call("gc dry run", "gc", {"dry_run": True})
                one.taken.call("read_graph page", "read_graph", {"page": 2, "page_size": 10})
        return {name: one.row() for name, one in contenders.items()}


def _clusters(launch: Launch, texts: Sequence[str], patience: float) -> float | None:
    """CPU seconds of the clusters of these notes; None if it took longer than that."""
    with tempfile.TemporaryDirectory(prefix="substrate-peer-") as home, launch.start(Path(home)) as server:
        server.ready()
        taken = _Taken(server)
        for text in texts:
            taken.call("", "save_memory", {"content": text})
        settle(server, patience=_SETTLE_S, rests=_RESTS)
        server._patience = patience  # noqa: SLF001 - a comparison of each with each
        try:
            taken.call("clusters", "cluster_memories", {})
        except ServerFailed as error:
            say(str(error))
            return None
        return taken.times["clusters"][0] / 1000


def main() -> None:
    """Run both, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers.fading_notes", description=__doc__)
    parser.add_argument("--bench", metavar="FOLDER", help="the retrieval bench; default: as in benchmarks.retrieval")
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--clusters", type=int, default=1_000)
    parser.add_argument("--patience", type=float, default=1800, help="seconds for the clusters of one server")
    parser.add_argument("--only", default="", help="names of servers, with commas between")
    parser.add_argument("--json", type=Path, metavar="FILE", help="save the results there too")
    arguments = parser.parse_args()
    try:
        bench: Path | None = bench_folder(arguments.bench)
    except FileNotFoundError as error:
        say(f"{error} Notes are made without it, and no questions in other words.")
        bench = None
    notes = gather_notes(bench, say)
    texts = list(notes.texts)[: arguments.notes]
    known = {mark_of(text) for text in texts}
    texts += [text for text in sentences(arguments.notes + len(texts), say) if mark_of(text) not in known]
    texts = texts[: arguments.notes]
    asked = [one for one in notes.questions if one.kind == "reworded" and max(one.wanted) < len(texts)]
    contenders = {
        "Substrate": (_ours, {}),  # with MiniLM, as it comes
        "Substrate without a model": (lambda: _ours("none"), {}),
        "cortexgraph": (lambda: cortexgraph_launch(CORTEXGRAPH)(say), {}),
        "cortexgraph with MiniLM": (lambda: cortexgraph_launch(CORTEXGRAPH_MINILM)(say), {"use_embeddings": True}),
    }
    launches: dict[str, tuple[Launch, Mapping[str, Any]]] = {}
    for name, (launch, by_meaning) in contenders.items():
        if arguments.only and name not in arguments.only.split(","):
            continue
        try:
            launches[name] = launch(), by_meaning
        except (Unavailable, OSError) as error:
            say(f"{name}: NOT RUN: {error}")
    results = _measure(launches, texts, asked)
    for name, (made, _) in launches.items():
        clusters = _clusters(made, texts[: arguments.clusters], arguments.patience) if arguments.clusters else None
        results[name]["clusters_cpu_s"] = clusters
    print(f"{len(texts):,} notes, {_ASKED} asked by their own text, {len(asked)} in other words; CPU ms, p50")
    kinds = ("save", "call", "search", "gc dry run", "read_graph page")
    headings = ("server", "own text R@10", "reworded R@10", *kinds, f"clusters of {arguments.clusters:,} (CPU s)", "MB")
    print_columns(headings, [_row(name, result, kinds) for name, result in results.items()])
    for terms, ours, theirs in _COMPARED:
        if ours in results and theirs in results:
            ratio = results[ours]["cpu_ms"]["save"] / results[theirs]["cpu_ms"]["save"]
            print(f"save, {terms}: {ratio:.2f} x (goal where both do alike: 4)")
    for name, result in results.items():
        for tool, keys in result["missing"].items():
            print(f"{name}: {tool} lacks {', '.join(keys)}")
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


def _row(name: str, result: Mapping[str, Any], kinds: Sequence[str]) -> tuple[str, ...]:
    shares = ("-" if result[key] is None else f"{result[key]:.2f}" for key in ("own", "reworded"))
    clusters = "-" if result["clusters_cpu_s"] is None else f"{result['clusters_cpu_s']:.2f}"
    return (name, *shares, *(f"{result['cpu_ms'][kind]:.1f}" for kind in kinds), clusters, f"{result['mb']:,.0f}")


if __name__ == "__main__":
    main()
