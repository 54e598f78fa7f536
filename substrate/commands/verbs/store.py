"""Which store: open, status."""

from __future__ import annotations

from substrate.commands.command import Command, Example, Face, argument, flag, option

__all__ = ["OPEN", "STATUS"]

OPEN = Command(
    "open",
    "store",
    "Open a store, and remember it for this working folder.",
    "It is made if there is none. The next kernel that starts in this folder uses it without being told. Stores that "
    "were opened before stay open. The result is the `Memory` with all its methods.",
    (Example("memory = %memory open analysis-memory"),),
    (
        argument("path", "the store's folder (default: the one in use)", nargs="?", complete="folder"),
        flag("--read-only", help="write nothing, not even what is accessed; needs no key"),
        option("--actor", metavar="TEXT", help="who works here (default: MemoryMagics.actor, else your login name)"),
    ),
    only=Face.NOTEBOOK,
)

STATUS = Command(
    "status",
    "store",
    "Show which store is in use, who works in it, and how much it holds.",
    "",
    (Example("%memory status"),),
    only=Face.NOTEBOOK,
)
