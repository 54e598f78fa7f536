"""The verb decline: a proposal ends, and its texts are erased."""

from __future__ import annotations

from collections.abc import Mapping

from substrate.atoms.resolve import name_of
from substrate.kv.api import ReadTransaction
from substrate.log.append import Decision
from substrate.log.log import Log
from substrate.proposals.waiting import is_statement, require_open, row_of
from substrate.save.place import Place
from substrate.save.proposed import confirm
from substrate.values.review.pending import CORRECTION, STATEMENT, TEXT, Declined
from substrate.views.beside.proposals import NO_ATOM, proposal_trace

__all__ = ["decline"]


def decline(log: Log, given: str, *, said: Mapping[str, object], place: Place | None = None) -> Declined:
    """See `Memory.decline`."""
    if is_statement(given):
        return Declined(given, STATEMENT, confirm(log, (), (given,), said=said, place=place).tombstoned[0])
    declined: list[Declined] = []

    def plan(transaction: ReadTransaction, time: int) -> Decision:
        row = row_of(transaction, given)
        require_open(row, time)
        kind = TEXT if row.subject == NO_ATOM else CORRECTION
        declined[:] = [Declined(given, kind, name_of(transaction, row.subject))]
        return Decision((), [proposal_trace(row.decided("declined"))])

    log.decide(plan)
    return declined[0]
