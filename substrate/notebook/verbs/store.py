"""The verbs about the store itself: open, status."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from substrate.commands.verbs.store import OPEN, STATUS
from substrate.notebook.verb import verb
from substrate.notebook.workspace import Workspace

if TYPE_CHECKING:
    from substrate.memory import Memory
    from substrate.notebook.status import Status

__all__ = ["open_store", "status"]


@verb(OPEN)
def open_store(workspace: Workspace, given: Namespace, _: str | None) -> Memory:
    """Open a store; the memory."""
    memory = workspace.stores.open(given.path, read_only=given.read_only, actor=given.actor)
    workspace.tell_news(memory)
    return memory


@verb(STATUS)
def status(workspace: Workspace, _: Namespace, __: str | None) -> Status:
    """Which store is in use, and how much it holds."""
    from substrate.notebook.status import status_of  # noqa: PLC0415 - loads the values of the engine

    return status_of(workspace.memory(), workspace.stores)
