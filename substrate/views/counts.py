"""How many atoms there are, by type and by the domain in their names: rows that the view of atoms keeps.

    counts   `t`, type -> in use (8), out of use (8), characters of the values of those in use (8)
             `d`, domain, 0, type -> the same, of the names that say to which domain they belong (`names.domain_part`)

What counts nothing has no row: so no word is left of a type or a domain of which all was forgotten.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from struct import Struct
from typing import Final, NamedTuple

from substrate.kv.api import ReadTransaction, WriteTransaction, behind
from substrate.log.tables import COUNTS
from substrate.names import domain_part, type_of

__all__ = ["Changes", "Count", "counts_by_domain", "counts_by_type", "less_atoms"]

_TYPE: Final = b"t"
_DOMAIN: Final = b"d"
_ROW: Final = Struct(">QQQ")


class Count(NamedTuple):
    """Atoms in use, out of use, and how many characters the values of the former have."""

    live: int
    tombstoned: int
    characters: int


class Changes:
    """What some entries add to the counts and take from them."""

    def __init__(self) -> None:
        self._by_key: dict[bytes, list[int]] = {}

    def add(self, name: str, *, live: bool, characters: int, times: int = 1) -> None:
        """An atom of this name, in use or out of use, is there (`times` 1), or is so no longer (-1)."""
        for key in _keys(name):
            change = self._by_key.get(key)
            if change is None:
                change = self._by_key[key] = [0, 0, 0]
            change[not live] += times
            change[2] += times * characters

    def by_key(self) -> dict[bytes, list[int]]:
        """By the key of the row that they change."""
        return self._by_key

    def write(self, transaction: WriteTransaction) -> None:
        """Put them into the table."""
        changed = sorted((key, change) for key, change in self._by_key.items() if any(change))
        rows = transaction.get_many(COUNTS, [key for key, _ in changed])
        for (key, change), row in zip(changed, rows, strict=True):
            before = (0, 0, 0) if row is None else _ROW.unpack(row)
            after = [max(0, was + by) for was, by in zip(before, change, strict=True)]
            if any(after):
                transaction.put(COUNTS, key, _ROW.pack(*after))
            else:
                transaction.delete(COUNTS, key)
        self._by_key.clear()


def _keys(name: str) -> tuple[bytes, ...]:
    kind = type_of(name).encode()
    domain = domain_part(name)
    if domain is None:
        return (_TYPE + kind,)
    return _TYPE + kind, _DOMAIN + domain.encode() + b"\x00" + kind


def counts_by_type(transaction: ReadTransaction) -> dict[str, Count]:
    """Of each type."""
    rows = transaction.scan(COUNTS, _TYPE, behind(_TYPE))
    return {key[1:].decode(): Count(*_ROW.unpack(row)) for key, row in rows}


def counts_by_domain(transaction: ReadTransaction, domain: str | None = None) -> Iterator[tuple[str, str, Count]]:
    """Domain, type and how many names say so; of one domain, if it is given. The domain as it stands in names."""
    start = _DOMAIN if domain is None else _DOMAIN + domain.encode() + b"\x00"
    for key, row in transaction.scan(COUNTS, start, behind(start)):
        of, _, kind = key[1:].rpartition(b"\x00")
        yield of.decode(), kind.decode(), Count(*_ROW.unpack(row))


def less_atoms(row: bytes, less: Sequence[int]) -> bytes | None:
    """A row without what some atoms add to it; None if nothing is left."""
    left = [max(0, was - by) for was, by in zip(_ROW.unpack(row), less, strict=True)]
    return _ROW.pack(*left) if any(left) else None
