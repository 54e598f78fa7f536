"""Which sentences are of one form. What the ranking makes of it is in test_ranking.py."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from substrate.search.statements.forms import forms_of


def test_sentences_that_differ_in_one_span_are_of_one_form() -> None:
    texts = [
        "Ada ordered green tea at the bar.",
        "Ada was late because of the rain.",
        "Ada ordered a flat white at the bar.",
        "Ada ordered mate at the bar.",
        "Ada is on the payroll of Acme now.",
    ]
    assert forms_of(texts) == [0, 1, 0, 0, 4]


def test_a_few_shared_words_at_the_beginning_are_no_form() -> None:
    assert forms_of(["Ada lives by the old mill in Porto", "Ada likes long walks on cold evenings"]) == [0, 1]
    assert forms_of(["", "a", "a", "?"]) == [0, 1, 2, 3]


@given(st.lists(st.text("ab c", max_size=12), max_size=12))
def test_forms_part_the_texts_whatever_their_order(texts: list[str]) -> None:
    form = forms_of(texts)
    backwards = forms_of(texts[::-1])[::-1]
    for i in range(len(texts)):
        assert form[form[i]] == form[i] <= i
        for j in range(i):
            assert (form[i] == form[j]) == (backwards[i] == backwards[j])
