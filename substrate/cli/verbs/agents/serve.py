"""The verbs that serve a store to agents."""

from __future__ import annotations

import re
import signal
import sys
from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from substrate.cli.answer import Answer, Raw, Table
from substrate.cli.exits import Exit
from substrate.cli.output import Output
from substrate.cli.stores import store_path
from substrate.commands.command import Command, Example, Face, flag, option
from substrate.commands.files import is_text
from substrate.commands.readers import number, seconds
from substrate.errors import InputError
from substrate.extras import require
from substrate.files import resolved
from substrate.server.client_config import (
    CLIENTS,
    PLACEHOLDER,
    config_for_http,
    config_for_stdio,
    launch_words,
    server_name,
    takes_dots,
)
from substrate.server.launch import DEFAULT_SCOPES, DEFAULT_WAIT_S, HTTP_PORT, SCOPES, Launch, http_url, read_scopes
from substrate.server.logs import LOG_FORMATS
from substrate.settings import environment_for_others, load_settings
from substrate.surfaces import DEFAULT_SURFACES, SURFACES
from substrate.text.quote import as_command

if TYPE_CHECKING:
    from mcp.server.auth.provider import TokenVerifier

    from substrate.server.http.tokens import BearerToken

__all__ = ["LIST_SURFACES", "MCP", "MCP_CONFIG", "mcp", "mcp_config", "surfaces"]

_MOST_PORT = 65535
_MOST_WAIT_S = 60


def _port(text: str) -> int:
    """A port; 0 is any free one."""
    port = number(text)
    if port > _MOST_PORT:
        raise InputError(f"a port is at most {_MOST_PORT}")
    return port


def _wait(text: str) -> float:
    """How long to wait; 0: not at all."""
    waited = 0.0 if text == "0" else seconds(text)
    if waited > _MOST_WAIT_S:
        raise InputError(f"a call waits at most {_MOST_WAIT_S} seconds: clients give up by then")
    return waited


def _host(text: str) -> str:
    """The name of a proxy in front, with its port if that is not the usual one."""
    if not re.fullmatch(r"[A-Za-z0-9.-]{1,253}(:[0-9]{1,5})?", text):
        raise InputError("a host is a name such as memory.example.org, with :PORT if it is not the usual one")
    return text.lower()


def _url(text: str) -> str:
    """The address of an identity provider, as its tokens say it."""
    if not re.fullmatch(r"https?://[^\s/]+[^\s]*", text):
        raise InputError("an issuer is an address such as https://login.example.org")
    return text


def _names(text: str) -> tuple[str, ...]:
    """Names with commas between them."""
    names = tuple(dict.fromkeys(word.strip() for word in text.split(",") if word.strip()))
    if not names:
        raise InputError("give names of tools, with commas between them")
    return names


_LAUNCH = (
    option(
        "--surface",
        metavar="NAME",
        repeatable=True,
        choices=tuple(SURFACES),
        help=f"which tools: {', '.join(SURFACES)} (default {' and '.join(DEFAULT_SURFACES)}); may be repeated",
    ),
    option("--only", metavar="TOOL,...", read=_names, default=(), help="only these tools, by their names"),
    option(
        "--scopes",
        metavar="LIST",
        read=read_scopes,
        default=DEFAULT_SCOPES,
        help=f"the permissions of tools, some of {','.join(SCOPES)} (default read,write,train)",
    ),
    flag("--read-only", help="open the store for reading and write nothing"),
    option("--vault", metavar="FOLDER", complete="folder", help="the folder of the vault for promoted notes"),
    flag("--underscores", help="list tool names with _ instead of dots, for clients that reject dots"),
    option(
        "--wait",
        metavar="SECONDS",
        read=_wait,
        default=DEFAULT_WAIT_S,
        help=f"how long a search or a bootstrap waits until the model is loaded (default {DEFAULT_WAIT_S:g})",
    ),
    option(
        "--project",
        metavar="NAME",
        default="",
        help="of tools that have one: the project, if a call says none",
        complete="folder",
    ),
    option(
        "--root",
        metavar="FOLDER",
        repeatable=True,
        help="tools may read files below this folder; may be repeated (default: no files)",
        complete="folder",
    ),
)
"""What decides about a server: of one that is started, and of a client's configuration that starts one."""


def _launch(given: Namespace) -> Launch:
    """What a server is started with."""
    names = tuple(dict.fromkeys(given.surface or DEFAULT_SURFACES))
    return Launch(
        store_path(given).resolve(),
        names,
        given.scopes,
        given.read_only,
        given.only,
        given.underscores,
        given.wait,
        project=given.project,
        roots=tuple(Path(root).resolve() for root in given.root or ()),
        vault=None if given.vault is None else resolved(given.vault),
    )


def _check_sdk() -> None:
    """InputError without the SDK, which the tools are made with."""
    require("mcp", "a server for agents", "mcp")


def mcp(given: Namespace, output: Output) -> Answer:
    """Serve the store until the client goes away."""
    _check_sdk()
    launch = _launch(given)
    output.tell_warnings(from_now_on=True)
    if given.http:
        return _over_http(given, launch, output)
    if given.port is not None or given.new_token or given.insecure_no_token or given.log_format != "text":
        raise InputError("--port, --new-token, --insecure-no-token and --log-format need --http: add it")
    if given.tenants is not None or given.public_host or given.issuer or given.issuer_keys:
        raise InputError("--tenants, --public-host and --issuer need --http: add it")
    return _over_stdio(launch)


def _over_stdio(launch: Launch) -> Answer:
    from substrate.server.wire import claim  # noqa: PLC0415 - only this verb serves

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


def _over_http(given: Namespace, launch: Launch, output: Output) -> Answer:
    if given.new_token and given.insecure_no_token:
        raise InputError("--new-token makes a token and --insecure-no-token needs none: give one of them")
    from substrate.server.clients import Clients  # noqa: PLC0415 - only this verb serves
    from substrate.server.http.serve import listen, serve_http  # noqa: PLC0415
    from substrate.server.selection import select  # noqa: PLC0415

    select(launch)  # what cannot be served makes no token
    if given.tenants is not None:
        return _for_tenants(given, launch, output)
    if given.public_host or given.issuer or given.issuer_keys:
        raise InputError("--public-host and --issuer belong to --tenants: one store is served to this machine alone")
    with listen(HTTP_PORT if given.port is None else given.port) as listening, Clients(launch) as clients:
        token = _token(given, launch, output)
        told = serve_http(clients, listening, token, output.announce, log_format=given.log_format)
    return Answer({}, (), exit=Exit.INTERRUPTED if told == signal.SIGINT else Exit.OK)


def _for_tenants(given: Namespace, launch: Launch, output: Output) -> Answer:
    if given.new_token or given.insecure_no_token:
        raise InputError("tenants have tokens of their own: make one by `substrate token add TENANT --tenants DIR`")
    from substrate.server.http.serve import listen, resource_of, serve_http  # noqa: PLC0415 - only this verb serves
    from substrate.server.http.tenant_tokens import TokenBook  # noqa: PLC0415
    from substrate.server.http.tenants import Tenants  # noqa: PLC0415

    if launch.roots:
        raise InputError("--root cannot be used with --tenants: all tenants would read the same files")
    root, hosts = Path(given.tenants).absolute(), tuple(given.public_host or ())
    if not root.is_dir():
        raise InputError(f"there is no folder {root}: `substrate token add TENANT --tenants DIR` makes it")
    if (given.issuer is None) != (given.issuer_keys is None):
        raise InputError("--issuer and --issuer-keys belong together: who signs tokens, and by which keys")
    with listen(HTTP_PORT if given.port is None else given.port) as listening, Tenants(root, launch) as tenants:
        book = TokenBook(root)
        book.check()
        verifier: TokenVerifier = book
        if given.issuer is not None:
            from substrate.server.http.issuer import EitherToken, Issuer, keys_from  # noqa: PLC0415

            audience = resource_of(listening.getsockname()[1], hosts)
            verifier = EitherToken(book, Issuer(given.issuer, audience, keys_from(given.issuer_keys)))
        told = serve_http(
            tenants,
            listening,
            verifier,
            output.announce,
            public_hosts=hosts,
            issuer=given.issuer or "",
            log_format=given.log_format,
        )
    return Answer({}, (), exit=Exit.INTERRUPTED if told == signal.SIGINT else Exit.OK)


def _token(given: Namespace, launch: Launch, output: Output) -> BearerToken | None:
    """The token to ask for, made if there is none yet. What is told about it is told whatever --quiet says."""
    from substrate.server.http.tokens import BearerToken  # noqa: PLC0415

    if given.insecure_no_token:
        scopes = ", ".join(scope for scope in SCOPES if scope in launch.granted)
        output.announce(
            f"no token is asked for: every program of every user of this machine can call these tools ({scopes})"
        )
        return None
    token = BearerToken(load_settings().home, launch.store)
    if given.new_token or not token.is_made():
        output.announce(f"the token of this store, which is shown this once and kept nowhere: {token.make()}")
        output.announce(
            "give it to clients as the header `Authorization: Bearer TOKEN`; `substrate mcp-config --http` prints "
            "where. If it is lost, --new-token makes another one"
        )
    else:
        output.announce(
            "clients need the token that was shown at the first start; if it is lost, --new-token makes another one"
        )
    return token


_HTTP = (
    flag("--http", help="serve over HTTP, for clients on this machine"),
    option("--port", metavar="N", read=_port, help=f"the port on 127.0.0.1 (default {HTTP_PORT}; 0: any free one)"),
)
"""Where a server is found; of one that is started, and of a client's configuration."""

MCP = Command(
    "mcp",
    "serve",
    "Serve the store to an agent over the Model Context Protocol (MCP).",
    "A client (Claude Desktop, Claude Code, Cursor, VS Code and others) starts this command and talks to it over "
    "standard input and output. `substrate mcp-config` prints the settings for the client. The options of this "
    "command decide what tools may do: no argument of a tool and no stored text can add to it. Several servers, "
    "notebooks and scripts can use the same store at once. If the store does not exist, the first call creates "
    "it, unless --read-only is given. With --http it listens on 127.0.0.1 only and prints its address on "
    "standard error. The first start with --http shows a token once; clients need it from then on. With "
    "--tenants it serves a store for each tenant, with tokens of `substrate token`. --public-host allows a TLS "
    "proxy in front. Ctrl-C or SIGTERM ends it.",
    (
        Example("substrate mcp < /dev/null", "serves until its client closes standard input; here, at once"),
        Example("substrate mcp --scopes read --read-only < /dev/null", "an agent that may read and change nothing"),
        Example("substrate mcp --only memory_search,memory_access < /dev/null", "two tools of the twelve"),
    ),
    (
        *_LAUNCH,
        *_HTTP,
        flag("--new-token", help="make a new token for clients over HTTP; the old one is void at once"),
        flag("--insecure-no-token", help="require no token: every program on this machine may call; for tests"),
        option("--tenants", metavar="DIR", complete="folder", help="serve a store for each tenant of this folder"),
        option(
            "--public-host",
            metavar="NAME",
            repeatable=True,
            read=_host,
            help="the public host name of a proxy in front; may be repeated",
        ),
        option("--issuer", metavar="URL", read=_url, help="also take tokens (JWT) that this identity provider signs"),
        option("--issuer-keys", metavar="FILE|URL", complete="file", help="the public keys of the issuer, a JWK set"),
        option(
            "--log-format",
            metavar="FORMAT",
            default="text",
            choices=LOG_FORMATS,
            help="text (default): warnings; json: one object a line, calls too",
        ),
    ),
    only=Face.CLI,
    as_agent=False,
)


def _server(text: str) -> str:
    """What a client calls a server: clients make names of tools of it, and take letters, digits, _ and - for that."""
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,60}", text):
        raise InputError("the name of a server has letters, digits, _ and -, 60 at most")
    return text


def mcp_config(given: Namespace, _: Output) -> Answer:
    """Print what a client needs."""
    _check_sdk()
    from substrate.server.compose import listed_bytes, listing  # noqa: PLC0415 - loads the SDK

    launch = _launch(given)
    tools = listing(launch)
    if not takes_dots(given.client) and any("." in tool.name for tool in tools):
        launch = replace(launch, underscores=True)
        tools = listing(launch)
    name = given.name or server_name(launch)
    told = f"{len(tools)} tools, {listed_bytes(tools):,} bytes in every conversation: "
    if given.http:
        if given.port == 0:
            raise InputError("a client must know the port: give the port that the server printed")
        port = HTTP_PORT if given.port is None else given.port
        config = config_for_http(given.client, http_url(port), sys.platform, name=name)
        start = (*launch_words(launch), "--http", *([] if port == HTTP_PORT else ["--port", str(port)]))
        hints = [f"to start the server: {as_command('substrate', *start)}"]
        if PLACEHOLDER in config.text:
            hints.append(f"{PLACEHOLDER} stands for the token that the server prints at its first start")
    else:
        if given.port is not None:
            raise InputError("--port needs --http: add it")
        config = config_for_stdio(
            given.client, launch, sys.executable, environment_for_others(), sys.platform, name=name
        )
        hints = []
    if not is_text(config.text):
        raise InputError("the path of Python, of the store or of SUBSTRATE_HOME is not UTF-8 text: clients need that")
    hints.append(told + ", ".join(tool.name for tool in tools))
    return Answer(config.to_dict(), (Raw(config.text),), (f"where it belongs: {config.place}", *hints))


MCP_CONFIG = Command(
    "mcp-config",
    "serve",
    "Print the settings that a client needs to use this store.",
    "For Claude Code and Codex this is a command; for other clients it is JSON for a settings file. `json` suits "
    "any client that reads mcpServers. Standard error tells where the settings belong. Clients start servers in "
    "another folder and environment. So paths are absolute, and variables such as SUBSTRATE_HOME are included. "
    "With --http the settings are for a server that already runs; Claude Desktop cannot use that. The server is "
    "called `substrate`, or `substrate-NAME` for other surfaces, so that two servers do not collide. Standard "
    "error lists its tools and their size in every conversation. ",
    (
        Example("substrate mcp-config --client claude-desktop", "JSON for claude_desktop_config.json"),
        Example("substrate mcp-config --client claude-code --scopes read,write", "a command that you run"),
        Example("substrate mcp-config --client cursor --surface keeping", "a server `substrate-keeping`"),
        Example("substrate mcp-config --client vscode --http", "for a server that `substrate mcp --http` has started"),
    ),
    (
        option("--client", metavar="NAME", default="", choices=CLIENTS, help=f"one of {', '.join(CLIENTS)}"),
        option(
            "--name", metavar="NAME", read=_server, help="the name of the server in the client (default: see above)"
        ),
        *_LAUNCH,
        *_HTTP,
    ),
    only=Face.CLI,
    as_agent=False,
)


def surfaces(_given: Namespace, _: Output) -> Answer:
    """Print which surfaces there are."""
    _check_sdk()
    from substrate.server.compose import listed_bytes, listing  # noqa: PLC0415 - loads the SDK
    from substrate.surfaces import load_surface  # noqa: PLC0415

    found, rows = [], []
    for name in SURFACES:
        surface = load_surface(name)
        listed = listing(Launch(Path("store"), (name,), frozenset(SCOPES)))
        tools, size = [tool.name for tool in listed], listed_bytes(listed)
        needed = {scope for tool in surface.tools for scope in tool.scopes}
        scopes = [scope for scope in SCOPES if scope in needed]
        default = name in DEFAULT_SURFACES
        said = {"name": name, "for": surface.purpose, "default": default, "scopes": scopes, "bytes": size}
        found.append(said | {"tools": tools})
        rows.append((name, f"{size:,}", ",".join(scopes), surface.purpose, ", ".join(tools)))
    columns = ("surface", "bytes", "scopes", "for", "tools")
    hints = ("to serve one: substrate mcp-config --client NAME --surface SURFACE",)
    return Answer({"surfaces": found}, (Table(columns, rows),), hints)


LIST_SURFACES = Command(
    "surfaces",
    "serve",
    "List the sets of tools that a server can offer.",
    "Each line shows the size of the list of tools (about one token for four bytes), the scopes, the purpose and "
    "the tool names. One server can serve several surfaces if no tool name is in two of them. Otherwise start "
    "two servers on one store.",
    (Example("substrate surfaces", "one line for each surface"), Example("substrate surfaces --json", "for a program")),
    only=Face.CLI,
    as_agent=False,
)
