"""The verb prune: edges between entities that look spurious; told, or taken back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from substrate.atoms.bodies import bodies_of
from substrate.atoms.moments import snapshot_of
from substrate.errors import InputError
from substrate.garden.graph import EntityGraph, read_graph
from substrate.garden.lease import lease
from substrate.garden.links import Verdict, judge_links
from substrate.garden.orphans import GARDENER
from substrate.log.heads import require_head
from substrate.log.identity import id_text
from substrate.log.log import Log
from substrate.messages import Arg
from substrate.save.batch import Batch
from substrate.save.checkpoint import checkpoint
from substrate.schema import is_share
from substrate.values.actors import surface_of
from substrate.values.review.garden import Pruned, Suspect
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
        said_again = {
            one.link.edge
            for one in judged.suggested
            if confirmation_of(transaction, one.link.edge, one.link.seq) is not None
        }
    told = Pruned(
        tuple(shown), domain, judged.method, judged.auc, len(judged.verdicts), judged.left_out, dry_run=dry_run
    )
    own = {
        id_text(one.link.edge)
        for one in judged.suggested
        if surface is None
        or _is_of(stated.get(one.link.edge, {}).get("actor"), surface, is_said_again=one.link.edge in said_again)
    }
    if dry_run or not own:
        return told
    with lease(log.cache):
        saved = checkpoint(log, Batch(unedges=tuple(own)), expect=head, said=said)
    taken = tuple(replace(one, removed=one.id in own) for one in shown)
    return replace(told, items=taken, seqs=saved.seqs)


def _is_of(actor: object, surface: str, *, is_said_again: bool) -> bool:
    """Whether an edge is this surface's, or a gardener's that nobody has stated since."""
    if actor == GARDENER:
        return not is_said_again
    return isinstance(actor, str) and surface_of(actor) == surface


def _suspect(graph: EntityGraph, one: Verdict) -> Suspect:
    link = one.link
    source, target = (str(graph.entities[end][0].name) for end in (link.source, link.target))
    ids = id_text(link.source), id_text(link.target)
    return Suspect(source, link.type, target, id_text(link.edge), one.score, *ids)
