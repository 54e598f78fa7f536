"""The tools of CortexGraph that let notes fade, go, or stay for good."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import substrate
from substrate.clock import ManualClock
from substrate.server.launch import SCOPES
from tests.agents import Agent, in_memory
from tests.surfaces.cortexgraph.calls import NOWHERE, SURFACE, refused

DAY = 24 * 3600 * 1_000_000
EVERYTHING = frozenset(SCOPES)


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    return folder


@pytest.fixture
def agent(store: Path, vault: Path) -> Iterator[Agent]:
    """An agent that may do all, beside old notes of its own surface, of another one and of a person."""
    clock = ManualClock(time.time_ns() // 1000 - 100 * DAY)
    with substrate.open(store, clock=clock) as memory:
        own = memory.client("mcp:cortexgraph:tester")
        for text in ("tea is green", "tea is black"):
            own.remember(text, "note", strength=1.0)
        memory.client("mcp:atoms:tester").remember("coffee is brown", "note")
        memory.remember("cocoa is sweet", "note")
    with in_memory(store, scopes=EVERYTHING, launch={**SURFACE, "vault": vault}) as connected:
        yield connected


def ids(agent: Agent, status: str = "active") -> dict[str, str]:
    return {one["content"]: one["id"] for one in agent.ok("read_graph", status=status)["memories"]}


# -- touch_memory ------------------------------------------------------------------------------------------------------


def test_a_touch_says_what_it_changed(agent: Agent) -> None:
    one = ids(agent)["tea is green"]
    touched = agent.ok("touch_memory", memory_id=one)
    assert set(touched) == {"success", "memory_id", "old_score", "new_score", "use_count", "strength", "message"}
    assert (touched["memory_id"], touched["use_count"], touched["strength"]) == (one, 1, 1.0)
    assert touched["old_score"] < 0.05
    assert touched["new_score"] > 1.5
    strengths = [agent.ok("touch_memory", memory_id=one, boost_strength=True)["strength"] for _ in range(11)]
    assert strengths[0] == 1.1
    assert strengths[-2:] == [2.0, 2.0]


def test_what_is_no_id_is_told_where_ids_come_from(agent: Agent) -> None:
    said = refused(agent, "touch_memory", memory_id="nope")
    assert (said["code"], "search_memory" in said["message"]) == ("not_found", True)


@pytest.mark.parametrize("given", [NOWHERE, "nonsense", "", "x" * 401, 5])
def test_what_is_no_memory_is_not_touched(agent: Agent, given: object) -> None:
    assert refused(agent, "touch_memory", memory_id=given)["message"]


def test_ids_of_an_edge_and_of_a_forgotten_note_are_refused_in_words_of_memories(agent: Agent, store: Path) -> None:
    known = ids(agent)
    with substrate.open(store) as memory:
        memory.checkpoint(edges=[{"source": known["tea is green"], "type": "related", "target": known["tea is black"]}])
        (edge,) = memory.edges(known["tea is green"])
        memory.forget(known["tea is black"])
    for one, code in ((edge.id, "not_found"), (known["tea is black"], "forgotten")):
        for tool in ("touch_memory", "promote_memory"):
            error = refused(agent, tool, memory_id=one)
            assert error["code"] == code
            assert "atom" not in error["message"]


# -- gc ----------------------------------------------------------------------------------------------------------------


def test_a_collection_is_a_dry_run_first_and_takes_only_notes_of_this_surface(agent: Agent, store: Path) -> None:
    before = ids(agent)
    would = agent.ok("gc")
    assert set(would) == {
        *("success", "dry_run", "removed_count", "archived_count", "freed_score_sum", "memory_ids", "total_affected"),
        "message",
    }
    mine = {before["tea is green"], before["tea is black"]}
    assert (would["dry_run"], would["removed_count"], would["total_affected"]) == (True, 0, 2)
    assert set(would["memory_ids"]) == mine
    assert ids(agent) == before
    done = agent.ok("gc", dry_run=False)
    assert (done["removed_count"], done["archived_count"], set(done["memory_ids"])) == (2, 0, mine)
    assert "substrate forget" in done["message"]
    assert set(ids(agent)) == {"coffee is brown", "cocoa is sweet"}
    with substrate.open(store) as memory:  # a tombstone: nothing is erased
        assert memory.history(before["tea is green"])[0].atom.value == "tea is green"  # type: ignore[union-attr]
    assert agent.ok("gc", dry_run=False)["total_affected"] == 0


def test_what_is_archived_is_still_found_by_that_status(agent: Agent) -> None:
    done = agent.ok("gc", dry_run=False, archive_instead=True)
    assert (done["removed_count"], done["archived_count"]) == (0, 2)
    assert set(ids(agent, "archived")) == {"tea is green", "tea is black"}
    found = agent.ok("search_memory", query="green tea", status="archived")["results"]
    assert [(one["content"], one["status"]) for one in found] == [
        ("tea is green", "archived"),
        ("tea is black", "archived"),
    ]
    assert "tea is green" not in [one["content"] for one in agent.ok("search_memory", query="green tea")["results"]]
    (note,) = agent.ok("open_memories", memory_ids=found[0]["id"])["memories"]
    assert note["status"] == "archived"


def test_a_collection_takes_at_most_so_many_the_lowest_first(agent: Agent) -> None:
    agent.ok("touch_memory", memory_id=ids(agent)["tea is black"])
    assert agent.ok("gc", limit=1)["total_affected"] == 1
    for wrong in (0, 10_001, -1):
        assert "limit" in refused(agent, "gc", limit=wrong)["message"]
    assert agent.ok("gc", limit=10_000)["total_affected"] == 1


# -- promote_memory ----------------------------------------------------------------------------------------------------


def test_a_promoted_memory_is_a_file_of_the_vault(agent: Agent, vault: Path) -> None:
    one = agent.ok("save_memory", content="Pay on the first\nof the month", tags=["money"])["memory_id"]
    would = agent.ok("promote_memory", memory_id=one, dry_run=True, force=True)
    assert set(would) == {
        *("success", "dry_run", "candidates_found", "promoted_count", "promoted_ids", "candidates", "message")
    }
    assert (would["promoted_count"], would["candidates_found"], list(vault.iterdir())) == (0, 1, [])
    done = agent.ok("promote_memory", memory_id=one, force=True)
    assert (done["promoted_count"], done["promoted_ids"]) == (1, [one])
    assert done["candidates"][0]["path"] == "promoted/Pay on the first.md"
    assert "of the month" in (vault / "promoted" / "Pay on the first.md").read_text()
    (note,) = agent.ok("open_memories", memory_ids=one)["memories"]
    assert (note["status"], note["tags"]) == ("promoted", ["money"])
    assert list(ids(agent, "promoted")) == ["Pay on the first\nof the month"]


def test_what_is_merely_new_is_not_promoted_and_what_was_used_is(agent: Agent, vault: Path) -> None:
    new = agent.ok("save_memory", content="merely new")["memory_id"]
    used = agent.ok("save_memory", content="used often")["memory_id"]
    for _ in range(3):
        agent.ok("touch_memory", memory_id=used)
    assert "three times" in refused(agent, "promote_memory", memory_id=new)["message"]
    done = agent.ok("promote_memory", auto_detect=True)
    assert (done["promoted_ids"], done["candidates_found"]) == ([used], 1)
    assert [path.name for path in (vault / "promoted").iterdir()] == ["used often.md"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({}, "give a memory_id, or set auto_detect"),
        ({"memory_id": NOWHERE, "auto_detect": True}, "not both"),
        ({"memory_id": NOWHERE}, "there is no memory"),
        ({"auto_detect": True, "target": "notion"}, "target is obsidian"),
        ({"auto_detect": True, "path": "x"}, "there is no such argument"),
    ],
)
def test_what_cannot_be_promoted_is_refused(agent: Agent, arguments: dict[str, Any], told: str) -> None:
    assert told in refused(agent, "promote_memory", **arguments)["message"]


def test_notes_of_others_are_the_users_to_promote(agent: Agent, vault: Path) -> None:
    for content in ("coffee is brown", "cocoa is sweet"):
        assert refused(agent, "promote_memory", memory_id=ids(agent)[content], force=True)["code"] == "denied"
    assert list(vault.iterdir()) == []


def test_without_a_vault_promotion_says_how_to_name_one(store: Path) -> None:
    """The original says success, and promotes nothing."""
    with in_memory(store, scopes=EVERYTHING, launch=SURFACE) as agent:
        one = agent.ok("save_memory", content="keep me")["memory_id"]
        assert "--vault" in refused(agent, "promote_memory", memory_id=one, force=True)["message"]
        assert agent.ok("promote_memory", memory_id=one, force=True, dry_run=True)["candidates_found"] == 1


# -- scopes ------------------------------------------------------------------------------------------------------------

NEEDS = dict.fromkeys(("search_memory", "search_unified", "open_memories", "read_graph"), "read") | {
    "save_memory": "write",
    "touch_memory": "train",
    "gc": "write",
    "promote_memory": "admin",
}


@pytest.mark.parametrize("scope", ["read", "write", "train", "admin"])
def test_each_tool_needs_its_scope(store: Path, scope: str) -> None:
    with in_memory(store, scopes=frozenset({scope}), launch=SURFACE) as agent:
        listed = set(agent.tools)
        assert {tool for tool, needed in NEEDS.items() if needed == scope} <= listed
        assert not {tool for tool, needed in NEEDS.items() if needed != scope} & listed
        other = next(tool for tool, needed in NEEDS.items() if needed != scope)
        assert refused(agent, other)["code"] == "denied"


def test_a_server_that_only_reads_saves_and_touches_nothing(store: Path) -> None:
    with substrate.open(store) as memory:
        one = memory.remember("tea is green", "note")
    with in_memory(store, read_only=True, launch=SURFACE) as agent:
        assert agent.ok("search_memory", query="tea")["count"] == 1
        for tool, arguments in (
            ("save_memory", {"content": "x"}),
            ("touch_memory", {"memory_id": one.name}),
            ("gc", {"dry_run": False}),
        ):
            assert refused(agent, tool, **arguments)["code"] == "denied"
