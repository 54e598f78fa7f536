"""Row 14: whatever a tool is called with, it answers with a result or with an error that can be acted on, and what it
refuses has changed nothing.

To replay a failure: SUBSTRATE_SEED=<the seed it printed>.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Annotated, Any

import pytest
from anyio import CapacityLimiter
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool as SdkTool
from mcp.types import CallToolRequestParams, CallToolResult, ElicitResult

from substrate.errors import InputError
from substrate.server.compose import SubstrateServer
from substrate.server.launch import Launch
from substrate.server.tools import serve_tool
from substrate.surfaces.atoms.shapes import Taught
from substrate.surfaces.atoms.words import words_for
from substrate.surfaces.client import client_of
from substrate.surfaces.shape import reply
from substrate.surfaces.tool import Tool
from tests.agents import ALL_SCOPES as ALL
from tests.agents import MCPError, Watched, watched
from tests.hostile.calls import CANARY, RECORDED, SEED_CALL, Maker
from tests.hostile.replies import faults
from tests.scale import SEED, rounds

pytestmark = pytest.mark.soak

MOST_CPU_S = 5.0
"""The promise is a second of a quiet machine; a call that takes five of the processor's is broken on any."""


Verdict = tuple[list[str], bool]


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SUBSTRATE_HOME", str(tmp_path / "home"))
    return tmp_path / "store"


def whims(rng: random.Random) -> Callable[[], ElicitResult]:
    """A user who agrees, declines, closes the window, or sends what was not asked for."""
    contents: list[Any] = [{"erase": True}, {"erase": True}, {"erase": False}, {}, {"erase": "x" * 1000}, None]

    def answer() -> ElicitResult:
        return ElicitResult(action=rng.choice(["accept", "accept", "decline", "cancel"]), content=rng.choice(contents))

    return answer


def prepare(agent: Watched) -> None:
    """Atoms, edges, a tombstone, and something that was forgotten."""
    agent.ok("session_checkpoint", **SEED_CALL)
    agent.ok("session_checkpoint", atoms=["v1.fact.gone = x"], tombstone=["v1.fact.retired"])
    agent.memory.forget("v1.fact.gone")


def maker(agent: Watched, tool: str, rng: random.Random) -> Maker:
    """What makes calls of a tool: for memory_verify also out of a real proof and a real pin."""
    recorded = list(RECORDED[tool])
    if tool == "memory_verify":
        bundle = agent.ok("memory_access", key="v1.goal.launch", includeProof=True)["proof"]
        pin = str(agent.memory.pin())
        real = [{"bundle": bundle}, {"pin": pin}, {"bundle": json.dumps(bundle), "pin": pin}]
        recorded += 3 * real  # little else is taken: most calls are refused
    schema = next(listed.input_schema for listed in agent.ask("list_tools").tools if listed.name == tool)
    return Maker(schema, recorded, rng)


def sendable(arguments: dict[str, Any]) -> bool:
    """Whether the SDK's client can send it: not too deep, no lone surrogate in a name. test_framing.py sends those."""
    try:
        CallToolRequestParams(name="", arguments=arguments).model_dump(mode="json")
    except ValueError:
        return False
    return True


def verdict(agent: Watched, tool: str, arguments: dict[str, Any], most_cpu_s: float = MOST_CPU_S) -> Verdict:
    """Make a call, and say what was wrong with how it went; and whether it was refused."""
    head, began = agent.head(), process_time()
    try:
        result = agent.send(tool, arguments)
    except MCPError as error:
        return [f"a protocol error {error.error.code}: {error.error.message}"], True
    except RuntimeError as error:  # the SDK's client: it does not fit the published schema
        return [f"the client says: {error}"], False
    took = process_time() - began
    found = faults(result, never=(CANARY, str(agent.store)))
    if result.is_error and agent.head() != head:
        found.append("it was refused, and yet the log grew")
    found += [] if took < most_cpu_s else [f"it took {took:.1f} s"]
    return found, bool(result.is_error)


@pytest.mark.parametrize("tool", sorted(RECORDED))
def test_a_tool_answers_whatever_it_is_called_with(tool: str, store: Path) -> None:
    rng = random.Random(f"{tool} {SEED}")
    found: list[str] = []
    with watched(store, scopes=ALL, answers=whims(rng)) as agent:
        prepare(agent)
        calls = maker(agent, tool, rng)
        refused, count = 0, rounds(80, 3_000)
        for number in range(count):
            if number % 10 == 0:
                agent.send("session_checkpoint", SEED_CALL)
            arguments = calls.arguments()
            if sendable(arguments):
                faulty, is_error = verdict(agent, tool, arguments)
                refused += is_error
                found += [f"{fault}: {tool} {ascii(arguments)[:600]}" for fault in faulty]
        assert agent.ask("list_tools").tools
    assert not found, f"SUBSTRATE_SEED={SEED}: {len(found)} faults, such as {found[:5]}"
    assert count // 20 < refused < count - count // 40  # the calls are partly taken, and partly not


def test_every_tool_that_is_listed_is_fuzzed(store: Path) -> None:
    with watched(store, scopes=ALL) as agent:
        assert sorted(RECORDED) == sorted(tool.name for tool in agent.ask("list_tools").tools)


# -- the judge itself --------------------------------------------------------------------------------------------------

_Caller = Context[Any, Any]


def unforeseen(ctx: _Caller, atoms: list[str], passes: int = 1) -> Annotated[CallToolResult, Taught]:
    """A twin that meets an error nobody thought of, with a stored value in its text."""
    memory = client_of(ctx, "atoms").memory
    if passes > 3:
        raise KeyError(memory.access("v1.goal.launch").value)
    return reply(Taught.of(memory.train(atoms, passes)))


def hasty(ctx: _Caller, atoms: list[str], passes: int = 1) -> Annotated[CallToolResult, Taught]:
    """A twin that writes before it looks at what it was given."""
    trained = client_of(ctx, "atoms").memory.train(atoms, 1)
    if passes > 3:
        raise InputError("that is too much")
    return reply(Taught.of(trained))


def misshapen(ctx: _Caller, atoms: list[str], passes: int = 1) -> Annotated[CallToolResult, Taught]:
    """A twin that replies something else than it has published."""
    client_of(ctx, "atoms").memory.train(atoms, passes)
    return CallToolResult(content=[], structured_content={"learnt": "much"})


def slow(ctx: _Caller, atoms: list[str], passes: int = 1) -> Annotated[CallToolResult, Taught]:
    """A twin that does not come to an end soon."""
    until = process_time() + 1.0
    while process_time() < until:
        pass
    return reply(Taught.of(client_of(ctx, "atoms").memory.train(atoms, passes)))


def serving(broken: Callable[..., Any]) -> Callable[[SubstrateServer], None]:
    """Puts a twin into a server, in the place of memory_train."""

    def change(server: SubstrateServer) -> None:
        twin = serve_tool(
            Tool(broken, "A twin", "train", writes=True),
            words_for(None, {}),
            Launch(Path(), scopes=ALL),
            CapacityLimiter(1),
        )
        server._tool_manager._tools["memory_train"] = twin.model_copy(update={"name": "memory_train"})

    return change


def bare(server: SubstrateServer) -> None:
    """A twin of the server: a tool without our last line of defence, as the SDK itself would run it."""

    def memory_train(atoms: list[str], passes: int = 1) -> dict[str, Any]:
        raise ToolError(f"{CANARY} is stored, {atoms} {passes}")

    server._tool_manager._tools["memory_train"] = SdkTool.from_function(memory_train)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (serving(unforeseen), "code 'bug'"),
        (serving(hasty), "yet the log grew"),
        (serving(misshapen), "code 'bug'"),
        (serving(slow), "it took"),
        (bare, f"quotes '{CANARY}'"),
        (bare, "code 'without a code'"),
    ],
)  # fmt: skip
def test_a_broken_tool_is_found_out(change: Callable[[SubstrateServer], None], fault: str, store: Path) -> None:
    with watched(store, scopes=ALL, change=change) as agent:
        prepare(agent)
        found, _ = verdict(agent, "memory_train", {"atoms": ["v1.goal.launch"], "passes": 9}, most_cpu_s=1.0)
    assert any(fault in said for said in found), found
