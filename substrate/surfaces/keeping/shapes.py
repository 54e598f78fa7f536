"""What the tools that keep a store reply. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

from pydantic import Field

from substrate.result import iso
from substrate.surfaces.shape import CamelShape, Contradiction

if TYPE_CHECKING:  # a server lists its tools before the engine and its values are loaded
    from substrate.values.atoms import History, Version
    from substrate.values.saved import Forgot

__all__ = ["Erased", "Past", "Status", "Verified", "VersionShape"]

_PREVIEW: Final = 240
"""Characters of a value that a line of a history shows."""


class Verified(CamelShape):
    """The result of a check."""

    valid: Literal[True] = Field(description="a false proof is an error that says why")
    claim: str = Field(description="current, tombstoned, forgotten, absent, recorded or extended")
    trusted: bool = Field(description="false: consistent, but the author is unknown: no key or pin was given")
    against: str = Field(description="the key or pin that it was checked against")
    key: str | None = None
    seq: int | None = None
    size: int = Field(description="entries of the log at the head that it refers to")
    root: str
    origin: str
    note: str | None = Field(default=None, description="read this before you rely on it")


class VersionShape(CamelShape):
    """One line of a history."""

    seq: int
    kind: str = Field(description="put, tombstone, or gap: what was there was forgotten")
    recorded_at: str
    value: str | None = None
    truncated: bool | None = None
    actor: str | None = None
    origin: str | None = None
    valid_from: str | None = None
    valid_to: str | None = None
    taken_back_by: int | None = Field(None, description="seq of the undo that took it back: it never held")

    @classmethod
    def of(cls, version: Version) -> VersionShape:
        """In the words of the wire."""
        said: dict[str, Any] = {"seq": version.seq, "kind": version.kind, "recorded_at": iso(version.recorded_at)}
        said |= {"actor": version.actor, "taken_back_by": version.taken_back_by}
        if (atom := version.atom) is not None:
            said |= {"value": atom.value[:_PREVIEW], "actor": atom.actor, "origin": atom.origin}
            said["truncated"] = len(atom.value) > _PREVIEW or None
            said |= {
                word: iso(time) for word in ("valid_from", "valid_to") if (time := getattr(atom, word)) is not None
            }
        return cls(**said)


class Past(CamelShape):
    """The versions of an atom, oldest first."""

    key: str
    versions: list[VersionShape]
    truncated: bool = Field(description="true: there are older ones; ask with asOf before the first seq here")

    @classmethod
    def of(cls, key: str, history: History) -> Past:
        """In the words of the wire."""
        return cls(key=key, versions=[VersionShape.of(version) for version in history], truncated=history.more)


class Erased(CamelShape):
    """The erased items. The log proves the erasure."""

    atoms: int
    versions: int
    edges: int
    traces: int
    compacted: bool = Field(description="whether the bytes are gone from the files already")
    seqs: list[int] = Field(description="the forget entries, each of which can be proven")
    mentioned_by: list[str] | None = Field(None, description="atoms whose recorded code still has the name in it")
    vault_notes: list[str] | None = Field(None, description="files of the user's vault that still hold it")

    @classmethod
    def of(cls, forgot: Forgot) -> Erased:
        """In the words of the wire."""
        return cls(
            atoms=forgot.atoms,
            versions=forgot.versions,
            edges=forgot.edges,
            traces=forgot.traces,
            compacted=forgot.compacted,
            seqs=list(forgot.seqs),
            mentioned_by=list(forgot.mentioned_by) or None,
            vault_notes=list(forgot.vault_notes) or None,
        )


class Status(CamelShape):
    """The store, and what this server may do with it."""

    atoms: int
    tombstoned: int
    forgotten: int
    edges: int
    entries: int
    sessions: int = Field(description="observed and learnt from")
    trainings: int
    types: dict[str, int] = Field(description="atoms of each type, the most frequent ones")
    conflicts: list[Contradiction] = Field(description="open conflicts, the newest first: ask the user about them")
    more_conflicts: bool | None = None
    size: int = Field(description="entries of the log at the latest head")
    root: str
    origin: str
    model: str = Field(description="the model of search by meaning; empty: words only")
    waiting: int = Field(description="versions not embedded yet: found by words only")
    watching: bool = Field(description="whether the store learns from accesses")
    behind: str | None = Field(
        None, description="another copy of this store is ahead: nothing can be saved here; tell the user this"
    )
    scopes: list[str]
    session: str = Field(description="the name under which this session's writes and reads are recorded")
