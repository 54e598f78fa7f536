"""Undoing a run: a checkpoint that takes back what the run did, as far as nobody has changed it since.

To forget the run's session would not do: it would not bring back what the run took out of use.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from uuid import UUID

from substrate.atoms.diff import diff
from substrate.atoms.moments import snapshot_of
from substrate.errors import InputError, NotFound
from substrate.garden.lease import lease
from substrate.garden.runs import Run, find_run
from substrate.kv.api import ReadTransaction
from substrate.log.append import Decision
from substrate.log.heads import require_head
from substrate.log.log import Log
from substrate.messages import Arg
from substrate.save.checkpoint import read_batch
from substrate.save.undo import inverse, versions_in, whole
from substrate.values.growth import Change
from substrate.values.saved import Undone
from substrate.views.atoms import latest_version
from substrate.views.edges import statements_of
from substrate.views.traces import confirmation_of

__all__ = ["undo_run"]


def undo_run(log: Log, number: int, *, dry_run: bool, said: Mapping[str, object]) -> Undone:
    """See `Memory.tend`."""
    if isinstance(number, bool) or not isinstance(number, int):
        raise InputError(Arg("undo"), " is the number of a run: give one from the list of runs")
    with lease(log.cache):
        with log.snapshot() as transaction:
            head = require_head(transaction)
            run = _run(transaction, number)
            before = snapshot_of(transaction, log.clock, run.start - 1, None)
            after = snapshot_of(transaction, log.clock, run.stop - 1, None)
            changes = diff(before, after, prefix="", limit=None).items
            versions = versions_in(transaction, range(run.start, run.stop))
            still = whole(transaction, [change for change in changes if _is_last(transaction, change, run)])
        if not still:
            raise NotFound(f"nothing that run {number} did is still as it left it")
        seqs = None
        if not dry_run:
            # It was said before: what looks like a credential in it was let pass then.
            planner, expected = read_batch(
                inverse(still, versions, None), expect=head, said=said, partial=False, allow_secrets=True
            )

            def plan(transaction: ReadTransaction, time: int) -> Decision:
                decided = planner.plan(transaction, time)
                end = require_head(transaction).head.size + len(decided.drafts)
                return Decision(decided.drafts, [*decided.traces, replace(run, undone=end).row()])

            seqs = log.decide(plan, expect=expected).seqs
    return _undone(still, range(run.start, run.stop), seqs, dry_run=dry_run)


def _run(transaction: ReadTransaction, number: int) -> Run:
    run = find_run(transaction, number)
    if run is None:
        raise NotFound(f"there is no run {number}: give one from the list of runs")
    if run.undone:
        raise InputError(f"run {number} was undone already")
    if run.start == run.stop:
        raise NotFound(f"run {number} changed nothing that could be taken back")
    return run


def _is_last(transaction: ReadTransaction, change: Change, run: Run) -> bool:
    """Whether nobody has said anything of it since: who states an edge again that is there has said it, too."""
    subject = UUID(change.id).bytes
    if change.kind.startswith("edge_"):
        link = next(statements_of(transaction, subject), None)
        is_last = link is not None and run.start <= link.seq < run.stop
        return is_last and (link is None or confirmation_of(transaction, subject, link.seq) is None)
    latest = latest_version(transaction, subject)
    return latest is not None and run.start <= latest.seq < run.stop


def _undone(changes: list[Change], undone: range, seqs: range | None, *, dry_run: bool) -> Undone:
    def named(*kinds: str) -> tuple[str, ...]:
        return tuple(change.name or change.id for change in changes if change.kind in kinds)

    return Undone(
        dry_run=dry_run,
        undone=undone,
        revived=named("tombstoned"),
        unedged=named("edge_added", "edge_changed"),
        edges=named("edge_removed"),
        seqs=seqs,
    )
