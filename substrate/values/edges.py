"""Edges, as users hold them, and the types that mean something to the engine. Frozen, without I/O."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Final

from substrate.result import Result, Results
from substrate.values.times import EPOCH

if TYPE_CHECKING:
    from substrate.proof.encoding import Json

__all__ = [
    "CONSISTENT_WITH",
    "CONSOLIDATED_FROM",
    "CONTRADICTS",
    "DEPENDS_ON",
    "DERIVED_FROM",
    "MEMBER_OF",
    "PRODUCED_BY",
    "REFERENCES",
    "RENAMED_TO",
    "SUPERSEDES",
    "Edge",
    "Edges",
    "Window",
]


SUPERSEDES: Final = "supersedes"
MEMBER_OF: Final = "member_of"
DEPENDS_ON: Final = "depends_on"
DERIVED_FROM: Final = "derived_from"
PRODUCED_BY: Final = "produced_by"
CONSISTENT_WITH: Final = "consistent_with"
CONTRADICTS: Final = "contradicts"
REFERENCES: Final = "references"
RENAMED_TO: Final = "renamed_to"
CONSOLIDATED_FROM: Final = "consolidated_from"
"""The types that mean something to the engine; others are as good."""


@dataclass(frozen=True, slots=True, repr=False)
class Window(Result):
    """When something holds in the world."""

    start: datetime | None = None
    end: datetime | None = None

    def holds_at(self, time: datetime) -> bool:
        """Whether `time` lies in it."""
        return (self.start is None or self.start <= time) and (self.end is None or time < self.end)


@dataclass(frozen=True, slots=True, repr=False)
class Edge(Result):
    """A stated link between two atoms, each given by its name where that is known, else by its id."""

    source: str
    type: str
    target: str
    id: str = ""
    seq: int = -1
    recorded_at: datetime = EPOCH
    source_id: str = ""
    target_id: str = ""
    label: str | None = None
    """The writer's own spelling of the type, where it differs."""
    confidence: float | None = None
    attrs: Mapping[str, Json] = field(default_factory=dict)
    cited: str | None = None
    """Where the statement comes from."""
    origin: str | None = None
    actor: str | None = None
    session: str | None = None
    windows: tuple[Window, ...] = ()
    """When it holds; none given: always."""
    confirmed_at: datetime | None = None
    dangling: tuple[str, ...] = ()
    """Which of its ends (`source`, `target`) is not there yet."""
    damaged: str | None = None
    """The part of this edge that does not fit the schema, from a foreign log. Then only its ends and type are shown."""

    def row(self) -> dict[str, object]:
        """Without the ids of its ends."""
        return {word: said for word, said in self.to_dict().items() if word not in ("source_id", "target_id")}

    def holds_at(self, time: datetime) -> bool:
        """Whether it holds in the world at `time`."""
        return not self.windows or any(window.holds_at(time) for window in self.windows)


@dataclass(frozen=True, slots=True, repr=False)
class Edges(Results[Edge]):
    """The edges of an atom."""

    items: tuple[Edge, ...]
    more: bool = False
    """Whether there are more than the limit."""
    titles: Mapping[str, str] = field(default_factory=dict)
    """Of documents and chunks among their ends: their names are digests. For people; not in the dictionary."""

    def to_dict(self) -> dict[str, object]:
        """The edges, and whether there are more."""
        said = super(Edges, self).to_dict()
        said.pop("titles", None)
        return said
