"""Whether a message asks to keep or to recall something."""

from __future__ import annotations

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
