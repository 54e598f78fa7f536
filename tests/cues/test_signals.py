"""Whether a message asks to keep or to recall something."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from substrate.cues.signals import read_signals


@pytest.mark.parametrize(
    "message",
    [
        "I prefer PostgreSQL for databases",
        "Remember this: the spare key is at the neighbour's",
        "Don't forget that Ada is allergic to nuts",
        "This is critical: backups run at two",
        "We decided to move to Adyen",
    ],
)
def test_what_should_be_kept_is_told(message: str) -> None:
    assert read_signals(message).keep >= 0.7


@pytest.mark.parametrize(
    "message",
    [
        "the monkey is loose",
        "What did I say about my API preferences?",
        "what's the best editor?",
        "maybe we should use Kafka",
        "explain how TCP works",
        "the keyboard is broken",
        "remind me to call Bob",
    ],
)
def test_what_need_not_be_kept_is_told(message: str) -> None:
    assert read_signals(message).keep < 0.4


@pytest.mark.parametrize(
    ("message", "query"),
    [
        ("What did I say about my API preferences?", "API preferences"),
        ("Do you remember the name of the plumber?", "name of the plumber"),
        ("remind me what we agreed with Adyen", "agreed with Adyen"),
    ],
)
def test_a_request_to_recall_says_what_to_search_for(message: str, query: str) -> None:
    signals = read_signals(message)
    assert round(signals.recall, 2) == 0.9
    assert signals.query == query


def test_other_messages_ask_for_nothing() -> None:
    signals = read_signals("I remember the summer well")
    assert (round(signals.recall, 2), signals.query) == (0.1, "")


def labelled(name: str) -> list[tuple[str, str]]:
    """Messages, and what each is: keep, recall or neither. They were written before the phrases that find them."""
    lines = (Path(__file__).parent / "signals" / name).read_text(encoding="utf-8").splitlines()
    return [(row["text"], row["is"]) for row in map(json.loads, lines)]


@pytest.mark.parametrize(
    "name", ["dev.jsonl", "held.jsonl", "second.jsonl", "third.jsonl", "fourth.jsonl", "sixth.jsonl"]
)
@pytest.mark.parametrize("kind", ["keep", "recall"])
def test_of_labelled_messages_most_are_found_and_few_others(name: str, kind: str) -> None:
    """All but `sixth` are tuned to by now. All but `dev` were written without the rules at hand, and scored before."""
    told = {text: getattr(read_signals(text), kind) >= 0.7 for text, _ in labelled(name)}
    wanted = {text for text, label in labelled(name) if label == kind}
    assert len(told) == {"third.jsonl": 80, "sixth.jsonl": 200}.get(name, 150)
    found = {text for text, is_told in told.items() if is_told}
    assert len(found & wanted) >= 0.9 * len(found)
    assert len(found & wanted) >= 0.8 * len(wanted)


def test_of_harder_questions_three_in_four_are_found_and_few_others() -> None:
    """`fifth` has pairs that differ by little: what I owe Miriam, and what one owes the state."""
    told = {text: read_signals(text).recall >= 0.7 for text, _ in labelled("fifth.jsonl")}
    wanted = {text for text, label in labelled("fifth.jsonl") if label == "recall"}
    found = {text for text, is_told in told.items() if is_told}
    assert len(found & wanted) >= 0.9 * len(found)
    assert len(found & wanted) >= 0.75 * len(wanted)


@pytest.mark.parametrize(
    ("message", "asks"),
    [
        ("What size were the screws I bought?", "memory"),
        ("Do I take milk in my coffee?", "memory"),
        ("which doctor did I see for my back", "memory"),
        ("Where does my sister live?", "memory"),
        ("Catch me up on the tender, I was away two weeks.", "memory"),
        ('What did we say about "the blue one"?', "memory"),
        ("Why is my sourdough not rising?", "help"),
        ("How do I get my cat to stop scratching?", "help"),
        ("Why was the Berlin wall built?", "help"),
        ('"What did we agree on?" is the question everyone asks.', "help"),
        ("what " * 10_000 + "we walked", "help"),
    ],
)
def test_a_question_about_what_was_is_told_from_one_for_help(message: str, asks: str) -> None:
    assert ("memory" if read_signals(message).recall >= 0.7 else "help") == asks


@pytest.mark.parametrize(
    "message",
    [
        "my build is red",
        "I have a question about joins",
        "I've been trying to install it for hours",
        "What is my mistake here?",
        "what do I need to install?",
        "try it again please",
        "I don't remember the summer",
        "We decided on Redis. Can you set it up?",
        "If we decided to move, what would the rent be?",
        "Before we start, can you list the open tickets?",
    ],
)
def test_what_is_said_of_the_work_at_hand_is_neither_kept_nor_recalled(message: str) -> None:
    signals = read_signals(message)
    assert signals.keep < 0.7
    assert signals.recall < 0.7


def test_a_plain_fact_of_a_person_is_kept_as_a_fact() -> None:
    signals = read_signals("My sister lives in Graz")
    assert (signals.keep >= 0.7, signals.type) == (True, "fact")
    assert "fact" in signals.phrases


@pytest.mark.parametrize(
    ("message", "query"),
    [
        ("What's my shoe size?", "shoe size"),
        ("Which database did we pick?", "database did we pick"),
        ("Show me everything I told you about Heron.", "Heron"),
        ("Did we ever settle on a colour for the kitchen?", "colour for the kitchen"),
        ("I forget which key we gave the cleaner, help me out", "key we gave the cleaner, help me out"),
        ("Pull up the notes on the Hamburg trip", "Hamburg trip"),
        ("Which gate code was it? I told you once", "gate code was it"),
    ],
)
def test_a_question_about_what_was_said_says_what_to_search_for(message: str, query: str) -> None:
    signals = read_signals(message)
    assert (signals.recall >= 0.7, signals.query) == (True, query)
