"""The verbs of what fades and what stays: touch, fading, due, sweep, promote."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from substrate.commands import calls
from substrate.commands.verbs.fading import DUE, FADING, PROMOTE, SWEEP, TOUCH
from substrate.errors import InputError
from substrate.notebook.verb import verb
from substrate.notebook.workspace import Workspace

if TYPE_CHECKING:
    from substrate.values.review.fading import FadingAtoms, FadingModel, Promoted, Swept, Touched

__all__ = ["due", "fading", "promote", "sweep", "touch"]


@verb(TOUCH)
def touch(workspace: Workspace, given: Namespace, _: str | None) -> Touched:
    """Atoms were used."""
    if not given.names:
        raise InputError("nothing to touch: give names of atoms")
    return workspace.memory().touch(given.names, boost=given.boost)


@verb(FADING)
def fading(workspace: Workspace, given: Namespace, _: str | None) -> FadingAtoms | FadingModel:
    """How far atoms have faded; or how they fade, if that is chosen."""
    if given.model is not None or given.half_life is not None:
        return workspace.memory().use_fading(given.model, given.half_life)
    return calls.fading(workspace.memory(), given)


@verb(DUE)
def due(workspace: Workspace, given: Namespace, _: str | None) -> FadingAtoms:
    """What a review helps most."""
    return workspace.memory().due(limit=given.limit, offset=given.offset)


@verb(SWEEP)
def sweep(workspace: Workspace, given: Namespace, _: str | None) -> Swept:
    """Take faded notes out of use."""
    return workspace.memory().sweep(archive=given.archive, limit=given.limit, dry_run=not given.yes)


@verb(PROMOTE)
def promote(workspace: Workspace, given: Namespace, _: str | None) -> Promoted:
    """Write notes to a vault."""
    return workspace.memory().promote(given.name, vault=given.vault, force=given.force, dry_run=given.dry_run)
