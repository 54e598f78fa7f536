"""The verb weigh: how well atoms are supported, and by what."""

from __future__ import annotations

from collections.abc import Sequence

from substrate.atoms.resolve import resolve
from substrate.bootstrap.candidates import Gatherer
from substrate.bootstrap.show import atom_shown
from substrate.learn.forecast import Need
from substrate.snapshot import Snapshot
from substrate.values.opening import OpeningAtom

__all__ = ["weigh"]


def weigh(snapshot: Snapshot, names: Sequence[str]) -> tuple[OpeningAtom, ...]:
    """See `Memory.weigh`."""
    transaction = snapshot.transaction
    needs = [Need(resolve(transaction, name).subject, 0.0, {}) for name in names]
    gatherer = Gatherer(snapshot, domain=None, threshold=0.0, ingested=True)
    return tuple(atom_shown(candidate) for candidate in gatherer.gather(needs))
