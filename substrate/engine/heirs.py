"""Who stands for whom: an atom that supersedes another inherits what was learnt of it."""

from __future__ import annotations

from itertools import islice
from typing import Final

from substrate.engine.reading import Moments, holding, is_live, sources_of
from substrate.kv.api import ReadTransaction
from substrate.views.edges import links_of

__all__ = ["Heirs"]

_SUPERSEDES: Final = "supersedes"
_MOST: Final = 16
"""Steps of a chain, and atoms that one took the place of, which are looked at."""


class Heirs:
    """As of one snapshot."""

    def __init__(self, transaction: ReadTransaction, moments: Moments) -> None:
        self._transaction = transaction
        self._moments = moments
        self._known: dict[bytes, tuple[bytes, ...]] = {}

    def inherited(self, subject: bytes) -> tuple[bytes, ...]:
        """The atoms whose place this one took, and whose places those took."""
        if subject not in self._known:
            found: dict[bytes, None] = {}
            waiting = [subject]
            while waiting and len(found) < _MOST:
                links = list(islice(links_of(self._transaction, waiting.pop(), out=True, kind=_SUPERSEDES), _MOST))
                for link in holding(self._transaction, links, self._moments) if links else ():
                    if link.target not in found and link.target != subject:
                        found[link.target] = None
                        waiting.append(link.target)
            self._known[subject] = tuple(found)
        return self._known[subject]

    def heir(self, subject: bytes) -> bytes | None:
        """The atom that stands for this one: itself, or who superseded it; None if nobody does, or it is not in use."""
        for _ in range(_MOST):
            by = next(sources_of(self._transaction, subject, _SUPERSEDES, self._moments), None)
            if by is None:
                return subject if is_live(self._transaction, subject, None) else None
            subject = by.source
        return None
