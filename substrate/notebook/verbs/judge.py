"""The verbs that judge: conflicts, resolve."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from substrate.commands import calls
from substrate.commands.verbs.judge import CONFLICTS, RESOLVE
from substrate.notebook.verb import verb
from substrate.notebook.workspace import Workspace

if TYPE_CHECKING:
    from substrate.values.conflicts import Conflicts
    from substrate.values.saved import Saved

__all__ = ["conflicts", "resolve"]


@verb(CONFLICTS)
def conflicts(workspace: Workspace, given: Namespace, _: str | None) -> Conflicts:
    """Pairs of atoms that contradict each other."""
    return workspace.memory().conflicts(given.name, limit=given.limit, offset=given.offset, ingested=given.ingested)


@verb(RESOLVE)
def resolve(workspace: Workspace, given: Namespace, _: str | None) -> Saved:
    """Settle a conflict."""
    return calls.resolve(workspace.memory(), given)
