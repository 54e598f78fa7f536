"""What a gardener did, its runs, edges that look spurious, and the graph of entities. Frozen, without I/O."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from substrate.result import Result, Results
from substrate.values.edges import Edge
from substrate.values.times import EPOCH

__all__ = ["EdgeMap", "EntityMap", "EntityNode", "Proposed", "Pruned", "Suspect", "TendRun", "Tended", "Tending"]


@dataclass(frozen=True, slots=True, repr=False)
class Proposed(Result):
    """A relation that a gardener looked at: the names of its ends, what was decided, why, and by what."""

    source: str
    type: str
    target: str
    verdict: str
    """accepted, rejected or unsupported. Only what is accepted becomes an edge."""
    reason: str
    level: str
    """The check that decided."""
    score: float
    cited: str | None = None
    """The chunk that says it."""
    sessions: int = 0
    """How many sessions accessed both ends."""


@dataclass(frozen=True, slots=True, repr=False)
class Tended(Results[Proposed]):
    """The changes of one run of the gardener; in a dry run, the changes that it would make."""

    items: tuple[Proposed, ...]
    run: int | None
    """Its number, by which it is undone; None in a dry run."""
    domain: str
    dry_run: bool = False
    seqs: range | None = None
    """Its entries; None if it changed nothing."""
    time: datetime = EPOCH
    tombstoned: tuple[str, ...] = ()
    """Entities that nothing mentions and no edge joins."""
    unedged: tuple[str, ...] = ()
    """Edges of earlier runs whose evidence is out of use."""
    proposed: int = 0
    accepted: int = 0
    rejected: int = 0
    """Rejected, or not supported by anything."""
    sessions: int = 0
    sessions_used: int = 0
    entries: int = 0
    """Entities accessed in these sessions."""
    entries_used: int = 0
    entries_filtered: int = 0
    """Entities of no pair that two sessions accessed."""


@dataclass(frozen=True, slots=True, repr=False)
class TendRun(Result):
    """A run of the gardener, as it is kept: numbers alone."""

    run: int
    domain: str
    """The name of the domain; its id, if nobody has recorded it."""
    time: datetime
    seqs: range | None = None
    """Its entries: `diff(seqs.start - 1, seqs.stop - 1)` shows what they changed. None: it changed nothing."""
    proposed: int = 0
    accepted: int = 0
    rejected: int = 0
    entries_filtered: int = 0
    tombstoned: int = 0
    unedged: int = 0
    undone: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class Tending(Results[TendRun]):
    """The runs of the gardener, the last first, with what they come to."""

    items: tuple[TendRun, ...]
    is_running: bool = False
    """Whether one is at work now."""
    runs: int = 0
    """How many there were. `items` are some of them."""
    last: datetime | None = None
    proposed: int = 0
    accepted: int = 0
    rejected: int = 0
    entries_filtered: int = 0
    tombstoned: int = 0
    unedged: int = 0


@dataclass(frozen=True, slots=True, repr=False)
class Suspect(Result):
    """An edge, and how spurious it looks, from 0 to 1."""

    source: str
    type: str
    target: str
    id: str
    score: float
    source_id: str = ""
    target_id: str = ""
    removed: bool = False
    """Whether it was taken back."""


@dataclass(frozen=True, slots=True, repr=False)
class Pruned(Results[Suspect]):
    """The edges between the entities of a domain that look spurious, the worst first."""

    items: tuple[Suspect, ...]
    domain: str
    method: str
    """`logistic`, or `heuristic` where there are too few edges to learn from."""
    auc: float | None = None
    """How well the model tells held-out edges from other pairs: 1 always, 0.5 as a coin does. None: none held out."""
    edges: int = 0
    """How many were looked at."""
    left_out: int = 0
    """Edges above the threshold that are not listed, since a quarter of all are."""
    dry_run: bool = True
    seqs: range | None = None


@dataclass(frozen=True, slots=True, repr=False)
class EntityNode(Result):
    """An entity in the graph of its domain; or an atom in the graph of all."""

    name: str
    """Of its atom."""
    label: str
    """As it is shown."""
    id: str
    type: str | None = None
    edges: int = 0
    """How many join it to others of the domain; of an atom, all its edges."""


@dataclass(frozen=True, slots=True, repr=False)
class EdgeMap(Results[Edge]):
    """The atoms with most edges, and the edges that hold between them."""

    items: tuple[Edge, ...]
    """The edges between the atoms that are listed."""
    atoms: tuple[EntityNode, ...] = ()
    more: int = 0
    """Atoms with edges that are not listed."""


@dataclass(frozen=True, slots=True, repr=False)
class EntityMap(Results[Edge]):
    """The entities of a domain, those with most edges first, and the edges that hold between them."""

    items: tuple[Edge, ...]
    """The edges between the entities that are listed."""
    domain: str
    entities: tuple[EntityNode, ...] = ()
    more: int = 0
    """Entities of the domain that are not listed."""
    domains: tuple[str, ...] = ()
    """All domains that have entities."""
