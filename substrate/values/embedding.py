"""What is told of the model and the vectors that search uses. Frozen, without I/O."""

from __future__ import annotations

from dataclasses import dataclass

from substrate.result import Result

__all__ = ["Embedding", "Indexed"]


@dataclass(frozen=True, slots=True, repr=False)
class Indexed(Result):
    """The result of `index`: the number of embedded versions and pieces, and the model. Nothing waits now."""

    embedded: int
    pieces: int
    model: str
    upto: int
    """The seq before which every version has its vectors."""


@dataclass(frozen=True, slots=True, repr=False)
class Embedding(Result):
    """Which model a store uses, and how far its vectors are."""

    model: str
    digest: str
    dimensions: int
    space: str
    upto: int
    """The seq before which every version has its vectors."""
    waiting: int
    """Versions that have none yet."""
    searched: str = ""
    """The model that is searched still, while the space of the one above is filled."""
    state: str = ""
    """The state of the background work, or why it stopped."""
