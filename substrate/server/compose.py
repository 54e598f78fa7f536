"""Compose a server out of its surfaces, resources, prompts and completion, for one launch.

What it lists follows from the launch alone, so it is the same from the first moment to the last. Tools whose scope was
not given are not listed; who calls one all the same is told what to do instead.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from hashlib import sha256
from typing import Any, Final

from anyio import CapacityLimiter
from mcp.server import MCPServer
from mcp.server.auth.provider import TokenVerifier
from mcp.server.auth.settings import AuthSettings
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver import Context
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS, GetPromptResult, InputRequiredResult
from mcp.types import Tool as ToolListed

from substrate import __version__
from substrate.server.clients import Clients
from substrate.server.completion import completer
from substrate.server.launch import SCOPES, Launch
from substrate.server.resources import add_resources
from substrate.server.tools import ServedTool, serve_tool
from substrate.surfaces import load_surface
from substrate.surfaces.tool import Surface
from substrate.text.quote import as_command

__all__ = ["SubstrateServer", "announcement", "compose"]

_NAME: Final = "substrate"
_LISTING: Final = ("tools/list", "prompts/list", "resources/list", "resources/templates/list")
"""What a client asks before its user has said anything."""
_CALLING: Final = ("tools/call", "resources/read", "completion/complete")
_WRITERS: Final = 8
"""Calls that write at once: they wait for each other, and must not take all threads from those that read."""
_QUIET_S: Final = 2.0
"""A client that has listed what there is and stays so long will call something; one that just looks costs little."""
_MISSING: Final = {
    "read": "It may not read: nothing that is stored can be looked at here.",
    "write": "It may not save: if something should be kept, tell the user.",
    "train": "It may not train, and does not learn from what is read.",
    "forget": "It may not erase: if the user wants something gone for good, they do it in a terminal, with `{forget}`.",
}


class SubstrateServer(MCPServer[Clients]):
    """The SDK's server, which lists only tools that may be called."""

    async def list_tools(self) -> list[ToolListed]:
        """The tools whose scope was given."""
        ungranted = {
            tool.name for tool in self._tool_manager.list_tools() if isinstance(tool, ServedTool) and not tool.granted
        }
        return [tool for tool in await super().list_tools() if tool.name not in ungranted]

    async def get_prompt(
        self, name: str, arguments: dict[str, Any] | None = None, context: Context[Clients, Any] | None = None
    ) -> GetPromptResult | InputRequiredResult:
        """A prompt, filled in. A name that there is not, or an argument that is missing, is the client's to repair."""
        try:
            return await super().get_prompt(name, arguments, context)
        except ValueError as error:  # which would be sent as an error of ours, without saying what is wrong
            raise MCPError(INVALID_PARAMS, str(error)) from None


def compose(
    clients: Clients, *, auth: AuthSettings | None = None, token_verifier: TokenVerifier | None = None
) -> SubstrateServer:
    """A server for these clients, ready to run. The caller closes the clients when it has run."""
    launch = clients.launch
    surfaces = tuple(load_surface(name) for name in launch.surfaces)
    granted = launch.granted
    turns = CapacityLimiter(_WRITERS)

    @asynccontextmanager
    async def lifespan(_: MCPServer[Clients]) -> AsyncIterator[Clients]:
        yield clients

    async def warming(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Load what is heavy after the first call was answered; or when a client that has listed the tools stays."""
        answer = await call_next(ctx)
        if ctx.method in _CALLING:
            clients.warm()
        elif ctx.method in _LISTING:
            clients.warm(_QUIET_S)
        return answer

    server = SubstrateServer(
        _NAME,
        title="Substrate memory",
        instructions=_instructions(launch, surfaces),
        version=__version__,
        tools=[
            serve_tool(tool, surface.words_for(str(launch.store)), launch, turns)
            for surface in surfaces
            for tool in surface.tools
        ],
        lifespan=lifespan,
        auth=auth,
        token_verifier=token_verifier,
        log_level="WARNING",
        middleware=[warming],
    )
    add_resources(
        server,
        clients,
        told="\n".join(surface.guide for surface in surfaces),
        words=surfaces[0].words_for(str(launch.store)),
    )
    for scope, prompt in (one for surface in surfaces for one in surface.prompts):
        if scope in granted:
            server.add_prompt(prompt)
    completion: Any = server.completion  # which has no types
    completion()(completer(clients, launch.surfaces[0]))
    return server


async def announcement(server: SubstrateServer, launch: Launch) -> str:
    """A line for the log: what is served, to do what, and a digest of all that is published as tools."""
    listed = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in await server.list_tools()]
    digest = sha256(json.dumps(listed, sort_keys=True).encode()).hexdigest()
    may = "only reads" if launch.read_only else f"may {', '.join(scope for scope in SCOPES if scope in launch.granted)}"
    return f"serves {launch.store}, {may}; {len(listed)} tools, sha256 {digest[:16]}"


def _instructions(launch: Launch, surfaces: tuple[Surface, ...]) -> str:
    """What a client shows its agent once: how to use the tools, and what this server may not do."""
    granted = launch.granted
    forget = as_command("substrate", "forget", "--store", str(launch.store), "KEY")
    missing = [told.replace("{forget}", forget) for scope, told in _MISSING.items() if scope not in granted]
    return " ".join([*(surface.instructions_for(granted) for surface in surfaces), *missing])
