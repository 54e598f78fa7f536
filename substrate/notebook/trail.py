"""Why an atom says what it says: what it was made of, where, by whom, back to what nobody derived from anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from substrate.errors import Forgotten, NotFound
from substrate.results import Result, Results

if TYPE_CHECKING:
    from substrate.engine.memory import Memory
    from substrate.model import Atom
    from substrate.proof.encoding import Json

__all__ = ["Step", "Trail", "trail_of"]

_LEADING = ("derived_from", "depends_on", "produced_by", "supersedes")
"""The types of edges that say where something comes from."""
_STEPS = 200
_SHOWN = 80
"""Characters of a value, in a line."""


@dataclass(frozen=True, slots=True, repr=False)
class Step(Result):
    """One atom on the trail."""

    name: str
    depth: int
    """How many edges from the atom that was asked about."""
    by: str = ""
    """The type of the edge that led here; of the first step nothing."""
    value: str = ""
    absent: str = ""
    """Why it says nothing: it is not there, or was forgotten."""
    seq: int | None = None
    recorded_at: datetime | None = None
    versions: int = 0
    """How many there were, this one among them."""
    actor: str | None = None
    source: str | None = None
    notebook: Mapping[str, Json] = field(default_factory=dict)
    """Where it was recorded, if in a notebook: path, cell, execution, and, of a recorded result, the code."""
    stale: tuple[str, ...] = ()
    """Why it is to be reviewed: what it depends on and has changed since."""
    seen: bool = False
    """Whether it stands above already, with what it comes from."""

    @property
    def where(self) -> str:
        """The place in a line: `analysis.ipynb, cell 3f2a, execution 12`; empty if it was not in a notebook."""
        said = [str(self.notebook["path"]).rsplit("/", 1)[-1]] if "path" in self.notebook else []
        said += [f"{word} {self.notebook[word]}" for word in ("cell", "execution") if word in self.notebook]
        return ", ".join(said)

    def line(self) -> str:
        """Name, value, and where from, in a line."""
        led = f"{self.by}: " if self.by else ""
        if self.seen or self.absent:
            return f"{led}{self.name} ({self.absent or 'see above'})"
        value = " ".join(self.value.split())
        value = value if len(value) <= _SHOWN else value[:_SHOWN] + "…"
        when = f"{self.recorded_at:%Y-%m-%d %H:%M}" if self.recorded_at is not None else ""
        said = [when, self.actor or "", self.where, f"source {self.source}" if self.source else ""]
        said += [f"version {self.versions} of it"] if self.versions > 1 else []
        said += [f"to be reviewed: {'; '.join(self.stale)}"] if self.stale else []
        return f"{led}{self.name} = {value} ({', '.join(part for part in said if part)})"


@dataclass(frozen=True, slots=True, repr=False)
class Trail(Results[Step]):
    """The atoms that one comes from, each under the one that it led to."""

    items: tuple[Step, ...]
    more: bool = False
    """Whether it goes on further than was followed."""

    def __repr__(self) -> str:
        lines = ["  " * step.depth + step.line() for step in self.items]
        return "\n".join(lines + (["… and further: ask about one of these"] if self.more else []))


def trail_of(memory: Memory, name: str, depth: int = 8) -> Trail:
    """Where an atom comes from: by edges that say so, up to so many steps back. NotFound if there is no such atom.

    Nothing of it counts as an access.
    """
    walk = _Walk(memory, depth)
    walk.follow(name, 0, "")
    return Trail(tuple(walk.steps), walk.more)


class _Walk:
    def __init__(self, memory: Memory, depth: int) -> None:
        self._memory, self._depth = memory, depth
        self.steps: list[Step] = []
        self._seen: set[str] = set()
        self.more = False

    def follow(self, name: str, depth: int, by: str) -> None:
        """Add the atom, and below it what it comes from."""
        if len(self.steps) >= _STEPS:
            self.more = True
            return
        if name in self._seen:
            self.steps.append(Step(name, depth, by, seen=True))
            return
        self._seen.add(name)
        try:
            context = self._memory.context(name, limit=100)
            history = self._memory.history(name)
        except (NotFound, Forgotten) as error:
            if depth == 0:
                raise
            absent = "forgotten" if isinstance(error, Forgotten) else "not there"
            self.steps.append(Step(name, depth, by, absent=absent))
            return
        atom = next((version.atom for version in reversed(history) if version.atom is not None), None)
        stale = tuple(reason for reached in context.atoms if reached.distance == 0 for reason in reached.stale)
        here = Step(name, depth, by, versions=len(history), stale=stale)
        self.steps.append(replace(here, absent="forgotten") if atom is None else _said(here, atom))
        led = sorted(
            (edge for edge in context.edges if edge.type in _LEADING and edge.source == name),
            key=lambda edge: (_LEADING.index(edge.type), edge.target),
        )
        if led and depth == self._depth:
            self.more = True
            return
        for edge in led:
            self.follow(edge.target, depth + 1, edge.type)


def _said(step: Step, atom: Atom) -> Step:
    """The step, with what its atom says."""
    place: Any = atom.attrs.get("notebook")
    return replace(
        step,
        value=atom.value,
        seq=atom.seq,
        recorded_at=atom.recorded_at,
        actor=atom.actor,
        source=atom.source,
        notebook=place if isinstance(place, dict) else {},
    )
