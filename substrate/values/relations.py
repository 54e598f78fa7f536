"""What surrounds atoms: context, arcs and associations, as users hold them. Frozen, without I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from substrate.result import Result, Results
from substrate.values.atoms import Atom
from substrate.values.edges import Edge
from substrate.values.entities import EntityEntry

__all__ = [
    "Alike",
    "Arc",
    "Association",
    "Associations",
    "Compared",
    "Context",
    "Gathered",
    "GatheredChunk",
    "Group",
    "Grouped",
    "Groups",
    "Merged",
    "Missing",
    "PathFound",
    "Reached",
    "Related",
    "SentencePair",
    "Vetted",
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
    titles: Mapping[str, str] = field(default_factory=dict)
    """Of documents and chunks among them: their names are digests. For people; not in the dictionary."""

    @property
    def edges(self) -> tuple[Edge, ...]:
        """The edges: the items of the page."""
        return self.items

    def to_dict(self) -> dict[str, object]:
        """The edges as `edges`."""
        said = super(Context, self).to_dict()
        said.pop("titles", None)
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


@dataclass(frozen=True, slots=True, repr=False)
class GatheredChunk(Result):
    """A chunk that was gathered, and by what: `search`, or `walk` if only entities led to it."""

    atom: Atom
    score: float
    by: str

    def row(self) -> dict[str, object]:
        """Score, what led here, name and text."""
        return {"score": round(self.score, 4), "by": self.by, "name": self.atom.name, "value": self.atom.value}


@dataclass(frozen=True, slots=True, repr=False)
class Gathered(Results[GatheredChunk]):
    """Chunks that answer a question, best first, with the entities and edges by which some of them were found."""

    items: tuple[GatheredChunk, ...]
    entities: tuple[EntityEntry, ...] = ()
    """Entities where walks began, then the ones that they reached."""
    edges: tuple[Edge, ...] = ()
    """The edges between entities that walks went along."""
    seeds: int = 0
    """How many of the entities walks began at."""
    pushes: int = 0
    """From how many atoms a walk went on."""
    converged: bool = True
    """False: a walk was given up, since too many edges are near."""
    missing: tuple[str, ...] = ()
    """Entities that were given and are not there."""
    meaning: str = ""
    """Empty if words and meaning were searched; else why meaning was not."""


@dataclass(frozen=True, slots=True, repr=False)
class Vetted(Result):
    """A relation that was checked: what it comes to, what decided that, and why."""

    source: str
    """As the entity is shown."""
    type: str
    target: str
    verdict: str
    """accepted, rejected or unsupported."""
    level: str
    """The deciding check: srmkg_high, srmkg_low (the graph), grounded, contradicted (a text), vog (a model), itself,
    unsupported."""
    score: float
    """The score of the graph, 0 to 1: by confidence, common neighbours and degrees."""
    reason: str
    evidence: Mapping[str, object] = field(default_factory=dict)
    """All that the verdict follows from. An edge keeps it in `attrs.verifier`."""
    sentence: str = ""
    """The sentence that decided, or that names both."""
    cited: str | None = None
    """The chunk that it stands in."""
    source_atom: str | None = None
    target_atom: str | None = None
    """The names of the entities' atoms; None: there is no such entity."""
    label: str = ""
    """The type as the caller spells it."""
    stated: bool = False
    """Whether an edge states it now, by `relate`."""

    @property
    def accepted(self) -> bool:
        """Whether it holds, as far as can be told."""
        return self.verdict == "accepted"

    @property
    def verifier(self) -> dict[str, object]:
        """The check as an edge keeps it: the evidence and the verdict. It quotes no text."""
        return {"verdict": self.verdict, "level": self.level, "score": self.score, **self.evidence}

    def __repr__(self) -> str:
        return f"Vetted({self.source} {self.type} {self.target}: {self.verdict}, {self.reason})"

    def row(self) -> dict[str, object]:
        """The relation, the verdict and the reason."""
        ends = {"source": self.source, "type": self.type, "target": self.target}
        return {**ends, "verdict": self.verdict, "level": self.level, "score": self.score, "reason": self.reason}


@dataclass(frozen=True, slots=True, repr=False)
class Related(Results[Vetted]):
    """Relations that were checked and perhaps stated, in the order in which they were given."""

    items: tuple[Vetted, ...]
    entities: tuple[str, ...] = ()
    """Names of entities that were made for it."""
    recorded: int = 0
    """Entries that were recorded; 0: all was there already, or nothing was accepted."""

    @property
    def stated(self) -> tuple[Vetted, ...]:
        """The relations that are edges now."""
        return tuple(item for item in self.items if item.stated)


@dataclass(frozen=True, slots=True, repr=False)
class SentencePair(Result):
    """A sentence of each passage, and whether they contradict each other or agree."""

    verdict: str
    """conflict or agree."""
    first: str
    second: str
    kind: str
    """value, number, date or negation; of an agreement `same`."""
    reason: str


@dataclass(frozen=True, slots=True, repr=False)
class Compared(Results[SentencePair]):
    """Two passages, compared. The items are the pairs of sentences that decide, conflicts first."""

    items: tuple[SentencePair, ...]
    verdict: str = "cannot tell"
    """conflict, agree or cannot tell."""

    @property
    def explanation(self) -> str:
        """The verdict in a sentence."""
        if not self.items:
            return "Cannot tell: no sentence of one passage plainly says, or denies, what a sentence of the other says."
        best = self.items[0]
        if best.verdict == "conflict":
            return f"They contradict each other: {best.reason}."
        return f"Both passages agree: {best.first}."
