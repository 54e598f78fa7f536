"""A veil over a transaction: rows that tell of hidden atoms are as if they were not there.

1. Every verb reads through a transaction. So what a client may not see is taken out here, at the bottom, for all verbs,
   those that are written tomorrow among them. Each table has a rule; a table without one cannot be read.
2. A row is hidden if it is of a hidden atom, or of an edge with one. Rows that tell of several atoms lose the hidden
   ones: postings, counts, cards.
3. Some rows stay as they are: hashes, heads, choices, vectors, columns of blocks. They say nothing, or are read into
   memory that all clients share (`bare`), where masks do the same (`search/columns/documents.py`).
4. Ids of hidden atoms may stand in rows of what was learnt. Nobody finds a name, a word or an edge for them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from substrate.kv.api import ReadTransaction
from substrate.log import tables
from substrate.log.tables import SEQ_BYTES, read_seq
from substrate.names import DOMAIN, domain_part, unescape_rest
from substrate.proof.entry import ID_BYTES
from substrate.text.likeness import label_of
from substrate.views.atoms import count_atoms
from substrate.views.cards import less_edges
from substrate.views.counts import less_atoms
from substrate.views.words import block_of, without_offsets

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Hidden", "Veiled", "bare", "hidden_in"]

_Made = TypeVar("_Made")


@dataclass(frozen=True, eq=False)
class Hidden:
    """What a client may not see. Made by `hiding/columns.py`; it holds as long as nothing is written about it."""

    atoms: frozenset[bytes]
    """Ids."""
    versions: NDArray[np.bool_]
    """Of each seq, whether it is a version of a hidden atom."""
    bodies: bytes
    """Of each seq, 1 if it is such a version, or a statement of an edge with a hidden atom."""
    offsets: Mapping[int, frozenset[int]]
    """The hidden versions by block of postings, as offsets in it."""
    parts: frozenset[str]
    """The hidden domains, as names spell them."""
    ciphertexts: tuple[str, ...]
    """What the names of their encrypted atoms begin with."""
    cards: Mapping[bytes, Sequence[int]]
    """What edges with hidden atoms add to the cards of others; by id, and under `*` to the sum."""
    waiting: frozenset[bytes]
    """Ids of names that edges with hidden atoms wait for, be it alone or beside others."""
    waited_for: frozenset[bytes]
    """Ids of those that only edges with hidden atoms wait for."""
    _made: list[tuple[object, Any]] = field(default_factory=list)
    _counts: list[Mapping[bytes, Sequence[int]]] = field(default_factory=list)

    def once(self, of: object, make: Callable[[_Made | None], _Made]) -> _Made:
        """What is made of something that all share, kept for the next call. Only of the last that was given.

        `make` gets what was made before of another, or None.
        """
        known = self._made[0] if self._made else None
        if known is None or known[0] is not of:
            known = (of, make(None if known is None else known[1]))
            self._made[:] = [known]
        made: _Made = known[1]
        return made

    def counts(self, transaction: ReadTransaction) -> Mapping[bytes, Sequence[int]]:
        """What hidden atoms add to the rows of counts, by key; out of a transaction with all there is.

        Rows of counts are those on disk: there encrypted atoms are of the type ciphertext, also while they are text.
        """
        if not self._counts:
            self._counts.append(count_atoms(getattr(transaction, "stored", transaction), self.atoms))
        return self._counts[0]

    @cached_property
    def domain_keys(self) -> frozenset[str]:
        """The hidden domains, as they compare however somebody spells them: `Therapy Notes` is `therapy_notes`."""
        return frozenset(_spelt(unescape_rest(part)) for part in self.parts)

    def hides_seq(self, seq: int) -> bool:
        """Whether an entry tells of a hidden atom."""
        return seq < len(self.bodies) and self.bodies[seq] != 0

    def hides_name(self, name: str) -> bool:
        """Whether a name says to be of a hidden domain."""
        return domain_part(name) in self.parts or name.startswith(self.ciphertexts)


_Rule: TypeAlias = Callable[[Hidden, bytes, bytes], bytes | None]
"""The row as the client sees it: itself, another value, or None."""


def _by_key(at: int) -> _Rule:
    def rule(hidden: Hidden, key: bytes, row: bytes) -> bytes | None:
        return None if key[at : at + ID_BYTES] in hidden.atoms else row

    return rule


def _by_row(at: int) -> _Rule:
    def rule(hidden: Hidden, _: bytes, row: bytes) -> bytes | None:
        return None if row[at : at + ID_BYTES] in hidden.atoms else row

    return rule


def _between(hidden: Hidden, key: bytes, row: bytes) -> bytes | None:
    """Rows whose keys begin and end with ids."""
    return None if key[:ID_BYTES] in hidden.atoms or key[-ID_BYTES:] in hidden.atoms else row


def _statement(hidden: Hidden, _: bytes, row: bytes) -> bytes | None:
    ends = row[1 : 1 + ID_BYTES], row[1 + ID_BYTES : 1 + 2 * ID_BYTES]
    return None if ends[0] in hidden.atoms or ends[1] in hidden.atoms else row


def _body(hidden: Hidden, key: bytes, row: bytes) -> bytes | None:
    return None if hidden.hides_seq(read_seq(key)) else row


def _place(hidden: Hidden, key: bytes, row: bytes) -> bytes | None:
    return None if key[:ID_BYTES] in hidden.atoms or hidden.hides_seq(read_seq(key[-SEQ_BYTES:])) else row


def _posting(hidden: Hidden, key: bytes, row: bytes) -> bytes | None:
    gone = hidden.offsets.get(block_of(key))
    return row if gone is None else without_offsets(row, gone)


def _claim(hidden: Hidden, key: bytes, row: bytes) -> bytes | None:
    """The id stands at the end of either kind of key."""
    return None if key[-ID_BYTES:] in hidden.atoms else row


def _expected(hidden: Hidden, key: bytes, row: bytes) -> bytes | None:
    """A name that edges wait for: not if only edges with hidden atoms do."""
    hides = key in hidden.atoms or key in hidden.waited_for or hidden.hides_name(row.decode(errors="replace"))
    return None if hides else row


def _card(hidden: Hidden, key: bytes, row: bytes) -> bytes | None:
    if key in hidden.atoms:
        return None
    return row if (less := hidden.cards.get(key)) is None else less_edges(row, less)


def _proposal(hidden: Hidden, key: bytes, row: bytes) -> bytes | None:
    """Not of a hidden atom; nor of a text that is to go into a hidden domain."""
    if key[:ID_BYTES] in hidden.atoms:
        return None
    said = json.loads(row).get("said", {}) if not any(key[:ID_BYTES]) else {}
    domains = {_spelt(str(said.get(word, "")).removeprefix(DOMAIN)) for word in ("domain", "meant", "taken")}
    return row if hidden.domain_keys.isdisjoint(domains) else None


def _spelt(domain: str) -> str:
    """What two spellings of one domain have in common."""
    return label_of(domain).key or domain


def _episode(hidden: Hidden, key: bytes, row: bytes) -> bytes | None:
    """Of what is kept of sessions, only rows of one atom or domain can be told apart."""
    return None if key[:1] in b"icw" and key[1:] in hidden.atoms else row


_RULES: Final[Mapping[str, _Rule]] = {
    tables.ATOMS: _by_row(0),
    tables.VERSIONS: _by_key(0),
    tables.LINKS: _between,
    tables.STATEMENTS: _statement,
    tables.CARDS: _card,
    tables.BODIES: _body,
    tables.POSTINGS: _posting,
    tables.PLACES: _place,
    tables.CLAIMS: _claim,
    tables.CONFLICTS: _between,
    tables.PROPOSALS: _proposal,
    tables.CONFIRMED: _by_key(0),
    tables.EXPECTED: _expected,
    tables.TOUCHED: _by_key(0),
    tables.USES: _by_key(0),
    tables.DOMAIN_KEYS: _by_key(0),
    tables.ARCS: _by_key(1),
    tables.ARRIVALS: _between,
    tables.EPISODES: _episode,
}
_OPEN: Final = frozenset(
    {
        tables.ENTRIES,
        tables.HEADS,
        tables.META,
        tables.NODES,
        tables.MAP,
        tables.KEYS,
        tables.GAPS,
        tables.FORGOTTEN,
        tables.JOINS,
        tables.DOCUMENTS,
        tables.MODELS,
        tables.SESSIONS,
        tables.CHOICES,
        tables.MIXING,
        tables.TOUCHES,
        tables.VECTORS,
        tables.EMBEDDED,
        tables.OBJECTIVES,
        tables.OWED,
    }
)
"""Rows that say nothing of what an atom is called or says, or that only shared memory reads."""


class Veiled:
    """A transaction in which hidden atoms are not there. It ends with the one below."""

    __slots__ = ("_below", "hidden")

    def __init__(self, below: ReadTransaction, hidden: Hidden) -> None:
        self._below = below
        self.hidden = hidden

    @property
    def below(self) -> ReadTransaction:
        """The transaction with all there is."""
        return self._below

    def _rule(self, table: str) -> _Rule:
        if table != tables.COUNTS:
            return _RULES[table]
        counts = self.hidden.counts(self._below)
        return lambda _, key, row: row if (less := counts.get(key)) is None else less_atoms(row, less)

    def get(self, table: str, key: bytes) -> bytes | None:
        """The value at `key`, or None."""
        row = self._below.get(table, key)
        if row is None or table in _OPEN:
            return row
        return self._rule(table)(self.hidden, key, row)

    def get_many(self, table: str, keys: Sequence[bytes]) -> list[bytes | None]:
        """The value at each key, in the order given; None where there is none."""
        rows = self._below.get_many(table, keys)
        if table in _OPEN:
            return rows
        rule, hidden = self._rule(table), self.hidden
        return [row if row is None else rule(hidden, key, row) for key, row in zip(keys, rows, strict=True)]

    def scan(
        self,
        table: str,
        start: bytes = b"",
        stop: bytes | None = None,
        *,
        reverse: bool = False,
        limit: int | None = None,
    ) -> Iterator[tuple[bytes, bytes]]:
        """Items with start <= key < stop, in key order (from the end if `reverse`), at most `limit`."""
        if table in _OPEN:
            return self._below.scan(table, start, stop, reverse=reverse, limit=limit)
        if limit == 1:  # mostly the first one is seen, and whoever asks for one asks hundreds of times
            one = self._below.scan(table, start, stop, reverse=reverse, limit=1)
            shown = list(self._seen(table, one))
            if shown:
                return iter(shown)
        seen = self._seen(table, self._below.scan(table, start, stop, reverse=reverse))
        return seen if limit is None else islice(seen, limit)

    def _seen(self, table: str, rows: Iterator[tuple[bytes, bytes]]) -> Iterator[tuple[bytes, bytes]]:
        rule, hidden = self._rule(table), self.hidden
        for key, row in rows:
            if (seen := rule(hidden, key, row)) is not None:
                yield key, seen

    def any(self, table: str) -> bool:
        """Whether the table holds a key."""
        return self._below.any(table) if table in _OPEN else next(self.scan(table), None) is not None

    def count(self, table: str) -> int:
        """How many keys the table holds."""
        return self._below.count(table) if table in _OPEN else sum(1 for _ in self.scan(table))


def bare(transaction: ReadTransaction) -> ReadTransaction:
    """The transaction with all there is: for what all clients share, and for what must be whole to be written."""
    return transaction.below if isinstance(transaction, Veiled) else transaction


def hidden_in(transaction: ReadTransaction) -> Hidden | None:
    """What this transaction does not show; None: it shows all."""
    return transaction.hidden if isinstance(transaction, Veiled) else None
