"""A server in which everything prints: modules when they are loaded, a verb when it is called, and its children.

    python -m tests.hostile.noisy mcp --store PATH ...

With NOISY=unclaimed it is the twin that does not take the descriptors for itself, as a server without our wire would.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.abc import MetaPathFinder
from typing import Any

from substrate.cli import main
from substrate.memory import Memory
from substrate.server import wire

STRAY = "stray words"


def shout() -> None:
    """Print in every way there is."""
    print(STRAY, flush=True)
    sys.stdout.write(f"{STRAY}\n")
    assert sys.__stdout__ is not None
    sys.__stdout__.write(f"{STRAY}\n")
    sys.__stdout__.flush()
    os.write(1, f"{STRAY} without an end".encode())
    subprocess.run([sys.executable, "-S", "-E", "-c", f"print({STRAY!r})"], check=True)


class Loud(MetaPathFinder):
    """Prints whenever a module of the server's is looked for; it finds none itself."""

    def find_spec(self, name: str, *_: object) -> None:
        if name.startswith(("mcp.server", "substrate.server.st")):
            print(STRAY, name, flush=True)


def unclaimed() -> wire.Wire:
    """The twin: the wire stays what everyone writes to."""
    return wire.Wire(os.fdopen(os.dup(0), "rb", buffering=0), os.fdopen(os.dup(1), "wb", buffering=0))


def serve() -> int:
    look, claim = Memory.list, wire.claim

    def loud_list(self: Memory, *arguments: Any, **options: Any) -> Any:
        shout()
        return look(self, *arguments, **options)

    def loud_claim() -> wire.Wire:
        taken = unclaimed() if os.environ.get("NOISY") == "unclaimed" else claim()
        sys.meta_path.insert(0, Loud())  # from here on: what is loaded before may print, and must not
        return taken

    Memory.list = loud_list  # type: ignore[method-assign]
    wire.claim = loud_claim
    return main()


if __name__ == "__main__":
    sys.exit(serve())
