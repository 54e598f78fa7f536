"""What is predicted: the prefetch bench, through this store and through baselines. See docs/benchmarks.md.

    python -m benchmarks.prefetch [--bench FOLDER] [--json FILE] [--systems Adapter,Markov1] [--sets agentfiles]
    python FOLDER/score.py --data FOLDER/data/agentfiles.jsonl.gz --predictor benchmarks/prefetch.py:Adapter

The bench (a scorer, session logs) is no part of the repository, and nothing of it may be copied into it. It is looked
for in the folder given, then in SUBSTRATE_PREFETCH, then beside the repository.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any

if not __package__:  # loaded by the scorer, by its path
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import substrate
from benchmarks.forecasters import Markov1, Popularity, Recency, VSknn
from benchmarks.retrieval import load_scorer
from substrate.errors import InputError, ModelUnavailable
from substrate.names import check_name

__all__ = ["Adapter", "Markov1", "Popularity", "Recency", "VSknn", "training_effect"]

_SETS = {"agentfiles": None, "wiki": 600}
"""And how many sessions of the test part are scored; None: all."""
_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "bench" / "prefetch"
_MISSING = (
    "The prefetch bench is not at {folder}: there is no score.py. It is no part of the repository: give its folder as "
    "--bench FOLDER or in SUBSTRATE_PREFETCH."
)
_COLUMNS = ("next.h10", "new.h1", "new.h10", "new.mrr", "first.r@10", "first.r@20", "blank.r@20", "goal.r@20")
_TRAINED = 30
_LEAST_ITEMS = 3


class LogClock:
    """The time of the session at hand: what is asked in 2011 is answered as in 2011."""

    def __init__(self) -> None:
        self.time = 0

    def now(self) -> int:
        """In microseconds."""
        return self.time


class Adapter:
    """This store as its users see it: keys are atoms, groups are domains, sessions are observed one by one."""

    def __init__(self, model: str | None = None) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self._clock = LogClock()
        path = Path(self._folder.name)
        self._memory = substrate.open(
            path / "store", home=path / "home", clock=self._clock, background=False, model=model, observe=True
        )
        self._names: dict[str, str] = {}
        self._keys: dict[str, str] = {}
        self._domains: set[str] = set()
        self._behind = False

    def observe_session(self, seq: Sequence[str], meta: Mapping[str, Any]) -> None:
        """Save atoms that are new, each a member of its domain, then have the session observed."""
        self._at(meta)
        domain = self.save(seq, meta)
        self._memory.observe(
            [self._names[key] for key in seq],
            at=_moment(meta),
            objective=meta["objective"] or None,
            domain=domain,
        )

    def predict(self, context: Sequence[str], k: int, meta: Mapping[str, Any]) -> list[str]:
        """What comes next; what is open may come again."""
        return self._ask(meta, k, context=context, again=True)

    def prefetch(self, context: Sequence[str], k: int, meta: Mapping[str, Any]) -> list[str]:
        """What else the session will need."""
        return self._ask(meta, k, context=context, horizon="session")

    def bootstrap(self, meta: Mapping[str, Any], k: int) -> list[str]:
        """What a session needs that begins."""
        if self._behind and meta["objective"]:
            self._index()
        return self._ask(meta, k, context=(), objective=meta["objective"] or None)

    def train(self, keys: Sequence[str], passes: int, objective: str | None = None, group: str | None = None) -> None:
        """Reinforce."""
        domain = f"v1.domain.{group}" if group else None
        self._memory.train([self._name(key) for key in keys], passes, objective=objective, domain=domain)

    def _ask(self, meta: Mapping[str, Any], k: int, *, context: Sequence[str], **options: Any) -> list[str]:  # noqa: ANN401
        self._at(meta)
        domain = self.save(context, meta)
        names = [self._names[key] for key in context]
        found = self._memory.predict(names, min(k, 1000), domain=domain, floor=0, **options)
        return [self._keys[one.name] for one in found if one.name in self._keys]

    def save(self, keys: Sequence[str], meta: Mapping[str, Any]) -> str:
        """Save what is open and not there yet: who opens a file that the memory does not know would save it too."""
        domain = f"v1.domain.{meta['group']}"
        atoms = [{"name": self._name(key), "value": key} for key in dict.fromkeys(keys) if key not in self._names]
        edges = [{"source": atom["name"], "type": "member_of", "target": domain} for atom in atoms]
        if domain not in self._domains:
            self._domains.add(domain)
            atoms.insert(0, {"name": domain, "value": f"Work on {meta['group']}"})
        if atoms:
            self._memory.checkpoint(atoms, edges=edges, allow_secrets=True)
            self._behind = True
        return domain

    def _index(self) -> None:
        self._behind = False
        with suppress(ModelUnavailable):
            self._memory.index()

    def _at(self, meta: Mapping[str, Any]) -> None:
        self._clock.time = max(self._clock.time, int(meta["t"] * 1_000_000))

    def _name(self, key: str) -> str:
        if key not in self._names:
            name = f"v1.item.{key}"
            try:
                check_name(name)
            except InputError:
                name = f"v1.item.{blake2b(key.encode(), digest_size=16).hexdigest()}"
            self._names[key] = name
            self._keys[name] = key
        return self._names[key]


def _moment(meta: Mapping[str, Any]) -> datetime:
    return datetime.fromtimestamp(meta["t"], UTC)


SYSTEMS = {found.__name__: found for found in (Adapter, Markov1, VSknn, Popularity, Recency)}


def bench_folder(given: str | Path | None = None) -> Path:
    """Where the bench is. FileNotFoundError, which says what to do, if it is not there."""
    folder = Path(given or os.environ.get("SUBSTRATE_PREFETCH") or _BESIDE).expanduser().resolve()
    if not (folder / "score.py").is_file():
        raise FileNotFoundError(_MISSING.format(folder=folder))
    return folder


def measure(folder: Path, sets: Sequence[str], systems: Sequence[str], split: str) -> list[dict[str, Any]]:
    """The scorer's results."""
    scorer, results = load_scorer(folder), []
    for data in sets:
        sessions = scorer.load(folder / "data" / f"{data}.jsonl.gz")
        for name in systems:
            print(f"{data}: {name}", file=sys.stderr, flush=True)
            found = scorer.evaluate(sessions, SYSTEMS[name](), split, limit=_SETS[data])
            results.append({"data": data, "system": name, "split": split, **found})
    return results


def training_effect(sessions: Sequence[Mapping[str, Any]]) -> list[dict[str, float]]:
    """Train some sessions of the test part, 0 to 3 passes in a store each: what becomes of them, and of others."""
    rows = []
    past = [one for one in sessions if one["split"] != "test"]
    future = [one for one in sessions if one["split"] == "test" and len(set(one["items"])) >= _LEAST_ITEMS]
    now = max(one["t"] for one in sessions)
    every = max(1, len(future) // _TRAINED)
    trained = future[::every][:_TRAINED]
    others = [one for one in future if one not in trained]
    for passes in range(4):
        adapter = Adapter()
        for one in past:
            adapter.observe_session(one["items"], one)
        for one in future:
            adapter.save(one["items"], {**one, "t": now})
        for one in trained if passes else ():
            adapter.train(list(dict.fromkeys(one["items"])), passes, objective=one["objective"], group=one["group"])
        rows.append(
            {
                "passes": passes,
                "trained first.r@10": _recall(adapter, trained, 10, now, goal=False),
                "trained goal.r@20": _recall(adapter, trained, 20, now, goal=True),
                "others first.r@20": _recall(adapter, others, 20, now, goal=False),
                "others goal.r@20": _recall(adapter, others, 20, now, goal=True),
            }
        )
    return rows


def _recall(adapter: Adapter, sessions: Sequence[Mapping[str, Any]], k: int, now: int, *, goal: bool) -> float:
    total = 0.0
    for one in sessions:
        first, *rest = dict.fromkeys(one["items"])
        meta = {"t": now, "group": one["group"], "objective": one["objective"] if goal else None}
        found = adapter.bootstrap(meta, k) if goal else adapter.prefetch([first], k, meta)
        wanted = {first, *rest} if goal else set(rest)
        total += len(wanted & set(found)) / len(wanted)
    return total / max(1, len(sessions))


def as_text(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A plain table."""
    lines = [tuple(headings), *map(tuple, rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) for line in lines)


def main() -> None:
    """Score each system on each set, and print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.prefetch", description=__doc__.splitlines()[0])
    parser.add_argument("--bench", metavar="FOLDER", help="the bench; default: SUBSTRATE_PREFETCH, or beside us")
    parser.add_argument("--systems", default=",".join(SYSTEMS), help="which, with commas between")
    parser.add_argument("--sets", default=",".join(_SETS), help="which, with commas between")
    parser.add_argument("--split", default="test")
    parser.add_argument("--if-there", action="store_true", help="without the bench, say so and end well")
    parser.add_argument("--no-training", action="store_true", help="leave the effect of training out")
    parser.add_argument("--json", type=Path, metavar="FILE", help="save the results there too")
    given = parser.parse_args()
    try:
        folder = bench_folder(given.bench)
    except FileNotFoundError as error:
        if not given.if_there:
            parser.error(str(error))
        print(f"{error} Nothing was measured.")
        return
    results = measure(folder, given.sets.split(","), given.systems.split(","), given.split)
    rows = [(one["data"], one["system"], *(f"{one[column]:.3f}" for column in _COLUMNS)) for one in results]
    print(as_text(("set", "system", *_COLUMNS), rows))
    effect: list[dict[str, float]] = []
    if not given.no_training:
        effect = training_effect(load_scorer(folder).load(folder / "data" / "agentfiles.jsonl.gz"))
        print(as_text(tuple(effect[0]), [[f"{number:.3f}" for number in row.values()] for row in effect]))
    if given.json is not None:
        given.json.write_text(json.dumps({"scores": results, "training": effect}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
