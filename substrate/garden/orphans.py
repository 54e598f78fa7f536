"""What a gardener takes out of use: entities that stand alone, and its own edges whose evidence is gone."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from substrate.atoms.bodies import body_of
from substrate.atoms.edge_kinds import edge_kinds
from substrate.atoms.links import is_hidden_name
from substrate.entities.lookup import mentions, subjects_at
from substrate.garden.graph import EntityGraph
from substrate.kv.api import ReadTransaction
from substrate.proof.entry import Kind
from substrate.relate.vet import READ
from substrate.relations.grounding import STATED, TOGETHER, ground
from substrate.relations.score import is_typed
from substrate.save.authorship import written_by
from substrate.views.atoms import VersionRow, find_name, latest_version
from substrate.views.cards import card_of
from substrate.views.edges import Link
from substrate.views.traces import confirmation_of

__all__ = ["GARDENER", "is_listed", "lone_entities", "unfounded"]

GARDENER: Final = "tend"
"""The actor of what a gardener records."""


def lone_entities(graph: EntityGraph, mentioned: Collection[bytes], surface: str | None) -> list[VersionRow]:
    """The entities that nothing mentions, no edge joins, and this surface alone has written. None: there is none such.

    `mentioned`: those that chunks of the domain list.
    """
    if surface is None:
        return []
    transaction = graph.snapshot.transaction
    alone = [one for one in graph.entities if one not in mentioned and not card_of(transaction, one).live]
    own = written_by(graph.snapshot, surface, alone)
    return [graph.entities[subject][0] for subject in own if not is_listed(transaction, subject, graph.names[subject])]


def is_listed(transaction: ReadTransaction, subject: bytes, spelt: Sequence[str]) -> bool:
    """Whether another atom in use, of whatever kind, lists one of these names of an entity."""
    seqs = list(dict.fromkeys(mentions(transaction, spelt)))
    for seq, other in zip(seqs, subjects_at(transaction, seqs), strict=True):
        if other != subject:
            latest = latest_version(transaction, other)
            if latest is not None and latest.seq == seq and latest.kind is Kind.PUT:
                return True
    return False


def unfounded(graph: EntityGraph) -> Iterator[Link]:
    """The edges that a gardener stated, if the chunk that they cite is out of use, or does not say it any more."""
    for link in graph.links:
        body = body_of(graph.snapshot.transaction, link.seq)
        members = {} if body is None or body.damage is not None else body.members
        cited = members.get("cited")
        if members.get("actor") != GARDENER or not isinstance(cited, str):
            continue
        if is_hidden_name(graph.snapshot.transaction, cited):
            continue  # who may not see the evidence does not judge it
        if confirmation_of(graph.snapshot.transaction, link.edge, link.seq) is not None:
            continue  # somebody else has said it since
        row = find_name(graph.snapshot.transaction, cited)
        if row is None or row.kind is not Kind.PUT or (row.seq > link.seq and not _still_says(graph, row, link)):
            yield link


def _still_says(graph: EntityGraph, chunk: VersionRow, link: Link) -> bool:
    """Whether a chunk that was changed since says a relation as before."""
    body = body_of(graph.snapshot.transaction, chunk.seq)
    text = "" if body is None else str(body.members.get("value"))[:READ]
    ends = graph.names[link.source], graph.names[link.target]
    found = ground(text, ends[0], link.type, ends[1], edge_kinds(graph.snapshot.transaction).inverse(link.type)).kind
    return found == STATED or (found == TOGETHER and not is_typed(link.type))
