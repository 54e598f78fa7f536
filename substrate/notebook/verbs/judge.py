"""The verbs that judge: conflicts, resolve, pending."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from substrate.commands import calls
from substrate.commands.verbs.judge import CONFLICTS, PENDING, RESOLVE
from substrate.notebook.verb import verb
from substrate.notebook.workspace import Workspace

if TYPE_CHECKING:
    from substrate.values.conflicts import Conflicts
    from substrate.values.review.pending import Accepted, Declined, Proposals
    from substrate.values.saved import Saved

__all__ = ["conflicts", "pending", "resolve"]


@verb(CONFLICTS)
def conflicts(workspace: Workspace, given: Namespace, _: str | None) -> Conflicts:
    """Pairs of atoms that contradict each other."""
    return workspace.memory().conflicts(given.name, limit=given.limit, offset=given.offset, ingested=given.ingested)


@verb(RESOLVE)
def resolve(workspace: Workspace, given: Namespace, _: str | None) -> Saved:
    """Settle a conflict."""
    return calls.resolve(workspace.memory(), given)


@verb(PENDING)
def pending(workspace: Workspace, given: Namespace, _: str | None) -> Proposals | Accepted | Declined:
    """What waits for a person."""
    calls.check_pending(given)
    memory = workspace.memory()
    if given.accept is not None:
        return calls.accept(memory, given)
    if given.decline is not None:
        return memory.decline(given.decline, actor=given.actor)
    return memory.proposals(limit=given.limit)
