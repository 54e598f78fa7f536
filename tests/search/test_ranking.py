"""The one ranking, on candidates made up for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from substrate.search.ranking import Candidates, Ranked, rank, with_walks
from substrate.search.when import When, Which

DAY = 86_400_000_000


def made(  # noqa: PLR0913 - one default for each column
    words: Sequence[float],
    *,
    when: Sequence[int] | None = None,
    dated: Sequence[bool] | None = None,
    texts: Sequence[int] | None = None,
    atoms: Sequence[int] | None = None,
    before: Sequence[int] | None = None,
    after: Sequence[int] | None = None,
    linked: Sequence[int] | None = None,
    trust: Sequence[float] | None = None,
    named: Sequence[bool] | None = None,
    vectors: np.ndarray | None = None,
    forms: Sequence[int] | None = None,
) -> Candidates:
    n = len(words)
    none = [-1] * n
    return Candidates(
        words=np.array(words, np.float32),
        vectors=vectors,
        when=np.array(when if when is not None else [0] * n, np.int64),
        dated=np.array(dated if dated is not None else [True] * n, np.bool_),
        texts=np.array(texts if texts is not None else range(n), np.uint64),
        atoms=np.array(atoms if atoms is not None else range(n), np.uint64),
        before=np.array(before if before is not None else none, np.int64),
        after=np.array(after if after is not None else none, np.int64),
        linked=np.array(linked if linked is not None else none, np.int64),
        trust=np.array(trust if trust is not None else [0.5] * n, np.float32),
        named=np.array(named if named is not None else [True] * n, np.bool_),
        turns=None,
        forms=None if forms is None else np.array(forms, np.int64),
    )


def ranked(found: Candidates, asked: Which = Which.ANY, **span: int) -> Ranked:
    return rank(found, None, When(asked, "", (), span.get("start"), span.get("end")))


def order(found: Candidates, asked: Which = Which.ANY, **span: int) -> list[int]:
    return ranked(found, asked, **span).order.tolist()


def test_nothing_found_is_nothing_ranked() -> None:
    assert order(made([])) == []


def test_more_of_the_words_comes_first() -> None:
    assert order(made([0.2, 0.9, 0.5])) == [1, 2, 0]


def test_recency_never_hides_a_better_match() -> None:
    assert order(made([0.51, 0.5], when=[0, 9000 * DAY])) == [0, 1]


def test_of_equals_the_newest_comes_first() -> None:
    assert order(made([0.5, 0.5, 0.5], when=[2 * DAY, 3 * DAY, DAY])) == [1, 0, 2]


def test_one_sentence_of_a_form_that_does_not_fit_is_not_what_holds_now() -> None:
    words, when = [0.5, 0.48, 0.52, 0.1, 0.1, 0.05], [DAY, 2 * DAY, 3 * DAY, 4 * DAY, 5 * DAY, 6 * DAY]
    assert order(made(words, when=when), Which.NOW)[0] == 2
    assert order(made(words, when=when, forms=[0, 0, 2, 2, 2, 5]), Which.NOW)[0] == 1
    assert order(made(words, when=when, forms=[0, 0, 2, 2, 2, 5]))[0] == 2  # no time is asked for


def test_evidence_decides_between_equals_only() -> None:
    assert order(made([0.5, 0.5], trust=[0.1, 1.0])) == [1, 0]
    assert order(made([0.6, 0.5], trust=[0.0, 1.0])) == [0, 1]


def test_a_neighbour_close_in_time_lends_to_a_hit_and_one_far_away_does_not() -> None:
    close = ranked(made([0.5, 0.9], before=[1, -1], when=[60_000_000, 0]))
    far = ranked(made([0.5, 0.9], before=[1, -1], when=[30 * DAY, 0]))
    assert close.parts["neighbours"][0] > 0.1
    assert far.parts["neighbours"][0] == pytest.approx(0, abs=1e-6)


def test_an_edge_from_a_hit_lends_a_share_of_the_best_path() -> None:
    result = ranked(made([0.9, 0.0], linked=[-1, 0]))
    assert 0 < result.parts["edges"][1] < result.parts["words"][0]


# -- time --------------------------------------------------------------------------------------------------------------

# Three statements of one thing that fit about as well, a stronger old one among them, and much that does not fit.
STATEMENTS = made([0.80, 0.85, 0.78, *[0.1] * 20], when=[3 * DAY, DAY, 2 * DAY, *[9 * DAY] * 20])


def test_now_means_the_newest_statement_that_fits() -> None:
    assert order(STATEMENTS, Which.NOW)[0] == 0


def test_before_the_current_one_means_the_newest_but_one_and_then_the_current() -> None:
    assert order(STATEMENTS, Which.PREVIOUS)[:2] == [2, 0]


def test_where_all_fit_alike_time_decides_all_the_same() -> None:
    alike = made([0.5, 0.5, 0.5], when=[DAY, 2 * DAY, 3 * DAY])
    assert order(alike, Which.PREVIOUS) == [1, 2, 0]
    assert order(alike, Which.NOW) == [2, 1, 0]
    assert order(alike, Which.FIRST) == [0, 1, 2]


def test_originally_means_the_oldest() -> None:
    assert order(STATEMENTS, Which.FIRST)[0] == 1


def test_in_a_span_the_newest_statement_until_its_end_is_meant() -> None:
    assert order(STATEMENTS, Which.SPAN, start=2 * DAY + 1, end=3 * DAY)[0] == 2
    assert order(STATEMENTS, Which.SPAN, start=DAY, end=2 * DAY)[0] == 1


def test_since_a_day_what_lies_before_it_is_not_meant() -> None:
    assert order(STATEMENTS, Which.SPAN, start=3 * DAY)[0] == 0


def test_when_something_was_written_down_counts_little_beside_a_time_that_was_given() -> None:
    found = made([0.8, 0.7, *[0.1] * 20], when=[DAY, 9 * DAY, *[0] * 20], dated=[True, False, *[True] * 20])
    assert order(found, Which.NOW)[0] == 0
    assert order(made([0.8, 0.7, *[0.1] * 20], when=[DAY, 9 * DAY, *[0] * 20]), Which.NOW)[0] == 1


def test_where_nothing_fits_much_what_lies_in_the_span_comes_first() -> None:
    found = made([0.10, 0.05, 0.08], when=[DAY, 5 * DAY, 2 * DAY])
    assert order(found, Which.SPAN, start=4 * DAY, end=6 * DAY)[0] == 1


def test_what_does_not_fit_is_not_put_first_however_new() -> None:
    assert set(order(STATEMENTS, Which.NOW)[:3]) == {0, 1, 2}


def test_a_statement_about_someone_else_is_not_the_current_one() -> None:
    found = made([0.8, 0.79, *[0.1] * 20], when=[DAY, 9 * DAY, *[0] * 20], named=[True, False, *[True] * 20])
    assert order(found, Which.NOW)[0] == 0


def test_versions_of_one_atom_fit_as_well_as_the_best_of_them() -> None:
    found = made([0.9, 0.2, *[0.1] * 20], when=[2 * DAY, DAY, *[0] * 20], atoms=[5, 5, *range(10, 30)])
    assert order(found, Which.PREVIOUS)[0] == 1


# -- meaning -----------------------------------------------------------------------------------------------------------


def unit(*rows: Sequence[float]) -> np.ndarray:
    array = np.array(rows, np.float32)
    return array / np.linalg.norm(array, axis=1, keepdims=True)


def test_meaning_decides_where_words_say_nothing() -> None:
    vectors = unit([1, 0.1, 0], [0.1, 1, 0], [0, 0, 1])
    result = rank(made([0, 0, 0], vectors=vectors), unit([0, 1, 0])[0], When(Which.ANY, ""))
    assert result.order[0] == 1


def test_what_is_not_embedded_yet_is_found_by_its_words() -> None:
    vectors = np.concatenate([unit([1, 0, 0], [0.9, 0.3, 0]), np.full((1, 3), np.nan, np.float32)])
    result = rank(made([0, 0, 0.9], vectors=vectors), unit([0.9, 0.1, 0])[0], When(Which.ANY, ""))
    assert result.order[0] == 2
    assert np.isfinite(result.score).all()


def test_no_vectors_at_all_is_a_ranking_by_words() -> None:
    vectors = np.full((2, 3), np.nan, np.float32)
    result = rank(made([0.1, 0.9], vectors=vectors), unit([1, 0, 0])[0], When(Which.ANY, ""))
    assert result.order.tolist() == [1, 0]
    assert not result.parts["meaning"].any()


@given(st.data())
def test_every_candidate_is_ranked_once_and_its_parts_add_up(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 30))
    place = st.integers(-1, n - 1)

    def column(values: st.SearchStrategy[float]) -> list[float]:
        return data.draw(st.lists(values, min_size=n, max_size=n))

    vectors = None
    query = None
    if data.draw(st.booleans()):
        query = unit([1, 2, 3])[0]
        vectors = unit(*np.random.default_rng(n).normal(size=(n, 3)))
        vectors[np.array(column(st.booleans()), np.bool_)] = np.nan
    found = made(
        column(st.floats(0, 1.5, width=32)),
        when=[int(value) for value in column(st.integers(-(2**60), 2**60))],
        texts=[int(value) for value in column(st.integers(0, 5))],
        atoms=[int(value) for value in column(st.integers(0, 5))],
        before=[int(value) for value in column(place)],
        after=[int(value) for value in column(place)],
        linked=[int(value) for value in column(place)],
        trust=column(st.floats(0, 1, width=32)),
        named=[bool(value) for value in column(st.booleans())],
        vectors=vectors,
    )
    asked = data.draw(st.sampled_from(Which))
    start, end = sorted(data.draw(st.tuples(st.integers(-(2**60), 2**60), st.integers(-(2**60), 2**60))))
    result = rank(found, query, When(asked, "", (), start, end if end > start else None))
    assert sorted(result.order.tolist()) == list(range(n))
    assert np.isfinite(result.score).all()
    assert np.allclose(sum(result.parts.values()), result.score, atol=1e-4)


# -- walks -------------------------------------------------------------------------------------------------------------


def test_a_walk_adds_its_worth_up_to_just_below_the_hit_it_began_at() -> None:
    found = made([0.8, 0.7, 0.1, 0.0])
    plain = ranked(found)
    worth, start = np.array([0, 0.48, 0.48, 0.29], np.float32), np.array([-1, 0, 0, 0])
    walked = with_walks(found, plain, worth, start)
    assert walked.order.tolist() == [0, 1, 2, 3]
    assert walked.parts["walk"].tolist() == pytest.approx([0, 0.06, 0.48, 0.29], abs=1e-3)
    assert walked.score == pytest.approx(sum(walked.parts.values()), abs=1e-6)
    assert (plain.score + worth).argmax() == 1  # the broken twin, which does not look at where the walk began


def test_an_edge_that_counted_already_does_not_count_twice() -> None:
    found = made([0.8, 0.1], linked=[-1, 0])
    plain = ranked(found)
    walked = with_walks(found, plain, np.array([0, 0.48], np.float32), np.array([-1, 0]))
    assert walked.parts["edges"][1] + walked.parts["walk"][1] == pytest.approx(0.48, abs=1e-3)


def test_those_that_walks_reach_shift_no_other_score() -> None:
    vectors = np.eye(4, dtype=np.float32)[[0, 1, 2, 0]]
    query = np.array([0.6, 0.8, 0, 0], np.float32)
    when = When(Which.NOW, "")
    alone = rank(made([0.5, 0.4, 0.1], vectors=vectors[:3], when=[1, 2, 3]), query, when)
    wider = replace(made([0.5, 0.4, 0.1, 0.9], vectors=vectors, when=[1, 2, 3, 4]), matched=3)
    assert rank(wider, query, when).score[:3].tolist() == alone.score.tolist()
    assert rank(replace(wider, matched=-1), query, when).score[:3].tolist() != alone.score.tolist()
