"""The verbs that tend the graph of entities: tend, tending, prune."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from substrate.commands.verbs.garden import PRUNE, TEND, TENDING
from substrate.notebook.verb import verb
from substrate.notebook.workspace import Workspace

if TYPE_CHECKING:
    from substrate.values.review.garden import Pruned, Tended, Tending
    from substrate.values.saved import Undone

__all__ = ["prune", "tend", "tending"]


@verb(TEND)
def tend(workspace: Workspace, given: Namespace, _: str | None) -> Tended | Undone:
    """Tend a domain, or take a run back."""
    return workspace.memory().tend(given.domain, undo=given.undo, dry_run=given.dry_run)


@verb(TENDING)
def tending(workspace: Workspace, given: Namespace, _: str | None) -> Tending:
    """The runs."""
    return workspace.memory().tending(given.domain, limit=given.limit)


@verb(PRUNE)
def prune(workspace: Workspace, given: Namespace, _: str | None) -> Pruned:
    """Edges that look spurious."""
    return workspace.memory().prune(given.domain, threshold=given.threshold, dry_run=not given.yes)
