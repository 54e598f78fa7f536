"""session_checkpoint: what agents save, and what they are told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import substrate
from tests.agents import ALL_SCOPES, BOOTSTRAP, TOOLS, Agent, error_of, in_memory, text_of
from tests.credentials import SAMPLE_KINDS, samples

SAVE = "session_checkpoint"
TASK = "v1.task.migrate"


def value_of(agent: Agent, key: str) -> str:
    value: str = agent.ok("memory_access", key=key)["value"]
    return value


def size_of(agent: Agent) -> int:
    size: int = agent.ok("memory_status")["size"]
    return size


def test_the_list_of_all_tools_is_small(store: Path) -> None:
    """A client puts it into every conversation, before a word is said."""
    with in_memory(store, scopes=ALL_SCOPES) as agent:
        listed = agent.do(agent.client.list_tools)
    tools = listed.model_dump(mode="json", by_alias=True, exclude_none=True)
    assert len(listed.tools) == len(TOOLS)
    assert len(json.dumps(tools, ensure_ascii=False).encode()) <= 22_000


def test_atoms_edges_and_tombstones_are_saved_together(agent: Agent) -> None:
    agent.ok(SAVE, atoms=["v1.state.old = over"])
    saved = agent.ok(
        SAVE,
        atoms=["v1.fact.provider = Stripe", "v1.fact.url = a = b"],
        edges=[{"source": "v1.fact.url", "target": "v1.fact.provider", "type": "references", "confidence": 0.5}],
        tombstone=["v1.state.old"],
    )
    assert saved["recorded"] == ["v1.fact.provider", "v1.fact.url"]
    assert (saved["tombstoned"], saved["edges"]) == (["v1.state.old"], 1)
    assert saved["head"] == {"size": saved["firstSeq"] + 4} == {"size": size_of(agent)}
    again = agent.ok(SAVE, atoms=["v1.fact.b = c"], includeRoot=True)
    assert again["head"] == {key: agent.ok("memory_status")[key] for key in ("size", "root")}
    assert value_of(agent, "v1.fact.url") == "a = b"
    (edge,) = agent.ok("memory_context", keys=["v1.fact.url"])["edges"]
    assert (edge["type"], edge["target"], edge["confidence"]) == ("references", "v1.fact.provider", 0.5)


def test_the_same_value_again_confirms_and_another_one_is_the_next_version(agent: Agent) -> None:
    agent.ok(SAVE, atoms=["v1.fact.a = 1"])
    again = agent.ok(SAVE, atoms=["v1.fact.a = 1"])
    assert (again["recorded"], again["confirmed"], "firstSeq" in again) == ([], ["v1.fact.a"], False)
    agent.ok(SAVE, atoms=["v1.fact.a = 2"])
    versions = agent.ok("memory_history", key="v1.fact.a")["versions"]
    assert [version["value"] for version in versions] == ["1", "2"]


def test_the_same_said_again_in_one_session_is_a_retry_and_from_another_a_confirmation(store: Path) -> None:
    edge = {"source": "v1.fact.a", "target": "v1.hub.x", "type": "member_of"}
    with in_memory(store) as agent:
        agent.ok(SAVE, atoms=["v1.fact.a = 1"], edges=[edge])
        before = agent.ok(BOOTSTRAP)["atoms"][0].get("evidence", 0.5)
        for _ in range(5):
            assert agent.ok(SAVE, atoms=["v1.fact.a = 1"], edges=[edge])["confirmed"][0] == "v1.fact.a"
        assert agent.ok(BOOTSTRAP)["atoms"][0].get("evidence", 0.5) == before
    with in_memory(store) as another:
        another.ok(SAVE, atoms=["v1.fact.a = 1"])
        assert another.ok(BOOTSTRAP)["atoms"][0]["evidence"] > before


def test_who_may_not_read_is_not_told_what_was_there_already(store: Path) -> None:
    with substrate.open(store) as memory:
        memory.checkpoint(["v1.fact.pay = 250"])
    with in_memory(store, scopes=frozenset({"write"})) as agent:
        guessed = agent.ok(SAVE, atoms=["v1.fact.pay = 250"])
    assert (guessed["recorded"], "confirmed" in guessed) == ([], False)


def test_source_and_confidence_are_those_of_every_atom_and_a_source_is_evidence(agent: Agent) -> None:
    agent.ok(SAVE, atoms=["v1.fact.plain = tea"])
    agent.ok(SAVE, atoms=["v1.fact.read = tea", "v1.fact.url = a = b"], source="docs/tea.md", confidence=0.9)
    for key, value in (("v1.fact.read", "tea"), ("v1.fact.url", "a = b")):
        said = agent.ok("memory_access", key=key)
        assert (said["value"], said["source"], said["confidence"]) == (value, "docs/tea.md", 0.9)
    plain = agent.ok("memory_access", key="v1.fact.plain")
    assert not {"source", "confidence"} & set(plain)
    stakes = agent.ok(BOOTSTRAP, objective="tea", highImpact=True)
    assert [atom["key"] for atom in stakes["atoms"]] == ["v1.fact.read", "v1.fact.url"]
    agent.ok(SAVE, atoms=["v1.fact.never = tea"], confidence=0)
    assert agent.ok("memory_access", key="v1.fact.never")["confidence"] == 0


def test_what_is_no_atom_is_refused_as_that_with_confidence_and_without(agent: Agent) -> None:
    wrong = ["no separator", "hub_corrections = x", "v1.fact.empty =", " = x"]
    for atom in wrong:
        plain, sure = agent.error(SAVE, atoms=[atom]), agent.error(SAVE, atoms=[atom], confidence=0.5)
        assert plain["items"] == sure["items"]


def test_an_atom_may_come_as_an_object_of_key_and_value(agent: Agent) -> None:
    saved = agent.ok(SAVE, atoms=[{"key": "v1.fact.a", "value": "x = y"}, "v1.fact.b = 2"], confidence=0.9)
    assert saved["recorded"] == ["v1.fact.a", "v1.fact.b"]
    assert value_of(agent, "v1.fact.a") == "x = y"
    for wrong in ({"key": "v1.fact.c = 1", "value": "2"}, {"key": "v1.fact.c"}, {"key": "v1.fact.c", "value": 3}):
        assert "key = value" in json.dumps(agent.error(SAVE, atoms=[wrong]))


def test_an_edge_is_taken_back(agent: Agent) -> None:
    edge = {"source": "v1.fact.a", "target": "v1.fact.b", "type": "depends_on"}
    agent.ok(SAVE, atoms=["v1.fact.a = 1", "v1.fact.b = 2"], edges=[edge | {"confidence": 0.5}])
    assert "unedged" not in agent.ok(SAVE, atoms=["v1.fact.a = 3"])
    saved = agent.ok(SAVE, unedge=[edge | {"confidence": 0.5}])
    assert (saved["unedged"], saved["recorded"]) == (1, [])
    assert agent.ok("memory_context", keys=["v1.fact.a"])["edges"] == []
    (item,) = agent.error(SAVE, unedge=[edge])["items"]
    assert item["item"] == "unedge[0]"


def test_of_many_items_a_hundred_are_echoed(agent: Agent) -> None:
    keys = [f"v1.fact.n{i:03}" for i in range(150)]
    atoms = [f"{key} = {key}" for key in keys]
    edges = [{"source": key, "target": f"v1.hub.h{key}", "type": "member_of"} for key in keys]
    saved = agent.ok(SAVE, atoms=atoms, edges=edges)
    assert (saved["recorded"], saved["recordedTotal"], saved["edges"]) == (keys[:100], 150, 150)
    assert len(saved["dangling"]) == 100
    assert len(agent.ok(SAVE, atoms=atoms)["confirmed"]) == 100
    assert agent.ok(SAVE, tombstone=keys)["tombstoned"] == keys[:100]
    assert "recordedTotal" not in agent.ok(SAVE, atoms=atoms[:100])


def test_one_item_that_is_refused_is_told_in_a_line_and_several_as_json(agent: Agent) -> None:
    one = agent.call(SAVE, atoms=["v1.fact.good = 1", "no separator"])
    (item,) = error_of(one)["items"]
    assert text_of(one) == f"items_refused: nothing was saved. atoms[1]: {item['reason']}"
    two = agent.call(SAVE, atoms=["no separator", "nor here"])
    said = json.loads(text_of(two))
    assert said == error_of(two)
    assert said["message"] == "nothing was saved: 2 items cannot be taken"
    assert [item["item"] for item in said["items"]] == ["atoms[0]", "atoms[1]"]
    many = agent.error(SAVE, atoms=[f"no separator {i}" for i in range(50)])
    assert (len(many["items"]), "50 items" in many["message"]) == (20, True)


def test_a_task_at_work_gets_a_produced_by_edge_from_every_atom(agent: Agent) -> None:
    saved = agent.ok(SAVE, atoms=["v1.fact.a = 1", "v1.fact.b = 2"], taskContext=TASK)
    assert (saved["edges"], saved["dangling"]) == (2, [TASK])
    edges = agent.ok("memory_context", keys=["v1.fact.a", "v1.fact.b"])["edges"]
    assert {(edge["source"], edge["type"], edge["target"]) for edge in edges} == {
        ("v1.fact.a", "produced_by", TASK),
        ("v1.fact.b", "produced_by", TASK),
    }


def test_every_documented_type_of_edge_is_taken(agent: Agent) -> None:
    words = ["supersedes", "member_of", "depends_on", "constrains", "references", "derived_from", "produced_by"]
    edges = [{"source": "v1.fact.a", "target": f"v1.fact.{word}", "type": word} for word in words]
    saved = agent.ok(SAVE, atoms=["v1.fact.a = 1", *(f"v1.fact.{word} = 2" for word in words)], edges=edges)
    assert saved["edges"] == len(words)
    found = agent.ok("memory_context", keys=["v1.fact.a"])["edges"]
    assert {(edge["target"], edge["type"]) for edge in found} == {(f"v1.fact.{word}", word) for word in words}


def test_what_contradicts_is_saved_and_told(agent: Agent) -> None:
    agent.ok(SAVE, atoms=["v1.fact.db_port = The database port is 5432"])
    saved = agent.ok(SAVE, atoms=["v1.fact.database_port = The database port is 5433"])
    (conflict,) = saved["conflicts"]
    assert {conflict["first"], conflict["second"]} == {"v1.fact.db_port", "v1.fact.database_port"}
    assert conflict["kind"] == "number"
    assert conflict["reason"]


def test_expect_lets_a_write_pass_that_knows_what_is_there(agent: Agent) -> None:
    first = agent.ok(SAVE, atoms=["v1.fact.a = 1"], expect={"v1.fact.a": None})["firstSeq"]
    assert agent.ok(SAVE, atoms=["v1.fact.a = 2"], expect={"v1.fact.a": first})["recorded"] == ["v1.fact.a"]


@pytest.mark.parametrize("expected", [None, 0])
def test_a_lost_update_is_refused_says_that_it_may_be_tried_again_and_writes_nothing(
    agent: Agent, expected: int | None
) -> None:
    agent.ok(SAVE, atoms=["v1.fact.a = 1"])
    before = size_of(agent)
    error = agent.error(SAVE, atoms=["v1.fact.a = 2", "v1.fact.b = 3"], expect={"v1.fact.a": expected})
    assert (error["code"], error["retryable"]) == ("conflict", True)
    assert "v1.fact.a" in error["message"]
    assert size_of(agent) == before
    assert value_of(agent, "v1.fact.a") == "1"


def test_of_items_that_are_refused_each_is_named_with_its_reason_and_nothing_is_saved(agent: Agent) -> None:
    agent.ok(SAVE, atoms=["v1.fact.kept = 1"])
    before = size_of(agent)
    error = agent.error(
        SAVE,
        atoms=["v1.fact.good = 1", "no separator", "hub_corrections = x", "v1.fact.empty ="],
        tombstone=["v1.fact.kpet"],
    )
    assert error["code"] == "items_refused"
    assert error["message"].startswith("nothing was saved")
    items = {item["item"]: item for item in error["items"]}
    assert set(items) >= {"atoms[1]", "atoms[2]", "atoms[3]"}
    assert "v1.hub.corrections" in items["atoms[2]"]["reason"]
    assert all(item["reason"] and item["code"] for item in error["items"])
    assert size_of(agent) == before


def test_to_tombstone_what_is_not_there_names_what_may_have_been_meant(agent: Agent) -> None:
    agent.ok(SAVE, atoms=["v1.fact.payment_provider = Stripe"])
    (item,) = agent.error(SAVE, tombstone=["v1.fact.payment_provder"])["items"]
    assert (item["item"], item["code"]) == ("tombstone[0]", "not_found")
    assert "v1.fact.payment_provider" in item["reason"]


def test_a_circle_of_supersedes_is_refused(agent: Agent) -> None:
    edges = [
        {"source": "v1.fact.a", "target": "v1.fact.b", "type": "supersedes"},
        {"source": "v1.fact.b", "target": "v1.fact.a", "type": "supersedes"},
    ]
    (item,) = agent.error(SAVE, atoms=["v1.fact.a = 1", "v1.fact.b = 2"], edges=edges)["items"]
    assert item["item"] == "edges[1]"


@pytest.mark.parametrize("kind", sorted(SAMPLE_KINDS)[::12])
def test_a_secret_is_refused_and_not_repeated(agent: Agent, kind: str) -> None:
    (sample,) = samples(kind, 1)
    result = agent.call(SAVE, atoms=[f"v1.fact.token = {sample.text}"])
    assert sample.secret not in result.model_dump_json()
    (item,) = error_of(result)["items"]
    assert (item["item"], item["code"]) == ("atoms[0]", "secret")
    assert "allow_secrets" not in result.model_dump_json()
    assert agent.ok("memory_list_atoms")["atoms"] == []


def test_a_checkpoint_of_nothing_says_what_to_give(agent: Agent) -> None:
    error = agent.error(SAVE)
    assert error["code"] == "input"
    assert all(word in error["message"] for word in ("atoms", "edges", "tombstone"))


def test_who_wrote_it_is_the_client_by_its_name_and_an_agent(store: Path) -> None:
    with in_memory(store, name="Claude Code") as agent:
        agent.ok(
            SAVE, atoms=["v1.fact.a = 1"], edges=[{"source": "v1.fact.a", "target": "v1.hub.x", "type": "member_of"}]
        )
        said = agent.ok("memory_access", key="v1.fact.a")
        session = agent.ok("memory_status")["session"]
    assert (said["actor"], said["origin"]) == ("mcp:atoms:Claude Code", "agent")
    with substrate.open(store, read_only=True) as memory:
        atom = memory.access("v1.fact.a").atom
        (edge,) = memory.edges("v1.fact.a")
    assert (atom.actor, atom.origin, atom.session) == ("mcp:atoms:Claude Code", "agent", session)
    assert (edge.actor, edge.origin, edge.session) == (atom.actor, atom.origin, session)
