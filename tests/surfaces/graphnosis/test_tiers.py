"""A sensitive engram is not there for an agent, in any tool."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import substrate
from tests.agents import Agent, User, text_of
from tests.surfaces.graphnosis.test_remember import picker

pytestmark = pytest.mark.usefixtures("engrams")
Connect = Callable[..., Agent]
CANARIES = ("zanzibar", "cinnamon", "diagnosis")


@pytest.fixture
def hidden(store: Path) -> dict[str, str]:
    with substrate.open(store) as memory:
        whole = memory.document(memory.which("cinnamon.md", kind="document").items[0].id)
        waits = memory.propose("The zanzibar diagnosis is known.", name=whole.chunks[0].name)
        return {"source": whole.id, "chunk": whole.chunks[0].id, "name": whole.chunks[0].name, "waits": waits.id}


def test_a_sensitive_engram_is_not_there_for_any_tool(connect: Connect, hidden: dict[str, str]) -> None:
    agent = connect(user=User(erase=True))
    calls: list[tuple[str, dict[str, Any]]] = [
        ("recall", {"query": "zanzibar diagnosis secret", "minScore": 0}),
        ("recall", {"query": "diagnosis", "graphs": ["health"]}),
        ("remember", {"text": "More of it.", "graphId": "health"}),
        ("correct", {"chunkId": hidden["chunk"], "proposal": "secret -> known"}),
        ("correct", {"chunkId": hidden["name"], "proposal": "secret -> known"}),
        ("apply", {"correctionId": hidden["waits"]}),
        ("forget", {"chunkId": hidden["chunk"]}),
        ("forget", {"sourceId": hidden["source"]}),
        ("stats", {}),
    ]
    for tool, arguments in calls:
        result = agent.call(tool, **arguments)
        told = text_of(result)
        if tool in {"recall", "stats"} and "graphs" not in arguments:
            assert not result.is_error
        else:
            assert result.is_error, (tool, arguments)
        for canary in CANARIES:
            assert canary not in told.replace("zanzibar diagnosis secret", ""), (tool, arguments)
    assert "health" not in {one["name"] for one in agent.ok("stats")["graphs"]}


def test_a_text_for_a_sensitive_engram_by_name_waits_for_a_person(connect: Connect, store: Path) -> None:
    agent = connect()
    error = agent.error("remember", text="Blood type A.", target_engram="Health")
    assert "candidates" not in error
    with substrate.open(store) as memory:
        memory.accept(error["pending"], domain="health")
        assert memory.search("blood type", domain="health").items
    assert not agent.ok("recall", query="blood type", minScore=0.2)["results"]


@pytest.mark.parametrize(("user", "code"), [(picker("health", create=True), "denied"), (picker("health"), "not_found")])
def test_not_even_with_the_users_pick_does_an_agent_write_there_and_the_text_waits_for_a_person(
    connect: Connect, store: Path, user: User, code: str
) -> None:
    error = connect(user=user).error("remember", text="Blood type A.", target_engram="Health")
    assert error["code"] == code
    with substrate.open(store) as memory:
        memory.accept(error["pending"], domain="health")
        assert memory.search("blood type", domain="health").items
