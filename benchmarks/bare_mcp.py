"""The least that a server of the SDK can be: tools that do nothing, over stdio. What ours is measured beside."""

from __future__ import annotations

from mcp.server import MCPServer

server = MCPServer("bare", version="1")


@server.tool()
def empty() -> None:
    """Do nothing, on a worker thread, as plain functions run."""


@server.tool()
async def empty_async() -> None:
    """Do nothing, in the event loop."""


if __name__ == "__main__":
    server.run()
