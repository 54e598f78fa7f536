"""Openings and predictions under a policy: what was learnt of hidden atoms settles nothing, and takes no place."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import substrate
from substrate.memory import Memory

CONTINUE = "continue where we left off"
HIDDEN = [f"v1.fact.ill_{number}" for number in range(600)]
SEEN = [f"v1.fact.shop_{number}" for number in range(6)]


@pytest.fixture
def agent(memory: Memory) -> Memory:
    """An agent's client of a store of which it may see six atoms, and not six hundred others."""
    memory.checkpoint(["v1.domain.health = Health"])
    memory.set_tier("health", "sensitive")
    memory.checkpoint(
        [{"name": name, "value": f"how {name[-3:]} went"} for name in HIDDEN],
        edges=[{"source": name, "type": "member_of", "target": "v1.domain.health"} for name in HIDDEN],
    )
    for name in SEEN:
        memory.checkpoint([f"{name} = the price of {name[-1]}"])
    return memory.client("mcp:atoms:agent", policy=substrate.Policy())


def opened(agent: Memory, objective: str | None = None) -> dict[str, object]:
    """An opening, but for what says where the log stands."""
    said = agent.bootstrap(objective, max_tokens=2000).to_dict()
    return {word: said[word] for word in said if word not in ("seq", "tokens", "head")}


def test_a_training_of_hidden_atoms_does_not_keep_the_last_session_away(memory: Memory, agent: Memory) -> None:
    before = opened(agent, CONTINUE)
    assert before["matched"] == "weakly"
    memory.train(HIDDEN[:5], passes=3, objective=CONTINUE)
    memory.observe([{"items": HIDDEN[:5], "objective": CONTINUE} for _ in range(3)])
    assert opened(agent, CONTINUE) == before
    assert memory.bootstrap(CONTINUE).atoms[0].name in HIDDEN  # as for the person who taught it


def test_what_hidden_atoms_were_used_for_takes_no_place_of_what_is_seen(memory: Memory, agent: Memory) -> None:
    def needed(horizon: str, *, again: bool = False) -> set[str]:
        return {one.name for one in agent.predict(SEEN[:1], horizon=horizon, again=again, floor=0)}

    memory.observe([{"items": SEEN[:3]}, {"items": SEEN[3:]}] * 2)
    assert (needed("next"), needed("next", again=True)) == ({*SEEN[1:]}, {*SEEN[:5]})
    memory.observe([{"items": HIDDEN[at : at + 100]} for at in range(0, 600, 100)] * 6)
    assert needed("next") == needed("session") == {*SEEN[1:]}
    assert len(needed("next", again=True)) == 5


def test_hundreds_of_hidden_sessions_for_an_objective_leave_out_nothing_that_a_seen_one_needed(
    memory: Memory, agent: Memory
) -> None:
    memory.train(SEEN[:1], 3, objective="restock the shelves")
    memory.observe(SEEN[1:3], objective="restock the shelves")
    before = opened(agent, "restock the shelves")
    memory.observe([{"items": HIDDEN[:5], "objective": "restock the shelves"} for _ in range(120)])
    after = opened(agent, "restock the shelves")
    assert [(one["name"], one.get("why")) for one in after["atoms"]] == [  # type: ignore[attr-defined]
        (one["name"], one.get("why"))
        for one in before["atoms"]  # type: ignore[attr-defined]
    ]


@pytest.mark.parametrize("policy", [None, substrate.Policy()])
def test_what_was_trained_in_other_words_is_found_behind_hundreds_of_nearer_sessions(
    reopen: Callable[..., Memory],
    cache: object,  # noqa: ARG001 - the model that is used
    policy: substrate.Policy | None,
) -> None:
    memory, seen = reopen(background=False), [f"v1.fact.shop_{number}" for number in range(30)]
    memory.checkpoint(["v1.domain.health = Health", *(f"{name} = how it went" for name in HIDDEN[:3])])
    memory.checkpoint([f"{name} = the price of {name[-2:]}" for name in seen])
    memory.observe([{"items": HIDDEN[:3], "objective": "free the disk of old files"} for _ in range(220)])
    memory.train(seen[21:22], 3, objective="delete ancient data on the hard drive")
    memory.observe(seen[22:24], objective="delete ancient data on the hard drive")
    memory.index()
    if policy is not None:
        belongs = [{"source": name, "type": "member_of", "target": "v1.domain.health"} for name in HIDDEN[:3]]
        memory.checkpoint(edges=belongs)
        memory.set_tier("health", "sensitive")
        memory = memory.client("mcp:atoms:agent", policy=policy)
    opening = memory.bootstrap("free the disk of old files", begin=False)
    said = {atom.name: atom.why for atom in opening}
    assert said.get(seen[21]) == "taught for objectives like this"
    assert policy is None or said.get(seen[22]) == "needed for objectives like this"
