"""What surrounds atoms: context, arcs and associations, as users hold them. Frozen, without I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from substrate.result import Result, Results
from substrate.values.atoms import Atom
from substrate.values.edges import Edge

__all__ = [
    "Alike",
    "Arc",
    "Association",
    "Associations",
    "Context",
    "Group",
    "Grouped",
    "Groups",
    "Merged",
    "Missing",
    "PathFound",
    "Reached",
]

_MERGE_FROM, _REVIEW_FROM = 0.9, 0.75
"""How alike the members of a group are, on the mean, if it is to be merged, or looked at first."""


@dataclass(frozen=True, slots=True, repr=False)
class Missing(Result):
    """An atom that was asked about and is not there, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True, repr=False)
class Arc(Result):
    """Learned from use: of all atoms used after `source`, this share was `target`."""

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
    """Its value; the beginning of a long one."""
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
    """The atoms asked about, on the first page, and the atoms that this page's edges reach first."""
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
class PathFound(Results[Edge]):
    """A shortest way between two atoms along stated edges, walked in either direction. Empty: there is none."""

    items: tuple[Edge, ...]
    """The edges in order, each as it was stated."""
    atoms: tuple[str, ...] = ()
    """The names of the atoms in order, both ends included."""
    ids: tuple[str, ...] = ()
    """Their ids."""
    directions: tuple[str, ...] = ()
    """Of each edge, how it is walked: `out`, from its source to its target, or `in`, the other way."""
    start: str = ""
    end: str = ""
    """The two atoms asked about."""
    reached: int = 0
    """How many atoms were met on the search, from both ends."""
    cut: tuple[str, ...] = ()
    """Hubs: atoms that have more edges than were followed here. A shorter way may lead through them."""
    ended: bool = False
    """Whether the search was given up, since too many atoms are near: then there may be a path."""

    @property
    def found(self) -> bool:
        """Whether there is a path."""
        return bool(self.atoms)

    @property
    def length(self) -> int | None:
        """How many edges it has; 0 from an atom to itself; None: there is no path."""
        return len(self.items) if self.atoms else None

    @property
    def edges(self) -> tuple[Edge, ...]:
        """The edges: the items."""
        return self.items

    @property
    def remarks(self) -> tuple[str, ...]:
        """Notes on the search."""
        said = [] if self.found else [f"no path was found; {self.reached:,} atoms were reached"]
        said += ["the search was given up: too many atoms are near"] if self.ended else []
        said += [f"not all edges were followed of: {', '.join(self.cut)}"] if self.cut else []
        return tuple(said)

    def __repr__(self) -> str:
        shown = list(self.atoms[:1])
        for edge, direction, name in zip(self.items, self.directions, self.atoms[1:], strict=True):
            shown.append(f"-{edge.type}-> {name}" if direction == "out" else f"<-{edge.type}- {name}")
        return f"PathFound({' '.join(shown)})" + "".join(f"\n({word})" for word in self.remarks)

    def to_dict(self) -> dict[str, object]:
        """The edges as `edges`; whether it was `found`, and its `length`."""
        said = super(PathFound, self).to_dict()
        edges, atoms = said.pop("items"), said.pop("atoms", [])
        return {"found": self.found, "length": self.length, "atoms": atoms, "edges": edges, **said}


@dataclass(frozen=True, slots=True, repr=False)
class Association(Result):
    """Two atoms of different domains that have more to do with each other than anyone has stated."""

    source: Atom
    target: Atom
    score: float
    """From 0 to 1: all parts together."""
    parts: Mapping[str, float]
    """Points for it, each from 0 to 1: meaning, words, arcs, neighbours; and against it: stated, below 0."""
    reason: str
    edge: Mapping[str, object]
    """The edge to save to accept it: `checkpoint(edges=[association.edge])`."""
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

    def rows(self) -> Sequence[Mapping[str, object]]:
        """A row for each: score, names, value, reason, and the parts."""
        return [{**item.row(), **dict(item.parts)} for item in self.items]


@dataclass(frozen=True, slots=True, repr=False)
class Grouped(Result):
    """A member of a group: which version it is, and what it says; of a long value the beginning."""

    name: str
    id: str
    seq: int
    value: str

    def __repr__(self) -> str:
        return f"{self.name}: {self.value}"


@dataclass(frozen=True, slots=True, repr=False)
class Alike(Result):
    """Two atoms that say nearly the same."""

    first: Grouped
    second: Grouped
    similarity: float

    def row(self) -> dict[str, object]:
        """How alike, both names, and what they say."""
        names = {"first": self.first.name, "second": self.second.name}
        return {"similarity": self.similarity, **names, "value": self.first.value, "other": self.second.value}


@dataclass(frozen=True, slots=True, repr=False)
class Group(Result):
    """Atoms that say nearly the same."""

    id: str
    """It follows from the members: the same members, the same id, in every process."""
    cohesion: float
    """How alike two of them are, on the mean; 0 to 1."""
    members: tuple[Grouped, ...]
    by_words: bool = False
    """Whether some were compared by rare words, since they have no vector yet."""

    @property
    def advice(self) -> str:
        """merge, review (look at it first), or keep (leave them as they are)."""
        return "merge" if self.cohesion >= _MERGE_FROM else "review" if self.cohesion >= _REVIEW_FROM else "keep"

    def to_dict(self) -> dict[str, object]:
        """With the advice and how many there are."""
        said = super(Group, self).to_dict()
        return {"id": said.pop("id"), "size": len(self.members), "advice": self.advice, **said}

    def row(self) -> dict[str, object]:
        """Id, cohesion, advice, size, and the names."""
        said: dict[str, object] = {"id": self.id, "cohesion": self.cohesion, "advice": self.advice}
        return {**said, "size": len(self.members), "names": ", ".join(member.name for member in self.members)}


@dataclass(frozen=True, slots=True, repr=False)
class Groups(Results[Group]):
    """Groups of atoms, those whose members are most alike first; or pairs of them, if these were asked for."""

    items: tuple[Group, ...]
    pairs: tuple[Alike, ...] = ()
    total: int = 0
    """How many there are, with those beyond the limit."""
    compared: int = 0
    """How many atoms were compared."""
    meaning: str = ""
    """Empty if all were compared by meaning; else why not, and what to do about it."""

    def __repr__(self) -> str:
        said = super(Groups, self).__repr__() + "".join(f"\n  {pair!r}" for pair in self.pairs[:20])
        return said + (f"\n({self.meaning})" if self.meaning else "")

    def rows(self) -> Sequence[Mapping[str, object]]:
        """A row for each group, or for each pair."""
        return [item.row() for item in (*self.items, *self.pairs)]


@dataclass(frozen=True, slots=True, repr=False)
class Merged(Result):
    """One atom in the place of several: what it says, and what it was made of."""

    name: str
    """Of the new atom; of what was taken back, of the one that is gone."""
    value: str
    members: tuple[str, ...]
    """The names of the atoms that it was made of."""
    dry_run: bool = False
    """Whether this is what would be: nothing was written."""
    taken_back: bool = False
    """Whether the members are in use again."""
    id: str = ""
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    seqs: range | None = None
    """The entries that were written."""
