# ruff: noqa: RUF001 - letters that look like others are what this is about
from __future__ import annotations

from math import log
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import substrate.search.words as module
import substrate.views.words as view
from substrate.codec import decode_body
from substrate.log.replay import Logged, replay
from substrate.memory import Memory
from substrate.proof.entry import Kind
from substrate.search.columns.documents import Columns, Documents
from substrate.search.words import BM25_B, BM25_K1, WordScores, keyword_mask, score_words
from substrate.text.terms import query_terms
from substrate.views.words import Field
from tests.scale import rounds
from tests.search.happenings import Happening, a_store, done, few, happenings
from tests.text.bags import Bag, document_terms

QUERIES = ["red", "the red FISH", "cafe", "café open", "東京 lines", "nothing of it", "payment provider fact", ""]


@pytest.fixture(params=[8192, 4], ids=["blocks as they are", "tiny blocks"])
def block(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(view, "BLOCK", request.param)
    monkeypatch.setattr(view, "NEWEST", max(2, request.param // 4))
    monkeypatch.setattr(module, "BLOCK", request.param)
    return request.param


def bags(entries: list[Logged]) -> dict[int, Bag]:
    found = {}
    for entry in entries:
        if entry.kind is Kind.PUT and entry.body is not None:
            said: dict[str, Any] = decode_body(entry.body)
            found[entry.seq] = document_terms(
                said["name"], said["value"], said.get("tags", ()), said.get("entities", ())
            )
    return found


def by_hand(documents: dict[int, Bag], terms: list[str]) -> dict[int, float]:
    """BM25 as in the books, one document and one term at a time."""
    mean = sum(bag.length for bag in documents.values()) / len(documents) if documents else 1
    scores: dict[int, float] = {}
    for term in terms:
        having = sum(term in bag.counts for bag in documents.values())
        for seq, bag in documents.items():
            if often := min(bag.counts.get(term, 0), 255):
                idf = log(1 + (len(documents) - having + 0.5) / (having + 0.5))
                damped = often + BM25_K1 * (1 - BM25_B + BM25_B * bag.length / mean)
                scores[seq] = scores.get(seq, 0) + idf * often * (BM25_K1 + 1) / damped
    return scores


def scored(memory: Memory, text: str, upto: int | None = None) -> tuple[WordScores, dict[int, Bag], list[str]]:
    with memory._store.log.snapshot() as transaction:
        documents = Columns().at(transaction)
        mask = documents.current(upto)
        terms = [term.term for term in query_terms(text)]
        found = score_words(transaction, documents, terms, mask)
        shown = {seq: bag for seq, bag in bags(replay(transaction, 0, documents.size)).items() if mask[seq]}
    return found, shown, terms


def compare(memory: Memory, text: str, upto: int | None = None) -> None:
    found, shown, terms = scored(memory, text, upto)
    expected = by_hand(shown, terms)
    assert found.versions == len(shown)
    assert found.seqs.tolist() == sorted(expected)
    assert found.scores.tolist() == pytest.approx([expected[seq] for seq in sorted(expected)], rel=1e-5)
    assert [term.found for term in found.terms] == [sum(t in bag.counts for bag in shown.values()) for t in terms]
    for seq, bag in shown.items():
        assert found.matches(np.array([seq]))[:, 0].tolist() == [term in bag.counts for term in dict.fromkeys(terms)]
    everything = np.array(sorted(shown), np.int64)
    assert found.matches(everything).sum() == sum(term in bag.counts for bag in shown.values() for term in terms)


@pytest.mark.soak
@pytest.mark.usefixtures("block")
@few(rounds(12, 500))
@given(happenings(least=5), st.sampled_from(QUERIES), st.integers(-1, 8))
def test_scores_are_bm25_over_just_the_versions_that_are_meant(happened: list[Happening], text: str, back: int) -> None:
    for memory in done(happened):
        last = memory
        size = memory.head().head.size
        compare(last, text, size - 1 - back if 0 <= back < size else None)


@pytest.mark.parametrize(("name", "value"), [("BM25_B", 0.0), ("BM25_K1", 2.0)])
def test_another_formula_is_found_out(name: str, value: float, monkeypatch: pytest.MonkeyPatch) -> None:
    with a_store() as (memory, _):
        memory.checkpoint(
            ["v1.fact.a = red red fish", "v1.fact.b = red and a good deal more than that", "v1.fact.c = x"]
        )
        compare(memory, "red fish")
        monkeypatch.setattr(module, name, value)
        with pytest.raises(AssertionError):
            compare(memory, "red fish")


def test_counting_versions_that_are_not_meant_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def all_of_them(self: Documents, upto: int | None = None, valid_at: int | None = None) -> np.ndarray:
        del upto, valid_at
        return self.said

    with a_store() as (memory, _):
        memory.checkpoint(["v1.fact.a = red fish", "v1.fact.b = blue fish"])
        memory.checkpoint(["v1.fact.a = green fish"])
        compare(memory, "red fish")
        before = by_hand(scored(memory, "fish")[1], ["fish"])
        monkeypatch.setattr(Documents, "current", all_of_them)
        assert scored(memory, "fish")[0].scores.tolist() != pytest.approx(list(before.values()))


def masked(memory: Memory, field: Field, text: str) -> set[str]:
    with memory._store.log.snapshot() as transaction:
        documents = Columns().at(transaction)
        mask = keyword_mask(transaction, documents, field, text) & documents.current()
    return {atom.name for atom in memory.list() if mask[atom.seq]}


def test_keywords_select_versions_by_each_field() -> None:
    long = "s" * 500
    with a_store() as (memory, _):
        memory.checkpoint(
            [
                {"name": "v1.fact.a.b", "value": "x", "tags": ["Red", "two words"], "entities": ["Ada Lovelace"]},
                {"name": "v1.fact.a.b.c", "value": "y", "source": long, "origin": "agent"},
            ],
            actor="ann",
        )
        memory.checkpoint([{"name": "v1.fact.ab", "value": "z", "tags": ["reddish"]}], session="one")
        memory.checkpoint([{"name": "v2.state.a", "value": "z"}], actor="Ann")
        assert masked(memory, Field.UNDER, "v1") == {"v1.fact.a.b", "v1.fact.a.b.c", "v1.fact.ab"}
        assert masked(memory, Field.UNDER, "v1.fact") == {"v1.fact.a.b", "v1.fact.a.b.c", "v1.fact.ab"}
        assert masked(memory, Field.UNDER, "v1.fact.a") == {"v1.fact.a.b", "v1.fact.a.b.c"}
        assert masked(memory, Field.UNDER, "v1.fact.a.b") == {"v1.fact.a.b.c"}
        assert masked(memory, Field.UNDER, "v1.fact.a.b.c") == set()
        assert masked(memory, Field.TAG, "ＲＥＤ") == {"v1.fact.a.b"}
        assert masked(memory, Field.TAG, "two words") == {"v1.fact.a.b"}
        assert masked(memory, Field.TAG, "two") == set()
        assert masked(memory, Field.ENTITY, "ada lovelace") == {"v1.fact.a.b"}
        assert masked(memory, Field.SOURCE, long) == {"v1.fact.a.b.c"}
        assert masked(memory, Field.SOURCE, long[1:]) == set()
        assert masked(memory, Field.ORIGIN, "agent") == {"v1.fact.a.b.c"}
        assert masked(memory, Field.ACTOR, "ann") == {"v1.fact.a.b", "v1.fact.a.b.c"}
        assert masked(memory, Field.SESSION, "one") == {"v1.fact.ab"}


def test_a_term_asked_for_twice_counts_once_and_nothing_finds_nothing() -> None:
    with a_store() as (memory, _):
        memory.checkpoint(["v1.fact.a = red fish"])
        with memory._store.log.snapshot() as transaction:
            documents = Columns().at(transaction)
            mask = documents.current()
            once, twice = (score_words(transaction, documents, terms, mask) for terms in (["red"], ["red", "red"]))
            assert once.scores.tolist() == twice.scores.tolist()
            assert score_words(transaction, documents, [], mask).seqs.tolist() == []
            assert score_words(transaction, documents, ["red"], np.zeros_like(mask)).seqs.tolist() == []


FOUND = [
    ("Die Straße nach Köln", "STRASSE koln"),
    ("İstanbul'da ısı", "istanbul isi"),
    ("Η Ελλάδα και οι οδοί", "ελλαδα"),
    ("Ёлка стоит в Москве", "елка"),
    ("العَرَبِيَّة لغة", "العربية"),
    ("मैं हिन्दी में लिखता हूँ", "हिन्दी"),
    ("東京都庁に行きました", "都庁"),
    ("黒猫がいる", "猫"),
    ("我在北京大学学习", "北京大学"),
    ("안녕하세요 세계입니다", "세계"),
    ("the key is here 🔑", "🔑"),
    ("naïve ﬁancé ＡＢＣ", "fiance abc"),
]


@pytest.mark.parametrize(("text", "query"), FOUND)
def test_texts_of_any_script_are_found(text: str, query: str) -> None:
    with a_store() as (memory, _):
        memory.checkpoint(
            [{"name": "v1.fact.wanted", "value": text}, "v1.fact.other = something else, 他のもの, другое"]
        )
        found, _, _ = scored(memory, query)
        assert found.seqs.tolist() == [memory.access("v1.fact.wanted").atom.seq]
        compare(memory, query)
