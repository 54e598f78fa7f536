"""The verbs that read: access, list, edges, history, diff."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from substrate.commands import calls
from substrate.commands.verbs.read import ACCESS, DIFF, EDGES, HISTORY, LIST
from substrate.notebook.verb import verb
from substrate.notebook.workspace import Workspace

if TYPE_CHECKING:
    from substrate.values.atoms import Access, History, Listing
    from substrate.values.edges import Edges
    from substrate.values.growth import Diff

__all__ = ["access", "diff", "edges", "history", "list_atoms"]


@verb(ACCESS)
def access(workspace: Workspace, given: Namespace, _: str | None) -> Access:
    """One atom."""
    return workspace.memory().access(
        given.name,
        as_of=given.as_of,
        valid_at=given.valid_at,
        proof=given.proof,
        predictions=given.predictions,
    )


@verb(LIST)
def list_atoms(workspace: Workspace, given: Namespace, _: str | None) -> Listing:
    """Atoms by name."""
    return workspace.memory().list(
        given.prefix,
        limit=given.limit,
        offset=given.offset,
        after=given.after,
        type=given.type or None,
        tags=given.tag or (),
        domain=given.domain or None,
        tombstoned=given.tombstoned,
        superseded=given.superseded,
        as_of=given.as_of,
        valid_at=given.valid_at,
        count=True,
    )


@verb(EDGES)
def edges(workspace: Workspace, given: Namespace, _: str | None) -> Edges:
    """The edges of an atom."""
    return calls.edges(workspace.memory(), given)


@verb(HISTORY)
def history(workspace: Workspace, given: Namespace, _: str | None) -> History:
    """Every version of an atom."""
    return workspace.memory().history(given.name, as_of=given.as_of, valid_at=given.valid_at, limit=given.limit)


@verb(DIFF)
def diff(workspace: Workspace, given: Namespace, _: str | None) -> Diff:
    """What changed between two moments."""
    return workspace.memory().diff(
        given.start, given.stop, prefix=given.prefix, valid_at=given.valid_at, limit=given.limit
    )
