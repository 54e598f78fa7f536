"""A server that is broken on purpose: it says that something is saved before it is. The test must find that out.

    python -m tests.crash.hasty_server mcp --store PATH ...

What it was told to save it saves when the next call comes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any

from substrate.cli import main
from substrate.memory import Memory
from substrate.values.saved import Saved

owed: list[Callable[[], object]] = []


def serve() -> int:
    save = Memory.checkpoint

    def hasty(self: Memory, atoms: Iterable[Any] = (), **options: Any) -> Saved:
        given = list(atoms)
        while owed:
            owed.pop()()
        owed.append(lambda: save(self, given, **options))
        names = tuple(str(atom).partition(" = ")[0] for atom in given)
        return Saved(range(0), self.head(), names)

    Memory.checkpoint = hasty  # type: ignore[method-assign, assignment]
    return main()


if __name__ == "__main__":
    sys.exit(serve())
