"""The verb stats: how much a store holds."""

from __future__ import annotations

from collections import Counter

from substrate.engine.owed import is_owed
from substrate.kv.api import ReadTransaction
from substrate.log.heads import require_head
from substrate.log.log import Log
from substrate.log.tables import EXPECTED, GAPS, HEADS
from substrate.model import Stats
from substrate.proof.entry import Kind
from substrate.views.atoms import names
from substrate.views.edges import all_links, links_of
from substrate.views.episodes import episodes_seen, trainings_learnt

__all__ = ["stats"]


def stats(log: Log) -> Stats:
    """See `Memory.stats`."""
    types: Counter[str] = Counter()
    tombstoned = 0
    with log.snapshot() as transaction:
        for row in names(transaction, ""):
            if row.kind is Kind.PUT and row.name is not None:
                types[row.name.split(".", 2)[1]] += 1
            else:
                tombstoned += 1
        head = require_head(transaction).head
        trainings = trainings_learnt(transaction)
        return Stats(
            origin=head.origin,
            entries=head.size,
            heads=transaction.count(HEADS),
            atoms=types.total(),
            tombstoned=tombstoned,
            forgotten=transaction.count(GAPS),
            edges=sum(1 for _ in all_links(transaction)),
            dangling=sum(_is_waited_for(transaction, subject) for subject, _ in transaction.scan(EXPECTED)),
            bytes=log.size_on_disk(),
            compaction_owed=is_owed(transaction),
            types=dict(sorted(types.items())),
            sessions=episodes_seen(transaction) - trainings,
            trainings=trainings,
        )


def _is_waited_for(transaction: ReadTransaction, subject: bytes) -> bool:
    """Whether an edge that is not taken back has this end."""
    return any(next(links_of(transaction, subject, out=out), None) is not None for out in (True, False))
