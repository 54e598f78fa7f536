"""The goals and the results of all benchmarks of one `make bench`, on one page.

Each benchmark notes what it measured where a goal is set, in the file that SUBSTRATE_BENCH_PAGE names. Without that
variable nothing is noted. `python -m benchmarks.page FILE` prints them as one table, the missed ones first; with
`--markdown` as the table that docs/benchmarks.md has of the last whole run.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from benchmarks.table import Result, as_markdown, as_text

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


def _page(path: Path, *, markdown: bool) -> str:
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    results = [Result(**json.loads(line)) for line in lines]
    missed = [result for result in results if not result.met]
    met = [result for result in results if result.met]
    if not results:
        return "no goal was measured"
    table = (as_markdown if markdown else as_text)([*missed, *met])
    return f"{table}\n\n{len(met)} of {len(results)} goals met"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.page", description="What one `make bench` measured.")
    parser.add_argument("file", type=Path, help="the file in which the benchmarks noted their results")
    parser.add_argument("--markdown", action="store_true", help="as Markdown")
    given = parser.parse_args()
    print(_page(given.file, markdown=given.markdown))
