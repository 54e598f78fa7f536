"""What a folder of notes costs: notes with front matter and links, beside the same texts saved by checkpoints.

python -m benchmarks.notes [10000 ...]

A note has about 120 characters of text, front matter (title, tags, a date) and two links to other notes. In the log it
is four entries: the document, its chunk, two edges. Beside it stand checkpoints of 1,000 items:

    texts       the same texts, whole, an atom each
    entries     the atoms and edges that the notes come to, ready-made: what is left is reading, cutting, comparing

Each has a store of its own, without a model; all is done in turns, in one run. CPU time of this process. `names aside`
leaves out the search for names (`entities=False`).
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from benchmarks.store_folder import new_store

_BATCH = 1000
_ROUNDS = 3
_LEAST = 0.8
"""What an import must reach of the rate of checkpoints."""
_WORDS = (
    "refund limit shipping address invoice weekly summary customer ticket payment provider schedule office visit "
    "garden plan recipe bread flour water oven morning evening train station bicycle repair window paint kitchen"
)


def _notes(count: int) -> list[str]:
    """So many notes, each with two links to others."""
    chance = random.Random(7)
    found = []
    words = _WORDS.split()
    for number in range(count):
        said = " ".join(chance.choices(words, k=12))
        one, two = chance.randrange(count), chance.randrange(count)
        tags, day = f"[{chance.choice(words)}, inbox]", f"2024-05-{number % 28 + 1:02}"
        front = f"title: Note {number}\ntags: {tags}\ncreated: {day}"
        found.append(f"---\n{front}\n---\n{said} {number}. See [[note{one}]] and [[note{two}]].\n")
    return found


def _checkpoints(texts: list[str]) -> dict[str, float]:
    with new_store() as (memory, _):
        began = time.process_time()
        for start in range(0, len(texts), _BATCH):
            memory.checkpoint(
                [
                    {"name": f"v1.note.note{at}", "value": text}
                    for at, text in enumerate(texts[start : start + _BATCH], start)
                ]
            )
        return {"texts": (time.process_time() - began) / len(texts)}


def _entries(texts: list[str]) -> dict[str, float]:
    with new_store() as (memory, folder):
        notes = _folder(folder, texts)
        memory.ingest(notes, domain="notes", entities=False)
        chunks = [*memory.list("v1.chunk.", limit=1000)]
        while len(chunks) < len(texts):
            chunks += memory.list("v1.chunk.", limit=1000, after=chunks[-1].name)
        items = []
        for chunk in chunks:
            name = chunk.name.replace("chunk", "document").rpartition(".")[0]
            edges = [
                {"source": name, "type": "links_to", "target": edge.target}
                for edge in memory.edges(name, direction="out")
            ]
            atom = memory.access(name).atom
            fields = {"source": atom.source, "tags": atom.tags, "origin": "ingested"}
            whole = {"name": name, "value": atom.value, "attrs": atom.attrs, "occurred_at": atom.occurred_at, **fields}
            part = {"name": chunk.name, "value": chunk.value, "parent": name, "position": chunk.position, **fields}
            items.append(([part, whole], edges))
    with new_store() as (memory, _):
        began = time.process_time()
        for start in range(0, len(items), _BATCH // 4):
            some = items[start : start + _BATCH // 4]
            atoms = [one for both, _ in some for one in both]
            memory.checkpoint(atoms, edges=[one for _, edges in some for one in edges])
        return {"entries": (time.process_time() - began) / len(texts)}


def _folder(folder: Path, texts: list[str]) -> Path:
    notes = folder / "notes"
    notes.mkdir()
    for at, text in enumerate(texts):
        (notes / f"note{at}.md").write_text(text)
    return notes


def _import(texts: list[str], label: str, *, entities: bool) -> dict[str, float]:
    with new_store() as (memory, folder):
        notes = _folder(folder, texts)
        began = time.process_time()
        ingested = memory.ingest(notes, domain="notes", entities=entities)
        first = (time.process_time() - began) / len(texts)
        if ingested.unresolved or ingested.linked < len(texts):
            raise AssertionError("each note links to two others")
        began = time.process_time()
        if memory.ingest(notes, domain="notes", entities=entities).recorded:
            raise AssertionError("a second import must record nothing")
        again = (time.process_time() - began) / len(texts)
    return {label: first, f"{label}, unchanged": again}


def main() -> None:
    """Print what each costs, in CPU milliseconds, and its rate beside those of checkpoints."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("sizes", nargs="*", type=int, default=[10_000])
    works: tuple[Callable[[list[str]], dict[str, float]], ...] = (
        _checkpoints,
        _entries,
        lambda texts: _import(texts, "note", entities=True),
        lambda texts: _import(texts, "note, names aside", entities=False),
    )
    for size in parser.parse_args().sizes:
        texts = _notes(size)
        taken: dict[str, list[float]] = {}
        for _ in range(_ROUNDS):
            for work in works:
                for what, seconds in work(texts).items():
                    taken.setdefault(what, []).append(seconds)
        text, entries = median(taken["texts"]), median(taken["entries"])
        for what, all_seconds in taken.items():
            middle = median(all_seconds)
            goal = f" (goal: {_LEAST})" if what == "note" else ""
            rates = f"{text / middle:5.2f} x texts, {entries / middle:5.2f} x entries{goal}"
            print(f"{size:>7,}  {what:<28} {1000 * middle:7.3f} CPU ms, rate {rates}", flush=True)


if __name__ == "__main__":
    main()
