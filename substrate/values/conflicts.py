"""Conflicts between atoms, as users hold them. Frozen, without I/O."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from substrate.result import Result, Results
from substrate.values.atoms import Atom

__all__ = ["Conflict", "Conflicts"]


@dataclass(frozen=True, slots=True, repr=False)
class Conflict(Result):
    """Two current atoms that contradict each other. `first` was recorded earlier."""

    first: Atom
    second: Atom
    kind: str
    """value, number, date or negation."""
    reason: str
    found_at: datetime

    def row(self) -> dict[str, object]:
        """The names, and why."""
        return {"first": self.first.name, "second": self.second.name, "kind": self.kind, "reason": self.reason}


@dataclass(frozen=True, slots=True, repr=False)
class Conflicts(Results[Conflict]):
    """Open conflicts, those that came up last first."""

    items: tuple[Conflict, ...]
    more: bool = False
    """Whether there are more than the limit."""
