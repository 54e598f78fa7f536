"""The verbs about the store itself: open, status."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from substrate.notebook.desk import Desk
from substrate.notebook.verb import argument, verb

if TYPE_CHECKING:
    from substrate.engine.memory import Memory
    from substrate.notebook.status import Status

__all__ = ["open_store", "status"]


@verb("open", "store", "memory = %memory open analysis-memory")
@argument("path", nargs="?", metavar="PATH", complete="folder", help="the store's folder (default: the one in use)")
@argument("--read-only", action="store_true", help="write nothing, not even what is accessed; needs no key")
@argument("--actor", metavar="TEXT", help="who works here (default: MemoryMagics.actor, else your login name)")
def open_store(desk: Desk, given: Namespace, _: str | None) -> Memory:
    """Open a store, and remember it for this working folder.

    It is made if there is none. The next kernel that starts in this folder uses it without being told. Stores that were
    opened before stay open. The result is the `Memory` with all its methods.
    """
    memory = desk.stores.open(given.path, read_only=given.read_only, actor=given.actor)
    for word in desk.stores.news():
        desk.say(word)
    return memory


@verb("status", "store", "%memory status")
def status(desk: Desk, _: Namespace, __: str | None) -> Status:
    """Show which store is in use, who works in it, and how much it holds."""
    from substrate.notebook.status import status_of  # noqa: PLC0415 - loads the values of the engine

    return status_of(desk.memory(), desk.stores)
