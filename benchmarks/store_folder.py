"""Where a store that is measured lies, with its key beside it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import substrate
from substrate.memory import Memory

__all__ = ["StoreFolder", "new_store"]


class StoreFolder:
    """What has a `folder` for a store and its key."""

    __slots__ = ()
    folder: Path

    @property
    def path(self) -> Path:
        """The store."""
        return self.folder / "store"

    @property
    def home(self) -> Path:
        """Where its key is."""
        return self.folder / "home"


@contextmanager
def new_store() -> Iterator[tuple[Memory, Path]]:
    """A new store without a model, and the folder in which it and its key are. Both are gone after the block."""
    with tempfile.TemporaryDirectory(prefix="substrate-bench-") as scratch:
        folder = Path(scratch)
        with substrate.open(folder / "store", home=folder / "home", model="none", background=False) as memory:
            yield memory, folder
