"""What the verbs that change a store answer, and how much it holds. Frozen, without I/O."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from substrate.proof.head import SignedHead
from substrate.result import Result, Results
from substrate.values.behind import Behind

__all__ = [
    "IMPORT_SESSION",
    "Contradicted",
    "DomainCount",
    "DomainCounts",
    "Forgot",
    "Imported",
    "Refused",
    "Remembered",
    "Saved",
    "StatedDecision",
    "Stats",
    "TranscriptRead",
    "Undone",
]

IMPORT_SESSION: Final = "import:"
"""How the session of an import begins; the name of the file follows."""


@dataclass(frozen=True, slots=True, repr=False)
class Refused(Result):
    """An item that was not taken: which (`atoms[3]`), its name if that may be shown, and why."""

    item: str
    code: str
    reason: str
    name: str | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Saved(Result):
    """The result of a checkpoint. It is on disk, and covered by `head`."""

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
    """New atoms that contradict other atoms; of `remember`, also a known one that still does."""
    unchecked: tuple[str, ...] = ()
    """Names that are saved, but were not compared with the rest: that failed, by a fault of ours; the log has it."""
    ids: Mapping[str, str] = field(default_factory=dict)
    """The id of each atom that was recorded, confirmed or tombstoned, by its name."""

    def to_dict(self) -> dict[str, object]:
        """The head by its size and root."""
        head = {"size": self.head.head.size, "root": self.head.head.root.hex()}
        return {**super(Saved, self).to_dict(), "head": head}

    def row(self) -> dict[str, object]:
        """The fields that a person reads: without the head and the ids, which `to_dict` has."""
        return {key: value for key, value in self.to_dict().items() if key not in {"head", "ids"}}


@dataclass(frozen=True, slots=True, repr=False)
class Remembered(Saved):
    """The result of `remember`: the atom's `name` and `value`, and the result of the checkpoint."""

    name: str = ""
    value: str = ""

    def row(self) -> dict[str, object]:
        """Name and text first."""
        said = super(Remembered, self).row()
        return {key: said.pop(key) for key in ("name", "value") if key in said} | said


@dataclass(frozen=True, slots=True, repr=False)
class Imported(Saved):
    """The result of an import, in all its checkpoints; or of a dry run. `refused` names each refused line."""

    kind: str = ""
    """Which kind of file it was."""
    dry_run: bool = False
    changed: tuple[str, ...] = ()
    """Names of `recorded` that were in use before the import, which gave them a new version."""
    forgotten: tuple[str, ...] = ()
    """Names of `recorded` that were forgotten before the import: it brings their texts back."""
    spaces: tuple[str, ...] = ()
    """Names of `changed` of which nothing changed but spaces at the start or end of texts."""
    older: tuple[str, ...] = ()
    """Atoms and edges with lines that were left out, as the store has something else, recorded later."""
    shared_names: Mapping[str, str] = field(default_factory=dict)
    """Rows with the name of an earlier row and another text: the name that each got, and the name that it gives."""


@dataclass(frozen=True, slots=True, repr=False)
class Undone(Result):
    """The result of an undo, or of its dry run."""

    dry_run: bool
    undone: range
    """The entries of the checkpoint that was taken back; of an import, from its first to its last."""
    tombstoned: tuple[str, ...] = ()
    """Atoms that the checkpoint created or revived: out of use again."""
    restored: tuple[str, ...] = ()
    """Atoms that got their value from before."""
    revived: tuple[str, ...] = ()
    """Atoms that it had tombstoned: in use again."""
    unedged: tuple[str, ...] = ()
    """Edges that it had stated: taken back."""
    edges: tuple[str, ...] = ()
    """Edges that it had changed or taken back: as they were before."""
    seqs: range | None = None
    """The entries of the undo itself."""
    imported: range | None = None
    """The entries of another import just before, which stays: of a file of the same name, or both of plain exports."""
    ingested: range | None = None
    """The entries of the checkpoint before, if this was of an ingest and that one was too: it stays."""
    verb: str | None = None
    """The verb that made the checkpoint: checkpoint, rename, import, ingest or undo."""
    recorded_at: datetime | None = None
    """The time at which the checkpoint was recorded."""
    actor: str | None = None
    """The author of the checkpoint, if that was said."""
    parts: tuple[range, ...] = ()
    """The entries of each checkpoint that was taken back: an import of many lines is several."""
    kept: tuple[str, ...] = ()
    """Atoms and edges that others changed before the import, or the undo of it, came to its end: they stay."""
    went_on: bool = False
    """Whether an undo of it had been stopped: this is the rest."""


@dataclass(frozen=True, slots=True, repr=False)
class Forgot(Result):
    """The counts of a forget: erased, or to be erased in a dry run."""

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
    models: int = 0
    """Entries of a foreign log that were to name a model, and did not fit the schema."""
    kept: Mapping[str, str] = field(default_factory=dict)
    """Of a whole: entities that were found in it, and stay, each with the reason."""
    renamed: tuple[str, ...] = ()
    """Other names, by renames, of what was to be forgotten: what they say goes too, also what they say since."""
    vault_notes: tuple[str, ...] = ()
    """Notes in a vault that still hold what was forgotten, below its root: they are yours to delete."""


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
    """That were observed and learnt from. A client under a policy: of the last 3,000, those with an atom it sees."""
    trainings: int = 0
    """That were learnt."""
    behind: Behind | None = None
    """How far this store is behind, if another copy of it is ahead: then it is read-only."""
    characters: int = 0
    """Of the values of live atoms."""
    domains: Mapping[str, int] = field(default_factory=dict)
    """Live documents, chunks and entities of each domain that stands in their names."""


@dataclass(frozen=True, slots=True, repr=False)
class DomainCount(Result):
    """A domain that stands in names, and how many atoms in use it has there."""

    domain: str
    """By what follows `v1.domain.`."""
    documents: int = 0
    chunks: int = 0
    entities: int = 0
    characters: int = 0
    """Of their values, together."""


@dataclass(frozen=True, slots=True, repr=False)
class DomainCounts(Results[DomainCount]):
    """Domains that stand in names, by name."""

    items: tuple[DomainCount, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Contradicted(Result):
    """Two atoms that contradict each other, by name: how (value, number, date, negation), and why, in a line."""

    first: str
    second: str
    kind: str
    reason: str


@dataclass(frozen=True, slots=True, repr=False)
class StatedDecision(Result):
    """A sentence that a person stated, and what became of it."""

    text: str
    """In the person's own words; empty if it may not be repeated."""
    kind: str
    """constraint, decision, preference or correction."""
    line: int
    """Of the transcript, from 1."""
    state: str
    """recorded; new (it would be recorded); known (it was there, or had been); refused; withdrawn (taken back).

    In a dry run, withdrawn says that it would be.
    """
    name: str | None = None
    rules: tuple[str, ...] = ()
    """Which rules spoke for it."""
    reason: str = ""
    """Why it was refused."""


@dataclass(frozen=True, slots=True, repr=False)
class TranscriptRead(Results[StatedDecision]):
    """The statements of a person in a transcript, in order."""

    items: tuple[StatedDecision, ...]
    turns: int = 0
    """How many human turns were read."""
