"""A store to search, of one size: atoms by checkpoint, and their vectors as `index` writes them, without the model."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.minilm import embedder
from benchmarks.search_workload import SearchTexts, atom_of
from benchmarks.workload import BATCH
from substrate.engine.memory import Memory, open_memory
from substrate.engine.stores import open_memory_log
from substrate.kv.api import ReadTransaction
from substrate.log.append import Decision
from substrate.views.vectors import keep_vectors

__all__ = ["SearchStore", "fill_search"]

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class SearchStore:
    """Closed. Entry 0 of the log is its key, so that atom n is at n + 1, until entries of other kinds come."""

    size: int
    folder: Path
    seqs: range
    """Of the atoms."""

    @property
    def path(self) -> Path:
        """The store."""
        return self.folder / "store"

    @property
    def home(self) -> Path:
        """Where its key is."""
        return self.folder / "home"

    def open(self) -> Memory:
        """The store, open."""
        return open_memory(self.path, home=self.home)


def fill_search(size: int, folder: Path, texts: SearchTexts, say: Say) -> SearchStore:
    """Make one with `size` atoms, every one of which has its vector."""
    began, first = time.process_time(), None
    with open_memory(folder / "store", home=folder / "home") as memory:
        for start, portion, _ in texts.portions(size):
            for at in range(0, len(portion), BATCH):
                some = enumerate(portion[at : at + BATCH], start + at)
                saved = memory.checkpoint([atom_of(number, text) for number, text in some])
                first = saved.seqs.start if first is None else first
                if len(saved.seqs) != len(portion[at : at + BATCH]):
                    raise AssertionError(f"{len(saved.seqs)} entries instead of {BATCH}")
    if first is None or saved.seqs.stop - first != size:
        raise AssertionError("there are other entries between the atoms")
    say(f"{size:,} atoms saved; {size / (time.process_time() - began):,.0f} atoms/CPU-s, making their texts included")
    store = SearchStore(size, folder, range(first, first + size))
    _write_vectors(store, texts)
    say(f"{size:,} atoms: vectors written")
    return store


def _write_vectors(store: SearchStore, texts: SearchTexts) -> None:
    space, first = embedder().space, store.seqs.start
    with open_memory_log(store.path, read_only=False, create=False, home=store.home, origin=None, clock=None) as log:
        for start, _, rows in texts.portions(store.size):
            found = {first + start + i: row.tobytes() for i, row in enumerate(rows)}
            upto = first + start + len(rows)

            def plan(
                transaction: ReadTransaction, _: int, found: dict[int, bytes] = found, upto: int = upto
            ) -> Decision:
                return Decision(traces=list(keep_vectors(transaction, space, found, upto)))

            log.decide(plan)
