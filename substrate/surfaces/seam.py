"""What a surface is made of, and what its tools are handed. It is data and plain functions; the server runs them.

1. A tool is a function. Its parameters, by their names on the wire, are its input schema; its docstring is the
   description that an agent reads; the shape that it promises to reply is its output schema.
2. What a tool may use is its client: the memory, as this client has it open. Which scopes it has been given was said
   when the server was started, and is checked before the function runs.
3. It raises errors of the one tree, and nothing else on purpose; the server makes replies of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

from anyio import from_thread
from mcp.server.mcpserver import Context
from mcp.types import CallToolResult, TextContent
from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from substrate.errors import SubstrateError

if TYPE_CHECKING:
    from substrate.engine.memory import Memory

__all__ = [
    "Client",
    "Clients",
    "Refusal",
    "Shape",
    "Surface",
    "Tool",
    "client_of",
    "compact_json",
    "progress_of",
    "reply",
    "reply_as_said",
    "visible",
]

_COMPACT: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
"""Made once: it takes as long to make one as to use it."""
_UNSEEN: Final = re.compile("[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""Controls, line and paragraph separators, and what overrides the direction of writing."""


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

    def instructions_for(self, granted: frozenset[str]) -> str:
        """The sentences for those who have these scopes."""
        return " ".join(sentence for scope, sentence in self.instructions if scope in granted)


class Shape(BaseModel):
    """Whatever is replied or taken as an object: camelCase on the wire, and nothing beyond what it says."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid", frozen=True)


class Refusal(SubstrateError):
    """An error with something more to say to a program: what `details` holds goes into the reply's `_meta`."""

    def __init__(self, error: SubstrateError, **details: object) -> None:
        super().__init__(str(error))
        self.error = error
        self.details = details


def visible(text: str) -> str:
    """The text with what would end a line, or turn its order round, for some readers written out as JSON writes it.

    Stored text has no line of a reply to itself: neither by U+2028, nor by looking as if it stood elsewhere.
    """
    return _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def compact_json(said: Mapping[str, Any]) -> str:
    """As it goes over the wire."""
    return visible(_COMPACT.encode(said))


def reply(shape: Shape) -> CallToolResult:
    """A reply: the shape as structured content, without what is None; and as text, for clients that read only that."""
    return reply_as_said(shape.model_dump(mode="json", by_alias=True, exclude_none=True))


def reply_as_said(said: dict[str, Any]) -> CallToolResult:
    """A reply that was put together in the words of the wire; the SDK holds it against the tool's shape."""
    content = TextContent(type="text", text=compact_json(said))
    return CallToolResult(content=[content], structured_content=said)
