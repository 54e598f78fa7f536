"""Texts by their words, and what keeps two texts apart."""

from __future__ import annotations

import numpy as np
import pytest

from substrate.groups.wording import Wordings, apart, differ
from tests.groups.planted import planted


def test_nearly_the_same_words_are_near_and_others_are_not() -> None:
    texts = ["The bins go out on Tuesday", "On Tuesday the bins go out!", "Ada likes oysters", "bins"]
    found = Wordings(texts).near(0.83, lambda _: None, np.arange(4))
    assert [(pair.first, pair.second) for pair in found] == [(0, 1)]


def test_a_text_without_words_is_near_nothing() -> None:
    assert Wordings(["!!!", "???", "..."]).near(0.5, lambda _: None, np.arange(3)) == []


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("the port is 8080", "the port is 8443"),
        ("we use Postgres", "we do not use Postgres"),
        ("the build doesn't pass", "the build passes"),
    ],
)
def test_another_number_or_a_negation_tells_texts_apart(first: str, second: str) -> None:
    assert apart(0.95, differ(first), differ(second)) < 0.83


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("it costs 1,200 a month", "it costs 1200 a month, all in"),
        ("the port is 8080", "the port is open"),
        ("never push to main", "do not push to main"),
    ],
)
def test_the_same_numbers_or_one_more_do_not(first: str, second: str) -> None:
    assert apart(0.95, differ(first), differ(second)) == 0.95


def test_what_was_said_twice_is_found_and_nothing_else_is() -> None:
    texts, pairs = planted()
    found = {
        frozenset((pair.first, pair.second))
        for pair in Wordings(texts).near(0.83, lambda _: None, np.arange(len(texts)))
    }
    assert len(found & pairs) >= 0.95 * max(len(pairs), len(found))
