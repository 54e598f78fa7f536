"""The passage that is shown of a hit."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from substrate.text.snippet import snippet_of, together
from substrate.text.terms import query_terms


def terms_of(query: str) -> frozenset[str]:
    return frozenset(term.term for term in query_terms(query))


def marked(text: str, query: str) -> list[str]:
    shown = snippet_of(text, terms_of(query))
    return [shown.text[start:end] for start, end in shown.marks]


def test_a_short_value_is_shown_whole_with_its_words_marked() -> None:
    shown = snippet_of("We pay with Stripe since May.", terms_of("paying stripe"))
    assert shown.text == "We pay with Stripe since May."
    assert marked("We pay with Stripe since May.", "paying stripe") == ["pay", "Stripe"]


def test_of_a_long_value_the_passage_with_the_words_is_shown() -> None:
    text = "lorem ipsum " * 200 + "the rollback of the ledger failed " + "dolor sit " * 200
    shown = snippet_of(text, terms_of("ledger rollback"))
    assert "rollback of the ledger" in shown.text
    assert shown.text.startswith("…")
    assert shown.text.endswith("…")
    assert len(shown.text) < 300


def test_a_hit_by_meaning_alone_shows_its_beginning() -> None:
    shown = snippet_of("word " * 200, frozenset())
    assert shown.text.startswith("word")
    assert shown.marks == ()


def test_accents_and_pairs_of_characters_are_marked_where_they_stand() -> None:
    assert marked("Ein Café in Köln", "cafe koln") == ["Café", "Köln"]
    assert "".join(marked("私は東京に住む", "東京")) == "東京"


@given(st.text(max_size=900), st.text(max_size=40))
def test_marks_lie_in_the_snippet_and_do_not_overlap(text: str, query: str) -> None:
    shown = snippet_of(text, terms_of(query))
    end = 0
    for start, stop in shown.marks:
        assert end <= start < stop <= len(shown.text)
        end = stop
    assert shown.text.strip("…").strip() in text or not shown.text


def test_a_matched_word_longer_than_the_passage_is_shown_from_its_beginning() -> None:
    word = "a" * 260
    shown = snippet_of(f"token {word}", terms_of(word))
    assert (shown.text[:9], shown.text[-1], shown.marks) == ("token aaa", "…", ())
    assert "token aaa" in snippet_of(f"{'token ' * 60}{word} {word}", terms_of(word)).text


def test_terms_of_a_long_text_are_together_as_far_as_one_passage_has_them() -> None:
    far = " and so on" * 40
    terms = frozenset(term.term for term in query_terms("red green blue"))
    assert together(f"red{far} green blue{far}", terms) == 2 / 3
    assert together(f"red{far} red green blue{far}", terms) == 1
    assert together("red and green", terms) == 1  # a short text is one passage
    assert together(far, terms) == 1
