"""The verb prune: edges between entities that look spurious; told, or taken back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from substrate.atoms.bodies import bodies_of
from substrate.atoms.links import is_hidden_name
from substrate.atoms.moments import snapshot_of
from substrate.errors import InputError
from substrate.garden.graph import EntityGraph, read_graph
from substrate.garden.lease import lease
from substrate.garden.links import Verdict, judge_links
from substrate.garden.orphans import GARDENER
from substrate.kv.api import ReadTransaction
from substrate.log.heads import require_head
from substrate.log.identity import id_text
from substrate.log.log import Log
from substrate.messages import Arg
from substrate.proof.encoding import Json
from substrate.save.batch import Batch
from substrate.save.checkpoint import checkpoint
from substrate.schema import is_share
from substrate.values.actors import surface_of
from substrate.values.review.garden import Pruned, Suspect
from substrate.views.edges import Link
from substrate.views.traces import confirmation_of

__all__ = ["Asked", "prune"]


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked for. `surface`: the one that asks: then only its own edges, and a gardener's, are taken back."""

    domain: str
    """The name of its atom."""
    threshold: float
    dry_run: bool
    surface: str | None


def prune(log: Log, asked: Asked, said: Mapping[str, object]) -> Pruned:
    """See `Memory.prune`."""
    domain, threshold, dry_run, surface = asked.domain, asked.threshold, asked.dry_run, asked.surface
    if not is_share(threshold):
        raise InputError(Arg("threshold"), " is a number from 0 to 1: how spurious an edge must look")
    with log.snapshot() as transaction:
        head = require_head(transaction)
        graph = read_graph(snapshot_of(transaction, log.clock, None, None), domain)
        links = graph.links
        bodies = bodies_of(transaction, [link.seq for link in links])
        stated = {
            link.edge: body.members for link, body in zip(links, bodies, strict=True) if body and body.damage is None
        }
        judged = judge_links(graph, stated, float(threshold))
        shown = [_suspect(graph, one) for one in judged.suggested]
        own = {
            id_text(one.link.edge)
            for one in judged.suggested
            if _may_take(transaction, one.link, stated.get(one.link.edge, {}), surface)
        }
    told = Pruned(
        tuple(shown), domain, judged.method, judged.auc, len(judged.verdicts), judged.left_out, dry_run=dry_run
    )
    if dry_run or not own:
        return told
    with lease(log.cache):
        saved = checkpoint(log, Batch(unedges=tuple(own)), expect=head, said=said)
    taken = tuple(replace(one, removed=one.id in own) for one in shown)
    return replace(told, items=taken, seqs=saved.seqs)


def _may_take(transaction: ReadTransaction, link: Link, said: Mapping[str, Json], surface: str | None) -> bool:
    """Whether an edge is this surface's, or a gardener's that nobody has stated since; all are a person's (None).

    Never if whoever asks may not see its evidence.
    """
    actor = said.get("actor")
    if is_hidden_name(transaction, said.get("cited")):
        return False
    if surface is None:
        return True
    if actor == GARDENER:
        return confirmation_of(transaction, link.edge, link.seq) is None
    return isinstance(actor, str) and surface_of(actor) == surface


def _suspect(graph: EntityGraph, one: Verdict) -> Suspect:
    link = one.link
    source, target = (str(graph.entities[end][0].name) for end in (link.source, link.target))
    ids = id_text(link.source), id_text(link.target)
    return Suspect(source, link.type, target, id_text(link.edge), one.score, *ids)
