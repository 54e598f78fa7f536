"""Phrases in a text: whole words, sentence starts, the longest at a place."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from substrate.cues.phrases import Phrases

TABLE = Phrases({"keep": ("^keep this", "save/store it", "note * down"), "stop": ("do not",), "": ("do not worry",)})


def kinds(text: str) -> list[str]:
    return [cue.kind for cue in TABLE.find(text)]


def test_a_phrase_is_found_as_whole_words_only() -> None:
    assert kinds("Store it") == kinds("please SAVE it.") == ["keep"]
    assert kinds("bookstore it") == kinds("save items") == kinds("save. it") == []


def test_a_phrase_may_have_to_begin_a_sentence() -> None:
    assert kinds("Sure. Keep this") == ["keep"]
    assert kinds("I keep this") == []


def test_a_star_is_any_one_word_and_never_the_end_of_a_sentence() -> None:
    assert kinds("note that down") == ["keep"]
    assert kinds("note! down") == kinds("note down") == kinds("note all that down") == []


def test_the_longest_phrase_at_a_place_counts_and_one_of_no_kind_takes_back() -> None:
    assert kinds("do not go") == ["stop"]
    assert kinds("do not worry") == []


@given(st.text(max_size=200), st.sampled_from(["save it", "do not"]))
def test_a_phrase_between_sentences_is_found_whatever_stands_around(around: str, phrase: str) -> None:
    """The twin: with letters joined to it, it is another word."""
    assert phrase in [
        written for cue in TABLE.find(f"{around}\n{phrase}\n{around}") for written in _written(cue.phrase)
    ]
    assert not Phrases({"keep": ("savery",)}).find(f"{around} xsavery {around}") or "savery" in around.lower()


def _written(phrase: str) -> list[str]:
    return ["save it", "store it"] if phrase == "save/store it" else [phrase]
