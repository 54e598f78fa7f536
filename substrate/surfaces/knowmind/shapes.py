"""What the tools reply. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pydantic import Field

from substrate.result import iso
from substrate.surfaces.shape import Shape

if TYPE_CHECKING:  # a server lists its tools before the engine and its values are loaded
    from datetime import datetime

    from substrate.values.atoms import Atom

__all__ = [
    "CorpusStats",
    "FactUpdated",
    "Health",
    "Hits",
    "HitsThen",
    "LinkMade",
    "LinkTaken",
    "MemoryStored",
    "Relations",
    "Uploaded",
    "hit_fields",
    "title_of",
    "valid_fields",
]

_CONTENT: Final = 4000
"""Characters of a memory that a hit shows."""
_TITLE: Final = 80


class HitShape(Shape):
    """A memory that was found."""

    memory_id: str
    title: str
    content: str
    score: float
    source: str
    truncated: bool | None = Field(None, description="true: the content goes on")
    newer: str | None = Field(None, description="a newer memory that says otherwise of the same thing")


class Hits(Shape):
    """What was found, best first."""

    hits: list[HitShape]
    elapsed_ms: int
    remarks: list[str] | None = Field(None, description="how the question was understood, and what was not searched")


class HitThen(Shape):
    """A memory that held at that time."""

    memory_id: str
    title: str
    content: str
    valid_from: str
    valid_to: str | None = None
    score: float
    truncated: bool | None = None


class HitsThen(Shape):
    """What was found, best first."""

    hits: list[HitThen]
    remarks: list[str] | None = None


class Outgoing(Shape):
    """A relation from this memory to another."""

    rel_type: str
    to: str
    created_at: str


class Incoming(Shape):
    """A relation from another memory to this one."""

    rel_type: str
    source: str = Field(alias="from")
    created_at: str


class Relations(Shape):
    """The relations of a memory."""

    outgoing: list[Outgoing]
    incoming: list[Incoming]
    truncated: bool | None = Field(None, description="true: there are more than these 1,000")


class Health(Shape):
    """Whether the service works."""

    status: str
    service: str
    version: str


class CorpusStats(Shape):
    """How much is stored."""

    memories: int
    edges: int
    chunks: int


class MemoryStored(Shape):
    """What became of a memory."""

    memory_id: str
    created_at: str


class Uploaded(Shape):
    """What became of a document."""

    document_id: str
    chunks: int
    status: str = Field(description="indexed; or stored, while its sections are found by words only")


class FactUpdated(Shape):
    """What took the place of what."""

    old_memory_id: str
    new_memory_id: str
    supersedes_edge: str


class LinkMade(Shape):
    """A relation: one edge, read from both ends."""

    edge_id: str
    inverse_edge_id: str


class LinkTaken(Shape):
    """Whether the relation is taken back."""

    deleted: bool


def title_of(atom: Atom) -> str:
    """What a memory is called: its title; else its first line."""
    title = atom.attrs.get("title")
    if isinstance(title, str) and title:
        return title
    first = atom.value.strip().partition("\n")[0]
    return first if len(first) <= _TITLE else f"{first[: _TITLE - 1]}…"


def hit_fields(atom: Atom, called: str, score: float) -> dict[str, Any]:
    """What every hit says."""
    said: dict[str, Any] = {"memory_id": called, "title": title_of(atom), "content": atom.value[:_CONTENT]}
    said["score"] = round(max(score, 0.0), 3)
    if len(atom.value) > _CONTENT:
        said["truncated"] = True
    return said


def valid_fields(atom: Atom, start: datetime) -> dict[str, Any]:
    """From when until when it holds."""
    return {"valid_from": iso(start), "valid_to": None if atom.valid_to is None else iso(atom.valid_to)}
