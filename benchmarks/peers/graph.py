"""`make peers`: notes and their relations beside HydraMem, with vectors made of hashes. See docs/benchmarks.md."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.elapsed import say
from benchmarks.peers.child import measured_by
from benchmarks.peers.columns import print_columns
from benchmarks.peers.environments import HYDRAMEM, Unavailable, python_of

_ROOT = Path(__file__).resolve().parents[2]
_STEPS = ("remember", "bfs", "ppr", "bfs_after_write", "ppr_after_write", "document")
_GOALS = {"remember": 1.0, "bfs": 0.25, "ppr": 0.05, "bfs_after_write": 0.02, "document": 0.1}
"""The most that ours may cost of what HydraMem costs, with 4,000 notes."""
_GOALS_AT = 4_000
_THEIRS, _OURS = "hydramem_graph", "substrate_graph"

Rounds = Sequence[Mapping[str, Mapping[str, Any]]]


def _run(module: str, python: Path, notes: int, calls: int) -> dict[str, Any]:
    """What its child process measured. Unavailable if it failed."""
    with tempfile.TemporaryDirectory(prefix="substrate-peers-") as folder:
        out = Path(folder) / "out.json"
        command = [str(python), "-m", f"benchmarks.peers.{module}", str(out), "--notes", str(notes)]
        variables = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": folder, "PYTHONPATH": str(_ROOT)}
        return measured_by([*command, "--calls", str(calls)], out, folder=Path(folder), variables=variables)


def _show(notes: int, rounds: Rounds) -> None:
    print(f"\n{notes:,} notes, CPU ms, medians of {len(rounds)} rounds")
    rows = [
        (
            module.partition("_")[0],
            *(f"{1000 * median(one[module][step] for one in rounds):.2f}" for step in _STEPS),
            f"{100 * median(one[module]['found'] for one in rounds):.0f} %",
            f"{max(one[module]['load'] for one in rounds):.1f}",
        )
        for module in (_THEIRS, _OURS)
    ]
    print_columns(
        ("system", "remember", "bfs", "ppr", "bfs after a write", "ppr after a write", "document", "found", "load"),
        rows,
    )
    for step in _STEPS:
        found = sorted(one[_OURS][step] / one[_THEIRS][step] for one in rounds)
        verdict = ""
        if notes >= _GOALS_AT and step in _GOALS:
            verdict = f"; goal {_GOALS[step]} x: {'met' if median(found) <= _GOALS[step] else 'MISSED'}"
        print(f"{step}: {median(found):.3f} x HydraMem's CPU{verdict}")


def main() -> None:
    """Run each in a process of its own, in turns, and print a table for each size."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers.graph", description=__doc__)
    parser.add_argument("--notes", type=int, nargs="+", default=[1_000, _GOALS_AT], help="(default: %(default)s)")
    parser.add_argument("--calls", type=int, default=10, help="of each kind (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=1, help="of each size (default: %(default)s)")
    arguments = parser.parse_args()
    try:
        pythons = {_THEIRS: python_of(HYDRAMEM, say), _OURS: Path(sys.executable)}
        for notes in arguments.notes:
            rounds = []
            for number in range(arguments.rounds):
                say(f"{notes:,} notes, round {number + 1} of {arguments.rounds}")
                rounds.append({one: _run(one, pythons[one], notes, arguments.calls) for one in pythons})
            _show(notes, rounds)
    except Unavailable as error:
        sys.exit(f"NOT RUN: {error}")
    for result in rounds[0].values():
        print(f"{result['about']}; Python {result['python']}")


if __name__ == "__main__":
    main()
