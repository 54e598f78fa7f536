"""What the directory keeps of entities between calls: what each version says, and which versions mention it.

1. A version never says anything else, so its row is kept by its seq, and how it spells the names it lists. Entries
   are kept with the count that a page told last, and made again for another count. What is
   known of versions that were erased is dropped when the log is followed, and of another log all.
2. Blocks of postings that are full do not grow: the seqs in them are kept. An erased mention may still stand among
   them; it is not in use, and so it is not counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from substrate.atoms.bodies import bodies_of
from substrate.entities.naming import ENTITY, aliases_of, names_of, read_name
from substrate.kv.api import ReadTransaction
from substrate.log.identity import id_text
from substrate.log.tables import POSTINGS
from substrate.names import unescape_rest
from substrate.proof.encoding import Json
from substrate.search.columns.documents import Documents, Mask
from substrate.values.entities import EntityEntry
from substrate.veil import bare
from substrate.views.atoms import VersionRow
from substrate.views.follow import Trail, erased_between
from substrate.views.words import BLOCK, Field, keyword_term, posting_heads

__all__ = ["EntityRow", "EntityRows", "Mention", "read_postings"]

_MOST: Final = 20_000
"""Rows that are kept: some 20 MB."""
_TEXTS: Final = 5_000
"""Texts of which it is kept how they spell names: some 10 MB."""
_Seqs = NDArray[np.uint32]
_NONE: Final[_Seqs] = np.zeros(0, np.uint32)


class Mention(NamedTuple):
    """A name without an atom: the name that its atom would have, its term, a version that lists it, how many do."""

    name: str
    term: bytes
    seq: int
    versions: int


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

    def told_by(self, recorded: Mapping[str, Mention]) -> EntityEntry | EntityRow:
        """The entry with its mentions, if one of these has all its terms, and no entity lists them; else itself."""
        mention = recorded.get(self.entry.atom)
        return self if mention is None or self.terms != (mention.term,) else self.mentioned(mention.versions)

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
        self._told: dict[int, dict[str, EntityEntry]] = {}
        """Of the same texts: the entries that a page told last of names that have no atom."""

    def mentioned(self, transaction: ReadTransaction, listed: Sequence[Mention]) -> list[EntityEntry]:
        """The entries of names that have no atom, as a version spells each; without those of damaged versions."""
        transaction = bare(transaction)  # what is kept is shared; the caller asks of what it may see
        found: list[EntityEntry] = []
        with self._lock:
            self._follow(transaction)
            told = self._told
            if any(one.seq not in told for one in listed):
                self._read_texts(transaction, list(dict.fromkeys(one.seq for one in listed)))
            for name, term, seq, count in listed:
                entry = told[seq].get(name)
                if entry is None or entry.mentions != count:
                    shown = self._spelt[seq].get(term)
                    if shown is None:
                        continue
                    domain = unescape_rest(name.removeprefix(ENTITY).partition(".")[0])
                    entry = told[seq][name] = EntityEntry(shown, name, None, domain, mentions=count)
                found.append(entry)
        return found

    def listed_by(self, transaction: ReadTransaction, seqs: Sequence[int]) -> set[bytes]:
        """The terms of the names that these texts list; none of damaged ones."""
        transaction = bare(transaction)  # as above
        terms: set[bytes] = set()
        with self._lock:
            self._follow(transaction)
            for at in range(0, len(seqs), _TEXTS):
                self._read_texts(transaction, seqs[at : at + _TEXTS])
                terms.update(*(self._spelt[seq] for seq in seqs[at : at + _TEXTS]))
        return terms

    def _read_texts(self, transaction: ReadTransaction, seqs: Sequence[int]) -> None:
        """Keep how these versions spell the names that they list."""
        unread = [seq for seq in seqs if seq not in self._spelt]
        if len(self._spelt) + len(unread) > _TEXTS:
            self._spelt.clear()
            self._told.clear()
            unread = list(seqs)
        for seq, body in zip(unread, bodies_of(transaction, unread), strict=True):
            said = None if body is None or body.damage is not None else body.members.get("entities")
            texts = [text for text in said if isinstance(text, str)] if isinstance(said, list) else []
            self._spelt[seq] = {keyword_term(Field.ENTITY, text): text for text in reversed(texts)}
            self._told[seq] = {}

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
        if not rows:
            return []
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
        full, heads = size // BLOCK, posting_heads(size)
        ends = [head + Field.ENTITY.value for _, head in heads]
        # What is kept of a later moment has all that is asked for.
        begun = [row.blocks if row.blocks <= full else len(heads) for row in rows]
        keys = [head + term for at, row in zip(begun, rows, strict=True) for term in row.terms for head in ends[at:]]
        read = iter(transaction.get_many(POSTINGS, keys))
        growing: list[tuple[int, bytes]] = []
        owners: list[int] = []
        for number, row in enumerate(rows):
            fresh: list[tuple[int, bytes]] = []
            for _ in row.terms:
                for place, (first, _) in enumerate(heads[begun[number] :], begun[number]):
                    said = next(read)
                    if said is not None:
                        (fresh if place < full else growing).append((first, said))
                        owners += [] if place < full else [number]
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
            self._trail, self._rows, self._spelt, self._told = Trail(), {}, {}, {}
        if self._trail.is_behind(transaction):
            before = self._trail.size
            self._trail.follow(transaction)
            for seq in erased_between(transaction, before, self._trail.size) if self._rows or self._spelt else ():
                self._rows.pop(seq, None)
                self._spelt.pop(seq, None)
                self._told.pop(seq, None)


def read_postings(rows: Sequence[tuple[int, bytes]]) -> _Seqs:
    """The seqs in rows of postings, each with the seq that its offsets count from, one after the other."""
    offsets = np.frombuffer(b"".join([row[: len(row) // 3 * 2] for _, row in rows]), "<u2")
    starts = np.array([start for start, _ in rows], np.uint32)
    return offsets + np.repeat(starts, [len(row) // 3 for _, row in rows])


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
