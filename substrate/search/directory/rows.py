"""What the directory keeps of entities between calls: what each version says, and which versions mention it.

1. A version never says anything else, so its row is kept by its seq, and how it spells the names it lists. What is
   known of versions that were erased is dropped when the log is followed, and of another log all.
2. Blocks of postings that are full do not grow: the seqs in them are kept. An erased mention may still stand among
   them; it is not in use, and so it is not counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Final

import numpy as np
from numpy.typing import NDArray

from substrate.atoms.bodies import bodies_of
from substrate.entities.naming import aliases_of, names_of, read_name
from substrate.kv.api import ReadTransaction
from substrate.log.identity import id_text
from substrate.log.tables import POSTINGS
from substrate.proof.encoding import Json
from substrate.search.columns.documents import Documents, Mask
from substrate.values.entities import EntityEntry
from substrate.veil import bare
from substrate.views.atoms import VersionRow
from substrate.views.follow import Trail, erased_between
from substrate.views.words import BLOCK, Field, keyword_term

__all__ = ["EntityRow", "EntityRows", "read_postings"]

_MOST: Final = 20_000
"""Rows that are kept: some 20 MB."""
_TEXTS: Final = 5_000
"""Texts of which it is kept how they spell names: some 10 MB."""
_Seqs = NDArray[np.uint32]
_NONE: Final[_Seqs] = np.zeros(0, np.uint32)


@dataclass(slots=True, eq=False)
class EntityRow:
    """One version of an entity: its entry in the directory but for the mentions, and its terms in the postings."""

    seq: int
    entry: EntityEntry
    terms: tuple[bytes, ...]
    blocks: int = 0
    """How many full blocks were read."""
    seqs: _Seqs = field(default_factory=lambda: _NONE)
    """The versions of these that mention it."""

    counted: EntityEntry | None = None
    """The entry as a page told it last. `entry` has no count: what one reader counts, another may not see."""

    def mentioned(self, count: int) -> EntityEntry:
        """The entry with its mentions. It is kept apart: the next page most often says the same."""
        said = self.counted
        if said is None or said.mentions != count:
            one = self.entry
            said = EntityEntry(one.name, one.atom, one.id, one.domain, one.type, one.aliases, count)
            self.counted = said
        return said


class EntityRows:
    """The rows of one open store. Safe to share between threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._trail = Trail()
        self._rows: dict[int, EntityRow] = {}
        self._spelt: dict[int, dict[bytes, str]] = {}
        """Of texts: how each spells the names that it lists, by their terms."""

    def spelt(self, transaction: ReadTransaction, listed: Sequence[tuple[int, bytes]]) -> list[str | None]:
        """How versions spell names that they list, each a version and a term; None if that is damaged."""
        transaction = bare(transaction)  # what is kept is shared; the caller asks of what it may see
        with self._lock:
            self._follow(transaction)
            unread = list(dict.fromkeys(seq for seq, _ in listed if seq not in self._spelt))
            if len(self._spelt) + len(unread) > _TEXTS:
                self._spelt.clear()
                unread = list(dict.fromkeys(seq for seq, _ in listed))
            for seq, body in zip(unread, bodies_of(transaction, unread), strict=True):
                said = None if body is None or body.damage is not None else body.members.get("entities")
                texts = [text for text in said if isinstance(text, str)] if isinstance(said, list) else []
                self._spelt[seq] = {keyword_term(Field.ENTITY, text): text for text in reversed(texts)}
            return [self._spelt[seq].get(term) for seq, term in listed]

    def of(self, transaction: ReadTransaction, versions: Sequence[VersionRow]) -> list[EntityRow]:
        """What these versions say, in order; without those that are damaged, or no entities of a domain."""
        transaction = bare(transaction)  # what is kept is shared; the caller asks of what it may see
        with self._lock:
            self._follow(transaction)
            unread = [version for version in versions if version.seq not in self._rows]
            if len(self._rows) + len(unread) > _MOST:
                self._rows.clear()
                unread = list(versions)
            bodies = bodies_of(transaction, [version.seq for version in unread])
            for version, body in zip(unread, bodies, strict=True):
                if body is not None and body.damage is None:
                    row = _row(version, str(body.members.get("value")), body.members.get("attrs"))
                    if row is not None:
                        self._rows[version.seq] = row
            return [self._rows[version.seq] for version in versions if version.seq in self._rows]

    def count(
        self, transaction: ReadTransaction, documents: Documents, in_use: Mask, rows: Sequence[EntityRow]
    ) -> list[int]:
        """How many of the versions `in_use` list one of the names of each entity, but for the entity itself."""
        with self._lock:
            owners, seqs = self._mentions(bare(transaction), documents.size, rows)
        counted = in_use[seqs]
        counted &= seqs != np.array([row.seq for row in rows], np.int64)[owners]
        owners = owners[counted]
        if any(len(row.terms) > 1 for row in rows):  # an atom may list two names of one entity
            owners = np.unique(owners * documents.size + seqs[counted]) // max(documents.size, 1)
        counts: list[int] = np.bincount(owners, minlength=len(rows)).tolist()
        return counts

    def _mentions(
        self, transaction: ReadTransaction, size: int, rows: Sequence[EntityRow]
    ) -> tuple[NDArray[np.int64], _Seqs]:
        """The versions that list each of these: the numbers of the rows, and beside them the seqs."""
        full, there = size // BLOCK, -(-size // BLOCK)
        heads = [block.to_bytes(4, "big") + Field.ENTITY.value for block in range(there)]
        keys = [head + term for row in rows for term in row.terms for head in heads[row.blocks :]]
        read = iter(transaction.get_many(POSTINGS, keys))
        growing: list[tuple[int, bytes]] = []
        owners: list[int] = []
        for number, row in enumerate(rows):
            fresh: list[tuple[int, bytes]] = []
            for _ in row.terms:
                for block in range(row.blocks, there):
                    said = next(read)
                    if said is not None:
                        (fresh if block < full else growing).append((block, said))
                        owners += [] if block < full else [number]
            if full > row.blocks:
                row.seqs, row.blocks = np.concatenate([row.seqs, read_postings(fresh)]), full
        kept = [row.seqs if row.blocks <= full else row.seqs[row.seqs < size] for row in rows]
        counts = [*map(len, kept), *(len(said) // 3 for _, said in growing)]
        return (
            np.repeat(np.array([*range(len(rows)), *owners], np.int64), counts),
            np.concatenate([*kept, read_postings(growing)]) if rows else _NONE,
        )

    def _follow(self, transaction: ReadTransaction) -> None:
        """Drop what was erased, and all if this is another log."""
        if not self._trail.leads_to(transaction):
            self._trail, self._rows, self._spelt = Trail(), {}, {}
        if self._trail.is_behind(transaction):
            before = self._trail.size
            self._trail.follow(transaction)
            for seq in erased_between(transaction, before, self._trail.size) if self._rows or self._spelt else ():
                self._rows.pop(seq, None)
                self._spelt.pop(seq, None)


def read_postings(rows: Sequence[tuple[int, bytes]]) -> _Seqs:
    """The seqs in rows of postings, each with its block, one after the other."""
    offsets = np.frombuffer(b"".join([row[: len(row) // 3 * 2] for _, row in rows]), "<u2")
    blocks = np.array([block for block, _ in rows], np.uint32) * np.uint32(BLOCK)
    return offsets + np.repeat(blocks, [len(row) // 3 for _, row in rows])


def _row(version: VersionRow, value: str, attrs: Json) -> EntityRow | None:
    name = str(version.name)
    read = read_name(name)
    if read is None:
        return None
    kind = attrs.get("type") if isinstance(attrs, dict) else None
    said = kind if isinstance(kind, str) else None
    entry = EntityEntry(value, name, id_text(version.subject), read.domain, said, aliases_of(attrs))
    terms = dict.fromkeys(keyword_term(Field.ENTITY, one) for one in names_of(name, value, attrs))
    return EntityRow(version.seq, entry, tuple(terms))
