"""Which surface wrote each version, as a column: for those who ask about all atoms, call after call.

`save/authorship.py` says what counts as written by one surface, and answers the same for a few.
"""

from __future__ import annotations

from threading import Lock
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from substrate.atoms.bodies import bodies_of
from substrate.search.columns.documents import Documents, Mask
from substrate.snapshot import Snapshot
from substrate.values.actors import surface_of
from substrate.views.traces import confirmations_of
from substrate.views.words import ERASED

__all__ = ["Authors"]

_SURFACES: Final = 4
"""Surfaces that are remembered at once."""


class Authors:
    """The authors of one open store. Each version is read once. Safe to share between threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: dict[str, _Known] = {}

    def written_by(
        self, snapshot: Snapshot, documents: Documents, surface: str, seqs: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Those of these last versions whose atoms came from this surface and from nobody else, in their order."""
        with self._lock:
            known = self._known.get(surface)
            if known is None or not known.leads_to(documents):
                known = self._known[surface] = _Known(surface, documents)
                while len(self._known) > _SURFACES:
                    self._known.pop(next(iter(self._known)))
            known.read(snapshot, documents, seqs)
            own = known.are_own(documents, seqs)
        mine = seqs[own]
        said_again = confirmations_of(snapshot.transaction, documents.subjects(mine), mine.tolist())
        return mine[[one is None for one in said_again]] if len(mine) else mine


class _Known:
    """Which versions a surface wrote, by seq."""

    def __init__(self, surface: str, documents: Documents) -> None:
        self._surface = surface
        self._seen = _seen(documents)
        self._own = np.zeros(documents.size, np.int8)
        """0: not read yet, 1: it did, 2: somebody else did, or nobody says."""

    def leads_to(self, documents: Documents) -> bool:
        """Whether these are the same versions, and perhaps more."""
        size = len(self._own)
        pairs = zip(self._seen, _seen(documents), strict=True)
        return size <= documents.size and all(np.array_equal(ours, theirs[:size]) for ours, theirs in pairs)

    def read(self, snapshot: Snapshot, documents: Documents, seqs: NDArray[np.int64]) -> None:
        """Read who wrote these versions and all before them, as far as that is not known."""
        self._own = np.concatenate([self._own, np.zeros(documents.size - len(self._own), np.int8)])
        self._seen = _seen(documents)
        while len(seqs):
            unread = seqs[self._own[seqs] == 0]
            for seq, body in zip(unread.tolist(), bodies_of(snapshot.transaction, unread.tolist()), strict=True):
                if body is not None and body.damage is None:  # else it may be read another time
                    actor = body.members.get("actor")
                    self._own[seq] = 1 if isinstance(actor, str) and surface_of(actor) == self._surface else 2
            seqs = documents.before[seqs]
            seqs = seqs[seqs >= 0]

    def are_own(self, documents: Documents, seqs: NDArray[np.int64]) -> Mask:
        """Of each whether it and all versions before it are the surface's. One that was erased since is in doubt."""
        own: Mask = np.ones(len(seqs), np.bool_)
        places, versions = np.arange(len(seqs)), seqs
        while len(places):
            own[places] &= (self._own[versions] == 1) & (documents.flags[versions] & ERASED == 0)
            versions = documents.before[versions]
            places, versions = places[versions >= 0], versions[versions >= 0]
        return own


def _seen(documents: Documents) -> tuple[NDArray[Any], ...]:
    """What tells one log from another: ids and times of all versions."""
    return documents.subject_high, documents.subject_low, documents.time
