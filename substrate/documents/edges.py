"""The edges that the links of a document come to, beside those that are stated.

An ingest states them, with the origin `ingested`, and takes back only what an ingest stated. An edge that a person took
back stays so; what a person stated stays. An undo of an ingest takes its edges back as an ingest does.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Final, NamedTuple

from substrate.atoms.bodies import body_of
from substrate.atoms.edge_kinds import edge_kinds, links_named
from substrate.atoms.resolve import find_subject
from substrate.documents.slots import INGESTED
from substrate.errors import InputError
from substrate.kv.api import ReadTransaction
from substrate.log.identity import id_text
from substrate.proof.entry import Kind
from substrate.views.edges import Link, find_link, has_links

__all__ = ["LINKS_TO", "EdgeChanges", "plan_edges"]

LINKS_TO: Final = "links_to"
"""The type of an edge from a document to one that it links to."""
_TAKEN_BACK: Final = 1000
"""Edges of a document that one ingest takes back."""


class EdgeChanges(NamedTuple):
    """Edges to state, and ids of those to take back."""

    stated: tuple[Mapping[str, object], ...] = ()
    taken_back: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.stated or self.taken_back)


def plan_edges(transaction: ReadTransaction, name: str, subject: bytes, targets: Collection[str]) -> EdgeChanges:
    """What makes the edges of a document lead to the documents of these names. `subject`: its id.

    None are stated if the store's own table of edge types does not allow them.
    """
    inverse = edge_kinds(transaction).inverse(LINKS_TO)
    wanted: Iterable[str] = targets
    gone: list[str] = []
    if has_links(transaction, subject, LINKS_TO, out=True) or (
        inverse is not None and has_links(transaction, subject, inverse, out=False)
    ):
        there: dict[bytes, Link] = {}
        for link in links_named(transaction, subject, LINKS_TO, out=True):
            there[link.target if link.source == subject else link.source] = link
        ends = {target: find_subject(transaction, target) for target in targets}
        wanted = [
            target
            for target, end in ends.items()
            if there.pop(end, None) is None and _may_state(transaction, subject, end)
        ]
        gone = [id_text(link.edge) for link in there.values() if _is_ingested(transaction, link)]
    stated = [{"source": name, "type": LINKS_TO, "target": target} for target in wanted]
    if stated and not _is_allowed(transaction):
        stated = []
    return EdgeChanges(tuple(stated), tuple(gone[:_TAKEN_BACK]))


def _may_state(transaction: ReadTransaction, source: bytes, target: bytes) -> bool:
    """Whether nobody took the edge back but an ingest."""
    before = find_link(transaction, source, LINKS_TO, target)
    return before is None or before.kind is not Kind.UNEDGE or _is_ingested(transaction, before)


def _is_ingested(transaction: ReadTransaction, link: Link) -> bool:
    body = body_of(transaction, link.seq)
    return body is not None and body.members.get("origin") == INGESTED


def _is_allowed(transaction: ReadTransaction) -> bool:
    """Whether the table of edge types of this store lets documents link to documents."""
    try:
        edge_kinds(transaction).check(LINKS_TO, "document", "document")
    except InputError:
        return False
    return True
