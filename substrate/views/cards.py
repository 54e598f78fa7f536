"""Cards: of each atom how many edges it has, by what they are for. Rows that the view of edges keeps.

    cards   atom id (16) -> six numbers (4 each), see `Card`. An atom without edges has no row
            `*` -> how many edges are stated in the whole store (8)

One look at a card tells that there is nothing to look for: no `supersedes` edge was ever stated to this atom, it never
depended on anything. That is exact for every moment, as what is counted are all statements that are not erased, those
that were taken back among them. Where a number is not 0, the edges themselves are read, and decide.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import add
from struct import Struct
from typing import Final, NamedTuple

from substrate.kv.api import ReadTransaction, WriteTransaction
from substrate.log.tables import CARDS
from substrate.proof.entry import Kind
from substrate.values.edges import DEPENDS_ON, DERIVED_FROM, MEMBER_OF, REFERENCES, SUPERSEDES

__all__ = [
    "ALL",
    "NO_EDGES",
    "Card",
    "CardChanges",
    "card_of",
    "cards_of",
    "edges_stated",
    "joined_atoms",
    "less_edges",
]

_ROW: Final = Struct(">6I")
ALL: Final = b"*"
"""The key of the sum."""
_TOTAL: Final = Struct(">Q")
_FROM: Final = {DEPENDS_ON: 3, DERIVED_FROM: 3, MEMBER_OF: 4}
"""Which number counts the edges of a type that lead from an atom."""
_TO: Final = {SUPERSEDES: 2, REFERENCES: 5}
"""The same of those that lead to it."""


class Card(NamedTuple):
    """How many statements of edges have this atom as an end; those but `live` count every statement ever made."""

    statements: int = 0
    """Of any type, in both directions; also that an edge was taken back."""
    live: int = 0
    """Edges that are stated now."""
    superseded: int = 0
    """That something supersedes it."""
    depends: int = 0
    """That it depends on something, or is derived from it."""
    groups: int = 0
    """That it is a member of something."""
    referred: int = 0
    """That something refers to it."""

    @property
    def others(self) -> bool:
        """Whether there are statements besides those that are counted by their type."""
        return self.statements != self.superseded + self.depends + self.groups + self.referred


NO_EDGES: Final = Card()


class CardChanges:
    """What some statements add to cards and take from them."""

    def __init__(self) -> None:
        self._by_atom: dict[bytes, list[int]] = {}
        self._live = 0

    def state(self, source: bytes, kind: str, target: bytes, what: Kind, times: int = 1) -> None:
        """A statement is made (`times` 1), or erased (-1)."""
        out, into = self._of(source), self._of(target)
        out[0] += times
        into[0] += times
        if what is Kind.EDGE:
            if kind in _FROM:
                out[_FROM[kind]] += times
            if kind in _TO:
                into[_TO[kind]] += times

    def live(self, source: bytes, target: bytes, times: int) -> None:
        """An edge is stated now, and was not (1); or is no longer (-1)."""
        self._live += times
        self._of(source)[1] += times
        self._of(target)[1] += times

    def by_atom(self) -> dict[bytes, list[int]]:
        """By atom, and under the key of the sum how many edges are stated."""
        return {**self._by_atom, ALL: [self._live]}

    def _of(self, atom: bytes) -> list[int]:
        change = self._by_atom.get(atom)
        if change is None:
            change = self._by_atom[atom] = [0, 0, 0, 0, 0, 0]
        return change

    def write(self, transaction: WriteTransaction) -> None:
        """Put them into the table."""
        changed = sorted((atom, change) for atom, change in self._by_atom.items() if any(change))
        rows = transaction.get_many(CARDS, [atom for atom, _ in changed])
        kept: list[tuple[bytes, bytes]] = []
        for (atom, change), row in zip(changed, rows, strict=True):
            after = change if row is None else list(map(add, _ROW.unpack(row), change))
            if min(after) < 0:  # a log from elsewhere may take away what it never stated
                after = [max(0, number) for number in after]
            if any(after):
                kept.append((atom, _ROW.pack(*after)))
            else:
                transaction.delete(CARDS, atom)
        transaction.put_many(CARDS, kept)
        if self._live:
            total = edges_stated(transaction) + self._live
            if total > 0:
                transaction.put(CARDS, ALL, _TOTAL.pack(total))
            else:
                transaction.delete(CARDS, ALL)


def card_of(transaction: ReadTransaction, atom: bytes) -> Card:
    """The card of an atom."""
    row = transaction.get(CARDS, atom)
    return NO_EDGES if row is None else Card(*_ROW.unpack(row))


def cards_of(transaction: ReadTransaction, atoms: Sequence[bytes]) -> Iterable[Card]:
    """The cards of many atoms, read at once."""
    for row in transaction.get_many(CARDS, atoms):
        yield NO_EDGES if row is None else Card(*_ROW.unpack(row))


def edges_stated(transaction: ReadTransaction) -> int:
    """How many edges are stated and not taken back."""
    row = transaction.get(CARDS, ALL)
    return 0 if row is None else int(_TOTAL.unpack(row)[0])


def joined_atoms(transaction: ReadTransaction) -> Iterator[tuple[bytes, int]]:
    """Every atom with an edge that is stated now, and how many it has, in the order of ids."""
    for atom, row in transaction.scan(CARDS):
        live = 0 if atom == ALL else Card(*_ROW.unpack(row)).live
        if live:
            yield atom, live


def less_edges(row: bytes, less: Sequence[int]) -> bytes | None:
    """A row without what some statements add to it; None if nothing is left."""
    kind = _TOTAL if len(row) == _TOTAL.size else _ROW
    left = [max(0, was - by) for was, by in zip(kind.unpack(row), less, strict=True)]
    return kind.pack(*left) if any(left) else None
