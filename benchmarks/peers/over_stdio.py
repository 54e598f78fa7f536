"""`make peers`, its second part: memory servers over MCP, on the same notes, one client. See docs/benchmarks.md."""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.elapsed import say
from benchmarks.peers.columns import print_columns
from benchmarks.peers.environments import Unavailable
from benchmarks.peers.notes import KINDS, Notes, gather_notes
from benchmarks.peers.servers import SERVERS, Launch, Server
from benchmarks.peers.serving import Start, serve, start
from benchmarks.retrieval import bench_folder
from benchmarks.stdio_client import ServerFailed
from benchmarks.texts import digest

_STARTS = 5
_HEADINGS = ("server", "start ms", "CPU", "MB", "save ms", "CPU", "search ms", "CPU", "settled s", "MB after")


def _installed(servers: Sequence[Server], left_out: dict[str, str]) -> dict[str, tuple[Server, Launch]]:
    """Those that are there and answer; the others are left out, with the reason."""
    found = {}
    for server in servers:
        try:
            launch = server.install(say)
            with tempfile.TemporaryDirectory(prefix="substrate-peer-") as home:
                start(launch, Path(home))
            found[server.name] = server, launch
        except (Unavailable, ServerFailed, OSError) as error:
            left_out[server.name] = str(error)
    return found


def _starts(launches: Mapping[str, Launch]) -> dict[str, list[Start]]:
    """Several of each, in turns, each in an empty home."""
    found: dict[str, list[Start]] = {name: [] for name in launches}
    for _ in range(_STARTS):
        for name, launch in launches.items():
            with tempfile.TemporaryDirectory(prefix="substrate-peer-") as home:
                found[name].append(start(launch, Path(home)))
    return found


def _measure(servers: Sequence[Server], notes: Notes, left_out: dict[str, str]) -> dict[str, dict[str, Any]]:
    there = _installed(servers, left_out)
    say("starting each in turn")
    starts = _starts({name: launch for name, (_, launch) in there.items()})
    results = {}
    for name, (server, launch) in there.items():
        say(f"{name}: notes and questions")
        try:
            with tempfile.TemporaryDirectory(prefix="substrate-peer-") as home:
                served = serve(launch, server.words, notes, Path(home), say)
        except ServerFailed as error:
            left_out[name] = str(error)
            continue
        results[name] = {
            "start_ms": 1000 * median(one.wall for one in starts[name]),
            "start_cpu_ms": 1000 * median(one.cpu for one in starts[name]),
            "start_mb": median(one.memory.resident for one in starts[name]),
            "load": os.getloadavg()[0],
            **served.row(),
        }
    return results


def _row(name: str, result: Mapping[str, Any]) -> tuple[str, ...]:
    whole = (f"{result[key]:,.0f}" for key in ("start_ms", "start_cpu_ms", "start_mb"))
    times = ("save_ms", "save_cpu_ms", "search_ms", "search_cpu_ms")
    calls = ("-" if result[key] is None else f"{result[key]:.1f}" for key in times)
    recall = (f"{100 * result['recall'][kind]:.0f}" if kind in result["recall"] else "-" for kind in KINDS)
    after = (f"{result['settled_s']:.1f}", f"{result['resident_mb']:,.0f}")
    return (name, *whole, *calls, *after, *recall, str(result["errors"]), f"{result['load']:.1f}")


def _show(results: Mapping[str, Mapping[str, Any]]) -> None:
    headings = (*_HEADINGS, *(f"{kind} R@5" for kind in KINDS), "errors", "load")
    print_columns(headings, [_row(name, result) for name, result in results.items()])


def main() -> None:
    """Run each server, and print one table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers.over_stdio", description=__doc__)
    parser.add_argument("--bench", metavar="FOLDER", help="the retrieval bench; default: as in benchmarks.retrieval")
    parser.add_argument("--only", help="names that contain one of these words, with commas between")
    parser.add_argument("--json", type=Path, metavar="FILE", help="save the results there too")
    arguments = parser.parse_args()
    try:
        bench: Path | None = bench_folder(arguments.bench)
    except FileNotFoundError as error:
        if arguments.bench:
            parser.error(str(error))
        say(f"{error} Notes are made without it.")
        bench = None
    notes = gather_notes(bench, say)
    words = arguments.only.lower().split(",") if arguments.only else [""]
    chosen = [server for server in SERVERS if any(word in server.name.lower() for word in words)]
    left_out: dict[str, str] = {}
    results = _measure(chosen, notes, left_out)
    print(f"{len(notes.texts):,} notes (digest {digest(notes.texts)}), {len(notes.questions)} questions; p50")
    _show(results)
    for name, result in results.items():
        if result["errors"]:
            print(f"{name}: the first of its errors: {result['first_error']}")
    for name, why in left_out.items():
        print(f"{name}: NOT RUN: {why}")
    if arguments.json is not None:
        saved = {"digest": digest(notes.texts), "results": results, "not_run": left_out}
        arguments.json.write_text(json.dumps(saved, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
