"""How far atoms have faded, and what was done about it, as users hold it. Frozen, without I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from substrate.result import Result, Results
from substrate.values.atoms import Atom

__all__ = [
    "FadingAtom",
    "FadingAtoms",
    "FadingCurve",
    "FadingFall",
    "FadingModel",
    "FadingPoint",
    "FadingUse",
    "Promoted",
    "Promotion",
    "Swept",
    "Touched",
    "TouchedAtom",
]


@dataclass(frozen=True, slots=True, repr=False)
class FadingModel(Result):
    """How a store lets atoms fade."""

    model: str
    """power_law, exponential or two_component."""
    half_life: float | None
    """In days: after so long without use the score is half of what it was. None: the model has two of its own."""


@dataclass(frozen=True, slots=True, repr=False)
class FadingAtom(Result):
    """An atom, and how far it has faded at the moment asked about."""

    atom: Atom
    score: float
    """(uses + 1) ** 0.6, times what time has left of it, times its strength. May be above 1."""
    uses: int
    """How often it was touched."""
    strength: float
    """1 to 2."""
    last_used: datetime
    """When it was last touched; if it never was, when it was recorded."""
    created_at: datetime
    age_days: float
    """Since it was first recorded."""
    status: str = "active"
    """active, promoted, archived or removed."""
    priority: float = 0.0
    """0 to 1: how much a review would help it now."""

    @property
    def name(self) -> str:
        """The atom's name."""
        return self.atom.name

    @property
    def id(self) -> str:
        """The atom's id."""
        return self.atom.id

    def row(self) -> dict[str, object]:
        """Score, uses, when, name and value."""
        return {
            "score": round(self.score, 3),
            "uses": self.uses,
            "strength": round(self.strength, 2),
            "last_used": f"{self.last_used:%Y-%m-%d}",
            "status": self.status,
            "name": self.name,
            "value": self.atom.value,
        }


@dataclass(frozen=True, slots=True, repr=False)
class FadingAtoms(Results[FadingAtom]):
    """A page of atoms, each with its score; and what holds for all that were asked about."""

    items: tuple[FadingAtom, ...]
    model: FadingModel
    total: int
    """Atoms on all pages."""
    mean_score: float = 0.0
    """Of all of them."""
    mean_uses: float = 0.0
    more: bool = False
    """Whether there are more behind this page."""

    def rows(self) -> Sequence[Mapping[str, object]]:
        """A row for each."""
        return [item.row() for item in self.items]


@dataclass(frozen=True, slots=True, repr=False)
class FadingPoint(Result):
    """The score of an atom at a moment. A moment to come counts on no further use."""

    time: datetime
    score: float


@dataclass(frozen=True, slots=True, repr=False)
class FadingUse(Result):
    """A touch of an atom, and the score that it led to."""

    time: datetime
    score: float
    times: int
    kind: str
    """used, or saved."""


@dataclass(frozen=True, slots=True, repr=False)
class FadingFall(Result):
    """When the score of an atom falls below a threshold, if nobody uses it before."""

    time: datetime
    score: float
    """The threshold."""
    means: str
    """The meaning of a score below it."""


@dataclass(frozen=True, slots=True, repr=False)
class FadingCurve(Results[FadingPoint]):
    """The score of one atom over time: since it was recorded, and until it has faded or for some time to come."""

    items: tuple[FadingPoint, ...]
    """In the order of time. A use has a point right before it, and one at its time."""
    faded: FadingAtom
    """The atom at the moment asked about."""
    model: FadingModel
    now: datetime
    """The moment asked about."""
    uses: tuple[FadingUse, ...] = ()
    """The last hundred touches, in the order of time."""
    falls: tuple[FadingFall, ...] = ()
    """The thresholds that it will fall below within a hundred years, the next one first."""

    @property
    def name(self) -> str:
        """The atom's name."""
        return self.faded.name


@dataclass(frozen=True, slots=True, repr=False)
class TouchedAtom(Result):
    """An atom that was touched: its score before and after."""

    name: str
    id: str
    before: float
    after: float
    uses: int
    strength: float


@dataclass(frozen=True, slots=True, repr=False)
class Touched(Results[TouchedAtom]):
    """The atoms that were touched, in the order given."""

    items: tuple[TouchedAtom, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Swept(Results[FadingAtom]):
    """Faded atoms that went out of use; or, in a dry run, would go. The lowest scores come first."""

    items: tuple[FadingAtom, ...]
    """The first of them; `total` counts all."""
    dry_run: bool
    archived: bool
    """Put away, and listed by that status; else removed. Both are tombstones: nothing is erased."""
    total: int
    score_sum: float
    surface: str
    """Only notes of this surface are swept."""

    def rows(self) -> Sequence[Mapping[str, object]]:
        """A row for each of the first."""
        return [item.row() for item in self.items]


@dataclass(frozen=True, slots=True, repr=False)
class Promotion(Result):
    """A note that was written to the vault, or could be: with the reason."""

    faded: FadingAtom
    reason: str
    path: str | None = None
    """Of the note, below the root of the vault."""

    @property
    def name(self) -> str:
        """The atom's name."""
        return self.faded.name

    @property
    def id(self) -> str:
        """The atom's id."""
        return self.faded.id

    def row(self) -> dict[str, object]:
        """Name, path, score and the reason."""
        shown = {"name": self.name, "score": round(self.faded.score, 3), "reason": self.reason}
        return shown if self.path is None else {**shown, "path": self.path}


@dataclass(frozen=True, slots=True, repr=False)
class Promoted(Results[Promotion]):
    """Notes that were written to the vault; in a dry run, those that would be. The highest scores come first."""

    items: tuple[Promotion, ...]
    dry_run: bool
    total: int
    """Candidates there are."""

    def rows(self) -> Sequence[Mapping[str, object]]:
        """A row for each."""
        return [item.row() for item in self.items]
