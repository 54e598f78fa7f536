"""The verb that serves a store to agents."""

from __future__ import annotations

import sys
from argparse import Namespace

from substrate.cli.answer import Answer
from substrate.cli.output import Output
from substrate.cli.stores import store_path
from substrate.cli.verb import Example, Verb, flag, option
from substrate.errors import NotFound
from substrate.server.launch import DEFAULT_SCOPES, SCOPES, Launch, read_scopes
from substrate.surfaces import DEFAULT_SURFACE, SURFACES

__all__ = ["LAUNCH_OPTIONS", "MCP", "launch_of"]

LAUNCH_OPTIONS = (
    option(
        "--surface",
        metavar="NAME",
        repeatable=True,
        choices=SURFACES,
        help=f"which tools: {', '.join(SURFACES)} (default {DEFAULT_SURFACE}); may be given more than once",
    ),
    option(
        "--scopes",
        metavar="LIST",
        parse=read_scopes,
        default=DEFAULT_SCOPES,
        help=f"what tools may do, some of {','.join(SCOPES)} (default read,write,train)",
    ),
    flag("--read-only", help="open the store for reading: nothing at all is written"),
)
"""What decides about a server: of one that is started, and of a client's configuration that starts one."""


def launch_of(given: Namespace) -> Launch:
    """What a server is started with."""
    surfaces = tuple(dict.fromkeys(given.surface or (DEFAULT_SURFACE,)))
    return Launch(store_path(given).resolve(), surfaces, given.scopes, given.read_only)


def _mcp(given: Namespace, _: Output) -> Answer:
    from substrate.server.wire import claim  # noqa: PLC0415 - only this verb serves

    launch = launch_of(given)
    if launch.read_only and not launch.store.is_dir():
        raise NotFound(f"there is no store in {launch.store}, and --read-only makes none")
    if sys.stdin.isatty():
        sys.stderr.write(
            "This is what an MCP client starts, and speaks to by JSON; see substrate mcp-config. Ctrl-D ends.\n"
        )
    wire = claim()  # before the SDK and all that it brings is loaded: none of it can print into the wire
    from substrate.server.clients import Clients  # noqa: PLC0415
    from substrate.server.stdio import serve_stdio  # noqa: PLC0415

    with Clients(launch) as clients:
        serve_stdio(clients, wire)
    return Answer({}, ())


MCP = Verb(
    "mcp",
    "serve",
    "Serve the store to an agent, by the Model Context Protocol.",
    "A client such as Claude Desktop, Claude Code, Cursor or VS Code starts this and speaks to it over standard "
    "input and output; `substrate mcp-config` prints what the client needs for that. What tools may do is said here "
    "and nowhere else: no argument of a tool and no stored text adds to it. Several servers, notebooks and scripts "
    "can have the same store open at once. A store that is not there is made with the first call, unless "
    "--read-only.",
    (
        Example("substrate mcp < /dev/null", "serves until its client closes standard input; here, at once"),
        Example("substrate mcp --scopes read --read-only < /dev/null", "an agent that may look, and change nothing"),
    ),
    LAUNCH_OPTIONS,
    _mcp,
)
