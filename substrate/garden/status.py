"""The verb tending: which runs of the gardener there were, and whether one is at work."""

from __future__ import annotations

from itertools import islice

from substrate.atoms.resolve import find_subject, name_of
from substrate.garden.lease import is_leased
from substrate.garden.runs import Run, runs_of
from substrate.kv.api import ReadTransaction
from substrate.limits import check_limit
from substrate.log.identity import id_text
from substrate.log.log import Log
from substrate.values.review.garden import Tending, TendRun
from substrate.values.times import from_microseconds

__all__ = ["tending"]


def tending(log: Log, domain: str | None, *, limit: int) -> Tending:
    """See `Memory.tending`. `domain`: the name of its atom; None: of all."""
    check_limit(limit)
    with log.snapshot() as transaction:
        of = None if domain is None else find_subject(transaction, domain)
        runs = list(runs_of(transaction, of))
        counts = [run.counts for run in runs]
        return Tending(
            tuple(_shown(transaction, run) for run in islice(runs, limit)),
            is_running=is_leased(log.cache),
            runs=len(runs),
            last=from_microseconds(runs[0].time) if runs else None,
            proposed=sum(one.candidates_proposed for one in counts),
            accepted=sum(one.relations_accepted for one in counts),
            rejected=sum(one.relations_rejected for one in counts),
            entries_filtered=sum(one.session_entries_filtered for one in counts),
            tombstoned=sum(one.nodes_pruned for one in counts),
            unedged=sum(one.edges_pruned for one in counts),
        )


def _shown(transaction: ReadTransaction, run: Run) -> TendRun:
    subject = bytes.fromhex(run.domain)
    return TendRun(
        run.number,
        name_of(transaction, subject) or id_text(subject),
        from_microseconds(run.time),
        range(run.start, run.stop) if run.start < run.stop else None,
        run.counts.candidates_proposed,
        run.counts.relations_accepted,
        run.counts.relations_rejected,
        run.counts.session_entries_filtered,
        run.counts.nodes_pruned,
        run.counts.edges_pruned,
        undone=bool(run.undone),
    )
