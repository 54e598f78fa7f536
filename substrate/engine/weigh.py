"""The verb weigh: how well atoms are supported, and by what."""

from __future__ import annotations

from collections.abc import Sequence

from substrate.engine.gathering import Gatherer, Seams
from substrate.engine.offers import atom_shown
from substrate.engine.reading import moments_of, resolve
from substrate.log.log import Log
from substrate.markov.needs import Need
from substrate.openings import OpeningAtom

__all__ = ["weigh"]


def weigh(log: Log, seams: Seams, names: Sequence[str]) -> tuple[OpeningAtom, ...]:
    """See `Memory.weigh`."""
    with log.snapshot() as transaction:
        moments = moments_of(transaction, log.clock, None, None)
        needs = [Need(resolve(transaction, name).subject, 0.0, {}) for name in names]
        gatherer = Gatherer(transaction, moments, seams, domain=None, threshold=0.0, ingested=True)
        return tuple(atom_shown(candidate) for candidate in gatherer.gather(needs))
