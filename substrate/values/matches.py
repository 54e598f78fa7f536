"""What a text that someone gives may mean, as users hold it. Frozen, without I/O."""

from __future__ import annotations

from dataclasses import dataclass

from substrate.result import Result, Results

__all__ = ["Match", "Matches"]


@dataclass(frozen=True, slots=True, repr=False)
class Match(Result):
    """An atom that is meant, or may be; or an edge, by its id."""

    name: str
    """Of an edge its ends and its type."""
    id: str
    score: float
    """How like it is to the text, from 0 to 1."""
    reason: str
    """Why: `its name`, `its title`, `same words`, ..."""

    def __repr__(self) -> str:
        return f"Match({self.score:.2f} {self.name}: {self.reason})"


@dataclass(frozen=True, slots=True, repr=False)
class Matches(Results[Match]):
    """The one that is meant, if `verdict` is exact; those that may be, the likest first, if it is close; or none."""

    items: tuple[Match, ...]
    verdict: str = "none"
    """exact, close or none."""

    @property
    def name(self) -> str | None:
        """The name of the one that is meant; None if it is not exactly one."""
        return self.items[0].name if self.verdict == "exact" else None
