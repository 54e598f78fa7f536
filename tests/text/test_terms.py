# ruff: noqa: RUF001 - letters that look like others are what this is about
from __future__ import annotations

import unicodedata
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

import substrate.text.terms as module
from substrate.text.terms import (
    MAX_TERM,
    document_words,
    fit,
    has_whole,
    keyword,
    matching,
    query_terms,
    spans,
    unnamed,
    word_count,
)
from tests.search.happenings import few
from tests.text.bags import document_terms


def terms(text: str) -> list[str]:
    """What is looked up for a text."""
    return [term.term for term in query_terms(text)]


def indexed(text: str, name: str = "v1.x.y") -> set[str]:
    """What is indexed of a value, the name's own words aside."""
    return set(document_terms(name, text).counts) - {"x", "y"}


LOOKED_UP = [
    ("Running runs RUN", ["run"]),
    ("Ada's book", ["ada", "book"]),
    ("Ada’s don't DON’T", ["ada", "dont"]),
    ("we'll they're I'm queen", ["queen"]),
    ("O'Brien l'amour", ["obrien", "brien", "lamour", "amour"]),
    ("café", ["café", "cafe"]),
    ("cafe\u0301", ["café", "cafe"]),
    ("snake_case dotted.name", ["snake", "case", "dot", "name"]),
    ("Straße STRASSE", ["strass"]),
    ("Łódź smørrebrød", ["łódź", "lodz", "smørrebrød", "smorrebrod"]),
    ("İstanbul", ["i̇stanbul", "istanbul"]),
    ("ISI ısı", ["isi", "ısı"]),
    ("ΟΔΟΣ οδός", ["οδοσ", "οδόσ"]),
    ("ёлка ЕЛКА", ["ёлка", "елка"]),
    ("العَرَبِيَّة", ["العَرَبِيَّة", "العربية"]),
    ("हिन्दी", ["हिन्दी"]),
    ("می\u200cخواهم", ["میخواهم"]),
    ("東京都", ["東京", "京都"]),
    ("猫", ["猫"]),
    ("ｶﾞｷﾞ", ["ガギ"]),
    ("세계입", ["세계", "계입"]),
    ("ไทย", ["ไท", "ทย"]),
    ("iPhone手机", ["iphon", "手机"]),
    ("3.14 007 ٣", ["3", "14", "007", "٣"]),
    ("½ ﬁne ＡＢＣ", ["1", "2", "fine", "abc"]),
    ("❤️ 👩‍💻 1️⃣", ["❤", "👩", "💻", "1"]),
    ("... --- !!!", []),
    ("", []),
]


@pytest.mark.parametrize(("text", "expected"), LOOKED_UP)
def test_words_become_terms(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("switch the payment provider", 3),
        ("Überprüfe die Ausgabe für München", 5),
        ("修复支付服务的重试逻辑", 5),
        ("แก้ไขระบบชำระเงิน", 8),
        ("手机 手机 phone", 1.5),
        ("", 0),
    ],
)
def test_words_are_counted_as_people_count_them_in_any_script(text: str, expected: float) -> None:
    assert word_count(query_terms(text)) == expected


@pytest.mark.parametrize(("text", "expected"), LOOKED_UP)
def test_whatever_is_looked_up_for_a_text_is_indexed_of_it(text: str, expected: list[str]) -> None:
    assert set(expected) <= indexed(text)


def test_a_word_without_its_accents_finds_it() -> None:
    for text, plain in [("Ångström", "angstrom"), ("Köln", "KOLN"), ("ωμέγα", "ωμεγα"), ("naïveté", "naivete")]:
        assert set(terms(plain)) <= indexed(text)


def test_each_han_character_can_be_looked_for_alone() -> None:
    assert set(terms("猫")) <= indexed("黒猫がいる")
    assert "が" not in indexed("黒猫がいる")


def test_the_parts_of_a_name_are_words_and_so_is_a_part_as_a_whole() -> None:
    counts = document_terms("v1.fact.getHTTPServer.user_name.größteZahl", "x").counts
    parts = {"fact", "gethttpserv", "get", "http", "server", "user", "name", "x"}
    assert set(counts) == parts | set(terms("größteZahl größte Zahl"))
    assert "v1" not in counts


def test_capitals_inside_a_word_split_names_and_nothing_else() -> None:
    assert indexed("paymentProvider") == {"paymentprovid"}
    assert {"paymentprovid", "payment", "provid"} <= set(document_terms("v1.fact.paymentProvider", "x").counts)


def test_terms_are_counted_and_words_are_the_length() -> None:
    bag = document_terms("v1.fact.fish", "Fish fish, café", ["fishing"], ["Ada Lovelace"])
    assert bag.counts == {"fact": 1, "fish": 4, "café": 1, "cafe": 1, "ada": 1, "lovelac": 1}
    assert bag.length == 8
    assert document_terms("v1.x.y", "東京都庁").length == 2 + 3
    assert document_words("v1.x.y", "a a") == (["x", "y", "a", "a"], 4)


def test_common_words_are_dropped_from_a_query_while_another_is_left() -> None:
    assert terms("What's the name of the king?") == ["name", "king"]
    assert terms("to be or not to be") == ["to", "be", "or", "not"]
    assert {"to", "be", "or", "not"} <= indexed("to be or not to be")


def test_a_term_keeps_the_spelling_that_was_typed_first() -> None:
    assert [(t.term, t.spelling) for t in query_terms("Running CAFÉ runs 東京都")] == [
        ("run", "Running"),
        ("café", "CAFÉ"),
        ("cafe", "CAFÉ"),
        ("東京", "東京"),
        ("京都", "京都"),
    ]


def test_a_long_term_is_its_hash_and_two_long_terms_are_two() -> None:
    long = "q7" * 200
    (one,) = terms(long)
    (two,) = terms(long + "x")
    assert one != two
    assert one.startswith("#")
    assert len(one.encode()) <= MAX_TERM
    assert one in indexed(long)
    assert fit("ä" * 60) == "ä" * 60
    assert fit("ä" * 61).startswith("#")


def test_spans_mark_words_in_the_text_as_it_was_written() -> None:
    text = "Ada’s CAFE\u0301, 東京都 ﬁnding snake_case ½!"
    marked = [(text[start:end], found) for start, end, found in spans(text)]
    assert marked == [
        ("Ada’s", ("ada",)),
        ("CAFE\u0301", ("café", "cafe")),
        ("東", ("東",)),
        ("東京", ("東京",)),
        ("京", ("京",)),
        ("京都", ("京都",)),
        ("都", ("都",)),
        ("ﬁnding", ("find",)),
        ("snake", ("snake",)),
        ("case", ("case",)),
        ("½", ("1",)),
        ("½", ("2",)),
    ]


SCRIPTS = "aAzZéÉßıİ’'_. \u0301\u200dяЁωΩςعَहिन्東京がｶﾞ한국ไท１½ﬁ㎏🔑❤\ufe0f\U0002000b-\n"
texts = st.text(st.sampled_from(SCRIPTS), max_size=40) | st.text(max_size=40)


@few(400)
@given(texts)
def test_what_is_looked_up_is_indexed_and_marked(text: str) -> None:
    looked_up = set(terms(text))
    marked = {term for span in spans(text) for term in span.terms}
    assert looked_up <= indexed(text) | {"x", "y"}
    assert looked_up <= marked
    assert marked | {"x", "y"} == indexed(text) | {"x", "y"}
    for start, end, found in spans(text):
        assert 0 <= start < end <= len(text)
        assert found
    for term in looked_up:
        assert 0 < len(term.encode("utf-8", "surrogatepass")) <= MAX_TERM


@few(400)
@given(texts)
def test_spelling_and_case_make_no_difference(text: str) -> None:
    for form in ("NFC", "NFD"):
        other = unicodedata.normalize(form, text)
        assert keyword(other) == keyword(text)
    assert indexed(text.replace("_", " ")) == indexed(text)


@few(200)
@given(st.lists(texts, max_size=5))
def test_what_was_met_before_changes_nothing(several: list[str]) -> None:
    warm = [document_terms("v1.fact." + text, text, [text]) for text in several]
    module._of_text.clear()
    module._of_name.clear()
    module._one_term.clear()
    assert [document_terms("v1.fact." + text, text, [text]) for text in several] == warm


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_REMEMBERED", 50)
    module._of_text.clear()
    module._one_term.clear()
    document_terms("v1.x.y", " ".join(f"word{i} don't{i}" for i in range(500)))
    assert len(module._of_text) <= 50
    assert len(module._one_term) <= 50
    document_terms("v1.x.y", "z" * 10_000 + " 123456 " + "東京" * 100)
    assert max(map(len, module._of_text)) <= 32
    assert max(map(len, module._one_term)) <= 32
    assert "123456" not in module._one_term


def test_apostrophes_around_words_and_between_them_part_them() -> None:
    terms, length = document_words("", "'dogs' 'x''running' o'clock '' '7'")
    assert (sorted(terms), length) == (["7", "clock", "dog", "oclock", "run", "x"], 5)


def test_threads_stem_alike() -> None:
    expected = {f"run{'s' * (i % 2)}{chr(97 + i % 26)}ing" for i in range(300)}
    results: list[set[str]] = []
    threads = [Thread(target=lambda: results.append(indexed(" ".join(sorted(expected))))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4
    assert all(result == results[0] for result in results)


GOLDEN = [("generally", "general"), ("payments", "payment"), ("organization", "organiz"), ("happiness", "happi")]


@pytest.mark.parametrize(("word", "stem"), GOLDEN)
def test_stems_stay_as_they_are_stored(word: str, stem: str) -> None:
    """Postings hold them: a stemmer that cuts otherwise needs a rebuild of every store."""
    assert terms(word) == [stem]


@given(
    st.text(alphabet="abdeghiklnoprstuyADS'. -_19", max_size=120), st.text(alphabet="abdeghiklnoprstuy ", max_size=12)
)
def test_the_words_that_match_are_those_whose_terms_are_wanted(text: str, query: str) -> None:
    wanted = {term.term for term in query_terms(query)}
    assert matching(text, wanted) == [span for span in spans(text) if not wanted.isdisjoint(span.terms)]


MARKS = [chr(code) for code in range(0x300, 0x370) if unicodedata.combining(chr(code))]


@given(st.text(st.sampled_from([*MARKS, "a", "é", "\uff9e", "\u0344", "\u0345", "が", "각"]), max_size=60))
def test_marks_that_were_put_in_order_first_are_normalised_to_the_same(text: str) -> None:
    assert unicodedata.normalize("NFKC", module._in_order(text)) == unicodedata.normalize("NFKC", text)


def test_a_very_long_run_of_accents_takes_no_longer_than_a_text_of_that_length() -> None:
    """A run of 300,000 took minutes."""
    some = "a" + "".join(MARKS) * 4
    assert keyword(some) == unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", some).casefold())
    assert len(document_terms("v1.x.y", "a" + "".join(MARKS) * 3000).counts) > 2


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("al moved to malmö", "al"),
        ("it is al's", "al"),
        ("ask (al)", "al"),
        ("uses c++ and c", "c++"),
        ("ada lovelace wrote it", "ada lovelace"),
        ("私は東京に住む", "東京"),
        ("malmö, says al", "al"),
    ],
)
@pytest.mark.parametrize("looks", [0, module._LOOKS])
def test_a_name_stands_in_a_text_as_whole_words(
    text: str, part: str, monkeypatch: pytest.MonkeyPatch, looks: int
) -> None:
    monkeypatch.setattr(module, "_LOOKS", looks)
    assert has_whole(text, part)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("moved to malmö", "al"),
        ("algiers", "al"),
        ("malmo\u0308 calls", "malmo"),
        ("room 12", "1"),
        ("al", ""),
        ("", "al"),
    ],
)
@pytest.mark.parametrize("looks", [0, module._LOOKS])
def test_a_part_of_a_word_is_no_name_in_it(text: str, part: str, monkeypatch: pytest.MonkeyPatch, looks: int) -> None:
    monkeypatch.setattr(module, "_LOOKS", looks)
    assert not has_whole(text, part)


@pytest.mark.parametrize("text", ["a" * 300, "a1 " * 300, "\u00e9" + "a1 " * 300, "a\u0308" * 300])
def test_a_name_that_stands_within_many_words_is_looked_for_at_few_places_one_by_one(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """100 such entities of a text of 1 MB kept the store from writing for minutes."""
    looks = [0]
    right = module._is_one_word

    def counted(two: str) -> bool:
        looks[0] += 1
        return right(two)

    monkeypatch.setattr(module, "_is_one_word", counted)
    assert not has_whole(text, "a")
    assert has_whole(f"{text} a", "a")
    assert looks[0] <= 5 * module._LOOKS


def test_for_all_names_that_stand_within_many_words_a_text_is_taken_apart_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """12 texts of 1 MB that list 80 such names kept each opening busy for a minute."""
    parted: list[str] = []
    right = module._parted

    def counted(text: str) -> str:
        parted.append(text)
        return right(text)

    monkeypatch.setattr(module, "_parted", counted)
    said = "\u00e9" * 300 + " " + "\u00e9" * 7
    names = ["\u00e9" * long for long in range(1, 80)]
    assert list(unnamed(said, names)) == [name for name in names if len(name) != 7]
    assert parted.count(said) == 1
