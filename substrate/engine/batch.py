"""What a checkpoint is to save, as it was handed in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from substrate.engine.intake import AtomInput, EdgeInput, TombstoneInput
from substrate.places import Place

__all__ = ["Batch"]


@dataclass(frozen=True, slots=True)
class Batch:
    """What is to be saved, as it was handed in."""

    atoms: Sequence[AtomInput] = ()
    edges: Sequence[EdgeInput] = ()
    tombstones: Sequence[TombstoneInput] = ()
    unedges: Sequence[EdgeInput | str] = ()
    task: str | None = None
    place: Place | None = None
    """Where in a notebook it is recorded."""

    def count(self) -> int:
        """How many items it has, edges to the task among them."""
        produced = 0 if self.task is None else len(self.atoms)
        return len(self.atoms) + len(self.edges) + len(self.tombstones) + len(self.unedges) + produced
