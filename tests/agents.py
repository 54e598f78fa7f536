"""Agents: real clients of the SDK, for plain test functions; in memory, watched, or over standard input and output.

Whatever a tool replies is held against the output schema that its server has published, and against its own text.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar

import anyio
import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from jsonschema import Draft202012Validator
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.server.mcpserver.tools import Tool as SdkTool
from mcp.shared.exceptions import MCPError
from mcp.types import (
    CallToolResult,
    CreateMessageRequestParams,
    CreateMessageResult,
    ElicitRequestParams,
    ElicitResult,
    ErrorData,
    Implementation,
    TextContent,
    Tool,
)

from substrate.memory import Memory
from substrate.server.clients import Clients
from substrate.server.compose import SubstrateServer, compose
from substrate.server.launch import DEFAULT_SCOPES, Launch
from tests.scale import PATIENCE_S

__all__ = [
    "ALL_SCOPES",
    "BOOTSTRAP",
    "MODES",
    "TOOLS",
    "Agent",
    "MCPError",
    "Model",
    "User",
    "Watched",
    "child_environment",
    "connected",
    "error_of",
    "home_for_a_module",
    "in_memory",
    "over_stdio",
    "text_of",
    "watched",
]

MODES = ("auto", "legacy")
"""The two eras of the protocol, by what the SDK calls them."""
TOOLS = (
    "memory_session_bootstrap",
    "session_checkpoint",
    "memory_search",
    "memory_access",
    "memory_train",
    "memory_context",
    "memory_associate",
    "memory_list_atoms",
    "memory_verify",
    "memory_history",
    "memory_forget",
    "memory_status",
)
BOOTSTRAP = "memory_session_bootstrap"
ALL_SCOPES = DEFAULT_SCOPES | {"forget"}
_ROOT = Path(__file__).parents[1]

_Answer = TypeVar("_Answer")

_make_tool = SdkTool.from_function
_made: dict[Callable[..., Any], SdkTool] = {}


def _made_once(run: Callable[..., Any], **options: Any) -> SdkTool:
    """The tool of a function: it follows from that alone, and all of them take most of a tenth of a second."""
    if run not in _made:
        _made[run] = _make_tool(run, **options)
    return _made[run]


SdkTool.from_function = _made_once  # type: ignore[assignment, method-assign]


class User:
    """The person behind an agent, who answers what a server asks; all the same each time."""

    def __init__(
        self, action: str = "accept", *, erase: bool | None = None, content: dict[str, Any] | None = None
    ) -> None:
        said = content if erase is None else {"erase": erase}
        self._answer = ElicitResult(action=action, content=said)  # type: ignore[arg-type]
        self.asked: list[ElicitRequestParams] = []

    async def __call__(self, _context: object, question: ElicitRequestParams) -> ElicitResult:
        self.asked.append(question)
        return self._answer


class Model:
    """The model behind an agent, if its client offers one: it answers the same each time; None: never."""

    def __init__(self, answer: str | ErrorData | None) -> None:
        self._answer = answer
        self.asked: list[CreateMessageRequestParams] = []
        self.was_asked = anyio.Event()

    async def __call__(self, _context: object, question: CreateMessageRequestParams) -> CreateMessageResult | ErrorData:
        self.asked.append(question)
        self.was_asked.set()
        if self._answer is None:
            await anyio.sleep_forever()
        return self._answer if isinstance(self._answer, ErrorData) else self.result(self._answer or "")

    @staticmethod
    def result(text: str) -> CreateMessageResult:
        """An answer as a client passes it on."""
        return CreateMessageResult(role="assistant", content=TextContent(type="text", text=text), model="tester-1")


class Agent:
    """One client that is connected to a server."""

    def __init__(self, portal: BlockingPortal, client: Client) -> None:
        self._portal = portal
        self.client = client
        self._listed: dict[str, Tool] | None = None

    def do(self, verb: Callable[..., Awaitable[_Answer]], *words: Any, **options: Any) -> _Answer:
        """What a verb of the client answers: `agent.do(agent.client.list_prompts)`."""
        return self._portal.call(partial(verb, *words, **options))

    @property
    def tools(self) -> dict[str, Tool]:
        """The tools that the server lists, by name."""
        if self._listed is None:
            self._listed = {tool.name: tool for tool in self.do(self.client.list_tools).tools}
        return self._listed

    def call(self, tool: str, /, **arguments: Any) -> CallToolResult:
        """The reply to a call, whatever it is."""
        return self.send(tool, arguments)

    def send(
        self, tool: str, arguments: Mapping[str, Any] | None = None, *, meta: Mapping[str, Any] | None = None
    ) -> CallToolResult:
        """The reply to a call with any arguments at all; a protocol error raises MCPError."""
        return self.do(self.client.call_tool, tool, dict(arguments or {}), meta=meta)

    def ask(self, what: str, *words: Any, **options: Any) -> Any:
        """Whatever else the client can do: `list_tools`, `read_resource`, `get_prompt`, `complete`..."""
        return self.do(getattr(self.client, what), *words, **options)

    def ok(self, tool: str, /, **arguments: Any) -> Any:
        """The structured content of a call that succeeds, checked."""
        return self.checked(tool, **arguments).structured_content

    def checked(self, tool: str, /, **arguments: Any) -> CallToolResult:
        """The whole reply of a call that succeeds, checked."""
        result = self.call(tool, **arguments)
        assert not result.is_error, text_of(result)
        said = result.structured_content
        _validator(json.dumps(self.tools[tool].output_schema)).validate(said)
        if tool != BOOTSTRAP:  # of which the text is for people
            assert json.loads(text_of(result)) == said
        return result

    def error(self, tool: str, /, **arguments: Any) -> Any:
        """What is said of a call that fails: code, message and what belongs to it."""
        return error_of(self.call(tool, **arguments))

    def read(self, uri: str) -> str:
        """The text of a resource."""
        (content,) = self.do(self.client.read_resource, uri).contents
        return content.text  # type: ignore[union-attr]


@cache
def _validator(schema: str) -> Draft202012Validator:
    parsed = json.loads(schema)
    Draft202012Validator.check_schema(parsed)
    return Draft202012Validator(parsed)


_COMPACT = {"ensure_ascii": False, "separators": (",", ":")}


def error_of(result: CallToolResult) -> Any:
    """What is said of a failure to programs, which is what is said to people and models too."""
    assert result.is_error, text_of(result)
    assert result.structured_content is None  # it would have to fit the output schema
    assert result.meta is not None
    said: Any = result.meta["error"]
    assert text_of(result) in (f"{said['code']}: {said['message']}", json.dumps(said, **_COMPACT))  # type: ignore[arg-type]
    return said


def text_of(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


@contextmanager
def connected(
    server: Any, *, mode: str = "auto", name: str = "tester", user: Any = None, **options: Any
) -> Iterator[Agent]:
    """An agent of this name, connected to a server or a transport."""
    info = Implementation(name=name, version="1")
    client = Client(
        server, mode=mode, client_info=info, elicitation_callback=user, read_timeout_seconds=PATIENCE_S, **options
    )
    failed: BaseException | None = None
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(client) as entered:
        try:
            yield Agent(portal, entered)
        except BaseException as error:  # noqa: BLE001 - kept from the client's tasks, which would wrap it
            failed = error
    if failed is not None:
        raise failed


@contextmanager
def in_memory(
    store: Path,
    *,
    scopes: frozenset[str] = DEFAULT_SCOPES,
    read_only: bool = False,
    launch: Mapping[str, Any] | None = None,
    **options: Any,
) -> Iterator[Agent]:
    """An agent of a server in this process. `launch` has what else it was started with."""
    with (
        Clients(Launch(store, scopes=scopes, read_only=read_only, **(launch or {}))) as clients,
        connected(compose(clients), **options) as agent,
    ):
        yield agent


class Watched(Agent):
    """An agent of a server in this process, of which a test sees the inside."""

    def __init__(self, agent: Agent, store: Path, clients: Clients, questions: list[str]) -> None:
        super().__init__(agent._portal, agent.client)
        self.store = store
        self.questions = questions
        """What the user was asked."""
        self._clients = clients

    @property
    def memory(self) -> Memory:
        """The store as the server has it open, for a look behind its back."""
        return self._clients.named("judge", "keeping").memory

    def head(self) -> str:
        """Where the log stands: the size and the root of its latest head."""
        head = self.memory.head().head
        return f"{head.size} {head.root.hex()}"


def _yes() -> ElicitResult:
    return ElicitResult(action="accept", content={"erase": True})


@contextmanager
def watched(  # noqa: PLR0913 - a launch, a client and a user
    store: Path,
    *,
    scopes: frozenset[str] = DEFAULT_SCOPES,
    read_only: bool = False,
    name: str = "agent",
    answers: Callable[[], ElicitResult] = _yes,
    change: Callable[[SubstrateServer], None] = lambda _: None,
) -> Iterator[Watched]:
    """An agent to look behind. `change` may break the server before it runs; `answers` is what the user replies."""
    questions: list[str] = []

    async def user(_context: object, question: ElicitRequestParams) -> ElicitResult:
        questions.append(question.message)
        return answers()

    with Clients(Launch(store, scopes=scopes, read_only=read_only)) as clients:
        server = compose(clients)
        change(server)
        with connected(server, name=name, user=user) as agent:
            yield Watched(agent, store, clients, questions)


@contextmanager
def over_stdio(store: Path, *words: str, errors: Path | None = None, **options: Any) -> Iterator[Agent]:
    """An agent of a server that is a child process, with `words` as its further options; its stderr goes to a file."""
    parameters = StdioServerParameters(
        command=sys.executable, args=["-m", "substrate", "mcp", "--store", str(store), *words], env=child_environment()
    )
    with (
        (errors or Path(os.devnull)).open("w", encoding="utf-8") as log,
        connected(stdio_client(parameters, errlog=log), **options) as agent,
    ):
        yield agent


def child_environment() -> dict[str, str]:
    """As little as a client passes on, and what makes it this test's server."""
    kept = ("SUBSTRATE_HOME", "SUBSTRATE_CACHE", "HF_HUB_CACHE", "PYTHONPYCACHEPREFIX", "PATH")
    inherited = {name: os.environ[name] for name in kept if name in os.environ}
    return {"PYTHONPATH": str(_ROOT), "SUBSTRATE_MODEL": os.environ.get("SUBSTRATE_MODEL", "none"), **inherited}


@contextmanager
def home_for_a_module(folder: Path) -> Iterator[Path]:
    """Where the keys of a module's stores are, in the settings; so that its tests can share stores and servers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SUBSTRATE_HOME", str(folder))
        patch.delenv("SUBSTRATE_STORE", raising=False)
        yield folder
