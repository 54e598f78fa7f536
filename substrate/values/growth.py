"""What is told of how a log grew: its heads one by one, an overview of many, and what changed between two moments.

Frozen, without I/O.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Final

from substrate.result import Result, Results, iso
from substrate.values.atoms import Atom
from substrate.values.edges import Edge

__all__ = ["Change", "Diff", "Grown", "Growth", "HeadAt", "Heads"]


_OF_VERSION: Final = ("id", "seq", "recorded_at", "confirmed_at", "superseded_by", "tombstoned", "reason", "dangling")
"""Fields that each version has its own of."""
_OF_SPEAKER: Final = ("actor", "session", "origin")


def _short(said: object) -> str:
    """A field in a line; `none` of what is not said."""
    if said in (None, (), {}, ""):
        return "none"
    return (
        ", ".join(map(str, said)) if isinstance(said, tuple) else iso(said) if isinstance(said, datetime) else str(said)
    )


@dataclass(frozen=True, slots=True, repr=False)
class HeadAt(Result):
    """A head that was signed, and what it added to the one before."""

    size: int
    root: bytes
    map_root: bytes
    origin: str
    recorded_at: datetime
    """When its last entry was recorded."""
    since: int
    """The size of the head before; 0: it is the first."""
    added: Mapping[str, int]
    """How many entries of each kind it added: put, tombstone, edge, unedge, train, forget, model, key."""

    @property
    def seq(self) -> int:
        """Its last entry: `as_of=head.seq` is what was known at this head."""
        return self.size - 1

    def row(self) -> dict[str, object]:
        """Size, time, the beginning of the root, and what was added."""
        added = ", ".join(f"{count} {kind}" for kind, count in self.added.items())
        return {"size": self.size, "recorded_at": self.recorded_at, "root": self.root.hex()[:16], "added": added}


@dataclass(frozen=True, slots=True, repr=False)
class Heads(Results[HeadAt]):
    """A page of heads, newest first."""

    items: tuple[HeadAt, ...]
    next: int | None = None
    """Give it as `before` for the next page; None if this was the last."""


@dataclass(frozen=True, slots=True, repr=False)
class Grown(Result):
    """The additions of all heads in one part of a log."""

    size: int
    """That of the last head of the stretch."""
    first: int
    """That of the first one; the same if there is just one."""
    since: int
    """That of the head before the stretch; 0: there is none."""
    started_at: datetime
    """When the last entry of the first head was recorded."""
    recorded_at: datetime
    """When the last entry of the last head was."""
    atoms: int | None = None
    """Atoms in use after it, without those that were forgotten since; None: not counted."""
    bytes: int | None = None
    """Bytes of the contents that were recorded up to it and are still kept; None: not counted."""

    @property
    def entries(self) -> int:
        """How many entries were added."""
        return self.size - self.since


@dataclass(frozen=True, slots=True, repr=False)
class Growth(Results[Grown]):
    """How a log grew, oldest first. Stretches without a head are left out."""

    items: tuple[Grown, ...]
    by: str
    """The unit of the equal parts: time or entries."""
    start: datetime
    stop: datetime
    """The times that were asked for; where none was, those of the first and the last entry."""
    first: int
    last: int
    """The seqs that the log grew after and up to; -1: from the beginning."""
    size: int
    """The size of the newest head, be it among these or not."""


@dataclass(frozen=True, slots=True, repr=False)
class Change(Result):
    """The change of one atom or edge between two moments."""

    kind: str
    """added, changed, tombstoned, revived, forgotten; edge_added, edge_changed, edge_removed, edge_forgotten."""
    name: str | None
    """The atom's name; of an edge `source type target`; None if all of it was forgotten."""
    id: str
    before: Atom | Edge | None = None
    after: Atom | Edge | None = None

    def row(self) -> dict[str, object]:
        """The change as a dictionary, with the values before and after."""
        said = {"before": self.said_before, "after": self.said_after}
        return {
            "kind": self.kind,
            "name": self.name or "(forgotten)",
            **{k: v for k, v in said.items() if v is not None},
        }

    @property
    def said_before(self) -> str | None:
        """The value before; if that is the same after, or of an edge, the fields that changed: `tags: money`."""
        return self._said(self.before)

    @property
    def said_after(self) -> str | None:
        """The same after it."""
        return self._said(self.after)

    def _said(self, side: Atom | Edge | None) -> str | None:
        if side is None:
            return None
        if (
            self.before is None
            or self.after is None
            or getattr(self.before, "value", 0) != getattr(self.after, "value", 0)
        ):
            return getattr(side, "value", None)
        return "; ".join(f"{name}: {_short(getattr(side, name))}" for name in self._changed())

    def _changed(self) -> list[str]:
        """The fields that differ; who said it, if nothing else does."""
        names = [one.name for one in fields(self.before or self.after or Atom) if one.name not in _OF_VERSION]
        differ = [name for name in names if getattr(self.before, name) != getattr(self.after, name)]
        return [name for name in differ if name not in _OF_SPEAKER] or differ


@dataclass(frozen=True, slots=True, repr=False)
class Diff(Results[Change]):
    """The changes after the seq `start`, up to and including the seq `stop`."""

    items: tuple[Change, ...]
    start: int
    stop: int
    left_out: int | None = None
    """With `limit`: how many atoms and edges, touched earlier than these, were not looked at; None if all were."""
