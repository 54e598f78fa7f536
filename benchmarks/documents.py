"""What a chunk costs: a folder that is ingested, beside the same texts saved as turns of a talk.

python -m benchmarks.documents [2000 ...]

The pages are the documentation of this repository, again and again with other words in them. Turns are the very texts
of the chunks, saved by checkpoints of 500 atoms with a parent and a position. All is done in turns, in one run, in
stores of their own, without a model: what is compared was taken at the same load. CPU time of this process.

`names aside` leaves out the search for names in the texts (`entities=False`), which a turn does not have.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from benchmarks.store_folder import new_store
from substrate.documents.chunk import chunks
from substrate.documents.formats.markdown import sections_of

_DOCS = Path(__file__).parents[1] / "docs"
_PER_PAGE = 20
_BATCH = 500
_ROUNDS = 3
_MOST = 1.5
"""What a chunk may cost, in turns."""


def _texts(count: int) -> list[str]:
    """So many chunks of pages."""
    pages = [path.read_text() for path in sorted(_DOCS.rglob("*.md")) if path.name != "secrets.md"]
    found: list[str] = []
    number = 0
    while len(found) < count:
        page = pages[number % len(pages)]
        said = page.replace("the ", f"the v{number} ") if number >= len(pages) else page
        found += chunks(said, sections_of(said)[0])
        number += 1
    return found[:count]


def _turns(texts: list[str]) -> dict[str, float]:
    with new_store() as (memory, _):
        began = time.process_time()
        for start in range(0, len(texts), _BATCH):
            memory.checkpoint(
                [
                    {"name": f"v1.event.turn{at}", "value": text, "parent": "v1.event.talk", "position": at}
                    for at, text in enumerate(texts[start : start + _BATCH], start)
                ]
            )
        return {"turn": (time.process_time() - began) / len(texts)}


def _pages(texts: list[str], label: str, *, entities: bool) -> dict[str, float]:
    with new_store() as (memory, folder):
        docs = folder / "docs"
        docs.mkdir()
        for start in range(0, len(texts), _PER_PAGE):
            (docs / f"{start}.md").write_text("".join(texts[start : start + _PER_PAGE]))
        began = time.process_time()
        ingested = memory.ingest(docs, domain="handbook", entities=entities)
        first = (time.process_time() - began) / ingested.added
        began = time.process_time()
        if memory.ingest(docs, domain="handbook", entities=entities).recorded:
            raise AssertionError("a second ingest must record nothing")
        again = (time.process_time() - began) / ingested.added
        began = time.process_time()
        for item in ingested:
            if not memory.document(item.name).exact:
                raise AssertionError(f"{item.source} is not as it was")
        read = (time.process_time() - began) / ingested.added
    return {label: first, f"{label}, unchanged": again, f"{label}, read back": read}


def main() -> None:
    """Print what each costs, in CPU milliseconds and in turns."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("sizes", nargs="*", type=int, default=[2000])
    works: tuple[Callable[[list[str]], dict[str, float]], ...] = (
        _turns,
        lambda texts: _pages(texts, "chunk", entities=True),
        lambda texts: _pages(texts, "chunk, names aside", entities=False),
    )
    for size in parser.parse_args().sizes:
        texts = _texts(size)
        taken: dict[str, list[float]] = {}
        for _ in range(_ROUNDS):
            for work in works:
                for what, seconds in work(texts).items():
                    taken.setdefault(what, []).append(seconds)
        turn = median(taken["turn"])
        for what, all_seconds in taken.items():
            middle = median(all_seconds)
            verdict = (
                f" of {_MOST}" if what.startswith("chunk") and "," not in what.removesuffix(", names aside") else ""
            )
            print(
                f"{size:>7,}  {what:<32} {1000 * middle:7.3f} CPU ms, {middle / turn:5.2f} x a turn{verdict}",
                flush=True,
            )


if __name__ == "__main__":
    main()
