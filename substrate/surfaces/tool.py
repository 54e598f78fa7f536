"""What a surface is made of, and what its tools are handed. It is data and plain functions; the server runs them.

1. A tool is a function. Its parameters, by their names on the wire, are its input schema; its docstring is the
   description that an agent reads; the shape that it promises to reply is its output schema.
2. What a tool may use is its client: the memory, as this client has it open. Which scopes it has been given was said
   when the server was started, and is checked before the function runs.
3. It raises errors of the one tree, and nothing else on purpose; the server makes replies of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from anyio import from_thread
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.prompts import Prompt

from substrate.errors import SubstrateError
from substrate.messages import Words

if TYPE_CHECKING:  # a server lists its tools before the engine is loaded
    from substrate.memory import Memory

__all__ = ["Refusal", "Surface", "Tool", "note_of", "progress_of"]


def note_of(memory: Memory) -> str:
    """What every reply says beside its answer, as long as another copy of the store is ahead; empty: none is."""
    if memory.behind is None:
        return ""
    return (
        "note: another copy of this memory is ahead of it. It can be read, nothing can be saved. "
        "Tell the user; memory_status says what to do."
    )


def progress_of(context: Context[Any, Any]) -> Callable[[int, int], None]:
    """What tells the client how far a call has got, from the thread that works; what would go back is not told."""
    furthest = 0

    def report(done: int, total: int) -> None:
        nonlocal furthest
        if done > furthest:
            furthest = done
            from_thread.run(context.report_progress, done, total)

    return report


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: its function, what it is called in lists for people, and what it may do."""

    run: Callable[..., Any]
    title: str
    scope: str
    writes: bool = False
    destructive: bool = False
    idempotent: bool = False
    """Whether a second call with the same arguments changes nothing more. Of tools that write."""
    budget: bool = False
    """Whether its reply has a size of its own to keep: then it adds `note_of` itself, where there is room."""

    @property
    def name(self) -> str:
        """As it is called on the wire."""
        return self.run.__name__


@dataclass(frozen=True, slots=True)
class Surface:
    """A set of tools, and what an agent should know about them as a whole."""

    name: str
    tools: tuple[Tool, ...]
    instructions: tuple[tuple[str, str], ...]
    """Sentences, each for those who have a scope."""
    guide: str
    """How to work with these tools, to be read once."""
    prompts: tuple[tuple[str, Prompt], ...]
    """Ways of working that a person picks from a menu, each with the scope that it needs."""
    words_for: Callable[[str], Words]
    """What arguments, verbs and hints are called in messages to those who use these tools on the store in a folder."""

    def instructions_for(self, granted: frozenset[str]) -> str:
        """The sentences for those who have these scopes."""
        return " ".join(sentence for scope, sentence in self.instructions if scope in granted)


class Refusal(SubstrateError):
    """An error with something more to say to a program: what `details` holds goes into the reply's `_meta`."""

    def __init__(self, error: SubstrateError, **details: object) -> None:
        super().__init__(error.message)
        self.error = error
        self.details = details
