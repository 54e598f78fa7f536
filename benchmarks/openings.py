"""What sessions are opened with, before and after trainings, over notes made of the standard library's docstrings.

    python -m benchmarks.openings [--notes 5000] [--keep FOLDER] [--json FILE] [--model none]

A store of notes is asked for the openings of 120 objectives, then twenty short trainings are learnt, and it is asked
again. *Unrelated*: of the atoms that an opening had before the trainings, how many it has still. *Related*: of the
trained atoms, how many are in an opening for the objective of their training in other words. Where a training had no
objective, nothing leads to most of its atoms, so there is no goal for them: one of the three has to match by itself.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import json
import pkgutil
import random
import shutil
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from statistics import fmean
from types import ModuleType
from typing import Final

import substrate
from benchmarks import page
from benchmarks.objectives import TRAININGS, UNRELATED
from benchmarks.table import Result
from substrate.embed.tokens import token_counter
from substrate.errors import ModelUnavailable
from substrate.memory import Memory
from substrate.messages import Words
from substrate.surfaces.atoms.opening import as_sent

__all__ = ["docstring_notes", "main"]

_SEED = 19
_SKIPPED = frozenset(
    ("antigravity", "this", "idlelib", "turtle", "turtledemo", "tkinter", "test", "lib2to3", "pydoc_data", "ensurepip")
)
"""Modules that do something when they are imported, or are not there everywhere."""
_SHORTEST, _LONGEST = 20, 600
_GOALS: Final = {"unrelated, kept": 0.95, "related, trained atoms after": 1.0, "keys and values": 0.65}
"""By what a figure begins with."""
_WITH, _WITHOUT = "with their objective", "without one"
_BUDGETS = (800, 1200)
_PREFIX = "v1.note."
_TEXT = "we pay invoices within thirty days and the warehouse in Hamburg ships on Monday when orders are complete"


def docstring_notes(count: int) -> dict[str, str]:
    """The first paragraphs of docstrings by what they document; those of the trainings among them."""
    found: dict[str, str] = {}
    texts: set[str] = set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for path, documented in _documented():
            text = " ".join((inspect.getdoc(documented) or "").strip().split("\n\n")[0].split())
            if _SHORTEST <= len(text) <= _LONGEST and text not in texts and path not in found:
                texts.add(text)
                found[path] = text
    trained = [atom for training in TRAININGS for atom in training.atoms]
    missing = [atom for atom in trained if atom not in found]
    if missing:
        raise SystemExit(f"this Python documents other things: {', '.join(missing)} are not there")
    others = sorted(found.keys() - set(trained))
    chosen = {*trained, *random.Random(_SEED).sample(others, min(count - len(trained), len(others)))}
    return {path: text for path, text in found.items() if path in chosen}


def _documented() -> Iterator[tuple[str, object]]:
    for name, module in _modules():
        top = name.partition(".")[0]
        for attribute, value in sorted(vars(module).items()):
            if attribute.startswith("__") or not (inspect.isroutine(value) or inspect.isclass(value)):
                continue
            if not (getattr(value, "__module__", None) or name).startswith(top):
                continue
            yield f"{name}.{attribute}", value
            if inspect.isclass(value):
                for member, function in sorted(vars(value).items()):
                    if inspect.isroutine(function) or isinstance(function, property | classmethod | staticmethod):
                        yield f"{name}.{attribute}.{member}", function


def _modules() -> Iterator[tuple[str, ModuleType]]:
    for name in sorted(sys.stdlib_module_names - _SKIPPED):
        if name.startswith("_"):
            continue
        module = _imported(name)
        if module is None:
            continue
        yield name, module
        for found in sorted(pkgutil.iter_modules(getattr(module, "__path__", [])), key=lambda one: one.name):
            inner = None if found.name.startswith("_") else _imported(f"{name}.{found.name}")
            if inner is not None:
                yield f"{name}.{found.name}", inner


def _imported(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except Exception:  # noqa: BLE001 - of another system, or of a library that is not there
        return None


def fill(memory: Memory, notes: Mapping[str, str]) -> None:
    """Record the notes, and embed them."""
    atoms = [{"name": f"{_PREFIX}{path}", "value": text} for path, text in notes.items()]
    for start in range(0, len(atoms), 1000):
        memory.checkpoint(atoms[start : start + 1000], allow_secrets=True)
    with suppress(ModelUnavailable):
        memory.index()


def opened(memory: Memory, objectives: Sequence[str], max_tokens: int) -> list[set[str]]:
    """The names of the atoms in each opening."""
    return [{atom.name for atom in memory.bootstrap(one, max_tokens=max_tokens, begin=False)} for one in objectives]


def train(memory: Memory, *, told: bool) -> None:
    """Learn the trainings; `told`: with what each was for, as in a session that was opened with its objective."""
    for training in TRAININGS:
        names = [f"{_PREFIX}{atom}" for atom in training.atoms]
        memory.train(names, objective=training.objective if told else None)
    with suppress(ModelUnavailable):
        memory.index()


def measure(memory: Memory, *, told: bool) -> dict[str, float]:
    """What trainings change: shares of atoms, from 0 to 1."""
    objectives = [*UNRELATED, *(one for training in TRAININGS for one in training.related)]
    before = {budget: opened(memory, objectives, budget) for budget in _BUDGETS}
    train(memory, told=told)
    results: dict[str, float] = {}
    for budget in _BUDGETS:
        after = opened(memory, objectives, budget)
        kept = [len(old & new) / max(1, len(old)) for old, new in zip(before[budget], after, strict=True)]
        few = len(UNRELATED)
        results[f"unrelated, kept at {budget}"] = fmean(kept[:few])
        results[f"unrelated, the worst at {budget}"] = min(kept[:few])
        trained = [{f"{_PREFIX}{atom}" for atom in one.atoms} for one in TRAININGS for _ in one.related]
        for when, shown in (("before", before[budget][few:]), ("after", after[few:])):
            found = [len(names & new) / len(names) for names, new in zip(trained, shown, strict=True)]
            results[f"related, trained atoms {when} at {budget}"] = fmean(found)
    return results


def density(stores: int, max_tokens: int) -> dict[str, float]:
    """Of what an opening is charged for over MCP: which part is keys and values. Stores of random notes and lengths."""
    rng, counter = random.Random(_SEED), token_counter()
    sent = partial(as_sent, words=Words({}, {}, {}))
    words = sorted(
        {word for text in (one.objective for one in TRAININGS) for word in text.split()} | set(_TEXT.split())
    )
    found, over = [], 0
    for _ in range(stores):
        with (
            tempfile.TemporaryDirectory() as made,
            substrate.open(Path(made) / "s", home=Path(made) / "h", model="none", background=False) as memory,
        ):
            kinds = ("fact", "note", "decision", "procedure", "constraint", "preference")
            names = sorted({f"v1.{rng.choice(kinds)}.{'_'.join(rng.sample(words, 2))}" for _ in range(60)})
            memory.checkpoint([(f"{name} = {' '.join(rng.choices(words, k=rng.randint(5, 60)))}") for name in names])
            opening = memory.bootstrap(" ".join(rng.sample(words, 5)), max_tokens=max_tokens, shown=sent)
            useful = sum(counter.count(atom.name) + counter.count(atom.value) for atom in opening)
            useful += sum(map(counter.count, opening.left_out.best))
            charged = max(counter.count(form) for form in sent(opening))
            over += charged > max_tokens
            found.append(useful / charged)
    return {"keys and values, of what is charged": fmean(found), "the least": min(found), "over the budget": over}


def run(folder: Path, model: str | None, count: int) -> dict[str, dict[str, float]]:
    """Both kinds of trainings, each on a copy of the same store."""
    filled = folder / "filled"
    if not (filled / "store").is_dir():
        with substrate.open(filled / "store", home=filled / "home", model=model, background=False) as memory:
            fill(memory, docstring_notes(count))
    results = {}
    for told in (True, False):
        with tempfile.TemporaryDirectory() as made:
            copy = Path(made) / "copy"
            shutil.copytree(filled, copy)
            with substrate.open(copy / "store", home=copy / "home", model=model, background=False) as memory:
                memory.warm()
                kind = _WITH if told else _WITHOUT
                results[f"{len(TRAININGS)} trainings {kind}, {count:,} notes"] = measure(memory, told=told)
    return results


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.openings", description=__doc__.splitlines()[0])
    parser.add_argument("--notes", type=int, default=5000)
    parser.add_argument("--model", help="none: by words alone")
    parser.add_argument("--stores", type=int, default=1000, help="random stores, for what of a budget is knowledge")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the filled store there, for the next run")
    parser.add_argument("--json", type=Path, metavar="FILE", help="save the results there too")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        results = run(given.keep or Path(made), given.model, given.notes)
    results[f"at {_BUDGETS[0]} tokens, {given.stores:,} random stores"] = density(given.stores, _BUDGETS[0])
    for kind, found in results.items():
        print(kind)
        for what, share in found.items():
            print(f"  {what:<42} {share:.3f}")
            goal = next((goal for words, goal in _GOALS.items() if what.startswith(words)), None)
            if what.startswith("related") and _WITHOUT in kind:
                goal = None
            page.note([Result(f"{what}; {kind}", None, share, "recall", goal)])
    if given.json is not None:
        given.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
