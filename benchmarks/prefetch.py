"""What is predicted: the prefetch bench, through this store and through baselines. See docs/benchmarks.md.

    python -m benchmarks.prefetch [--bench FOLDER] [--json FILE] [--systems Adapter,Markov1] [--sets agentfiles]
    python FOLDER/score.py --data FOLDER/data/agentfiles.jsonl.gz --predictor benchmarks.prefetch:Adapter

The bench (a scorer, session logs) is no part of the repository, and nothing of it may be copied into it. It is looked
for in the folder given, then in SUBSTRATE_PREFETCH, then beside the repository.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from types import ModuleType
from typing import Any

import substrate
from benchmarks.forecasters import Markov1, Popularity, Recency, VSknn
from substrate.names import check_name

__all__ = ["Adapter", "Markov1", "Popularity", "Recency", "VSknn"]

_SETS = {"agentfiles": None, "wiki": 600}
"""And how many sessions of the test part are scored; None: all."""
_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "bench" / "prefetch"
_COLUMNS = ("next.h10", "new.h1", "new.h10", "new.mrr", "first.r@10", "first.r@20", "blank.r@20", "goal.r@20")
_RATES = ("predict.p50_us", "observe.events_per_s")


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
        domain = self._save(seq, meta)
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
        if self._behind and meta["objective"] and self._memory.model().model != "none":
            self._index()
        return self._ask(meta, k, context=(), objective=meta["objective"] or None)

    def train(self, keys: Sequence[str], passes: int, objective: str | None = None, group: str | None = None) -> None:
        """Reinforce."""
        domain = f"v1.domain.{group}" if group else None
        self._memory.train([self._name(key) for key in keys], passes, objective=objective, domain=domain)

    def _ask(self, meta: Mapping[str, Any], k: int, *, context: Sequence[str], **options: Any) -> list[str]:
        self._at(meta)
        domain = self._save(context, meta)
        names = [self._names[key] for key in context]
        found = self._memory.predict(names, min(k, 1000), domain=domain, floor=0, **options)
        return [self._keys[one.name] for one in found if one.name in self._keys]

    def _save(self, keys: Sequence[str], meta: Mapping[str, Any]) -> str:
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
        try:
            self._memory.index()
        except substrate.errors.ModelUnavailable:
            pass

    def _at(self, meta: Mapping[str, Any]) -> None:
        self._clock.time = max(self._clock.time, int(meta["t"] * 1_000_000))

    def _name(self, key: str) -> str:
        if key not in self._names:
            name = f"v1.item.{key}"
            try:
                check_name(name)
            except substrate.errors.InputError:
                name = f"v1.item.{blake2b(key.encode(), digest_size=16).hexdigest()}"
            self._names[key] = name
            self._keys[name] = key
        return self._names[key]


def _moment(meta: Mapping[str, Any]) -> Any:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(meta["t"], UTC)
