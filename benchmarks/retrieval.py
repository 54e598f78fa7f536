"""What search finds: the retrieval bench, through this store and through baselines. See docs/benchmarks.md.

    python -m benchmarks.retrieval [--bench FOLDER] [--json FILE] [--systems Adapter,Bm25]
    python -m benchmarks.retrieval --systems Adapter,Beside --sets facts
    python FOLDER/score.py --data FOLDER/data/locomo --system benchmarks.retrieval:Adapter --split dev

The bench (a scorer, questions, documents) is no part of the repository, and nothing of it may be copied into it. It is
looked for in the folder given, then in SUBSTRATE_BENCH, then beside the repository.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import substrate
from benchmarks import page
from benchmarks.baselines import Bm25, Dense, Document, Rrf, Weighted05Neighbours
from benchmarks.minilm import load
from benchmarks.table import Result
from benchmarks.unrelated import unrelated

__all__ = [
    "Adapter",
    "Beside",
    "Bm25",
    "Dense",
    "Hops1",
    "Hops2",
    "Pagerank2",
    "Rrf",
    "Weighted05Neighbours",
    "bench_folder",
    "load_scorer",
]

_SETS = ("locomo", "updates", "facts")
_SPLIT = "dev"
_LEAST = {"locomo": 0.804 - 0.005, "updates": 0.932 - 0.005}
"""R@10 on the dev split that was reached, less what chance may take."""
_BATCH = 1_000
_WAIT_S = 120.0
"""For the model, once."""
_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "bench" / "retrieval"
_MISSING = (
    "The retrieval bench is not at {folder}: there is no score.py. It is no part of the repository: give its folder as "
    "--bench FOLDER or in SUBSTRATE_BENCH."
)
_OTHER = re.compile(r"[^0-9A-Za-z]+")
_HEADINGS = ("set", "system", "R@5", "R@10", "nDCG@10", "hit@1 by category", "CPU ms/doc", "CPU ms/query")
_LEFT = ("set", "system", "hit@1 by category")


class Adapter:
    """This store as its users see it: documents are turns of a conversation, with the time at which they occurred."""

    warm: ClassVar = staticmethod(load)
    hops: ClassVar = 0
    walk: ClassVar = "best"

    def __init__(self, workdir: str) -> None:
        self._memory = substrate.open(Path(workdir) / "store", home=Path(workdir) / "home")
        self._ids: dict[str, str] = {}
        self._told: Counter[str] = Counter()

    def add(self, docs: Iterable[Document]) -> None:
        """Save them, each session as the parent of its turns, and bring the index up to date."""
        atoms: list[dict[str, object]] = []
        for doc in docs:
            # Names that say nothing, so that nothing but the text is found: `t7`, not 7, which may be asked for.
            name = f"v1.turn.t{len(self._ids)}"
            self._ids[name] = doc["id"]
            atom: dict[str, object] = {"name": name, "value": doc["text"].strip() or "(nothing)"}
            if doc["timestamp"]:
                atom["occurred_at"] = doc["timestamp"]
            if doc["session"]:
                parent = f"v1.conversation.{_slug(doc['session'])}"
                if not self._told[parent]:
                    atoms.append({"name": parent, "value": f"Conversation {doc['session']}"})
                atom |= {"parent": parent, "position": self._told[parent]}
                self._told[parent] += 1
            atoms.append(atom)
        for at in range(0, len(atoms), _BATCH):
            # Texts of a bench may look like anything, credentials too.
            self._memory.checkpoint(atoms[at : at + _BATCH], allow_secrets=True)
        self._memory.index()

    def search(self, query: str, k: int) -> list[str]:
        """The ids of the `k` best turns."""
        found = self._memory.search(query, type="turn", limit=k, wait=_WAIT_S, hops=self.hops, walk=self.walk)
        return [self._ids[hit.name] for hit in found]

    def close(self) -> None:
        """Release the store."""
        self._memory.close()


class Beside(Adapter):
    """The same with unrelated sentences beside the documents, spread evenly between them."""

    count: ClassVar = 49_545

    def add(self, docs: Iterable[Document]) -> None:
        """Save the documents and the others."""
        mixed, others, given = list[Document](), unrelated(self.count), list(docs)
        for at, doc in enumerate(given):
            part = others[at * len(others) // len(given) : (at + 1) * len(others) // len(given)]
            mixed += [Document(id="", text=text, session=None, timestamp=None) for text in part]
            mixed.append(doc)
        super().add(mixed)


class Hops1(Adapter):
    """The same, and one step further: here there are no edges, so to the turns before and after the best."""

    hops = 1


class Hops2(Adapter):
    """Two steps."""

    hops = 2


class Pagerank2(Hops2):
    """Two steps, by how often a random walk stands there."""

    walk = "pagerank"


_USUAL = (Adapter, Hops1, Hops2, Pagerank2, Bm25, Dense, Rrf, Weighted05Neighbours)
SYSTEMS = {found.__name__: found for found in (*_USUAL, Beside)}


def _slug(text: str) -> str:
    return _OTHER.sub("_", text).strip("_").lower() or "x"


def bench_folder(given: str | Path | None = None) -> Path:
    """Where the bench is. FileNotFoundError, which says what to do, if it is not there."""
    folder = Path(given or os.environ.get("SUBSTRATE_BENCH") or _BESIDE).expanduser().resolve()
    if not (folder / "score.py").is_file():
        raise FileNotFoundError(_MISSING.format(folder=folder))
    return folder


def load_scorer(folder: Path) -> ModuleType:
    """The scorer of the bench, as a module."""
    spec = importlib.util.spec_from_file_location("retrieval_score", folder / "score.py")
    if spec is None or spec.loader is None:
        raise FileNotFoundError(_MISSING.format(folder=folder))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def measure(folder: Path, names: Sequence[str], limit: int = 0, sets: Sequence[str] = _SETS) -> list[dict[str, Any]]:
    """The scorer's results, without the lists of what each question found."""
    scorer, results = load_scorer(folder), []
    for data in sets:
        for name in names:
            print(f"{data}: {name}", file=sys.stderr, flush=True)
            result = scorer.run(folder / "data" / data, SYSTEMS[name], {}, _SPLIT, limit)
            del result["run"]
            results.append({"system": name, **result})
    return results


def _row(result: Mapping[str, Any]) -> tuple[str, ...]:
    overall, speed = result["overall"], result["speed"]
    hits = ", ".join(f"{name} {found['hit@1']:.0f}" for name, found in result["by_category"].items())
    if "outdated_above" in overall:
        hits += f"; an outdated one above {overall['outdated_above']:.0f}"
    shown = (f"{overall[key]:.1f}" for key in ("recall@5", "recall@10", "ndcg@10"))
    times = (f"{speed[key]:.2f}" for key in ("cpu_ms_per_doc", "cpu_ms_per_query"))
    return (result["data"], result["system"], *shown, hits, *times)


def as_text(results: Sequence[Mapping[str, Any]]) -> str:
    """The table."""
    rows = [_HEADINGS, *map(_row, results)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rows.insert(1, tuple("-" * width for width in widths))
    return "\n".join(
        "  ".join(
            cell.ljust(width) if heading in _LEFT else cell.rjust(width)
            for cell, width, heading in zip(row, widths, _HEADINGS, strict=True)
        ).rstrip()
        for row in rows
    )


def _goals(result: Mapping[str, Any]) -> Iterator[Result]:
    """Figures with a goal: those of `_LEAST` may not fall, and an outdated fact may not come first."""
    data, overall = result["data"], result["overall"]
    if data in _LEAST:
        yield Result(f"{data}, R@10", None, overall["recall@10"] / 100, "recall", _LEAST[data])
    for category, found in result["by_category"].items():
        if "outdated_above" in found:
            yield Result(f"{data}, hit@1 of {category}", None, found["hit@1"] / 100, "recall", 0.9)
            yield Result(f"{data}, outdated above: {category}", None, found["outdated_above"] / 100, "share", 0.05)


def main() -> None:
    """Score each system on each set, and print one table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.retrieval", description=__doc__.splitlines()[0])
    parser.add_argument(
        "--bench", metavar="FOLDER", help="the bench; default: SUBSTRATE_BENCH, or beside the repository"
    )
    usual = ",".join(found.__name__ for found in _USUAL)
    parser.add_argument("--systems", default=usual, help="which, with commas between (default: %(default)s)")
    parser.add_argument("--sets", default=",".join(_SETS), help="which, with commas between (default: %(default)s)")
    parser.add_argument("--limit", type=int, default=0, help="so many questions of each corpus, for a quick look")
    parser.add_argument("--if-there", action="store_true", help="without the bench, say so and end well")
    parser.add_argument("--json", type=Path, metavar="FILE", help="save the results there too")
    arguments = parser.parse_args()
    names = arguments.systems.split(",")
    if unknown := set(names) - SYSTEMS.keys():
        parser.error(f"no such system: {', '.join(sorted(unknown))}")
    try:
        folder = bench_folder(arguments.bench)
    except FileNotFoundError as error:
        if not arguments.if_there:
            parser.error(str(error))
        print(f"{error} Nothing was measured.")
        return
    results = measure(folder, names, arguments.limit, arguments.sets.split(","))
    counts = {result["data"]: result["queries"] for result in results}
    print(f"{_SPLIT} split; questions: " + ", ".join(f"{data} {count}" for data, count in counts.items()), end="; ")
    print("percent; locomo's adversarial questions count in their own category only")
    page.note(noted for result in results if result["system"] == "Adapter" for noted in _goals(result))
    print(as_text(results))
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
