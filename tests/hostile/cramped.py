"""A server with few descriptors.

    CRAMPED=256 python -m tests.hostile.cramped mcp --http ...

With UNGUARDED it is the twin without a rule: `connections` has no limit to them, `log` repeats whatever happens, `wire`
takes in all that is sent.
"""

from __future__ import annotations

import os
import resource
import sys
from asyncio import AbstractEventLoop
from typing import Any

from substrate.cli import main
from substrate.server import logs, wire
from substrate.server.http import connections
from substrate.server.http import serve as http

NO_LIMIT = 10**9


def without(rule: str) -> None:
    """Take a rule away."""
    rules: Any = (connections, http, logs, wire)
    of_connections, of_http, of_logs, of_wire = rules
    if rule == "connections":
        of_connections.most_connections = lambda: NO_LIMIT
        of_http.accepted_at_once = lambda: 2048
        of_http._out_of_descriptors = lambda _: AbstractEventLoop.default_exception_handler
    elif rule == "log":
        of_logs.Sparing.filter = lambda *_: True
    elif rule == "wire":
        of_wire._MOST_OWED = of_wire._MOST_OWED_BYTES = NO_LIMIT


def serve() -> int:
    if "CRAMPED" in os.environ:
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (int(os.environ["CRAMPED"]), hard))
    for rule in os.environ.get("UNGUARDED", "").split():
        without(rule)
    return main()


if __name__ == "__main__":
    sys.exit(serve())
