"""Atoms and their versions, as users hold them. Frozen, without I/O.

Times are aware datetimes in UTC. An interval of validity is half open: it holds from `start` (None: from ever) until,
not including, `end` (None: for good).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from itertools import islice
from typing import Final, TypeAlias, TypeVar

from substrate.names import type_of
from substrate.proof.bundle import Bundle
from substrate.proof.encoding import Json
from substrate.result import Result, Results
from substrate.schema import ORIGINS
from substrate.text.quote import if_needed
from substrate.text.terms import unnamed
from substrate.values.edges import Window
from substrate.values.predictions import Prediction
from substrate.values.times import EPOCH

__all__ = ["ORIGINS", "Access", "Atom", "History", "Listing", "Name", "Version", "about", "atom_of_fields", "maker_of"]

_MOST_ABOUT: Final = 3
"""Entities told of an atom: whom it is about, and not all it may touch."""
_LONGEST_ABOUT: Final = 80
"""Characters of an entity that is told: a longer one is no name, and would take the room of an atom."""

Name: TypeAlias = str
"""The name of an atom, or its id as UUID text."""


@dataclass(frozen=True, slots=True, repr=False)
class Atom(Result):
    """One version of a named value. A field that the writer left out is None or empty."""

    name: str
    value: str
    id: str = ""
    """UUID, stable over versions and revival, another one after a forget."""
    seq: int = -1
    """The version: position of its entry in the log."""
    recorded_at: datetime = EPOCH
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
    reason: str | None = None
    """Why it was taken out of use, if that was said."""
    confirmed_at: datetime | None = None
    """When someone last recorded the same value again."""
    superseded_by: tuple[str, ...] = ()
    """Names of live atoms with a live `supersedes` edge to this one."""
    damaged: str | None = None
    """The part of this version that does not fit the schema, from a foreign log. Then its value is empty, and only its
    id, name and seq are shown. Its name is its id if the name itself does not fit.
    """

    @property
    def type(self) -> str:
        """The middle part of the name."""
        return type_of(self.name)

    @property
    def valid(self) -> Window:
        """When the writer said it holds."""
        return Window(self.valid_from, self.valid_to)

    @property
    def about(self) -> tuple[str, ...]:
        """The entities that its value does not name: whom or what it is about."""
        return () if self.parent is not None else about(self.value, self.entities)

    def to_dict(self) -> dict[str, object]:
        """Its fields as JSON can hold them, without those that say nothing."""
        said = super(Atom, self).to_dict()
        if not self.tombstoned:
            del said["tombstoned"]
        return said


def about(value: str, entities: Sequence[str]) -> tuple[str, ...]:
    """The first of the entities that the value does not name, in whatever case: `Lives in London` does not say who.

    Nor does a name that only stands within a word: `Moved to Malmö` does not name Al. A part of a whole is not asked
    about: it names all its entities, and its source tells the rest.
    """
    if not entities:
        return ()
    return tuple(islice(unnamed(value, (entity for entity in entities if len(entity) <= _LONGEST_ABOUT)), _MOST_ABOUT))


_Made = TypeVar("_Made")


def maker_of(kind: type[_Made], names: Iterable[str]) -> Callable[[tuple[object, ...]], _Made]:
    """A function that makes a frozen dataclass with slots out of its fields of these names, given in this order.

    For who makes hundreds for one answer: its own `__init__` spends most of its time on refusing to be changed.
    """
    setters = tuple(getattr(kind, name).__set__ for name in names)

    def make(said: tuple[object, ...]) -> _Made:
        made = object.__new__(kind)
        for put, one in zip(setters, said, strict=True):
            put(made, one)
        return made

    return make


atom_of_fields: Final = maker_of(Atom, [one.name for one in fields(Atom)])
"""The atom with all these fields, in the order in which the class has them."""


@dataclass(frozen=True, slots=True, repr=False)
class Version(Result):
    """One line of an atom's history."""

    seq: int
    recorded_at: datetime
    kind: str
    """put, tombstone, or gap: what was there was forgotten."""
    atom: Atom | None = None
    """The atom; None for a tombstone or a gap."""
    actor: str | None = None
    forgotten_by: int | None = None
    """Of a gap: the seq of the forget entry."""
    reason: str | None = None
    """Of a tombstone: why, if that was said."""
    taken_back_by: int | None = None
    """The seq of the undo that took it back, if one did: then it never held."""

    def row(self) -> dict[str, object]:
        """The value in the place of the atom, and when it holds."""
        shown = self.to_dict()
        if (atom := self.atom) is not None:
            del shown["atom"]
            shown |= {"value": atom.value, **Window(atom.valid_from, atom.valid_to).to_dict()}
        return shown


@dataclass(frozen=True, slots=True, repr=False)
class Access(Result):
    """An atom that was read; with its proof, if asked for."""

    atom: Atom
    proof: Bundle | None = None
    stale: tuple[str, ...] = ()
    """Why it is to be reviewed: what it depends on and has changed since. Only of reads of now."""
    predictions: tuple[Prediction, ...] = ()
    """The atoms that are probably needed next, the likeliest first; only for a read without a moment."""
    renamed_from: str | None = None
    """The name that was asked for, if the atom has another one now."""
    since: datetime | None = None
    """With `as_of`: when this value was first recorded; later versions may have said it again. Not in `to_dict`."""

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
        if self.renamed_from is not None:
            said["renamed_from"] = self.renamed_from
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
class History(Results[Version]):
    """The versions of an atom, oldest first."""

    items: tuple[Version, ...]
    more: bool = False
    """Whether there are older ones than the limit let in."""
    renamed_from: str | None = None
    """The name that the atom had before; the earlier versions are in the history of that name."""

    def __repr__(self) -> str:
        return super(History, self).__repr__() + "".join(f"\n({word})" for word in self.remarks)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Notes on the whole answer: the name that the atom had before."""
        if self.renamed_from is None:
            return ()
        return (f"renamed; earlier versions are in the history of {if_needed(self.renamed_from)}",)
