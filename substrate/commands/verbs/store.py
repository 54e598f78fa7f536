"""Which store: open, status."""

from __future__ import annotations

from substrate.commands.command import Command, Example, Face, argument, flag, option

__all__ = ["OPEN", "STATUS"]

OPEN = Command(
    "open",
    "store",
    "Open a store, and remember it for this working folder.",
    "If the store does not exist, open creates it. The next kernel in this folder uses the same store. Other "
    "stores stay open. The result is the `Memory` with all its methods.",
    (Example("memory = %memory open analysis-memory"),),
    (
        argument("path", "the store's folder (default: the one in use)", nargs="?", complete="folder"),
        flag("--read-only", help="write nothing, not even a list of accesses; needs no key"),
        option(
            "--actor",
            metavar="TEXT",
            help="your name, recorded as the author (default: MemoryMagics.actor, else your login name)",
        ),
    ),
    only=Face.NOTEBOOK,
)

STATUS = Command(
    "status",
    "store",
    "Show the open store, your name in it, and its size.",
    "",
    (Example("%memory status"),),
    only=Face.NOTEBOOK,
)
