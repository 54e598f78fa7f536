"""memory_search, memory_context, memory_associate and memory_train: what is found, and what is taught."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

import substrate
from substrate.memory import Memory
from tests.agents import Agent, in_memory

SEARCH, CONTEXT, ASSOCIATE, TRAIN = "memory_search", "memory_context", "memory_associate", "memory_train"
CHAIN = [f"v1.fact.c{i}" for i in range(5)]


def edge(source: str, target: str, kind: str = "references") -> dict[str, str]:
    return {"source": source, "target": target, "type": kind}


def fill_domains(memory: Memory) -> None:
    """Two domains that have a rare name in common."""
    clinic = ["v1.fact.nurse = The monitors run on Zelkova", *(f"v1.fact.bed{i} = bed {i} is made" for i in range(100))]
    dome = ["v1.fact.star = Zelkova crashed at night", *(f"v1.fact.frame{i} = frame {i} is dark" for i in range(100))]
    for domain, atoms in (("v1.domain.clinic", clinic), ("v1.domain.dome", dome)):
        members = [edge(atom.split(" = ")[0], domain, "member_of") for atom in atoms]
        memory.checkpoint([f"{domain} = a domain", *atoms], edges=members)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two domains, a chain of edges, a long text, an atom with a past."""
    store = tmp_path_factory.mktemp("library") / "store"
    with substrate.open(store, model="none") as memory:
        fill_domains(memory)
        memory.checkpoint([f"{name} = link {name[-1]}" for name in CHAIN])
        memory.checkpoint(edges=[edge(one, other) for one, other in pairwise(CHAIN)])
        filler = "nothing of note here. " * 100
        memory.checkpoint([f"v1.fact.minutes = {filler}The kingfisher was seen. {filler}"])
        memory.checkpoint(["v1.fact.lead = Ada leads the observatory"])
        memory.checkpoint(["v1.fact.lead = Grace leads the observatory"])
    return store


@pytest.fixture(scope="module")
def reader(library: Path) -> Iterator[Agent]:
    with in_memory(library) as agent:
        yield agent


# -- search ------------------------------------------------------------------------------------------------------------


def test_hits_are_ordered_by_score_ten_at_most_and_each_says_why(reader: Agent) -> None:
    found = reader.ok(SEARCH, query="which bed is made")
    scores = [hit["score"] for hit in found["atoms"]]
    assert scores == sorted(scores, reverse=True)
    assert (len(scores), found["truncated"]) == (10, True)
    assert all(hit["key"].startswith("v1.fact.bed") and hit["why"] and hit["value"] for hit in found["atoms"])
    assert all("id" not in hit for hit in found["atoms"])


def test_a_search_takes_a_limit_and_says_whether_there_is_more(reader: Agent) -> None:
    found = reader.ok(SEARCH, query="Zelkova", limit=1)
    assert (len(found["atoms"]), found["truncated"]) == (1, True)
    found = reader.ok(SEARCH, query="Zelkova", limit=100)
    assert {hit["key"] for hit in found["atoms"][:2]} == {"v1.fact.nurse", "v1.fact.star"}
    assert found["truncated"] is False


def test_a_domain_restricts_a_search_to_its_atoms(reader: Agent) -> None:
    (hit,) = reader.ok(SEARCH, query="Zelkova", domain="v1.domain.dome")["atoms"]
    assert hit["key"] == "v1.fact.star"
    error = reader.error(SEARCH, query="Zelkova", domain="v1.domain.doom")
    assert error["code"] == "not_found"
    assert "v1.domain.dome" in error["message"]


def test_a_search_can_be_asked_as_of_and_for_a_time(reader: Agent) -> None:
    (now,) = reader.ok(SEARCH, query="who leads the observatory", limit=1)["atoms"]
    assert now["value"] == "Grace leads the observatory"
    (before,) = reader.ok(SEARCH, query="who leads the observatory", limit=1, asOf=now["seq"] - 1)["atoms"]
    assert before["value"] == "Ada leads the observatory"
    assert reader.ok(SEARCH, query="who leads the observatory", validAt="2001-01-01")["seq"] == now["seq"]


def test_a_search_walks_along_edges_if_it_is_asked_to(reader: Agent) -> None:
    assert [hit["key"] for hit in reader.ok(SEARCH, query="c0")["atoms"]] == CHAIN[:2]
    walked = reader.ok(SEARCH, query="c0", hops=3)["atoms"]
    assert [hit["key"] for hit in walked] == CHAIN[:4]
    assert walked[2]["why"].endswith(f"({CHAIN[0]} references {CHAIN[1]}, {CHAIN[1]} references {CHAIN[2]})")
    assert reader.error(SEARCH, query="c0", hops=4)["code"] == "arguments"


def test_of_a_long_value_a_search_shows_the_passage_that_matches(reader: Agent) -> None:
    hit = reader.ok(SEARCH, query="kingfisher")["atoms"][0]
    assert (hit["key"], hit["truncated"]) == ("v1.fact.minutes", True)
    assert "kingfisher" in hit["value"]
    assert len(hit["value"]) < 1000 < hit["length"]


def test_a_search_that_finds_nothing_is_an_empty_answer(reader: Agent) -> None:
    found = reader.ok(SEARCH, query="xylophone")
    assert (found["atoms"], found["truncated"]) == ([], False)
    assert "index()" not in str(found["remarks"])


# -- context -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_context_reaches_as_many_edges_far_as_it_is_told(reader: Agent, depth: int) -> None:
    linked = reader.ok(CONTEXT, keys=[CHAIN[0]], depth=depth)
    assert [one["target"] for one in linked["edges"]] == CHAIN[1 : depth + 1]
    assert [(atom["key"], atom["distance"]) for atom in linked["atoms"]] == [
        (key, distance) for distance, key in enumerate(CHAIN[: depth + 1])
    ]
    assert linked["truncated"] is False


def test_a_context_goes_one_edge_far_by_default_and_both_ways(reader: Agent) -> None:
    linked = reader.ok(CONTEXT, keys=[CHAIN[2]])
    assert {(one["source"], one["type"], one["target"]) for one in linked["edges"]} == {
        (CHAIN[1], "references", CHAIN[2]),
        (CHAIN[2], "references", CHAIN[3]),
    }
    assert {atom["key"]: atom["value"] for atom in linked["atoms"]} == {key: f"link {key[-1]}" for key in CHAIN[1:4]}


def test_a_context_can_be_asked_as_of(reader: Agent, library: Path) -> None:
    with substrate.open(library, read_only=True) as memory:
        before_edges = memory.access(CHAIN[4]).atom.seq
    assert reader.ok(CONTEXT, keys=[CHAIN[0]], asOf=before_edges)["edges"] == []
    assert reader.ok(CONTEXT, keys=[CHAIN[0]], validAt="2030-01-01")["edges"] != []


def test_of_keys_that_are_not_there_a_context_says_so_and_tells_of_the_others(reader: Agent) -> None:
    linked = reader.ok(CONTEXT, keys=[CHAIN[0], "v1.fact.absent"])
    assert len(linked["edges"]) == 1
    (missing,) = linked["missing"]
    assert missing["key"] == "v1.fact.absent"
    assert missing["reason"]


def test_a_context_of_nothing_that_is_there_names_the_nearest(reader: Agent) -> None:
    result = reader.call(CONTEXT, keys=["v1.fact.nurs"])
    assert "v1.fact.nurse" in result.model_dump_json()


def test_a_context_and_an_association_mark_values_that_are_cut(store: Path) -> None:
    long = "Zelkova " + "crashed at night " * 40
    with substrate.open(store) as memory:
        fill_domains(memory)
        memory.checkpoint([f"v1.fact.star = {long}"], edges=[edge("v1.fact.nurse", "v1.fact.bed1")])
    with in_memory(store) as agent:
        atoms = {atom["key"]: atom for atom in agent.ok(CONTEXT, keys=["v1.fact.star"])["atoms"]}
        assert (atoms["v1.fact.star"]["truncated"], "truncated" in atoms["v1.domain.dome"]) == (True, False)
        (one,) = agent.ok(ASSOCIATE, atoms=["v1.fact.nurse"])["associations"]
        assert (one["value"], one["truncated"]) == (long[:240], True)


# -- associate ---------------------------------------------------------------------------------------------------------


def test_a_connection_across_domains_is_found_with_its_reason_and_the_edge_that_accepts_it(reader: Agent) -> None:
    found = reader.ok(ASSOCIATE, atoms=["v1.fact.nurse"])
    (one,) = found["associations"]
    assert (one["source"], one["target"], one["value"]) == ("v1.fact.nurse", "v1.fact.star", "Zelkova crashed at night")
    assert "Zelkova" in one["reason"]
    assert 0 < one["score"] <= 1
    assert {one["edge"]["source"], one["edge"]["target"]} == {"v1.fact.nurse", "v1.fact.star"}
    assert found["remark"]
    assert "index()" not in found["remark"]
    assert "truncated" not in one


def test_domain_and_all_domains_say_where_atoms_belong_and_where_to_look(reader: Agent) -> None:
    assert reader.ok(ASSOCIATE, atoms=["v1.fact.nurse"], domain="v1.domain.dome")["associations"] == []
    within = reader.ok(ASSOCIATE, atoms=["v1.fact.nurse"], allDomains=["v1.domain.clinic", "v1.domain.dome"])
    assert len(within["associations"]) == 1
    assert reader.ok(ASSOCIATE, atoms=["v1.fact.nurse"], allDomains=["v1.domain.clinic"])["associations"] == []


def test_the_edge_of_an_association_is_one_that_a_checkpoint_takes(store: Path) -> None:
    with substrate.open(store) as memory:
        fill_domains(memory)
    with in_memory(store) as agent:
        (one,) = agent.ok(ASSOCIATE, atoms=["v1.fact.nurse"])["associations"]
        assert agent.ok("session_checkpoint", edges=[one["edge"]])["edges"] == 1
        assert agent.ok(ASSOCIATE, atoms=["v1.fact.nurse"])["associations"] == []


# -- train -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def learner(agent: Agent) -> Agent:
    agent.ok("session_checkpoint", atoms=["v1.fact.a = 1", "v1.fact.b = 2"])
    return agent


def test_a_training_has_one_pass_unless_it_is_told(learner: Agent) -> None:
    assert learner.ok(TRAIN, atoms=["v1.fact.a", "v1.fact.b"])["passes"] == 1
    taught = learner.ok(TRAIN, atoms=["v1.fact.a", "v1.fact.b"], passes=3)
    assert (taught["learnt"], taught["passes"]) == (["v1.fact.a", "v1.fact.b"], 3)
    assert learner.ok("memory_status")["trainings"] == 2


def test_a_training_skips_what_is_not_stored_and_says_so(learner: Agent) -> None:
    taught = learner.ok(TRAIN, atoms=["v1.fact.a", "v1.fact.never", "v1.fact.b"])
    assert taught["learnt"] == ["v1.fact.a", "v1.fact.b"]
    (skipped,) = taught["skipped"]
    assert skipped["key"] == "v1.fact.never"
    assert skipped["reason"]


def test_a_training_of_nothing_that_is_stored_writes_nothing(learner: Agent) -> None:
    before = learner.ok("memory_status")["size"]
    result = learner.call(TRAIN, atoms=["v1.fact.never"])
    assert "v1.fact.never" in result.model_dump_json()
    assert learner.ok("memory_status")["size"] == before


def test_more_passes_than_three_count_as_three_and_that_is_said(learner: Agent) -> None:
    taught = learner.ok(TRAIN, atoms=["v1.fact.a", "v1.fact.b"], passes=7)
    assert taught["passes"] == 3
    assert "7" in taught["remark"]


def test_what_was_trained_is_predicted_and_stands_in_the_context(learner: Agent) -> None:
    learner.ok(TRAIN, atoms=["v1.fact.a", "v1.fact.b"], passes=3)
    (arc,) = [arc for arc in learner.ok(CONTEXT, keys=["v1.fact.a"])["arcs"] if arc["source"] == "v1.fact.a"]
    assert arc["target"] == "v1.fact.b"
    assert 0 < arc["share"] <= 1
