"""Which type a statement clearly is, by its wording."""

from __future__ import annotations

from substrate.cues.types import type_cue
from tests.cues.statements import STATEMENTS


def test_a_clear_statement_has_its_type_and_others_have_none() -> None:
    wrong = [(text, type_cue(text), wanted) for text, wanted in STATEMENTS if type_cue(text) != wanted]
    assert wrong == []


def test_what_stands_far_behind_in_a_long_text_does_not_type_it() -> None:
    assert type_cue("The report covers sales. " * 40 + "Amounts must be integers.") is None


def test_words_count_as_a_whole_and_whatever_their_case_and_apostrophe() -> None:
    assert type_cue("AMOUNTS MUST BE INTEGERS") == "constraint"
    assert type_cue("I\u2019d rather walk") == type_cue("I'd rather walk") == "preference"
    assert type_cue("the mustache is fake") is None
