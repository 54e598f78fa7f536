"""`make peers`: search beside others, with the same documents, questions and weights. See docs/benchmarks.md."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.elapsed import say
from benchmarks.peers.child import measured_by
from benchmarks.peers.columns import print_columns
from benchmarks.peers.documents import gather
from benchmarks.peers.environments import BM25S, MCP_MEMORY, MEM0, Environment, Unavailable, python_of
from benchmarks.retrieval import bench_folder, load_scorer
from benchmarks.texts import digest

_ROOT = Path(__file__).resolve().parents[2]
_SETS = ("locomo", "updates")
_HEADINGS = ("system", "documents", "questions", *(f"{data} {what}" for data in _SETS for what in ("R@10", "nDCG@10")))
_COSTS = ("CPU ms/doc", "CPU ms/query", "load")


@dataclass(frozen=True, slots=True)
class _Contender:
    """A child process: which module, in which environment; None: in ours."""

    name: str
    module: str
    environment: Environment | None = None
    options: Sequence[str] = ()


_CONTENDERS = (
    _Contender("Substrate", "substrate_store"),
    _Contender("SQLite FTS5", "fts5"),
    _Contender("bm25s", "bm25s_index", BM25S),
    _Contender("mcp-memory-service, vector", "mcp_memory", MCP_MEMORY),
    _Contender("mcp-memory-service, hybrid", "mcp_memory", MCP_MEMORY, ("--hybrid",)),
    _Contender("mem0, infer=False", "mem0_memory", MEM0),
)


def _run(contender: _Contender, documents: Path, seconds: float) -> dict[str, Any]:
    """What its child process found. Unavailable if it could not be installed, or ended badly."""
    python = Path(sys.executable) if contender.environment is None else python_of(contender.environment, say)
    say(f"{contender.name}: running")
    with tempfile.TemporaryDirectory(prefix="substrate-peers-") as home:
        out = Path(home) / "out.json"
        command = [str(python), "-m", f"benchmarks.peers.{contender.module}", str(documents), str(out)]
        own = {"PYTHONPATH": str(_ROOT), "HOME": home, "MEM0_DIR": f"{home}/mem0"}
        # What ours keeps in the user's folders is made by the child: nothing of a peer stays after it.
        kept = {} if contender.environment is None else own
        return measured_by(
            [*command, "--seconds", str(seconds), *contender.options],
            out,
            folder=_ROOT,
            variables={**os.environ, "PYTHONPATH": str(_ROOT), **kept},
        )


def _scored(found: Mapping[str, Any], questions: Sequence[Mapping[str, Any]], scorer: Any) -> dict[str, Any]:  # noqa: ANN401
    """The costs, and the quality by set: the means over the questions that were asked."""
    result: dict[str, Any] = {key: value for key, value in found.items() if key != "answers"}
    for data in _SETS:
        rows = [
            scorer.measure(found["answers"][row["id"]], row["relevant"])
            for row in questions
            if row["set"] == data and row["id"] in found["answers"]
        ]
        result[data] = scorer.mean_of(rows)
    return result


def _row(name: str, result: Mapping[str, Any]) -> tuple[str, ...]:
    quality = []
    for data in _SETS:
        quality += [f"{result[data][key]:.1f}" if result[data] else "-" for key in ("recall@10", "ndcg@10")]
    counts = (f"{result['documents']:,}", f"{result['questions']:,}")
    costs = (f"{result['cpu_ms_per_document']:.2f}", f"{result['cpu_ms_per_query']:.2f}", f"{result['load']:.1f}")
    return (name, *counts, *quality, *costs)


def _show(results: Mapping[str, Mapping[str, Any]]) -> None:
    print_columns((*_HEADINGS, *_COSTS), [_row(name, result) for name, result in results.items()])


def main() -> None:
    """Run each contender in a process of its own, and print one table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers.run", description=__doc__)
    parser.add_argument("--bench", metavar="FOLDER", help="the retrieval bench; default: as in benchmarks.retrieval")
    parser.add_argument("--documents", type=int, default=10_000, help="how many (default: %(default)s)")
    parser.add_argument("--questions", type=int, help="so many, drawn at random (default: all of the dev split)")
    parser.add_argument("--seconds", type=float, default=1200, help="CPU seconds for each (default: %(default)s)")
    parser.add_argument("--only", help="names that contain one of these words, with commas between")
    parser.add_argument("--json", type=Path, metavar="FILE", help="save the results there too")
    arguments = parser.parse_args()
    try:
        bench = bench_folder(arguments.bench)
    except FileNotFoundError as error:
        parser.error(str(error))
    given = gather(bench, arguments.documents, arguments.questions, say)
    words = arguments.only.lower().split(",") if arguments.only else [""]
    results, left_out = {}, {}
    with tempfile.TemporaryDirectory(prefix="substrate-peers-") as folder:
        documents = Path(folder) / "documents.json"
        documents.write_text(json.dumps(given), encoding="utf-8")
        for contender in _CONTENDERS:
            if any(word in contender.name.lower() for word in words):
                try:
                    found = _run(contender, documents, arguments.seconds)
                    results[contender.name] = _scored(found, given["questions"], load_scorer(bench))
                except Unavailable as error:
                    left_out[contender.name] = str(error)
    texts = [row["text"] for row in given["documents"]]
    print(f"{len(texts):,} documents (digest {digest(texts)}), {len(given['questions'])} questions, one thread")
    _show(results)
    for name, result in results.items():
        print(f"{name}: {result['about']}; Python {result['python']}")
    for name, why in left_out.items():
        print(f"{name}: NOT RUN: {why}")
    if arguments.json is not None:
        saved = {"digest": digest(texts), "results": results, "not_run": left_out}
        arguments.json.write_text(json.dumps(saved, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
