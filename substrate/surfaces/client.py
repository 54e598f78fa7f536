"""Who calls a tool, as a surface knows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from mcp.server.mcpserver import Context

from substrate.messages import Message, Verb, Words, render

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from substrate.memory import Memory

__all__ = ["Client", "Clients", "Meter", "client_of", "note_of"]


class Meter(Protocol):
    """How often tools were called, and how long they took; nothing of what was said."""

    def read(self) -> Mapping[str, Mapping[str, float]]:
        """By wire name: count, errors, and in milliseconds avg, min, max, p50, p95, p99."""

    def reset(self) -> None:
        """Begin anew."""


class Client(Protocol):
    """One who calls tools, as the server knows them."""

    @property
    def memory(self) -> Memory:
        """The store, open, with this client's actor and session. The actor names the surface."""

    @property
    def scopes(self) -> frozenset[str]:
        """What this call may do."""

    @property
    def session(self) -> str:
        """The name that its session has in the store, by which `forget(session=...)` finds what it left."""

    @property
    def store(self) -> str:
        """The path of the store's folder, for a command that a person is told to run."""

    @property
    def project(self) -> str:
        """The project that holds if a call says none; empty: the surface's own default."""

    @property
    def roots(self) -> tuple[Path, ...]:
        """Folders below which files may be read."""

    def in_session(self, name: str) -> Memory:
        """The memory of this client in a session that it names; empty: the one that it has anyway."""

    @property
    def vault(self) -> str | None:
        """The folder of the vault that notes are promoted to; None: the user has named none."""

    @property
    def words(self) -> Words:
        """What arguments, verbs and hints are called to this client."""

    @property
    def meter(self) -> Meter:
        """What this server has counted, of all its clients."""

    def require(self, scope: str, what: str) -> None:
        """Denied, with what the user can do, if this call has no such scope. `what` needs it, as in `dry_run false`.

        For tools of which one argument needs more than the others.
        """


class Clients(Protocol):
    """All who call tools of one server."""

    def of(self, context: Context[Any, Any], surface: str) -> Client:
        """Who makes this call. Raises what opening the store raises."""


def client_of(context: Context[Any, Any], surface: str) -> Client:
    """Who makes this call, through this surface."""
    clients: Clients = context.request_context.lifespan_context
    return clients.of(context, surface)


def note_of(memory: Memory, words: Words) -> str:
    """What every reply says beside its answer, as long as another copy of the store is ahead; empty: none is."""
    return "" if memory.behind is None else render(_BEHIND, words)


_BEHIND = Message(
    "note: another copy of this memory is ahead of it. It can be read, nothing can be saved. Tell the user; ",
    Verb("stats"),
    " says what to do.",
)
