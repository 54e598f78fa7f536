"""The verb stats: how much a store holds."""

from __future__ import annotations

from collections import Counter

from substrate.forget.compaction import is_owed
from substrate.kv.api import ReadTransaction
from substrate.log.heads import require_head
from substrate.log.tables import EXPECTED, GAPS, HEADS
from substrate.names import type_of
from substrate.proof.entry import Kind
from substrate.snapshot import Snapshot
from substrate.values.behind import Behind
from substrate.values.saved import Stats
from substrate.views.atoms import names
from substrate.views.edges import all_links, links_of
from substrate.views.learned.episodes import episodes_seen, trainings_learnt

__all__ = ["stats"]


def stats(snapshot: Snapshot, bytes_on_disk: int, behind: Behind | None) -> Stats:
    """See `Memory.stats`."""
    transaction = snapshot.transaction
    types: Counter[str] = Counter()
    tombstoned = 0
    for row in names(transaction, ""):
        if row.kind is Kind.PUT and row.name is not None:
            types[type_of(row.name)] += 1
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
        bytes=bytes_on_disk,
        compaction_owed=is_owed(transaction),
        types=dict(sorted(types.items())),
        sessions=episodes_seen(transaction) - trainings,
        trainings=trainings,
        behind=behind,
    )


def _is_waited_for(transaction: ReadTransaction, subject: bytes) -> bool:
    """Whether an edge that is not taken back has this end."""
    return any(next(links_of(transaction, subject, out=out), None) is not None for out in (True, False))
