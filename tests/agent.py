"""An agent and a server of its own in this process: the SDK's client and our server, on a real store, without pipes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

from anyio.from_thread import start_blocking_portal
from mcp import Client
from mcp.client import ClientRequestContext
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult, ElicitRequestParams, ElicitResult, Implementation

from substrate.engine.memory import Memory
from substrate.server.clients import Clients
from substrate.server.composition import SubstrateServer, compose
from substrate.server.launch import DEFAULT_SCOPES, SCOPES, Launch

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
            self._portal = ends.enter_context(start_blocking_portal())
            info = Implementation(name=self._name, version="1")
            client = Client(self.server, client_info=info, elicitation_callback=self._asked, mode=self._mode)
            self._client = ends.enter_context(self._portal.wrap_async_context_manager(client))
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
        async def called() -> CallToolResult:
            return await self._client.call_tool(tool, dict(arguments or {}), meta=meta)  # type: ignore[arg-type]

        return self._portal.call(called)

    def ok(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The structured reply of a call that must succeed."""
        result = self.call(tool, arguments)
        assert not result.is_error, result.content
        assert result.structured_content is not None
        return result.structured_content

    def ask(self, what: str, *arguments: Any, **options: Any) -> Any:
        """Whatever else the client can do: `list_tools`, `read_resource`, `get_prompt`, `complete`..."""

        async def asked() -> Any:
            return await getattr(self._client, what)(*arguments, **options)

        return self._portal.call(asked)

    @property
    def instructions(self) -> str | None:
        return self._client.instructions
