"""Each number that a tool takes: at its ends, one step within, and one step beyond."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import substrate
from substrate.server.launch import SCOPES
from tests.agents import Agent, in_memory
from tests.surfaces.cortexgraph.calls import SURFACE, refused


class Bound(NamedTuple):
    """An argument of a tool, from its least to its most; the other arguments that the call needs are in `given`."""

    tool: str
    name: str
    least: float
    most: float | None
    step: float = 1
    given: tuple[str, ...] = ()


SEARCHES = ("search_memory", "search_unified")
BOUNDS = [
    *(Bound(tool, "page", 1, None) for tool in (*SEARCHES, "read_graph")),
    *(Bound(tool, "page_size", 1, 100) for tool in (*SEARCHES, "read_graph")),
    *(Bound(tool, "window_days", 1, 3650) for tool in SEARCHES),
    *(Bound(tool, "min_score", 0, 1, 0.01) for tool in SEARCHES),
    *(Bound(tool, "preview_length", 0, 5000) for tool in SEARCHES),
    Bound("search_memory", "top_k", 1, 100),
    Bound("search_unified", "limit", 1, 100),
    Bound("search_unified", "stm_weight", 0, 2, 0.01),
    Bound("search_unified", "ltm_weight", 0, 2, 0.01),
    Bound("read_graph", "limit", 1, 10_000),
    Bound("gc", "limit", 1, 10_000),
    Bound("backfill_embeddings", "limit", 1, 10_000, given=("dry_run",)),
    Bound("cluster_memories", "threshold", 0, 1, 0.01),
    Bound("cluster_memories", "duplicate_threshold", 0, 1, 0.01, ("find_duplicates",)),
    Bound("cluster_memories", "max_cluster_size", 1, 100),
    Bound("consolidate_memories", "cohesion_threshold", 0, 1, 0.01, ("auto_detect",)),
    Bound("open_memories", "page", 1, None, given=("memory_ids",)),
    Bound("open_memories", "page_size", 1, 100, given=("memory_ids",)),
    Bound("create_relation", "strength", 0, 1, 0.01, ("from_memory_id", "to_memory_id", "relation_type")),
    Bound("save_memory", "strength", 1, 2, 0.01, ("content",)),
]


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Agent]:
    with in_memory(tmp_path_factory.mktemp("limits") / "store", scopes=frozenset(SCOPES), launch=SURFACE) as connected:
        yield connected


@pytest.fixture(scope="module")
def known(agent: Agent) -> dict[str, Any]:
    """What calls need, by argument."""
    first, second = (agent.ok("save_memory", content=text)["memory_id"] for text in ("tea is green", "soup is hot"))
    ends = {"from_memory_id": first, "to_memory_id": second, "relation_type": "related"}
    flags = {"dry_run": True, "find_duplicates": True, "auto_detect": True}
    return {"content": "tea is green", "memory_ids": [first, second], **ends, **flags}


@pytest.mark.parametrize("bound", BOUNDS, ids=lambda one: f"{one.tool}-{one.name}")
def test_a_number_is_taken_up_to_its_ends_and_refused_beyond(agent: Agent, known: dict[str, Any], bound: Bound) -> None:
    given = {name: known[name] for name in bound.given}
    ends = (bound.least, bound.least + bound.step)
    beyond = [bound.least - bound.step]
    if bound.most is not None:
        ends = (*ends, bound.most - bound.step, bound.most)
        beyond.append(bound.most + bound.step)
    if bound.tool != "backfill_embeddings":  # without a model it has nothing to do
        for right in ends:
            assert agent.ok(bound.tool, **given, **{bound.name: right})["success"] is True
    for wrong in (*beyond, "many"):
        assert bound.name in refused(agent, bound.tool, **given, **{bound.name: wrong})["message"]


def test_ids_of_an_edge_of_a_forgotten_note_and_of_another_surface(store: Path) -> None:
    with in_memory(store, scopes=frozenset(SCOPES), launch=SURFACE) as agent:
        mine, gone = (agent.ok("save_memory", content=text)["memory_id"] for text in ("tea is green", "soup is hot"))
        ends = {"from_memory_id": mine, "to_memory_id": gone, "relation_type": "related"}
        edge = agent.ok("create_relation", **ends)["relation_id"]
        with substrate.open(store) as memory:
            other = memory.client("mcp:atoms:tester").remember("cocoa is sweet", "note")
            memory.forget(gone)
        theirs = other.ids[other.name]
        opened = agent.ok("open_memories", memory_ids=[mine, edge, gone, theirs])
        assert [one["id"] for one in opened["memories"]] == [mine, theirs]
        assert opened["not_found"] == [edge, gone]
        for wrong in (edge, gone):
            assert refused(agent, "create_relation", **ends | {"to_memory_id": wrong})["message"]
        assert agent.ok("touch_memory", memory_id=theirs)["use_count"] == 1
        assert refused(agent, "promote_memory", memory_id=theirs, force=True)["code"] == "denied"
        assert agent.ok("create_relation", **ends | {"to_memory_id": theirs})["to"] == theirs
        assert theirs not in agent.ok("gc", dry_run=False)["memory_ids"]
