"""correct and apply: worked out without a model, kept for ten minutes, made once."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import substrate
from substrate.clock import ManualClock
from tests.agents import Agent, Model

pytestmark = pytest.mark.usefixtures("engrams")
Connect = Callable[..., Agent]
OLD, NEW = "The API endpoint is /v1/search.", "The API endpoint is /v2/query."
PROPOSAL = "The endpoint changed from /v1/search to /v2/query in March 2025."


@pytest.fixture
def chunk(store: Path) -> str:
    with substrate.open(store) as memory:
        return memory.document(memory.ingest(OLD, domain="work", title="API").items[0].name).chunks[0].id


def test_the_documents_correction_comes_out_to_the_letter(connect: Connect, chunk: str, store: Path) -> None:
    agent = connect()
    said = agent.ok("correct", chunkId=chunk, proposal=PROPOSAL)
    assert said.keys() == {
        *("correctionId", "chunkId", "originalText", "proposedText", "diff", "expiresAt", "mode"),
    }
    assert (said["chunkId"], said["originalText"], said["proposedText"]) == (chunk, OLD, NEW)
    assert said["diff"] == "- The API endpoint is /v1/search.\n+ The API endpoint is /v2/query."
    assert said["mode"] == "replacement"
    assert agent.ok("recall", query="API endpoint")["results"][0]["text"] == OLD
    applied = agent.ok("apply", correctionId=said["correctionId"])
    assert applied.keys() == {"chunkId", "applied", "newEmbeddingComputed", "opLogEventId"}
    assert (applied["chunkId"], applied["applied"], applied["newEmbeddingComputed"]) == (chunk, True, False)
    assert agent.ok("recall", query="API endpoint")["results"][0]["text"] == NEW
    with substrate.open(store) as memory:
        history = memory.history(chunk)
        assert [one.atom.value for one in history if one.atom] == [OLD, NEW]
        assert applied["opLogEventId"] == f"op_{history[-1].seq}"


def test_a_correction_expires_and_is_applied_once(connect: Connect, chunk: str, store: Path) -> None:
    agent = connect()
    made = agent.ok("correct", chunkId=chunk, proposal=PROPOSAL)["correctionId"]
    agent.ok("apply", correctionId=made)
    error = agent.error("apply", correctionId=made)
    assert (error["code"], "already" in error["message"]) == ("conflict", True)
    late = agent.ok("correct", chunkId=chunk, proposal="/v2/query -> /v3/ask")["correctionId"]
    later = ManualClock(time.time_ns() // 1000 + 11 * 60 * 1_000_000)
    with substrate.open(store, clock=later) as memory:  # the log is eleven minutes older now
        memory.checkpoint(["v1.fact.clock = ticks"])
    error = agent.error("apply", correctionId=late)
    assert (error["code"], "expired" in error["message"]) == ("not_found", True)


def test_a_chunk_that_changed_since_is_a_conflict(connect: Connect, chunk: str, store: Path) -> None:
    agent = connect()
    made = agent.ok("correct", chunkId=chunk, proposal=PROPOSAL)["correctionId"]
    with substrate.open(store) as memory:
        memory.accept(memory.propose("It says something else.", name=chunk).id)
    error = agent.error("apply", correctionId=made)
    assert (error["code"], "It says something else." in error["message"]) == ("conflict", True)


def test_a_chunk_that_was_forgotten_meanwhile_takes_its_correction_along(
    connect: Connect, chunk: str, store: Path
) -> None:
    agent = connect()
    made = agent.ok("correct", chunkId=chunk, proposal=PROPOSAL)["correctionId"]
    with substrate.open(store) as memory:
        memory.forget(chunk)
    assert agent.error("apply", correctionId=made)["code"] == "not_found"
    assert agent.error("correct", chunkId=chunk, proposal=PROPOSAL)["code"] == "forgotten"


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_clients_model_is_asked_where_the_words_do_not_tell(connect: Connect, chunk: str, mode: str) -> None:
    model = Model(json.dumps({"text": "The API endpoint is /v3."}))
    said = connect(sampling_callback=model, mode=mode).ok("correct", chunkId=chunk, proposal="The endpoint got a three")
    assert (said["proposedText"], said["mode"]) == ("The API endpoint is /v3.", "sampling")


@pytest.mark.parametrize("answer", [None, "no idea", json.dumps({"text": None}), json.dumps({"text": OLD})])
def test_without_a_usable_answer_the_error_tells_how(connect: Connect, chunk: str, answer: str | None) -> None:
    options = {} if answer is None else {"sampling_callback": Model(answer)}
    error = connect(**options).error("correct", chunkId=chunk, proposal="The endpoint got a three")
    assert error["code"] == "input"
    assert "should read" in error["message"] or "nothing would change" in error["message"]


def test_it_needs_to_read_as_well(connect: Connect, chunk: str) -> None:
    agent = connect(scopes=frozenset({"write"}))
    assert "correct" not in agent.tools
    assert agent.error("correct", chunkId=chunk, proposal=PROPOSAL)["code"] == "denied"
    made = connect().ok("correct", chunkId=chunk, proposal=PROPOSAL)["correctionId"]
    assert agent.error("apply", correctionId=made)["code"] == "denied"  # a conflict would show what it says now


def test_an_agent_applies_corrections_only(connect: Connect, store: Path) -> None:
    with substrate.open(store) as memory:
        text = memory.propose("A text.", domain="Anywhere")
        memory.checkpoint([{"name": "v1.constraint.x", "value": "Never.", "tags": ["proposed"]}])
    agent = connect()
    for given in (text.id, "v1.constraint.x", "p_1", "", "p_" + "0" * 32, "00000000-0000-4000-8000-000000000000"):
        error = agent.error("apply", correctionId=given)
        assert error["code"] in {"input", "not_found", "arguments"}
        assert "transcript" not in error["message"]
    with substrate.open(store) as memory:
        assert len(memory.proposals()) == 2


def test_no_change_is_an_error(connect: Connect, chunk: str) -> None:
    error = connect().error("correct", chunkId=chunk, proposal=f'It should read "{OLD}"')
    assert error["code"] == "input"
    assert connect().error("correct", chunkId="v1.fact.absent", proposal="a -> b")["code"] == "not_found"
    error = connect().error("correct", chunkId="abc123", proposal="a -> b")
    assert (error["code"], "take a chunkId from recall" in error["message"]) == ("not_found", True)
