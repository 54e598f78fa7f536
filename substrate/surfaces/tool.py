"""A tool: a plain function, and what it may do. The server runs it.

1. Its parameters, by their names on the wire, are its input schema; its docstring is the description that an agent
   reads; the shape that it promises to reply is its output schema.
2. What it may use is its client (`client_of`): the memory, as this client has it open. Which scopes the call has is
   checked before the function runs.
3. It raises errors of the one tree, and nothing else on purpose; the server makes replies of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from anyio import from_thread
from mcp.server.mcpserver import Context

from substrate.errors import SubstrateError

__all__ = ["Refusal", "Tool", "progress_of"]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: its function, what it is called in lists for people, and what it may do."""

    run: Callable[..., Any]
    title: str
    scope: str
    """What a call must have been given; empty: nothing."""
    writes: bool = False
    destructive: bool = False
    asks_user: bool = False
    """Whether it may ask the user, or their model. Such a call may wait long: it takes no turn of those that write."""
    idempotent: bool = False
    """Whether a second call with the same arguments changes nothing more. Of tools that write."""
    budget: bool = False
    """Whether its reply has a size of its own to keep: then it adds `note_of` itself, where there is room."""
    by_meaning: bool = False
    """Whether it compares by meaning: a call waits a moment for a model that is being loaded."""
    wire_name: str = ""
    """As it is called on the wire, if not as its function is. It may have dots."""
    also: tuple[str, ...] = ()
    """Further scopes that it needs."""
    verb: str = ""
    """By which verb of the command line a person does the same; empty: the one of its scope."""
    failure: Callable[[str], dict[str, Any]] | None = None
    """Structured content of an error reply, out of its message, for tools whose document promises one."""

    @property
    def name(self) -> str:
        """As it is called on the wire."""
        return self.wire_name or self.run.__name__

    @property
    def scopes(self) -> frozenset[str]:
        """All that a call must have been given."""
        return frozenset(scope for scope in (self.scope, *self.also) if scope)


class Refusal(SubstrateError):
    """An error with something more to say to a program: what `details` holds goes into the reply's `_meta`."""

    def __init__(self, error: SubstrateError, **details: object) -> None:
        super().__init__(error.message)
        self.error = error
        self.details = details


def progress_of(context: Context[Any, Any]) -> Callable[[int, int], None]:
    """What tells the client how far a call has got, from the thread that works; what would go back is not told."""
    furthest = 0

    def report(done: int, total: int) -> None:
        nonlocal furthest
        if done > furthest:
            furthest = done
            from_thread.run(context.report_progress, done, total)

    return report
