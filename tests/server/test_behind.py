"""A server of a store of which another copy is ahead: it comes up, reads, and says so in every reply."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from mcp.types import CallToolResult, TextContent

import substrate
from tests.agents import BOOTSTRAP, Agent, error_of, in_memory

pytestmark = pytest.mark.filterwarnings("ignore::substrate.BehindWarning")  # it is in the server's log


@pytest.fixture
def copied(store: Path) -> Path:
    with substrate.open(store) as memory:
        memory.checkpoint(["v1.fact.provider = Stripe", "v1.fact.currency = EUR"])
    shutil.copytree(store, store.parent / "copy")
    with substrate.open(store.parent / "copy") as memory:
        memory.checkpoint(["v1.fact.provider = Adyen"])
    return store


@pytest.fixture
def agent(copied: Path) -> Iterator[Agent]:
    with in_memory(copied) as connected:
        yield connected


def texts(result: CallToolResult) -> list[str]:
    assert not result.is_error, result
    return [content.text for content in result.content if isinstance(content, TextContent)]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        (BOOTSTRAP, {"objective": "pay"}),
        ("memory_search", {"query": "provider"}),
        ("memory_access", {"key": "v1.fact.provider"}),
        ("memory_list_atoms", {}),
        ("memory_history", {"key": "v1.fact.provider"}),
        ("memory_status", {}),
    ],
)
def test_tools_that_read_answer_with_a_note(agent: Agent, tool: str, arguments: dict[str, object]) -> None:
    answer, note = texts(agent.call(tool, **arguments))
    assert "fact" in answer
    assert note.startswith("note: another copy of this memory is ahead of it.")


def test_the_status_has_all_of_it_for_the_user(agent: Agent, copied: Path) -> None:
    said = json.loads(texts(agent.call("memory_status"))[0])
    assert str(copied.parent / "copy") in said["behind"]
    assert f"substrate restore {copied} --store {copied}-restored" in said["behind"]


def test_tools_that_write_or_prove_what_is_current_are_refused_with_what_to_type(agent: Agent) -> None:
    for tool, arguments in (
        ("session_checkpoint", {"atoms": ["v1.fact.a = 1"]}),
        ("memory_train", {"atoms": ["v1.fact.provider", "v1.fact.currency"]}),
        ("memory_access", {"key": "v1.fact.provider", "includeProof": True}),
        ("memory_access", {"key": "v1.fact.absent", "includeProof": True}),
    ):
        error = error_of(agent.send(tool, arguments))
        assert (error["code"], "substrate restore" in error["message"]) == ("rolled_back", True)


def test_the_note_is_inside_the_budget_of_an_opening_or_is_left_out(agent: Agent) -> None:
    result = agent.call(BOOTSTRAP, objective="pay", maxTokens=200)
    assert len(texts(result)) == 2
    assert result.structured_content is not None
    assert result.structured_content["tokens"] <= 200
    assert len(texts(agent.call(BOOTSTRAP, objective="pay", maxTokens=150))) == 1


def test_a_store_that_is_not_behind_adds_nothing(copied: Path) -> None:
    with in_memory(copied.parent / "copy") as agent:
        assert len(texts(agent.call("memory_list_atoms"))) == 1
        assert "behind" not in agent.ok("memory_status")
