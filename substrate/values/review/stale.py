"""Atoms to review, as users hold them. Frozen, without I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from substrate.result import Result, Results
from substrate.values.atoms import Atom

__all__ = ["StaleAtom", "StaleAtoms", "StaleReason"]


@dataclass(frozen=True, slots=True, repr=False)
class StaleReason(Result):
    """A dependency that changed after an atom was last said."""

    name: str
    change: str
    """changed, tombstoned, superseded or forgotten."""
    seq: int
    """By which entry."""
    path: tuple[str, ...]
    """Names, from the atom to the dependency."""
    reason: str
    """All that in a line."""


@dataclass(frozen=True, slots=True, repr=False)
class StaleAtom(Result):
    """An atom to review. Save it again, with the same or a new value, to clear it."""

    atom: Atom
    because: tuple[StaleReason, ...]

    @property
    def name(self) -> str:
        """The atom's name."""
        return self.atom.name

    def __repr__(self) -> str:
        return f"StaleAtom({self.name}: {'; '.join(because.reason for because in self.because)})"

    def row(self) -> dict[str, object]:
        """Name, value and the reasons."""
        reasons = "; ".join(because.reason for because in self.because)
        return {"name": self.name, "value": self.atom.value, "because": reasons}


@dataclass(frozen=True, slots=True, repr=False)
class StaleAtoms(Results[StaleAtom]):
    """A page of the atoms to be reviewed, in the order of their names."""

    items: tuple[StaleAtom, ...]
    next: str | None = None
    """Give it as `after` for the next page; None if this was the last."""

    def rows(self) -> Sequence[Mapping[str, object]]:
        """A row for each: name, value, because."""
        return [item.row() for item in self.items]
