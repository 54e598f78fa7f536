"""`make peers`: markdown pages ingested, beside HydraMem, with vectors made of hashes. See docs/benchmarks.md."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.elapsed import say
from benchmarks.peers.child import measured_by
from benchmarks.peers.columns import print_columns
from benchmarks.peers.environments import HYDRAMEM, Environment, Unavailable, python_of
from benchmarks.peers.pages import KINDS, Pages, make
from benchmarks.texts import digest

_ROOT = Path(__file__).resolve().parents[2]
_GOALS = {1_000: 0.5, 4_000: 0.25}
"""The most that ours may cost, of what HydraMem costs, by the number of chunks."""
_ASKED = 20
_HEADINGS = ("chunks", "CPU s: start", "ingest", "again", "written again", "search ms: first", "next", "found", "load")


@dataclass(frozen=True, slots=True)
class _Contender:
    """A child process: which module, in which environment (None: in ours), with which vectors."""

    name: str
    module: str
    environment: Environment | None = None
    vectors: str = "stub"


_OURS = _Contender("Substrate", "substrate_pages")
_THEIRS = _Contender("HydraMem", "hydramem_pages", HYDRAMEM)
_WITHOUT = _Contender("Substrate without vectors", "substrate_pages", vectors="none")
_CONTENDERS = (_THEIRS, _OURS, _WITHOUT)


def _run(contender: _Contender, python: Path, pages: Pages) -> dict[str, Any]:
    """What its child process measured, with a home and a store that are gone afterwards. Unavailable if it failed."""
    with tempfile.TemporaryDirectory(prefix="substrate-peers-") as folder:
        home, given, asked, out = (Path(folder) / name for name in ("home", "pages", "questions.json", "out.json"))
        home.mkdir()
        pages.write(given)
        asked.write_text(json.dumps(pages.questions), encoding="utf-8")
        command = [str(python), "-m", f"benchmarks.peers.{contender.module}", str(given), str(asked), str(out)]
        variables = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": str(home), "PYTHONPATH": str(_ROOT)}
        return measured_by([*command, "--vectors", contender.vectors], out, folder=home, variables=variables)


def _ratios(rounds: Sequence[Mapping[str, Mapping[str, Any]]], ours: str, step: str) -> list[float]:
    """What ours cost in each round, of what HydraMem cost in the same one; the least first."""
    return sorted(one[ours][step] / one[_THEIRS.name][step] for one in rounds)


def _row(name: str, rounds: Sequence[Mapping[str, Mapping[str, Any]]]) -> tuple[str, ...]:
    def middle(key: str) -> float:
        return median(one[name][key] for one in rounds)

    return (
        name,
        f"{middle('chunks'):,.0f}",
        *(f"{middle(key):.2f}" for key in ("start", "ingest", "again")),
        f"{middle('chunks_again'):,.0f}",
        *(f"{1000 * middle(key):.1f}" for key in ("first_search", "search")),
        f"{100 * middle('found'):.0f} %",
        f"{max(one[name]['load'] for one in rounds):.1f}",
    )


def _show(kind: str, size: int, pages: Pages, rounds: Sequence[Mapping[str, Mapping[str, Any]]]) -> None:
    texts = pages.texts.values()
    size_of_all = f"{len(texts)} pages of {kind} sections, {sum(map(len, texts)):,} characters"
    print(f"\n{size_of_all} (digest {digest(texts)}), medians of {len(rounds)} rounds")
    print_columns(("system", *_HEADINGS), [_row(contender.name, rounds) for contender in _CONTENDERS])
    for contender in (_OURS, _WITHOUT):
        for step, words in (("ingest", "ingest"), ("again", "the same again"), ("search", "a search")):
            found = _ratios(rounds, contender.name, step)
            verdict = ""
            if contender is _OURS and step == "ingest" and size in _GOALS:
                verdict = f"; goal {_GOALS[size]} x: {'met' if median(found) <= _GOALS[size] else 'MISSED'}"
            span = f"{found[0]:.2f} to {found[-1]:.2f}"
            print(f"{contender.name}, {words}: {median(found):.2f} x HydraMem's CPU ({span}){verdict}")


def main() -> None:
    """Run each in a process of its own, in turns, and print a table for each size."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers.ingest", description=__doc__)
    parser.add_argument(
        "--chunks", type=int, nargs="+", default=list(_GOALS), help="of HydraMem (default: %(default)s)"
    )
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS, help="of pages (default: all)")
    parser.add_argument("--rounds", type=int, default=3, help="of each size (default: %(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="save the results there too")
    arguments = parser.parse_args()
    try:
        pythons = {
            one: python_of(one.environment, say) if one.environment else Path(sys.executable) for one in _CONTENDERS
        }
        saved = {}
        for kind, size in product(arguments.kinds, arguments.chunks):
            pages, rounds = make(kind, size, _ASKED), []
            for number in range(arguments.rounds):
                say(f"{kind} sections, {size:,} of them, round {number + 1} of {arguments.rounds}")
                rounds.append({one.name: _run(one, pythons[one], pages) for one in _CONTENDERS})
            _show(kind, size, pages, rounds)
            saved[f"{kind} {size}"] = rounds
    except Unavailable as error:
        sys.exit(f"NOT RUN: {error}")
    for name, result in rounds[0].items():
        print(f"{name}: {result['about']}; Python {result['python']}")
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(saved, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
