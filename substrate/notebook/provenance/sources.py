"""Why an atom says what it says: what it was made of, where, by whom, back to what nobody derived from anything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

from substrate.errors import Forgotten, NotFound
from substrate.result import Result, Results
from substrate.text.visible import as_number, visible
from substrate.values.edges import DEPENDS_ON, DERIVED_FROM, PRODUCED_BY, SUPERSEDES

if TYPE_CHECKING:
    from substrate.memory import Memory
    from substrate.proof.encoding import Json
    from substrate.values.atoms import Atom
    from substrate.values.edges import Edge

__all__ = ["Step", "Trail", "trail_of", "where_in"]

_LEADING = (DERIVED_FROM, DEPENDS_ON, PRODUCED_BY, SUPERSEDES)
"""The types of edges that say where something comes from."""
_STEPS = 200
"""Atoms on a trail; those that come again take as many lines at most."""
_VERSIONS = 20
"""Versions that are counted; with each its body is read."""
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
    """Why it is not in use: it is not there, was forgotten, or is tombstoned; then its value is what it last said."""
    seq: int | None = None
    recorded_at: datetime | None = None
    versions: int = 0
    """How many there were, this one among them; from 20 on they are not counted."""
    actor: str | None = None
    source: str | None = None
    notebook: Mapping[str, Json] = field(default_factory=dict)
    """Where it was recorded, if in a notebook: path, cell, execution, and, of a recorded result, the code."""
    stale: tuple[str, ...] = ()
    """Why it is to be reviewed: what it depends on and has changed since."""
    seen: bool = False
    """Whether it stands elsewhere on the trail already, with what it comes from."""

    @property
    def where(self) -> str:
        """The place in a line: `analysis.ipynb, cell 3f2a, execution 12`; empty if it was not in a notebook."""
        return where_in(self.notebook)

    @property
    def told(self) -> str:
        """By whom, where, from what source, and as which version, in a line."""
        version = f"version {self.versions}" if self.versions < _VERSIONS else f"{_VERSIONS} versions or more"
        said = [self.actor or "", self.where, f"source {self.source}" if self.source else ""]
        said += [f"{version} of it"] if self.versions > 1 else []
        return ", ".join(part for part in said if part)

    def line(self) -> str:
        """Name, value, and where from, in a line."""
        led = f"{self.by}: " if self.by else ""
        if self.seen or self.recorded_at is None:
            return visible(f"{led}{self.name} ({self.absent or 'see above'})", escape=as_number)
        value = " ".join(self.value.split())
        value = value if len(value) <= _SHOWN else value[:_SHOWN] + "…"
        said = [self.absent, f"{self.recorded_at:%Y-%m-%d %H:%M} UTC", self.told]
        said += [f"to be reviewed: {'; '.join(self.stale)}"] if self.stale else []
        return visible(f"{led}{self.name} = {value} ({', '.join(part for part in said if part)})", escape=as_number)


def where_in(notebook: Mapping[str, Json]) -> str:
    """A place in a notebook, in a line: `analysis.ipynb, cell 3f2a, execution 12`; of nothing, nothing."""
    said = [str(notebook["path"]).rsplit("/", 1)[-1]] if "path" in notebook else []
    said += [f"{word} {notebook[word]}" for word in ("cell", "execution") if word in notebook]
    return ", ".join(said)


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
    """Where an atom, given by its name or id, comes from: by edges that say so, up to so many steps back.

    The nearest first, so that what is cut off is what is far away. NotFound if there never was such an atom. Nothing of
    it counts as an access.
    """
    walk = _Walk(memory, depth)
    walk.reach(name)
    steps = tuple(islice(walk.steps(), 2 * _STEPS + 1))
    return Trail(steps[: 2 * _STEPS], walk.more or len(steps) > 2 * _STEPS)


class _Walk:
    """First each atom is reached by the shortest way, then all are put under what they led to."""

    def __init__(self, memory: Memory, depth: int) -> None:
        self._memory, self._depth = memory, depth
        self._known: dict[str, Step] = {}
        self._led: dict[str, list[Edge]] = {}
        self._root = ""
        self.more = False

    def reach(self, asked: str) -> None:
        """Read the atom that is asked about, and, step by step, what it comes from."""
        first, led = self._read(asked)
        self._root = first.name
        self._known[first.name], self._led[first.name] = first, led
        reached = [first.name]
        for _ in range(self._depth):
            further = dict.fromkeys(edge.target for name in reached for edge in self._led[name])
            reached = [name for name in further if name not in self._known]
            self.more = self.more or len(self._known) + len(reached) > _STEPS
            reached = reached[: _STEPS - len(self._known)]
            for name in reached:
                self._known[name], self._led[name] = self._read_source(name)
        self.more = self.more or any(edge.target not in self._known for name in reached for edge in self._led[name])

    def steps(self) -> Iterator[Step]:
        """Each atom, and below it what it comes from. It is told of once, where it comes first."""
        return self._under(self._root, 0, "", set())

    def _under(self, name: str, depth: int, by: str, told: set[str]) -> Iterator[Step]:
        step = replace(self._known[name], depth=depth, by=by)
        if name in told:
            yield Step(name, depth, by, seen=True)
            return
        told.add(name)
        yield step
        for edge in self._led[name]:
            if edge.target in self._known:
                yield from self._under(edge.target, depth + 1, edge.type, told)

    def _read_source(self, name: str) -> tuple[Step, list[Edge]]:
        try:
            return self._read(name)
        except Forgotten:
            return Step(name, 0, absent="forgotten"), []
        except NotFound:
            return Step(name, 0, absent="not there"), []

    def _read(self, asked: str) -> tuple[Step, list[Edge]]:
        """An atom, and the edges to what it comes from."""
        history = self._memory.history(asked, limit=_VERSIONS)
        atom = next((version.atom for version in reversed(history) if version.atom is not None), None)
        if atom is None:
            return Step(asked, 0, absent="forgotten", versions=len(history)), []
        if history[-1].atom is None:
            absent = "tombstoned" if history[-1].kind == "tombstone" else "forgotten"
            return _said(Step(atom.name, 0, absent=absent, versions=len(history)), atom), []
        context = self._memory.context(atom.name, limit=1)
        stale = tuple(reason for reached in context.atoms if reached.distance == 0 for reason in reached.stale)
        return _said(Step(atom.name, 0, versions=len(history), stale=stale), atom), self._leading(atom.name)

    def _leading(self, name: str) -> list[Edge]:
        led: list[Edge] = []
        for kind in _LEADING:
            found = self._memory.edges(name, direction="out", type=kind, limit=_STEPS)
            self.more = self.more or found.more
            led += sorted(found, key=lambda edge: edge.target)
        return led


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
