"""What waits for a person to decide, as users hold it. Frozen, without I/O."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from substrate.result import Result, Results
from substrate.values.hits import Match
from substrate.values.saved import Saved

__all__ = ["CORRECTION", "STATEMENT", "TEXT", "Accepted", "Correction", "Declined", "Proposal", "Proposals"]

CORRECTION: Final = "correction"
"""Another text for an atom."""
TEXT: Final = "text"
"""A text to keep, in a domain that a person picks or creates."""
STATEMENT: Final = "statement"
"""A statement that rules found in a transcript."""


@dataclass(frozen=True, slots=True, repr=False)
class Correction(Result):
    """An atom's text as it should be, by what somebody says of it. Nothing is stored."""

    name: str
    id: str
    seq: int
    """The version that was read."""
    original: str
    value: str | None = None
    """The text as it should be; None if the words do not tell for sure."""
    mode: str | None = None
    """Which way led there: replacement, quoted or contradiction."""


@dataclass(frozen=True, slots=True, repr=False)
class Proposal(Result):
    """Something that waits for a person. `accept(id)` makes it so, `decline(id)` drops it."""

    id: str
    """For `accept` and `decline`."""
    kind: str
    """correction, text or statement."""
    value: str
    """The proposed text."""
    made_at: datetime
    expires_at: datetime | None = None
    """When it stops waiting; None: it waits as long as nobody decides."""
    name: str | None = None
    """The atom that it is about."""
    original: str | None = None
    """Of a correction: what the atom says."""
    changed: bool = False
    """Of a correction: whether the atom says something else since. Then it cannot be accepted."""
    domain: str | None = None
    """Of a text: the domain that was asked for, as it was spelled."""
    candidates: tuple[Match, ...] = ()
    """Of a text: domains that may be meant, the likest first, with the reason."""
    title: str | None = None
    source: str | None = None
    reason: str | None = None
    actor: str | None = None
    session: str | None = None

    @property
    def diff(self) -> str:
        """The change: lines that go begin with `- `, new lines with `+ `."""
        gone = [] if self.original is None else [f"- {line}" for line in self.original.split("\n")]
        return "\n".join([*gone, *(f"+ {line}" for line in self.value.split("\n"))])

    def row(self) -> dict[str, object]:
        """Its id, kind, subject and text, and until when it waits."""
        about = self.name or self.domain
        return {"id": self.id, "kind": self.kind, "about": about, "value": self.value, "expires_at": self.expires_at}


@dataclass(frozen=True, slots=True, repr=False)
class Proposals(Results[Proposal]):
    """All that waits for a person: first what expires soonest, then statements, newest first."""

    items: tuple[Proposal, ...]
    more: bool = False
    """Whether there are more than the limit."""


@dataclass(frozen=True, slots=True, repr=False)
class Accepted(Result):
    """The result of an accepted proposal."""

    id: str
    kind: str
    name: str
    """The atom: corrected, confirmed, or the document that has the text."""
    seq: int
    """The entry of the log that made it so."""
    domain: str | None = None
    """Of a text: the domain that it is in."""
    created: bool = False
    """Of a text: whether that domain is new."""
    saved: Saved | None = None
    """The result of the checkpoint; None for a text, which is ingested."""


@dataclass(frozen=True, slots=True, repr=False)
class Declined(Result):
    """The proposal that was declined. Its texts are erased; a statement goes out of use."""

    id: str
    kind: str
    name: str | None = None
