"""Predictions, and what the verbs that learn answer. Frozen, without I/O."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from substrate.result import Result, Results
from substrate.values.saved import Refused

__all__ = ["Around", "Observed", "Prediction", "Predictions", "Trained"]


@dataclass(frozen=True, slots=True, repr=False)
class Prediction(Result):
    """An atom that will probably be needed."""

    name: str
    probability: float
    parts: Mapping[str, float] = field(default_factory=dict)
    """The points of each part of the model in the probability; docs/markov.md explains the parts."""
    id: str = ""

    def __repr__(self) -> str:
        return f"Prediction({self.probability:.2f} {self.name}: {self.why})"

    @property
    def why(self) -> str:
        """The parts, in a line, the heaviest first."""
        ordered = sorted(self.parts.items(), key=lambda part: -part[1])
        return ", ".join(f"{part} {share:.3f}" for part, share in ordered)

    def row(self) -> dict[str, object]:
        """Probability, name and the reasons."""
        return {"probability": round(self.probability, 3), "name": self.name, "why": self.why}


@dataclass(frozen=True, slots=True, repr=False)
class Predictions(Results[Prediction]):
    """The atoms that are probably needed next, the likeliest first. Empty if none is likely enough."""

    items: tuple[Prediction, ...]
    context: tuple[str, ...] = ()
    """The atoms it was predicted from, in the order of their access."""
    skipped: tuple[Refused, ...] = ()
    """Names of the context that were left out, and why."""

    def __repr__(self) -> str:
        skipped = "".join(f"\n({one.name}: {one.reason})" for one in self.skipped)
        return super(Predictions, self).__repr__() + skipped


@dataclass(frozen=True, slots=True, repr=False)
class Around(Result):
    """The atoms needed after an atom, and before it; the likeliest first."""

    name: str
    part: str | None
    """The part of the model that says so; None: all of it."""
    after: tuple[Prediction, ...] = ()
    """How likely each is next, when the atom was opened."""
    before: tuple[Prediction, ...] = ()
    """How likely the atom is next, when each of these was opened."""
    more: bool = False
    """Whether the atom was learnt to follow more atoms than were looked at: then `before` is the best of some."""


@dataclass(frozen=True, slots=True, repr=False)
class Trained(Result):
    """The result of a training. It is in the log, as entry `seq`."""

    learnt: tuple[str, ...]
    passes: int
    seq: int
    """-1 if nothing was learnt."""
    objective: str | None = None
    domain: str | None = None
    skipped: tuple[Refused, ...] = ()
    """Atoms that were not learned, and why."""
    clamped_from: int | None = None
    """The number of passes asked for, if it is more than one training can have."""

    def __repr__(self) -> str:
        said = f"Trained({len(self.learnt)} atoms, {self.passes} passes"
        if self.clamped_from is not None:
            said += f", {self.clamped_from} were asked for and 3 is the most"
        return said + (f", {len(self.skipped)} skipped: see .skipped)" if self.skipped else ")")


@dataclass(frozen=True, slots=True, repr=False)
class Observed(Result):
    """Sessions that were taken in."""

    sessions: int
    accesses: int
    skipped: tuple[Refused, ...] = ()
    """Items that were skipped, and why: `sessions[2].items[0]`."""
