"""What the verbs that find answer, and what is told of the vectors that they find by. Frozen, without I/O."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from substrate.model import Atom, Edge
from substrate.results import Result, Results, frame

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = [
    "Arc",
    "Association",
    "Associations",
    "Context",
    "Embedding",
    "Found",
    "Hit",
    "Indexed",
    "Missing",
    "Reached",
    "StaleAtom",
    "StaleAtoms",
    "StaleReason",
]


@dataclass(frozen=True, slots=True, repr=False)
class Hit(Result):
    """An atom that was found, and why it stands where it stands."""

    atom: Atom
    """The version that answers; `current` says whether it is the one in force."""
    score: float
    """The sum of the parts. Words and meaning that match in full give about 1."""
    parts: Mapping[str, float] = field(default_factory=dict)
    """What each part added: words, meaning, neighbours, edges, evidence, time; but for those that added nothing."""
    matched: tuple[str, ...] = ()
    """The words of the query that it has, as they were typed."""
    snippet: str = ""
    """The passage that matches best; of a short value all of it."""
    marks: tuple[tuple[int, int], ...] = ()
    """Where in the snippet matched words begin and end."""
    current: bool = True
    """False: an earlier version, or one that another atom supersedes. Only where the question asks about the past."""
    seq: int = -1
    """The last entry of the log that this answer knows of."""
    lag: int = 0
    """How many versions were not compared by meaning, because they are not embedded yet."""

    @property
    def name(self) -> str:
        """The atom's name."""
        return self.atom.name

    @property
    def value(self) -> str:
        """The atom's value."""
        return self.atom.value

    def __repr__(self) -> str:
        earlier = "" if self.current else " (earlier)"
        return f"Hit({self.score:.2f} {self.name} = {self.snippet!r}{earlier}: {self.why})"

    @property
    def why(self) -> str:
        """The parts of the score, in a line."""
        return ", ".join(f"{part} {added:+.2f}" for part, added in self.parts.items())

    def row(self) -> dict[str, object]:
        """Score, name, snippet and the reasons."""
        shown = {"score": round(self.score, 3), "name": self.name, "snippet": self.snippet, "why": self.why}
        when = self.atom.occurred_at or self.atom.valid_from or self.atom.recorded_at
        return {**shown, "when": f"{when:%Y-%m-%d}", "current": "yes" if self.current else "earlier"}


@dataclass(frozen=True, slots=True, repr=False)
class Found(Results[Hit]):
    """What a search found, best first."""

    items: tuple[Hit, ...]
    query: str
    asked: str = "any"
    """Which statement the question's time means: any, now, previous, first, span or all."""
    start: datetime | None = None
    end: datetime | None = None
    """Of a span: from when until, not including, when."""
    meaning: str = ""
    """Empty if words and meaning were searched; else why meaning was not, and what to do about it."""
    seq: int = -1
    """The last entry of the log that this answer knows of."""
    lag: int = 0
    """How many versions were not compared by meaning, because they are not embedded yet."""
    more: bool = False
    """Whether there is more behind the limit."""

    def __repr__(self) -> str:
        return super(Found, self).__repr__() + "".join(f"\n({word})" for word in self.remarks)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What there is to know about the answer as a whole: how time was understood, what was not searched."""
        said = []
        if self.asked == "span":
            start, end = (f"{time:%Y-%m-%d}" if time is not None else "…" for time in (self.start, self.end))
            said.append(f"the question was taken to be about the time from {start} to {end}")
        elif self.asked != "any":
            said.append(f"the question was taken to be about time: {self.asked}")
        if self.meaning:
            said.append(f"searched by words only: {self.meaning}")
        elif self.lag:
            said.append(f"{self.lag:,} versions are not embedded yet and were searched by words only")
        return tuple(said)

    def to_df(self) -> DataFrame:
        """A row for each hit: score, name, value, why, when, and the parts. Needs pandas."""
        return frame([{**hit.row(), "value": hit.value, **dict(hit.parts)} for hit in self.items])


@dataclass(frozen=True, slots=True, repr=False)
class Indexed(Result):
    """What `index` did: so many versions were embedded, in so many pieces, by this model; nothing waits now."""

    embedded: int
    pieces: int
    model: str
    upto: int
    """The seq before which every version has its vectors."""


@dataclass(frozen=True, slots=True, repr=False)
class Embedding(Result):
    """Which model a store uses, and how far its vectors are."""

    model: str
    digest: str
    dimensions: int
    space: str
    upto: int
    """The seq before which every version has its vectors."""
    waiting: int
    """Versions that have none yet."""
    searched: str = ""
    """The model that is searched still, while the space of the one above is filled."""
    state: str = ""
    """What the background is at, or why it stopped."""


# -- what is joined to what --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, repr=False)
class Missing(Result):
    """An atom that was asked about and is not there, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True, repr=False)
class Arc(Result):
    """What was learned from use: of all that came after `source`, this share was `target`."""

    source: str
    target: str
    share: float


@dataclass(frozen=True, slots=True, repr=False)
class Reached(Result):
    """An atom in the context of others: how far away, and by which edge it was reached first."""

    name: str
    distance: int
    """Edges between it and the nearest of the atoms asked about; 0: it is one of them."""
    value: str = ""
    """What it says; of a long value the beginning."""
    id: str = ""
    via: str = ""
    """The edge that led here: `source type target`."""
    superseded_by: tuple[str, ...] = ()
    absent: str = ""
    """Why it says nothing: dangling (not there yet), tombstoned, forgotten, or not valid then."""
    stale: tuple[str, ...] = ()
    """Of those asked about, now: why it is to be reviewed, since what it depends on has changed."""
    seq: int | None = None
    """Which version says it: the position of its entry in the log."""
    origin: str | None = None
    actor: str | None = None

    def to_dict(self) -> dict[str, object]:
        """Its fields as JSON can hold them, without those that say nothing."""
        said = super(Reached, self).to_dict()
        return {word: value for word, value in said.items() if value or word == "distance"}


@dataclass(frozen=True, slots=True, repr=False)
class Context(Results[Edge]):
    """A page of the edges around some atoms, the nearest first, with the atoms that they lead to, and arcs."""

    items: tuple[Edge, ...]
    atoms: tuple[Reached, ...] = ()
    """Those asked about, on the first page, and those that an edge of this page is the first to reach."""
    arcs: tuple[Arc, ...] = ()
    """Out of the atoms of this page that edges were followed from, the heaviest of each first."""
    missing: tuple[Missing, ...] = ()
    """Of those asked about."""
    cut: tuple[str, ...] = ()
    """Hubs: atoms that have more edges than were followed here. `edges` lists them all."""
    more: bool = False
    """Whether there are more edges: `offset` goes on."""

    @property
    def edges(self) -> tuple[Edge, ...]:
        """The edges: the items of the page."""
        return self.items

    def to_dict(self) -> dict[str, object]:
        """The edges as `edges`."""
        said = super(Context, self).to_dict()
        return {"edges": said.pop("items"), **said}


@dataclass(frozen=True, slots=True, repr=False)
class Association(Result):
    """Two atoms of different domains that have more to do with each other than anyone has stated."""

    source: Atom
    target: Atom
    score: float
    """From 0 to 1: all parts together."""
    parts: Mapping[str, float]
    """What speaks for it, each from 0 to 1: meaning, words, arcs, neighbours; and against it: stated, below 0."""
    reason: str
    edge: Mapping[str, object]
    """What accepts it: `checkpoint(edges=[association.edge])`."""
    source_domains: tuple[str, ...] = ()
    target_domains: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Association({self.score:.2f} {self.source.name} ~ {self.target.name}: {self.reason})"

    def row(self) -> dict[str, object]:
        """Score, both names, what the target says, and the reason."""
        names = {"source": self.source.name, "target": self.target.name}
        return {"score": round(self.score, 3), **names, "value": self.target.value, "reason": self.reason}


@dataclass(frozen=True, slots=True, repr=False)
class Associations(Results[Association]):
    """Unexpected connections, the strongest first."""

    items: tuple[Association, ...]
    missing: tuple[Missing, ...] = ()
    meaning: str = ""
    """Empty if all were compared by meaning; else why not, and what to do about it."""
    seq: int = -1
    """The last entry of the log that this answer knows of."""

    def __repr__(self) -> str:
        said = [f"\n({self.meaning})"] if self.meaning else []
        said += [f"\n({gone.name}: {gone.reason})" for gone in self.missing]
        return super(Associations, self).__repr__() + "".join(said)

    def to_df(self) -> DataFrame:
        """A row for each: score, names, value, reason, and the parts. Needs pandas."""
        return frame([{**item.row(), **dict(item.parts)} for item in self.items])


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
    """An atom to be reviewed: to say it again as it is, or anew, clears it."""

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

    def to_df(self) -> DataFrame:
        """A row for each: name, value, because. Needs pandas."""
        return frame([item.row() for item in self.items])
