"""Entities, as users hold them: those of the directory, and the names in a text. Frozen, without I/O."""

from __future__ import annotations

from dataclasses import dataclass

from substrate.result import Result, Results

__all__ = ["EntityEntry", "EntityPage", "ExtractedEntities", "ExtractedEntity"]


@dataclass(frozen=True, slots=True, repr=False)
class EntityEntry(Result):
    """One entity of the directory."""

    name: str
    """As it is shown."""
    atom: str
    """The name of its atom, or the one that it will have: v1.entity.<domain>.<canonical form>."""
    id: str | None
    """UUID of its atom; None: there is none yet, since one text alone mentions it."""
    domain: str
    """By what follows `v1.domain.`."""
    type: str | None = None
    """The `attrs.type` of its atom; for a name found in a text, the way it was recognised."""
    aliases: tuple[str, ...] = ()
    mentions: int = 0
    """How many atoms in use list one of its names among their entities. `search(entities=name)` finds them."""


@dataclass(frozen=True, slots=True, repr=False)
class EntityPage(Results[EntityEntry]):
    """A page of the directory, by the atoms' names or by mentions."""

    items: tuple[EntityEntry, ...]
    next: str | None = None
    """Give it as `after` for the next page; None if this was the last, or the order is by mentions."""
    more: int = 0
    """By mentions: how many there are behind this page. Go on with `offset`."""


@dataclass(frozen=True, slots=True, repr=False)
class ExtractedEntity(Result):
    """A name in a text, and what it was recognised by: name, acronym, code, file, address or title."""

    name: str
    kind: str


@dataclass(frozen=True, slots=True, repr=False)
class ExtractedEntities(Results[ExtractedEntity]):
    """The names in a text, in their order, each once."""

    items: tuple[ExtractedEntity, ...]
    more: int = 0
    """How many there are beyond the hundred that are listed."""
