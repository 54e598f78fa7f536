"""An agent and a server of its own in this process, which a test may look behind, or break before it runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

from mcp.client import ClientRequestContext
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult, ElicitRequestParams, ElicitResult

from substrate.engine.memory import Memory
from substrate.server.clients import Clients
from substrate.server.composition import SubstrateServer, compose
from substrate.server.launch import DEFAULT_SCOPES, SCOPES, Launch
from tests.mcp_clients import connected

__all__ = ["ALL", "Agent", "MCPError"]

ALL = frozenset(SCOPES)


def _yes() -> ElicitResult:
    return ElicitResult(action="accept", content={"erase": True})


class Agent:
    """Use it as a context manager. Calls wait for their answer; what is a protocol error raises MCPError.

    `change` is handed the server before it runs, so that a test can put something broken into it. `answers` says what
    the user replies when asked.
    """

    def __init__(  # noqa: PLR0913 - a launch, a client and a user
        self,
        store: Path,
        *,
        scopes: frozenset[str] = DEFAULT_SCOPES,
        read_only: bool = False,
        name: str = "agent",
        mode: str = "auto",
        answers: Callable[[], ElicitResult] = _yes,
        change: Callable[[SubstrateServer], None] = lambda _: None,
    ) -> None:
        self.store = store
        self._launch = Launch(store, scopes=scopes, read_only=read_only)
        self._name = name
        self._mode = mode
        self._answers = answers
        self._change = change
        self._ends = ExitStack()
        self.questions: list[str] = []
        """What the user was asked."""

    def __enter__(self) -> Self:
        with ExitStack() as ends:
            self._clients = ends.enter_context(Clients(self._launch))
            self.server = compose(self._clients)
            self._change(self.server)
            self._agent = ends.enter_context(connected(self.server, mode=self._mode, name=self._name, user=self._asked))
            self._ends = ends.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.close()

    async def _asked(self, _context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        self.questions.append(params.message)
        return self._answers()

    @property
    def memory(self) -> Memory:
        """The store as the server has it open, for a look behind its back."""
        return self._clients.named("judge", "test").memory

    def head(self) -> str:
        """Where the log stands: the size and the root of its latest head."""
        head = self.memory.head().head
        return f"{head.size} {head.root.hex()}"

    def call(
        self, tool: str, arguments: Mapping[str, Any] | None = None, *, meta: Mapping[str, Any] | None = None
    ) -> CallToolResult:
        """The reply to a call, whatever it is."""
        return self._agent.do(self._agent.client.call_tool, tool, dict(arguments or {}), meta=meta)

    def ok(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The structured reply of a call that must succeed, checked."""
        said: dict[str, Any] = self._agent.ok(tool, **arguments)
        return said

    def ask(self, what: str, *arguments: Any, **options: Any) -> Any:
        """Whatever else the client can do: `list_tools`, `read_resource`, `get_prompt`, `complete`..."""
        return self._agent.do(getattr(self._agent.client, what), *arguments, **options)

    @property
    def instructions(self) -> str | None:
        return self._agent.client.instructions
