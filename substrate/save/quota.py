"""How many atoms a store may have: a choice that is kept in it, and decided under the write lock."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from substrate.errors import QuotaReached, SchemaInvalid
from substrate.kv.api import ReadTransaction
from substrate.log.append import Decision
from substrate.log.log import Log
from substrate.log.tables import CHOICES
from substrate.messages import ATOMS, Arg
from substrate.proof.entry import Kind
from substrate.veil import bare, hidden_in
from substrate.views.atoms import find_names
from substrate.views.counts import counts_by_type

__all__ = ["check_quota", "quota_of", "set_quota"]

_KEY: Final = b"quota"


def quota_of(transaction: ReadTransaction) -> int | None:
    """How many atoms may be in use; None: as many as there is room for."""
    row = transaction.get(CHOICES, _KEY)
    return None if row is None else int(row)


def set_quota(log: Log, most: int | None) -> None:
    """See `Memory.set_quota`."""
    if most is not None and (isinstance(most, bool) or not isinstance(most, int) or most < 0):
        raise SchemaInvalid(Arg("most"), " is a number, 0 or more, or None for no limit")
    log.decide(lambda _, __: Decision((), [(CHOICES, _KEY, None if most is None else b"%d" % most)]))


def check_quota(transaction: ReadTransaction, recorded: Sequence[str], tombstoned: int) -> None:
    """QuotaReached if a checkpoint that records these and takes so many out of use would pass it.

    Called under the write lock, with what is there before; and before the first of several checkpoints, with all that
    they record, so that none is written in vain. What adds nothing is never refused.
    """
    most = quota_of(transaction)
    if most is None or not recorded:
        return
    new = sum(row is None or row.kind is not Kind.PUT for row in find_names(transaction, recorded))
    if new <= tombstoned:
        return
    there = sum(count.live for count in counts_by_type(bare(transaction)).values())
    if there + new - tombstoned > most:
        has = f", and has {there:,}" if hidden_in(transaction) is None else ", and they are used up"
        raise QuotaReached(f"this store may have {most:,} ", ATOMS, has)
