"""What a model quotes: whole clauses, of which the rest of the sentence takes nothing back."""

from __future__ import annotations

import pytest

from substrate.relations.quotation import is_said

QUOTE = "Kafka feeds Redis"


@pytest.mark.parametrize(
    "text",
    [
        "Kafka feeds Redis.",
        "kept since May. Kafka feeds\n  Redis",
        "- Kafka feeds Redis\n- and more",
        "Kafka feeds Redis, which keeps it. Nothing else is known.",
        "It is slow, but Kafka feeds Redis.",
        "Is it so? Kafka feeds Redis: always.",
        "Kafka feeds Redis and Redis is not slow? No. Kafka feeds Redis.",
    ],
)
def test_whole_clauses_are_said(text: str) -> None:
    assert is_said(QUOTE, text)
    assert is_said(f"{QUOTE}.", text)


@pytest.mark.parametrize(
    "text",
    [
        "It is false that Kafka feeds Redis.",
        "Not Kafka feeds Redis.",
        "If the plan holds, Kafka feeds Redis.",
        "Nobody says this: Kafka feeds Redis.",
        "Kafka feeds Redis, which is untrue.",
        "Kafka feeds Redis, but not any more.",
        "Kafka feeds Redis clusters of others.",
        "Old Kafka feeds Redis.",
        "So, Kafka feeds Redis?",
        "Kafka feeds Redistribution.",
        "",
    ],
)
def test_words_that_are_cut_out_of_a_sentence_or_taken_back_are_not(text: str) -> None:
    assert not is_said(QUOTE, text)


def test_an_empty_quotation_is_not() -> None:
    assert not is_said(" . ", "Kafka feeds Redis.")


@pytest.mark.parametrize("filling", ["- ", "\n", "- and "])
def test_a_text_of_thousands_of_line_ends_and_dashes_is_read_in_one_pass(filling: str) -> None:
    """Each place of the quotation was compared with each of them: that took minutes."""
    text = f"x{filling * 5_000}x " + f"old {QUOTE} clusters " * 300
    assert not is_said(QUOTE, text)
    assert is_said(QUOTE, f"x{filling * 5_000}\n- {QUOTE}.")
