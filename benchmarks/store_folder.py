"""Where a store that is measured lies, with its key beside it."""

from __future__ import annotations

from pathlib import Path

__all__ = ["StoreFolder"]


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
