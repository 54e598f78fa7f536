"""Where the time goes in a checkpoint or an access: cProfile's view of it, for whoever makes it faster."""

from __future__ import annotations

import cProfile
import pstats
from collections.abc import Callable
from pathlib import Path

from benchmarks.atom_stores import Say, fill_atoms
from benchmarks.atom_workload import as_object, as_text, plain, some
from benchmarks.workload import BATCH, name_of
from substrate.memory import Memory

__all__ = ["WORKS", "profile"]

_BATCHES = 20
_ACCESSES = 5_000
_SHOWN = 30


def _checkpoint(memory: Memory, size: int) -> Callable[[], None]:
    """Batches of 1,000 atoms, texts and objects in turn."""
    batches = [
        [(as_object if batch % 2 else as_text)(size + batch * BATCH + i) for i in range(BATCH)]
        for batch in range(_BATCHES)
    ]

    def run() -> None:
        for atoms in batches:
            memory.checkpoint(atoms)

    return run


def _access(memory: Memory, size: int) -> Callable[[], None]:
    """Accesses with proof."""
    names = [name_of(number) for number in some(_ACCESSES, size, plain)]

    def run() -> None:
        for name in names:
            memory.access(name, proof=True)

    return run


WORKS = {"checkpoint": _checkpoint, "access": _access}


def profile(work: str, size: int, folder: Path, say: Say) -> None:
    """Print the functions in which that work spends most time of their own, in a store of `size` atoms."""
    stores = fill_atoms(size, folder, say)
    with stores.open() as memory:
        run = WORKS[work](memory, size)
        profiler = cProfile.Profile()
        profiler.runcall(run)
    stores.close()
    print(f"{work}: {_BATCHES} batches of {BATCH:,}" if work == "checkpoint" else f"{work} with proof: {_ACCESSES:,}")
    pstats.Stats(profiler).strip_dirs().sort_stats("tottime").print_stats(_SHOWN)
