"""The sessions of the tools' document, as they were written down; and what they are for."""

from __future__ import annotations

from pathlib import Path

import pytest

import substrate
from substrate.server.clients import Clients
from substrate.server.compose import compose
from substrate.server.launch import Launch
from tests.agents import BOOTSTRAP, MODES, Agent, connected, in_memory
from tests.surfaces.transcripts import CORRECTION, NOTES, SCENARIOS, play, written

OBJECTIVE = "deploy the new version"


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_session_goes_as_it_was_written_down(name: str, store: Path) -> None:
    assert play(name, store) == written(name), "if it is meant to: python -m tests.surfaces.transcripts"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", NOTES)
def test_the_examples_of_a_document_go_as_they_were_written_down_in_both_eras(
    name: str, mode: str, store: Path
) -> None:
    assert play(name, store, mode) == written(name), "if it is meant to: python -m tests.surfaces.transcripts"


def correct(agent: Agent) -> None:
    for tool, arguments in SCENARIOS["correction"][:3]:
        agent.ok(tool, **arguments)


def fill(store: Path) -> None:
    """Much else that speaks of the same."""
    with substrate.open(store) as memory:
        memory.checkpoint([f"v1.fact.n{i} = version {i} went to {i} servers, a new one each day" for i in range(200)])


def test_a_correction_opens_the_next_session_with_a_like_objective(store: Path) -> None:
    fill(store)
    with in_memory(store) as agent:
        agent.ok(BOOTSTRAP, objective=OBJECTIVE)
        correct(agent)
    with in_memory(store, name="another") as agent:
        for objective in (OBJECTIVE, "please deploy version 7", None):
            opened = agent.ok(BOOTSTRAP, objective=objective)
            assert CORRECTION in [atom["key"] for atom in opened["atoms"][:3]]
        members = agent.ok("memory_context", keys=["v1.hub.corrections"])["edges"]
        assert [(edge["source"], edge["type"]) for edge in members] == [(CORRECTION, "member_of")]


def test_it_is_the_training_that_brings_an_old_correction_to_the_front(store: Path) -> None:
    save, (tool, arguments) = SCENARIOS["correction"][:2], SCENARIOS["correction"][2]
    with in_memory(store) as agent:
        for name, given in save:
            agent.ok(name, **given)
        fill(store)
        for at in range(9):  # so it is not of what was saved last either
            agent.ok("session_checkpoint", atoms=[f"v1.fact.later{at} = On floor {at} there is a kitchen"])
        before, after = [], []
        for seen in (before, after):
            seen += [atom["key"] for atom in agent.ok(BOOTSTRAP, objective="another new day")["atoms"][:3]]
            agent.ok(tool, **arguments)
    assert CORRECTION not in before
    assert CORRECTION in after


@pytest.mark.usefixtures("cache")
def test_a_correction_opens_a_session_that_means_the_same_in_other_words(store: Path) -> None:
    with Clients(Launch(store)) as clients, connected(compose(clients)) as agent:
        correct(agent)
        memory = clients.named("tester", "atoms").memory
        memory.index()
        memory.warm()
        opened = agent.ok(BOOTSTRAP, objective="ship the release to the production machines")
        assert CORRECTION in [atom["key"] for atom in opened["atoms"][:3]]
        assert "words" not in opened.get("matched", "")
        found = agent.ok("memory_search", query="updating the database schema prior to a rollout")
        assert found["atoms"][0]["key"] == CORRECTION
        assert agent.ok("memory_status")["model"]
