"""A prediction, as users hold it. Frozen, without I/O."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from substrate.results import Result

__all__ = ["Prediction"]


@dataclass(frozen=True, slots=True, repr=False)
class Prediction(Result):
    """An atom that will probably be needed."""

    name: str
    probability: float
    parts: Mapping[str, float] = field(default_factory=dict)
    """What each part of the model added to the probability; docs/markov.md says what the parts are."""
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
