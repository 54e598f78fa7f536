"""A store to search, of one size: atoms by checkpoint, and their vectors as `index` writes them, without the model."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.minilm import embedder
from benchmarks.search_workload import SearchTexts, atom_of
from benchmarks.store_folder import StoreFolder
from benchmarks.workload import BATCH
from substrate.codec import Draft
from substrate.kv.api import ReadTransaction
from substrate.log.append import Decision
from substrate.log.log import open_log
from substrate.memory import Memory, open_memory
from substrate.views.catalogue import VIEWS
from substrate.views.models import draft_model
from substrate.views.vectors import keep_vectors

__all__ = ["SearchStore", "fill_search"]

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class SearchStore(StoreFolder):
    """Closed. Entry 0 of the log is its key, so that atom n is at n + 1, until entries of other kinds come."""

    size: int
    folder: Path
    seqs: range
    """Of the atoms."""

    def open(self) -> Memory:
        """The store, open. Nothing is embedded in the background: what is measured is what was asked for."""
        return open_memory(self.path, home=self.home, background=False)


def fill_search(size: int, folder: Path, texts: SearchTexts, say: Say) -> SearchStore:
    """Make one with `size` atoms, every one of which has its vector; and let `index` see to the rest."""
    began, seqs = time.process_time(), []
    with open_memory(folder / "store", home=folder / "home", background=False) as memory:
        for start, portion, _ in texts.portions(size):
            for at in range(0, len(portion), BATCH):
                some = enumerate(portion[at : at + BATCH], start + at)
                seqs.append(memory.checkpoint([atom_of(number, text) for number, text in some]).seqs)
    first = seqs[0].start
    if sum(map(len, seqs)) != size or seqs[-1].stop - first != size:
        raise AssertionError("there are not as many entries as atoms")
    say(f"{size:,} atoms saved; {size / (time.process_time() - began):,.0f} atoms/CPU-s, making their texts included")
    store = SearchStore(size, folder, range(first, first + size))
    _write_vectors(store, texts)
    began = time.process_time()
    with store.open() as memory:
        done = memory.index()
    if done.embedded:
        raise AssertionError(f"{done.embedded:,} atoms had no vectors")
    say(f"{size:,} vectors written; index took {time.process_time() - began:.1f} CPU s to see to them")
    return store


def _write_vectors(store: SearchStore, texts: SearchTexts) -> None:
    """As `index` does: the first come with the entry that names their model."""
    model, first = embedder(), store.seqs.start
    named = draft_model(model.model, model.digest, model.dimensions, model.space)
    with open_log(store.path, create=False, home=store.home, views=VIEWS) as log:
        for start, _, rows in texts.portions(store.size):
            found = {first + start + i: row.tobytes() for i, row in enumerate(rows)}
            drafts, upto = [] if start else [named], first + start + len(rows)

            def plan(
                transaction: ReadTransaction,
                _: int,
                drafts: Sequence[Draft] = drafts,
                found: dict[int, bytes] = found,
                upto: int = upto,
            ) -> Decision:
                return Decision(drafts, list(keep_vectors(transaction, model.space, found, upto)))

            log.decide(plan)
