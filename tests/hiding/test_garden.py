"""The gardener under a policy: runs of a hidden domain are as if there were none, and hidden evidence is not judged."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

import substrate
from substrate.errors import Denied, NotFound
from substrate.memory import Memory
from substrate.values.review.garden import Tended
from tests.agents import in_memory

TEXT = "Zed One uses Yak Two. Zed One is here."
AGAIN = "Zed One and Yak Two met."
EDGE = ("v1.entity.shop.zed one", "uses", "v1.entity.shop.yak two")


def tended(memory: Memory, domain: str) -> Tended:
    done = memory.tend(domain)
    assert isinstance(done, Tended)
    return done


@pytest.fixture
def agent(memory: Memory) -> Memory:
    """An agent's client of a store with two domains that were tended, of which it may see one."""
    for domain in ("shop", "health"):
        for number, text in enumerate((TEXT, AGAIN)):
            memory.ingest(text, source=f"{number}.md", domain=domain)
        assert tended(memory, domain).accepted == 1
    memory.set_tier("health", "sensitive")
    return memory.client("mcp:hydramem:agent", policy=substrate.Policy())


def test_runs_of_a_hidden_domain_are_neither_listed_nor_counted_nor_undone(memory: Memory, agent: Memory) -> None:
    assert [run.domain for run in memory.tending()] == ["v1.domain.health", "v1.domain.shop"]
    for domain, runs in ((None, 1), ("shop", 1), ("health", 0), ("never", 0)):
        seen = agent.tending(domain)
        assert (seen.runs, seen.accepted, len(seen.items)) == (runs, runs, runs), domain
        assert (seen.last is None) == (not runs)
    for number in (2, 9):
        with pytest.raises(NotFound, match=f"there is no run {number}"):
            agent.tend(undo=number)


def test_an_agent_does_not_tend_a_hidden_domain(memory: Memory, agent: Memory) -> None:
    with pytest.raises(Denied, match=r"this client may not tend v1\.domain\.health"):
        agent.tend("health")
    assert memory.tending("health").runs == 1
    assert tended(agent, "shop").run == 3


def test_over_mcp_a_hidden_project_was_never_tended(memory: Memory, agent: Memory, store: Path) -> None:
    assert agent.tending("health").runs == 0
    memory.close()
    with in_memory(store, launch={"surfaces": ("hydramem",)}) as hydra:
        statuses = [hydra.ok("get_garden_status_tool", project=project) for project in ("health", "never")]
        assert statuses[0] == statuses[1]
        assert (statuses[0]["total_runs"], statuses[0]["last_run"]) == (0, "")
        assert hydra.ok("get_garden_status_tool", project="shop")["total_runs"] == 1


def test_a_chunk_that_is_hidden_is_not_named_by_an_edge_that_cites_it_and_the_edge_stays(
    memory: Memory, agent: Memory
) -> None:
    (edge,) = memory.edges(EDGE[0], type="uses")
    assert edge.cited is not None
    assert [one.cited for one in agent.edges(EDGE[0], type="uses")] == [edge.cited]
    page = next(atom.name for atom in memory.list("v1.document.shop.") if atom.source == "0.md")
    memory.checkpoint(edges=[{"source": page, "type": "member_of", "target": "v1.domain.health"}])
    assert [one.cited for one in agent.edges(EDGE[0], type="uses")] == [None]
    assert edge.cited not in str(agent.context(EDGE[0]).to_dict()) + str(agent.diff(0).to_dict())
    exported = io.StringIO()
    agent.export(exported)
    assert ('"uses"' in exported.getvalue(), edge.cited in exported.getvalue()) == (True, False)
    with pytest.raises(Denied, match="may not read entry"):  # a proof shows the body as it is
        agent.prove_entry(edge.seq)
    assert memory.prove_entry(edge.seq)
    done = tended(agent, "shop")
    assert done.unedged == ()
    memory.checkpoint(edges=[{"source": EDGE[0], "type": "monitors", "target": EDGE[2], "confidence": 0.99}])
    (suspect,) = agent.prune("shop", threshold=0, dry_run=False)  # never all of the edges
    assert (suspect.type, suspect.removed) == ("uses", False)
    assert [(one.source, one.type, one.target, one.cited) for one in memory.edges(EDGE[0], type="uses")] == [
        (*EDGE, edge.cited)
    ]


def test_a_rename_and_an_undo_by_an_agent_keep_what_edges_cite(memory: Memory, agent: Memory) -> None:
    (edge,) = memory.edges(EDGE[0], type="uses")
    page = next(atom.name for atom in memory.list("v1.document.shop.") if atom.source == "0.md")
    memory.checkpoint(edges=[{"source": page, "type": "member_of", "target": "v1.domain.health"}])
    agent.checkpoint(unedges=[edge.id])
    agent.undo()
    assert [one.cited for one in memory.edges(EDGE[0], type="uses")] == [edge.cited]
    agent.rename(EDGE[0], "v1.entity.shop.zed")
    assert [one.cited for one in memory.edges("v1.entity.shop.zed", type="uses")] == [edge.cited]
