"""The verb tend: relations that texts and sessions suggest are vetted and stated, and what stands alone goes.

1. Candidates are pairs of entities that a sentence of a chunk joins by a cue, or that two sessions have accessed.
2. Each is vetted as any other relation: by what the graph and the cited chunk say. Only what is accepted becomes an
   edge, with the chunk that says it and what decided.
3. What was stated before, or taken back by a person, is not proposed again. So a second run adds nothing.
4. Entities that nothing mentions and no edge joins are tombstoned, if the surface that tends has made them. Edges that
   a gardener stated are taken back, if the chunk that they cite is out of use.
5. All of it is one checkpoint, by the actor `tend` in the session `tend:<run>`, with the numbers of the run in the same
   transaction: there is a run, with all that it did, or there is none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Final

from substrate.atoms.links import is_live
from substrate.atoms.moments import snapshot_of
from substrate.atoms.resolve import find_subject
from substrate.entities.naming import INGESTED
from substrate.errors import Denied
from substrate.garden.candidates import Vetting, vet_candidates
from substrate.garden.graph import EntityGraph, mentions_in, read_graph
from substrate.garden.lease import lease
from substrate.garden.orphans import GARDENER, is_listed, lone_entities, unfounded
from substrate.garden.runs import Counts, Run, next_number
from substrate.garden.sessions import Together, accessed_together
from substrate.kv.api import ReadTransaction
from substrate.limits import LIMITS
from substrate.log.append import Decision
from substrate.log.heads import require_head
from substrate.log.identity import id_text
from substrate.log.log import Log
from substrate.save.batch import Batch
from substrate.save.checkpoint import read_batch
from substrate.search.index import SearchIndex
from substrate.values.progress import Progress
from substrate.values.review.garden import Proposed, Tended
from substrate.values.times import from_microseconds
from substrate.veil import hidden_in
from substrate.views.atoms import VersionRow, latest_version
from substrate.views.cards import card_of
from substrate.views.edges import Link, find_link
from substrate.views.traces import confirmation_of

__all__ = ["SESSION", "tend"]

SESSION: Final = "tend:"
"""What the session of a run begins with; its number follows."""
_MOST: Final = LIMITS["checkpoint_items"] // 4
"""Changes of each kind in one run; what is beyond comes with the next."""
_REASON: Final = "nothing mentions it, and no edge joins it"


@dataclass(frozen=True, slots=True)
class _Plan:
    """What a run comes to, by what one snapshot says. It is good for as long as nobody writes."""

    size: int
    """Of the log."""
    names: Mapping[bytes, tuple[str, ...]]
    together: Together
    vetted: Sequence[Vetting]
    lone: Sequence[VersionRow]
    unfounded: Sequence[Link]

    def counts(self) -> Counts:
        """How many of what."""
        accepted, seen = sum(one.is_accepted for one in self.vetted), self.together
        return Counts(
            candidates_proposed=len(self.vetted),
            relations_accepted=accepted,
            relations_rejected=len(self.vetted) - accepted,
            sessions_considered=seen.sessions,
            sessions_used=seen.sessions_used,
            session_entries_considered=seen.entries,
            session_entries_used=seen.entries_used,
            session_entries_filtered=seen.entries - seen.entries_used,
            nodes_pruned=len(self.lone),
            edges_pruned=len(self.unfounded),
        )

    def batch(self) -> Batch:
        """The same as a checkpoint takes it."""
        return Batch(
            edges=tuple(one.edge() for one in self.vetted if one.is_accepted),
            tombstones=tuple({"name": row.name, "reason": _REASON, "origin": INGESTED} for row in self.lone),
            unedges=tuple(id_text(link.edge) for link in self.unfounded),
        )


def tend(  # noqa: PLR0913
    log: Log,
    index: SearchIndex,
    domain: str,
    *,
    surface: str | None,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Tended:
    """See `Memory.tend`. `domain`: the name of its atom. `surface`: the one that asks for it; None: a person."""
    with nullcontext() if dry_run else lease(log.cache):
        with log.snapshot() as transaction:
            graph = read_graph(snapshot_of(transaction, log.clock, None, None), domain)
            plan = _plan(graph, index, surface, progress)
            proposals = {one.triple: _proposal(graph, one) for one in plan.vetted}
        run = None
        if not dry_run:
            run, plan = _record(log, domain, plan)
    counts = plan.counts() if run is None else run.counts
    return Tended(
        tuple(proposals[one.triple] for one in plan.vetted),
        run=None if run is None else run.number,
        domain=domain,
        dry_run=dry_run,
        seqs=None if run is None or run.start == run.stop else range(run.start, run.stop),
        time=from_microseconds(log.clock.now() if run is None else run.time),
        tombstoned=tuple(str(row.name) for row in plan.lone),
        unedged=tuple(id_text(link.edge) for link in plan.unfounded),
        proposed=counts.candidates_proposed,
        accepted=counts.relations_accepted,
        rejected=counts.relations_rejected,
        sessions=counts.sessions_considered,
        sessions_used=counts.sessions_used,
        entries=counts.session_entries_considered,
        entries_used=counts.session_entries_used,
        entries_filtered=counts.session_entries_filtered,
    )


def _plan(graph: EntityGraph, index: SearchIndex, surface: str | None, progress: Progress | None) -> _Plan:
    transaction = graph.snapshot.transaction
    mentions = list(mentions_in(graph))
    together = accessed_together(transaction, graph.entities)
    vetted, left = vet_candidates(graph, index, mentions, together.pairs, _MOST, progress)
    joined = {end for one in vetted if one.is_accepted for end in (one.source, one.target)}
    mentioned = joined.union(left, *(mention.entities for mention in mentions))
    size = require_head(transaction).head.size
    lone = lone_entities(graph, mentioned, surface)[:_MOST]
    return _Plan(size, graph.names, together, vetted, lone, list(unfounded(graph))[:_MOST])


def _record(log: Log, domain: str, planned: _Plan) -> tuple[Run, _Plan]:
    """Write the run down, with all that it does; what of the plan was left to do."""
    done: list[tuple[Run, _Plan]] = []

    def plan(transaction: ReadTransaction, time: int) -> Decision:
        size = require_head(transaction).head.size
        number = next_number(transaction)
        now = _not_said_again(transaction, planned if size == planned.size else _still(transaction, planned))
        batch, decided = now.batch(), Decision()
        if batch.count():
            said = {"actor": GARDENER, "session": f"{SESSION}{number}"}
            # What an edge says of its ends was said before: what looks like a credential in it was let pass then.
            planner, _ = read_batch(batch, expect=None, said=said, partial=False, allow_secrets=True)
            decided = planner.plan(transaction, time)
        of = find_subject(transaction, domain)
        if (hidden := hidden_in(transaction)) is not None and of in hidden.atoms:
            raise Denied(f"this client may not tend {domain}. Nothing was changed: ask a person to do it")
        run = Run(number, of.hex(), time, size, size + len(decided.drafts), now.counts())
        done[:] = [(run, now)]
        return Decision(decided.drafts, [*decided.traces, run.row()])

    log.decide(plan)
    return done[0]


def _still(transaction: ReadTransaction, plan: _Plan) -> _Plan:
    """What of it holds after others have written: what they have stated, taken back or mentioned since is theirs."""
    vetted = [
        one
        for one in plan.vetted
        if not one.is_accepted
        or (
            find_link(transaction, one.source, one.type, one.target) is None
            and all(is_live(transaction, end, None) for end in (one.source, one.target))
        )
    ]
    lone = [
        row
        for row in plan.lone
        if _seq(transaction, row.subject) == row.seq
        and not card_of(transaction, row.subject).live
        and not is_listed(transaction, row.subject, plan.names[row.subject])
    ]
    links = [link for link in plan.unfounded if find_link(transaction, link.source, link.type, link.target) == link]
    return replace(plan, vetted=vetted, lone=lone, unfounded=links)


def _not_said_again(transaction: ReadTransaction, plan: _Plan) -> _Plan:
    """The same without the edges that somebody has stated again since, which writes no entry."""
    links = [link for link in plan.unfounded if confirmation_of(transaction, link.edge, link.seq) is None]
    return replace(plan, unfounded=links)


def _seq(transaction: ReadTransaction, subject: bytes) -> int | None:
    latest = latest_version(transaction, subject)
    return None if latest is None else latest.seq


def _proposal(graph: EntityGraph, one: Vetting) -> Proposed:
    source, target = (str(graph.entities[end][0].name) for end in (one.source, one.target))
    said = one.vetted
    return Proposed(
        source, one.type, target, said.verdict, said.reason, said.level, said.score, said.cited, one.sessions
    )
