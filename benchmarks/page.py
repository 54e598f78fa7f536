"""The goals and the results of all benchmarks of one `make bench`, on one page.

Each benchmark notes what it measured where a goal is set, in the file that SUBSTRATE_BENCH_PAGE names. Without that
variable nothing is noted. `python -m benchmarks.page FILE` prints them as one table, the missed ones first.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from benchmarks.table import Result, as_text

__all__ = ["note"]

_FILE = "SUBSTRATE_BENCH_PAGE"


def note(results: Iterable[Result]) -> None:
    """Keep those that have a goal for the page."""
    path = os.environ.get(_FILE)
    if not path:
        return
    with Path(path).open("a", encoding="utf-8") as file:
        for result in results:
            if result.target is not None:
                file.write(json.dumps({**asdict(result), "beside": [], "more": {}}) + "\n")


def _page(path: Path) -> str:
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    results = [Result(**json.loads(line)) for line in lines]
    missed = [result for result in results if not result.met]
    met = [result for result in results if result.met]
    if not results:
        return "no goal was measured"
    return f"{as_text([*missed, *met])}\n\n{len(met)} of {len(results)} goals met"


if __name__ == "__main__":
    print(_page(Path(sys.argv[1])))
