"""Chains of `supersedes` edges, as they are and as a checkpoint makes them: none may lead back to where it began."""

from __future__ import annotations

from collections.abc import Container

from substrate.kv.api import ReadTransaction
from substrate.views.edges import links_of

__all__ = ["SUPERSEDES", "Chains"]

SUPERSEDES = "supersedes"


class Chains:
    """What supersedes what, within one checkpoint. `unedged` are the edges that it takes back."""

    def __init__(self, transaction: ReadTransaction, unedged: Container[bytes]) -> None:
        self._transaction = transaction
        self._unedged = unedged
        self._known: dict[tuple[bytes, bool], set[bytes]] = {}

    def closes_circle(self, source: bytes, target: bytes) -> bool:
        """Whether `target` is `source`, or supersedes it over any number of steps.

        Looked for from both sides by turns: one of the two is mostly a new atom, or has no such edges, and ends it.
        """
        seen = {True: {target}, False: {source}}
        waiting = {True: [target], False: [source]}
        out = True
        while source != target and waiting[True] and waiting[False]:
            fresh = self._next(waiting[out].pop(), out=out) - seen[out]
            if fresh & seen[not out]:
                return True
            seen[out] |= fresh
            waiting[out] += fresh
            out = not out
        return source == target

    def add(self, source: bytes, target: bytes) -> None:
        """The checkpoint states that `source` supersedes `target`."""
        self._next(source, out=True).add(target)
        self._next(target, out=False).add(source)

    def _next(self, atom: bytes, *, out: bool) -> set[bytes]:
        """What the atom supersedes (`out`), or is superseded by."""
        if (atom, out) not in self._known:
            links = links_of(self._transaction, atom, out=out, kind=SUPERSEDES)
            ends = {link.target if out else link.source for link in links if link.edge not in self._unedged}
            self._known[atom, out] = ends
        return self._known[atom, out]
