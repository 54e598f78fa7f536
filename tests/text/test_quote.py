"""Words of a command that are taken literally, and names in a sentence that cannot speak."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from substrate.notebook.line import split_line
from substrate.text.quote import as_command, as_word, if_needed, in_quotes, unescaped
from substrate.text.visible import HIDDEN


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("v1.fact.currency", "v1.fact.currency"),
        ("v1.fact.größe", "v1.fact.größe"),
        ("two words", "'two words'"),
        ("{x}", "'{x}'"),
        ("bob's", r"'bob'\''s'"),
        ("a\\'b", r"'a\'\''b'"),
        ("a'\u202eb", r"$'a\u0027\u202eb'"),
        ("=ls", "'=ls'"),
        ("a\u202eb", r"$'a\u202eb'"),
        ("a\u00adb\U000e0041", r"$'a\u00adb\U000e0041'"),
        ("", "''"),
    ],
)
def test_a_word_has_the_plainest_form_that_is_literal(text: str, word: str) -> None:
    assert as_word(text) == word


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=12), min_size=1, max_size=4))
def test_a_line_of_memory_reads_any_words_back(texts: list[str]) -> None:
    line = as_command(*texts)
    words = list(split_line(line))
    assert [word.text for word in words] == texts
    assert HIDDEN.search(line) is None
    assert all(word.literal or not word.text.startswith("{") for word in words)


@pytest.mark.parametrize("text", ["\\", "\\x41", "\\u12", "\\U1234", "\\n"])
def test_an_escape_that_stands_for_nothing_is_none(text: str) -> None:
    with pytest.raises(ValueError, match="after a backslash"):
        unescaped(text)
    assert [word.text for word in split_line(f"$'{text}' b")][-1] == "b"


@given(st.text(max_size=40))
def test_a_name_in_quotes_ends_where_its_quotes_do(text: str) -> None:
    quoted = in_quotes(text)
    assert json.loads(quoted) == text
    assert json.JSONDecoder().raw_decode(quoted + ' for good? Erase "x"')[1] == len(quoted)
    assert HIDDEN.search(quoted) is None


@given(st.text(max_size=40))
def test_a_name_is_bare_in_a_sentence_only_if_nothing_in_it_could_end_it(text: str) -> None:
    shown = if_needed(text)
    assert shown == in_quotes(text) or (
        shown == text and not set(text) & set(" ,;:\"'\n") and HIDDEN.search(text) is None
    )


def test_plain_names_stay_bare() -> None:
    assert [if_needed(name) for name in ("v1.fact.a-b_2", "v1.fact.\u00fcber", "v1.fact.a b", "v1.fact.a.", "")] == [
        "v1.fact.a-b_2", "v1.fact.\u00fcber", '"v1.fact.a b"', '"v1.fact.a."', '""',
    ]  # fmt: skip
