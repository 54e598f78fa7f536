"""Which entity is meant by a name or an alias, in one snapshot. By the postings of `entities`; nothing else is kept."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from hashlib import blake2b
from itertools import islice
from struct import unpack_from
from typing import Final, NamedTuple

from substrate.atoms.bodies import body_of
from substrate.atoms.moments import last_seq
from substrate.entities.naming import ENTITY, entity_prefix, names_of
from substrate.kv.api import ReadTransaction
from substrate.kv.decoded import Decoded
from substrate.limits import LIMITS
from substrate.log.tables import DOCUMENTS, POSTINGS, seq_key
from substrate.names import escape_rest
from substrate.proof.entry import ID_BYTES, Kind
from substrate.text.canonical import canonical
from substrate.text.terms import keyword
from substrate.views.atoms import VersionRow, find_names, latest_version
from substrate.views.words import ROW, ROWS, Field, keyword_term, posting_heads, posting_keys

__all__ = ["Known", "Lookup", "mentions", "same_names", "subjects_at"]


_WIDEST: Final = 4
"""Bytes of a character."""
_SOME: Final = 16
"""Mentions that are looked at together."""
_DIGEST: Final = 16


class Known(NamedTuple):
    """An entity that is there: its latest version, and all its names, the one that is shown first."""

    row: VersionRow
    names: tuple[str, ...]


class Lookup:
    """The entities of one domain (its atom's name), or of all (None). What was looked up is kept."""

    def __init__(self, transaction: ReadTransaction, domain: str | None, upto: int | None = None) -> None:
        self._transaction = transaction
        self._domain = domain
        self._upto = upto
        self._size = last_seq(transaction) + 1
        self._own: list[frozenset[int]] | None = None
        self._listed: dict[str, list[bytes | None]] = {}

    def named(self, names: Sequence[str], *, are_forms: bool = False) -> list[VersionRow | None]:
        """The latest version of the entities whose own names these are, tombstones too; read at once. Of a domain.

        `are_forms`: they are canonical already.
        """
        if self._domain is None:
            raise ValueError("without a domain, an entity has no name of its own")
        prefix = entity_prefix(self._domain)
        wanted = [prefix + escape_rest(name if are_forms else canonical(name)) for name in names]
        most = LIMITS["name_bytes"]
        fitting = [name for name in wanted if len(name) * _WIDEST <= most or len(name.encode()) <= most]
        found = dict(zip(fitting, find_names(self._transaction, fitting), strict=True))
        return [found.get(name) for name in wanted]

    def read_listed(self, texts: Sequence[str]) -> None:
        """Read at once what `aliased` reads of each of these."""
        terms = [(text, keyword_term(Field.ENTITY, text)) for text in texts if text not in self._listed]
        heads = [head + Field.ENTITY.value for _, head in posting_heads(self._size)]
        rows = iter(self._transaction.get_many(POSTINGS, [head + term for _, term in terms for head in heads]))
        self._listed |= {text: list(islice(rows, len(heads))) for text, _ in terms}

    def aliased(self, text: str) -> Iterator[Known]:
        """The entities in use that list this among their names, the one that was recorded last first."""
        there = self._listed[text] if text in self._listed else self._rows(Field.ENTITY, text)
        if not any(there):
            return
        if self._own is None:
            self._own = self._read_own()
        for (first, _), one, own in reversed(list(zip(posting_heads(self._size), there, self._own, strict=True))):
            for offset in sorted(_offsets(one) & own, reverse=True):
                known = self._known(first + offset)
                if known is not None:
                    yield known

    def is_listed(self, text: str, besides: Collection[bytes] = ()) -> bool:
        """Whether an atom, but for these, lists this among its entities, in any version that was not erased."""
        rows = self._listed[text] if text in self._listed else self._rows(Field.ENTITY, text)
        if not besides:
            return any(rows)  # a row has one at least
        for (first, _), row in zip(posting_heads(self._size), rows, strict=True):
            seqs = [first + offset for offset in sorted(_offsets(row))] if row is not None else []
            for at in range(0, len(seqs), _SOME):
                if any(one not in besides for one in subjects_at(self._transaction, seqs[at : at + _SOME])):
                    return True
        return False

    def _read_own(self) -> list[frozenset[int]]:
        """Which versions are of entities of the domain, by block. Mostly the same as at the note before."""
        prefix = (ENTITY if self._domain is None else entity_prefix(self._domain)).removesuffix(".")
        keys = posting_keys(Field.UNDER, keyword_term(Field.UNDER, prefix), self._size)
        rows = self._transaction.get_many(POSTINGS, keys)
        # By digests of the keys: what is kept holds no name.
        return _OWN.many([blake2b(key, digest_size=_DIGEST).digest() for key in keys], rows, _NONE)

    def _rows(self, field: Field, text: str) -> list[bytes | None]:
        return self._transaction.get_many(POSTINGS, posting_keys(field, keyword_term(field, text), self._size))

    def _known(self, seq: int) -> Known | None:
        """The entity of this version, if that is its latest."""
        if self._upto is not None and seq > self._upto:
            return None
        (subject,) = subjects_at(self._transaction, [seq])
        row = latest_version(self._transaction, subject, self._upto)
        if row is None or row.seq != seq or row.kind is not Kind.PUT or row.name is None:
            return None
        body = body_of(self._transaction, seq)
        if body is None or body.damage is not None:
            return None
        members = body.members
        return Known(row, names_of(row.name, str(members.get("value")), members.get("attrs")))


def same_names(transaction: ReadTransaction, text: str, upto: int | None = None) -> list[str]:
    """What to look for where an entity is looked for by this text: the text, and all names of entities it names."""
    found = {keyword(text): text}
    for known in Lookup(transaction, None, upto).aliased(text):
        for name in known.names:
            found.setdefault(keyword(name), name)
            found.setdefault(canonical(name), canonical(name))
    return list(found.values())


def mentions(transaction: ReadTransaction, names: Sequence[str]) -> Iterator[int]:
    """The seqs of all versions that list one of these names among their entities. Some may come twice."""
    size = last_seq(transaction) + 1
    for term in dict.fromkeys(keyword_term(Field.ENTITY, name) for name in names):
        rows = transaction.get_many(POSTINGS, posting_keys(Field.ENTITY, term, size))
        for (first, _), row in zip(posting_heads(size), rows, strict=True):
            for offset in sorted(_offsets(row)):
                yield first + offset


def subjects_at(transaction: ReadTransaction, seqs: Sequence[int]) -> list[bytes]:
    """The ids of the atoms that these are versions of."""
    groups = sorted({seq // ROWS for seq in seqs})
    rows = dict(zip(groups, transaction.get_many(DOCUMENTS, [seq_key(group) for group in groups]), strict=True))
    found = []
    for seq in seqs:
        at = seq % ROWS * ROW.size
        found.append((rows[seq // ROWS] or b"")[at : at + ID_BYTES])
    return found


_NONE: Final[frozenset[int]] = frozenset()


def _offsets(row: bytes | None) -> frozenset[int]:
    return _NONE if row is None else frozenset(unpack_from(f"<{len(row) // 3}H", row))


_OWN: Final = Decoded(_offsets, 2**18)
