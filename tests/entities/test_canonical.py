"""The one form of an entity's name: what meets in it, and what never does."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from substrate.errors import SchemaInvalid
from substrate.text.canonical import canonical, is_canonical_key, spelling
from substrate.text.terms import keyword

NAMES = {
    "Latin": ["Ada Lovelace", "Zürich", "Łódź", "São Paulo", "PostgreSQL"],
    "Cyrillic": ["Анна Петрова", "Казань", "Київ", "Яндекс", "Йошкар-Ола"],
    "Greek": ["Αθήνα", "Γιάννης", "Όλυμπος", "Κρήτη", "Σίσυφος"],
    "Armenian": ["Երևան", "Արմեն", "Սևան", "Գյումրի", "Անի"],
    "Han": ["北京", "東京", "红楼梦", "田中", "台灣"],
    "Kana and Hangul": ["ソニー", "トヨタ", "서울", "김민수", "さくら"],
    "Arabic and Hebrew": ["القاهرة", "فاطمة", "ירושלים", "דוד", "تهران"],
    "Indic": ["दिल्ली", "मुंबई", "কলকাতা", "சென்னை", "ಬೆಂಗಳೂರು"],
}
ALL = [name for names in NAMES.values() for name in names]
LOOKALIKES = ["A", "А", "Α", "O", "О", "Ο", "o", "о", "ο", "К", "K", "Κ"]  # noqa: RUF001 - three scripts


@pytest.mark.parametrize("name", ALL)
def test_spellings_of_one_name_have_one_form(name: str) -> None:
    spellings = {unicodedata.normalize(form, name) for form in ("NFC", "NFD", "NFKC", "NFKD")}
    spellings |= {name.upper(), name.lower(), name.title(), f"  {name}\n", name.replace(" ", " \u00a0 ")}
    assert {canonical(spelling) for spelling in spellings} == {canonical(name)}


def test_forty_names_in_eight_scripts_have_forty_forms() -> None:
    assert len({canonical(name) for name in ALL}) == len(ALL) == 40


def test_letters_that_look_alike_meet_in_their_script_only() -> None:
    assert len({canonical(name) for name in LOOKALIKES}) == 9  # a, o and k of three scripts
    assert canonical("Вова") != canonical("Boba")


def test_c_and_its_relatives_are_three() -> None:
    assert len({canonical(name) for name in ("C", "C++", "C#", "c", "c++", "c#")}) == 3
    assert canonical("Node.js") != canonical("NodeJS")
    assert canonical("Rust 1.2") != canonical("Rust 12")


@pytest.mark.parametrize("name", ["", " ", "\u200b", "...", "—", "\u0301", "🦀", "_", "\ud800"])
def test_a_name_without_a_letter_or_a_digit_is_refused(name: str) -> None:
    with pytest.raises(SchemaInvalid):
        canonical(name)


def test_what_can_be_a_key_has_a_form() -> None:
    letters = [chr(code) for code in range(sys.maxunicode + 1) if is_canonical_key(chr(code))]
    assert all(canonical(letter) for letter in letters)
    assert "\u3164" not in letters  # a letter to Unicode, that nobody can see


def test_what_is_not_a_text_is_refused() -> None:
    with pytest.raises(SchemaInvalid):
        canonical(7)  # type: ignore[arg-type]


@given(st.text(max_size=20))
@example("\u0345\u03b1")
@example("ǅ\u0323")
@example("a\u200db")
@example("a\x1fb")
def test_the_form_of_a_form_is_itself(name: str) -> None:
    assume(is_canonical_key(name))
    try:
        form = canonical(name)
    except SchemaInvalid:
        return
    assert canonical(form) == form
    assert canonical(spelling(name)) == form


@given(st.text(max_size=12))
def test_the_form_of_what_is_shown_is_its_term_in_the_postings(name: str) -> None:
    """So that mentions are found by it. Joiners, which terms keep, are the exception."""
    shown = spelling(name)
    assume(is_canonical_key(shown) and not set(shown) & set("\u200c\u200d\ufe0e\ufe0f\u0345"))
    term = keyword(shown)
    assume(term == spelling(term) and keyword(term) == term)
    assert canonical(shown) == term


@pytest.mark.parametrize("twin", [str, str.lower, lambda name: unicodedata.normalize("NFC", name)])
def test_a_form_that_evens_out_too_little_would_be_caught(twin: Callable[[str], str]) -> None:
    name = "Zürich"
    assert twin(unicodedata.normalize("NFD", name).upper()) != twin(name)


def test_a_form_that_folds_scripts_would_be_caught() -> None:
    table = str.maketrans("аок", "aok")
    assert len({canonical(name).translate(table) for name in LOOKALIKES}) < len({canonical(n) for n in LOOKALIKES})
