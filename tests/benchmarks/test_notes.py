"""What memory servers are asked, and when an answer counts."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.peers.notes import mark_of, questions_from
from benchmarks.peers.serving import hits

NOTES = [
    "Elif asked the cafe for oolong, as always this month.",
    "Boris registered a new address in Tallinn last week.",
    "Boris registered a new address in Tallinn last year.",
    "Too short.",
]
WORDS = st.lists(
    st.sampled_from(["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"]), max_size=8
)


def test_a_phrase_stands_in_its_note_as_it_is_asked() -> None:
    phrases = [question for question in questions_from(NOTES, random.Random(1)) if question.kind == "phrase"]
    assert phrases
    for question in phrases:
        (wanted,) = question.wanted
        assert question.text in NOTES[wanted]


def test_notes_too_short_to_ask_for_are_not_asked_for() -> None:
    assert not any(3 in question.wanted for question in questions_from(NOTES, random.Random(1)))


@given(st.lists(WORDS.map(" ".join), max_size=12))
def test_no_other_note_answers_a_question_that_is_made_from_one(texts: list[str]) -> None:
    for question in questions_from(texts, random.Random(1)):
        (wanted,) = question.wanted
        if question.kind == "phrase":
            answers = [text for text in texts if question.text in text]
        else:
            answers = [text for text in texts if set(question.text.split()) <= set(text.split())]
        assert answers == [texts[wanted]]


def test_one_of_the_first_five_must_be_wanted_and_a_stranger_takes_a_place() -> None:
    numbers = {mark_of(text): number for number, text in enumerate(NOTES)}
    wanted = frozenset({1})
    assert hits(["who is this", *NOTES], numbers, wanted)
    assert not hits(["who is this"] * 5 + NOTES, numbers, wanted)
    assert not hits([], numbers, wanted)


def test_a_note_that_a_server_cuts_is_still_known() -> None:
    note = "word " * 100
    assert hits([note[:300] + "..."], {mark_of(note): 7}, frozenset({7}))
