"""The scoring of associations: bounds and directions, whatever the numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from substrate.relate.strength import STATED, meaning_part, neighbours_part, together, words_part

shares = st.floats(0, 1)
idfs = st.floats(0, 20)


@given(st.dictionaries(st.sampled_from(["meaning", "words", "arcs", "neighbours"]), shares))
def test_a_score_lies_between_0_and_1_and_more_evidence_never_lowers_it(parts: dict[str, float]) -> None:
    for given_parts in (parts, {**parts, "stated": STATED}):
        score = together(given_parts)
        assert 0 <= score <= 1
        assert together({**given_parts, "more": 0.5}) >= score
        assert score <= together(parts)


@given(st.lists(st.tuples(idfs, st.booleans())), idfs)
def test_more_shared_words_never_lower_their_part(words: list[tuple[float, bool]], idf: float) -> None:
    part = words_part(words, 1000)
    assert 0 <= part <= 1
    assert words_part([*words, (idf, False)], 1000) >= part
    assert words_part([*words, (idf, True)], 1000) >= words_part([*words, (idf, False)], 1000)


@given(st.lists(st.integers(1, 1000)), st.integers(1, 1000))
def test_a_neighbour_of_many_says_less(degrees: list[int], degree: int) -> None:
    part = neighbours_part(degrees)
    assert 0 <= part < 1 or part == pytest.approx(1)
    assert neighbours_part([*degrees, degree]) >= neighbours_part([*degrees, degree + 1]) >= part


def test_unrelated_texts_and_rewordings_are_the_ends_of_meaning() -> None:
    assert meaning_part(-1) == meaning_part(0.3) == 0
    assert meaning_part(0.6) == pytest.approx(0.5)
    assert meaning_part(0.95) == 1
    assert together({}) == 0
