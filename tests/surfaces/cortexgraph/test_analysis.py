"""Tools that read a message."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import substrate
from tests.agents import Agent, in_memory
from tests.surfaces.cortexgraph.calls import SURFACE, refused


@pytest.fixture
def notes(store: Path) -> Iterator[Agent]:
    with in_memory(store, launch=SURFACE) as agent:
        yield agent


def saved(notes: Agent, content: str) -> str:
    said: str = notes.ok("save_memory", content=content)["memory_id"]
    return said


def test_the_documents_example_of_analyze_message_comes_out_as_printed(notes: Agent) -> None:
    said = notes.ok("analyze_message", message="I prefer PostgreSQL for databases")
    assert said["should_save"] is True
    assert said["confidence"] == 0.73
    assert "preference" in said["reasoning"].lower()
    assert said["suggested_entities"] == ["PostgreSQL"]
    assert said["suggested_tags"] == ["preference"]
    assert said["suggested_strength"] == 1.5
    assert said["phrase_signals"] == {
        "save_request": False,
        "critical_marker": False,
        "importance_marker": False,
        "exclusion_pattern": False,
        "uncertainty_marker": False,
        "decision_marker": True,
    }


def test_the_documents_example_of_analyze_for_recall_comes_out_as_printed(notes: Agent) -> None:
    said = notes.ok("analyze_for_recall", message="What did I say about my API preferences?")
    assert (said["should_search"], said["confidence"], said["suggested_query"]) == (True, 0.9, "API preferences")
    assert said["suggested_tags"] == []
    assert said.keys() == {
        *("should_search", "confidence", "suggested_query", "suggested_tags", "suggested_entities", "reasoning"),
    }


@pytest.mark.parametrize(
    ("message", "tag"),
    [
        ("our database is Postgres 15", "fact"),
        ("The staging host is blue-3", "fact"),
        ("our CI runs on GitHub Actions", "fact"),
        ("The API key rotates every 30 days", "fact"),
        ("We decided on Postgres 15", "decision"),
        ("Postgres 15 it is", "decision"),
        ("Never deploy on Fridays", "constraint"),
        ("I prefer PostgreSQL for databases", "preference"),
    ],
)
def test_a_plain_fact_is_no_decision(notes: Agent, message: str, tag: str) -> None:
    said = notes.ok("analyze_message", message=message)
    assert said["suggested_tags"] == [tag]
    assert said["phrase_signals"]["decision_marker"] is (tag != "fact")


@pytest.mark.parametrize("message", ["the monkey is loose", "What did I say about my API preferences?", "a keyboard"])
def test_a_word_within_another_is_no_cue(notes: Agent, message: str) -> None:
    assert notes.ok("analyze_message", message=message)["should_save"] is False


def test_what_is_in_doubt_is_not_saved_and_what_is_asked_for_is(notes: Agent) -> None:
    assert notes.ok("analyze_message", message="maybe we should use Kafka")["phrase_signals"]["uncertainty_marker"]
    said = notes.ok("analyze_message", message="Remember this, it is critical: never deploy on Fridays")
    assert (said["should_save"], said["suggested_strength"]) == (True, 2.0)


@pytest.mark.parametrize("tool", ["analyze_message", "analyze_for_recall", "auto_recall_process_message"])
@pytest.mark.parametrize("message", ["", "   ", "x" * 50_001])
def test_an_empty_or_overlong_message_is_an_error(notes: Agent, tool: str, message: str) -> None:
    assert "message" in refused(notes, tool, message=message)["message"]
    assert tool != "analyze_message" or notes.ok(tool, message="x" * 50_000)["should_save"] is False


def test_what_is_spoken_of_is_reinforced_and_then_there_is_a_pause_that_the_store_keeps(
    notes: Agent, store: Path
) -> None:
    stopper = saved(notes, "The STOPPER protocol is implemented in Rust")
    saved(notes, "Ada is allergic to oysters")
    message = "I'm working on the STOPPER protocol implementation"
    first = notes.ok("auto_recall_process_message", message=message)
    assert (first["success"], first["enabled"], first["mode"]) == (True, True, "silent")
    assert first["memories_reinforced"] == [stopper]
    assert "STOPPER" in first["topics_found"]
    again = notes.ok("auto_recall_process_message", message=message)
    assert (again["memories_found"], again["memories_reinforced"]) == (1, [])
    with in_memory(store, launch=SURFACE) as same:  # another server on the same store
        assert same.ok("auto_recall_process_message", message=message)["memories_reinforced"] == []
        (told,) = same.ok("open_memories", memory_ids=stopper)["memories"]
        assert told["use_count"] == 1


def test_a_question_for_what_was_said_finds_its_subject_by_words_alone(notes: Agent) -> None:
    run = saved(notes, "The invoice run is every Monday at 6")
    said = notes.ok("auto_recall_process_message", message="what did I say about the invoices?")
    assert said["memories_reinforced"] == [run]


def test_watch_off_switches_it_off(notes: Agent, store: Path) -> None:
    saved(notes, "The STOPPER protocol is implemented in Rust")
    with substrate.open(store, background=False) as memory:
        memory.watch(on=False)
    said = notes.ok("auto_recall_process_message", message="the STOPPER protocol implementation")
    assert (said["enabled"], said["mode"], said["memories_reinforced"]) == (False, "silent", [])


def test_a_message_about_nothing_that_is_known_reinforces_nothing(notes: Agent) -> None:
    saved(notes, "The STOPPER protocol is implemented in Rust")
    said = notes.ok("auto_recall_process_message", message="how do tulips grow in winter")
    assert (said["memories_found"], said["memories_reinforced"]) == (0, [])
