"""Names of which someone knows a part, for one who types: `read_ex` for `v1.note.pandas.read_excel`."""

from __future__ import annotations

from heapq import nsmallest
from itertools import islice
from typing import Final

from substrate.kv.api import ReadTransaction
from substrate.proof.entry import Kind
from substrate.views.atoms import names

__all__ = ["names_with"]

_LOOKED_AT: Final = 100_000
"""Names, in their order: a tenth of a second."""
_BEFORE_A_WORD: Final = "._-/: "


def names_with(transaction: ReadTransaction, part: str, most: int) -> tuple[str, ...]:
    """Names in use that have this text in them, in any case. Where a word begins with it comes first, then the shorter.

    Of a store with more than 100,000 names, the first ones are looked at.
    """
    wanted = part.strip().casefold()
    if not wanted:
        return ()
    rows = islice(names(transaction, ""), _LOOKED_AT)
    found = ((row.name, at) for row in rows if row.kind is Kind.PUT and row.name and (at := _at(row.name, wanted)) >= 0)
    best = nsmallest(most, ((at > 0, len(name), name) for name, at in found))
    return tuple(name for _, _, name in best)


def _at(name: str, wanted: str) -> int:
    """0 if a word of the name begins with it, 1 if it is within a word, -1 if it is not there."""
    folded = name.casefold()
    at = folded.find(wanted)
    if at < 0:
        return -1
    return 0 if any(folded.startswith(wanted, start) for start in _starts(folded)) else 1


def _starts(name: str) -> list[int]:
    return [0, *(at + 1 for at, character in enumerate(name) if character in _BEFORE_A_WORD)]
