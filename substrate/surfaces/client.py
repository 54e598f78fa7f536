"""Who calls a tool, as a surface knows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from mcp.server.mcpserver import Context

if TYPE_CHECKING:
    from substrate.memory import Memory

__all__ = ["Client", "Clients", "client_of"]


class Client(Protocol):
    """One who calls tools, as the server knows them."""

    @property
    def memory(self) -> Memory:
        """The store, open, with this client's actor and session."""

    @property
    def scopes(self) -> frozenset[str]:
        """What this server was allowed to do, when it was started."""

    @property
    def session(self) -> str:
        """The name that its session has in the store, by which `forget(session=...)` finds what it left."""

    @property
    def store(self) -> str:
        """The path of the store's folder, for a command that a person is told to run."""


class Clients(Protocol):
    """All who call tools of one server."""

    def of(self, context: Context[Any, Any], surface: str) -> Client:
        """Who makes this call. Raises what opening the store raises."""


def client_of(context: Context[Any, Any], surface: str) -> Client:
    """Who makes this call, through this surface."""
    clients: Clients = context.request_context.lifespan_context
    return clients.of(context, surface)
