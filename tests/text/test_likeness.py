"""How like names are that people give: the rules, and all checked examples of the server whose rules they were."""

from __future__ import annotations

import unicodedata
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from substrate.text import likeness
from substrate.text.likeness import LEAST, compare, label_of

NAMES = {
    "latin": ["Book Notes", "Café Müller", "Łódź office", "Straße", "ﬁnance"],
    "cyrillic": ["Книги", "Заметки читателя", "Москва", "Ёлка", "Щётка"],
    "greek": ["Βιβλία", "Σημειώσεις", "Αθήνα", "Ώρα", "Οδός"],
    "hebrew": ["ספרים", "הערות", "ירושלים", "עברית", "בית"],
    "arabic": ["كتب", "ملاحظات", "القاهرة", "العربية", "بيت"],
    "devanagari": ["किताब", "टिप्पणियाँ", "दिल्ली", "हिन्दी", "घर"],
    "cjk": ["読書ノート", "東京", "北京", "日記", "ガラス"],
    "hangul": ["책", "노트", "서울", "한국어", "메모"],
}
"""Forty names in eight scripts."""
LOOKS_LIKE_PAYPAL = "\u0440\u0430\u0443\u0440\u0430l"
"""All letters but the last are Cyrillic."""


def test_forty_names_in_eight_scripts_are_forty_names_however_they_are_encoded() -> None:
    names = [name for some in NAMES.values() for name in some]
    assert (len(names), len({label_of(name).key for name in names})) == (40, 40)
    for name in names:
        key = label_of(name).key
        assert key
        for form in ("NFC", "NFD", "NFKC", "NFKD"):
            encoded = unicodedata.normalize(form, name)
            for spelled in (encoded, encoded.upper(), encoded.lower(), encoded.swapcase(), f"  {encoded}! "):
                assert label_of(spelled).key == key, (name, form, spelled)


def test_no_two_scripts_meet() -> None:
    for one, other in combinations(NAMES, 2):
        for mine in NAMES[one]:
            for theirs in NAMES[other]:
                assert compare(label_of(mine), label_of(theirs)) is None, (mine, theirs)
    for mine, theirs in (
        ("paypal", LOOKS_LIKE_PAYPAL),
        ("cop", "\u0441\u043e\u0440"),
        ("Ωmega", "Omega"),
        ("кот", "kot"),
    ):
        assert compare(label_of(mine), label_of(theirs)) is None, (mine, theirs)


def test_one_that_does_not_look_at_scripts_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(likeness, "_script", lambda letter: "LATIN" if letter.isalpha() else "")
    label_of.cache_clear()
    assert compare(label_of("pay\u0440\u0430l"), label_of("paypal")) is not None
    label_of.cache_clear()


CHECKED = [
    ("booknotes", "Book Notes", 1.0, "same letters"),
    ("Notes Book", "Book Notes", 1.0, "same words"),
    ("Bok Notes", "booknotes", 0.89, "close spelling"),
    ("bo", "booknotes", 0.7, "contains your text"),
    ("book", "booknotes", 0.9, "contains your text"),
    ("my booknotes of May", "booknotes", 0.9, "your text contains it"),
    ("the ai lab", "ai", 0.9, "your text contains it"),
    ("cafe", "café", 0.75, "close spelling"),
    ("日記", "東京日記", 0.7, "contains your text"),
    ("paymentProvider", "payment provider", 1.0, "same letters"),
]
"""The reference's own, then those that follow from its rules and ours."""


@pytest.mark.parametrize(("text", "name", "score", "reason"), CHECKED)
def test_every_checked_example_comes_out_so(text: str, name: str, score: float, reason: str) -> None:
    found = compare(label_of(text), label_of(name))
    assert found is not None
    assert (round(found.score, 2), found.reason) == (score, reason)


@pytest.mark.parametrize(
    ("text", "name"),
    [("trainings", "ai"), ("ai", "trainings"), ("x", "xylophone orchestra" * 20), ("C++", "D"), ("alpha", "omega")],
)
def test_what_is_not_like_it_is_not_told(text: str, name: str) -> None:
    found = compare(label_of(text), label_of(name))
    assert found is None or (found.reason == "contains your text" and name.startswith(text))


def test_signs_that_tell_names_apart_stay() -> None:
    assert len({label_of(name).key for name in ("C", "C++", "C#")}) == 3
    assert label_of("a-b_c.d").key == label_of("abcd").key
    assert label_of("C\u200d").key == label_of("c").key


@pytest.mark.parametrize("text", ["", "  ", "!!!", "—", "++", "#", "\u200b", "🙂"])
def test_what_has_neither_letters_nor_digits_has_no_key_and_is_like_nothing(text: str) -> None:
    assert label_of(text).key == ""
    assert compare(label_of(text), label_of(text)) is None
    assert compare(label_of(text), label_of("book")) is None


def edits(one: str, other: str) -> int:
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, 1):
        before, row[0] = row[0], at
        for to, theirs in enumerate(other, 1):
            before, row[to] = row[to], min(row[to] + 1, row[to - 1] + 1, before + (letter != theirs))
    return row[-1]


@given(st.text("abé東", min_size=1, max_size=40), st.text("abé東", min_size=1, max_size=90))
def test_letters_to_change_are_counted_as_the_textbook_does(one: str, other: str) -> None:
    assert likeness._distance(one, other) == edits(one, other)


@given(st.text(max_size=30), st.text(max_size=30))
def test_a_score_is_a_share_and_the_key_of_a_key_is_itself(one: str, other: str) -> None:
    found = compare(label_of(one), label_of(other))
    assert found is None or LEAST <= found.score <= 1
    key = label_of(one).key
    assert label_of(key).key == key
