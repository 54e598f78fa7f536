"""The values that users hold: atoms, edges, versions, and what the verbs answer. Frozen, without I/O.

Times are aware datetimes in UTC. An interval of validity is half open: it holds from `start` (None: from ever) until,
not including, `end` (None: for good).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TypeAlias

from substrate.prediction import Prediction
from substrate.proof.bundle import Bundle
from substrate.proof.encoding import Json
from substrate.proof.head import SignedHead
from substrate.results import Result, Results

__all__ = [
    "EDGE_TYPES",
    "ORIGINS",
    "Access",
    "Atom",
    "Conflict",
    "Conflicts",
    "Contradicted",
    "Edge",
    "Edges",
    "Forgot",
    "History",
    "Listing",
    "Name",
    "Refused",
    "Saved",
    "Stats",
    "Version",
    "Window",
    "from_microseconds",
    "id_text",
    "to_microseconds",
]

Name: TypeAlias = str
"""The name of an atom, or its id as UUID text."""
ORIGINS = ("user", "agent", "ingested")
EDGE_TYPES = ("supersedes", "member_of", "depends_on", "constrains", "references", "derived_from", "produced_by")
"""The types that mean something to the engine or to agents; others are as good."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def from_microseconds(time: int) -> datetime:
    """The instant so many microseconds after 1970, exactly."""
    return _EPOCH + timedelta(microseconds=time)


def id_text(subject: bytes) -> str:
    """The id of an atom or edge as users see it: the text of a UUID, in a tenth of the time that `uuid.UUID` takes."""
    said = subject.hex()
    return f"{said[:8]}-{said[8:12]}-{said[12:16]}-{said[16:20]}-{said[20:]}"


def to_microseconds(time: datetime) -> int:
    """The inverse, exactly. A naive datetime is taken as UTC."""
    aware = time if time.tzinfo is not None else time.replace(tzinfo=UTC)
    return (aware - _EPOCH) // _MICROSECOND


@dataclass(frozen=True, slots=True, repr=False)
class Window(Result):
    """When something holds in the world."""

    start: datetime | None = None
    end: datetime | None = None

    def holds_at(self, time: datetime) -> bool:
        """Whether `time` lies in it."""
        return (self.start is None or self.start <= time) and (self.end is None or time < self.end)


@dataclass(frozen=True, slots=True, repr=False)
class Atom(Result):
    """One version of a named value. What the writer did not say is None or empty."""

    name: str
    value: str
    id: str = ""
    """UUID, stable over versions and revival, another one after a forget."""
    seq: int = -1
    """The version: position of its entry in the log."""
    recorded_at: datetime = _EPOCH
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    confidence: float | None = None
    source: str | None = None
    origin: str | None = None
    """user, agent or ingested."""
    actor: str | None = None
    session: str | None = None
    occurred_at: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    parent: str | None = None
    """Id of the atom this is a part of: a chunk's document, a turn's conversation."""
    position: int | None = None
    attrs: Mapping[str, Json] = field(default_factory=dict)
    tombstoned: bool = False
    """Taken out of use since: only seen in history, and in lists that ask for it."""
    confirmed_at: datetime | None = None
    """When someone last recorded the same value again."""
    superseded_by: tuple[str, ...] = ()
    """Names of live atoms with a live `supersedes` edge to this one."""

    @property
    def type(self) -> str:
        """The middle part of the name."""
        return self.name.split(".", 2)[1]

    @property
    def valid(self) -> Window:
        """When the writer said it holds."""
        return Window(self.valid_from, self.valid_to)

    def to_dict(self) -> dict[str, object]:
        """Its fields as JSON can hold them, without those that say nothing."""
        said = super(Atom, self).to_dict()
        if not self.tombstoned:
            del said["tombstoned"]
        return said


@dataclass(frozen=True, slots=True, repr=False)
class Edge(Result):
    """A stated link between two atoms, each given by its name where that is known, else by its id."""

    source: str
    type: str
    target: str
    id: str = ""
    seq: int = -1
    recorded_at: datetime = _EPOCH
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

    def row(self) -> dict[str, object]:
        """Without the ids of its ends."""
        return {word: said for word, said in self.to_dict().items() if word not in ("source_id", "target_id")}

    def holds_at(self, time: datetime) -> bool:
        """Whether it holds in the world at `time`."""
        return not self.windows or any(window.holds_at(time) for window in self.windows)


@dataclass(frozen=True, slots=True, repr=False)
class Version(Result):
    """One line of an atom's history."""

    seq: int
    recorded_at: datetime
    kind: str
    """put, tombstone, or gap: what was there was forgotten."""
    atom: Atom | None = None
    """What was put; of a tombstone or a gap None."""
    actor: str | None = None
    forgotten_by: int | None = None
    """Of a gap: the seq of the forget entry."""

    def row(self) -> dict[str, object]:
        """The value in the place of the atom, and when it holds."""
        shown = self.to_dict()
        if (atom := self.atom) is not None:
            del shown["atom"]
            shown |= {"value": atom.value, **Window(atom.valid_from, atom.valid_to).to_dict()}
        return shown


@dataclass(frozen=True, slots=True, repr=False)
class Refused(Result):
    """An item that was not taken: which (`atoms[3]`), its name if that may be shown, and why."""

    item: str
    code: str
    reason: str
    name: str | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Contradicted(Result):
    """Two atoms that contradict each other, by name: how (value, number, date, negation), and why, in a line."""

    first: str
    second: str
    kind: str
    reason: str


@dataclass(frozen=True, slots=True, repr=False)
class Conflict(Result):
    """Two atoms in use of which not both can be right. `first` was recorded earlier."""

    first: Atom
    second: Atom
    kind: str
    """value, number, date or negation."""
    reason: str
    found_at: datetime

    def row(self) -> dict[str, object]:
        """The names, and why."""
        return {"first": self.first.name, "second": self.second.name, "kind": self.kind, "reason": self.reason}


@dataclass(frozen=True, slots=True, repr=False)
class Saved(Result):
    """What a checkpoint did. On disk, and covered by `head`."""

    seqs: range
    head: SignedHead
    recorded: tuple[str, ...] = ()
    """Names that got a new version."""
    confirmed: tuple[str, ...] = ()
    """Names and edges of which the same was said again: no new version."""
    tombstoned: tuple[str, ...] = ()
    edges: tuple[str, ...] = ()
    """Ids of edges that were stated or changed."""
    unedged: tuple[str, ...] = ()
    dangling: tuple[str, ...] = ()
    """Names that edges point to and that are not there yet."""
    refused: tuple[Refused, ...] = ()
    """Only with `partial`: what was not taken."""
    conflicts: tuple[Contradicted, ...] = ()
    """What was recorded and contradicts what is there, or another atom of the same checkpoint."""

    def to_dict(self) -> dict[str, object]:
        """The head by its size and root."""
        head = {"size": self.head.head.size, "root": self.head.head.root.hex()}
        return {**super(Saved, self).to_dict(), "head": head}


@dataclass(frozen=True, slots=True, repr=False)
class Access(Result):
    """An atom that was read; with its proof, if asked for."""

    atom: Atom
    proof: Bundle | None = None
    stale: tuple[str, ...] = ()
    """Why it is to be reviewed: what it depends on and has changed since. Only of reads of now."""
    predictions: tuple[Prediction, ...] = ()
    """What will probably be needed next, the likeliest first; of a read of now."""

    @property
    def name(self) -> str:
        """The atom's name."""
        return self.atom.name

    @property
    def value(self) -> str:
        """The atom's value."""
        return self.atom.value

    def row(self) -> dict[str, object]:
        """The same, of the proof what it claims."""
        return self.to_dict() | ({} if self.proof is None else {"proof": self.proof.claim})

    def to_dict(self) -> dict[str, object]:
        """The atom's fields; why it is to be reviewed, if it is; the proof as a bundle; what will be needed next."""
        said = self.atom.to_dict() | ({"stale": list(self.stale)} if self.stale else {})
        if self.proof is not None:
            said["proof"] = self.proof.to_dict()
        return said | ({"predictions": [one.to_dict() for one in self.predictions]} if self.predictions else {})


@dataclass(frozen=True, slots=True, repr=False)
class Listing(Results[Atom]):
    """A page of atoms, in the order of their names."""

    items: tuple[Atom, ...]
    next: str | None = None
    """Give it as `after` for the next page; None if this was the last."""
    forgotten: int = 0
    """With `as_of`, on the first page: how many atoms of the whole store were in use then and are forgotten now."""
    gaps: int = 0
    """How many atoms up to the end of this page were left out since the version that would answer was erased."""
    total: int | None = None
    """With `count`: how many atoms there are on all pages; None if more than 10,000 names begin so."""


@dataclass(frozen=True, slots=True, repr=False)
class Edges(Results[Edge]):
    """The edges of an atom."""

    items: tuple[Edge, ...]
    more: bool = False
    """Whether there are more than the limit."""


@dataclass(frozen=True, slots=True, repr=False)
class History(Results[Version]):
    """The versions of an atom, oldest first."""

    items: tuple[Version, ...]
    more: bool = False
    """Whether there are older ones than the limit let in."""


@dataclass(frozen=True, slots=True, repr=False)
class Conflicts(Results[Conflict]):
    """Open conflicts, those that came up last first."""

    items: tuple[Conflict, ...]
    more: bool = False
    """Whether there are more than the limit."""


@dataclass(frozen=True, slots=True, repr=False)
class Forgot(Result):
    """What a forget erased; or would erase, in a dry run."""

    dry_run: bool
    atoms: int
    """Atoms of which nothing is left."""
    versions: int
    """Bodies of versions that were erased."""
    edges: int
    traces: int
    tombstoned: tuple[str, ...] = ()
    """Atoms that lost their current version but not all: out of use now; record them again if they shall be in use."""
    seqs: tuple[int, ...] = ()
    """The forget entries; each can be proven."""
    compacted: bool = False
    """Whether the bytes are gone from the files too."""
    trainings: int = 0
    sessions: int = 0
    """Traces of sessions that were erased as a whole; what was learnt from them is unlearnt."""
    mentioned_by: tuple[str, ...] = ()
    """Atoms whose recorded code still has the name of one that is gone in it: forget them too if that must go."""


@dataclass(frozen=True, slots=True, repr=False)
class Stats(Result):
    """How much a store holds."""

    origin: str
    entries: int
    heads: int
    atoms: int
    """Live ones."""
    tombstoned: int
    forgotten: int
    edges: int
    """Stated and not taken back."""
    dangling: int
    """Names that edges point to and that are not there."""
    bytes: int
    """Of the store's data file."""
    compaction_owed: bool = False
    """Whether bytes of what was forgotten are in the file still: `compact()` takes them out."""
    types: Mapping[str, int] = field(default_factory=dict)
    """Live atoms of each type."""
    sessions: int = 0
    """That were observed and learnt from."""
    trainings: int = 0
    """That were learnt."""
