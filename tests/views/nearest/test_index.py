"""Nearest vectors: what is found is what a plain loop over the vectors of record finds, whatever happened before."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from substrate.errors import InputError, StoreDamaged
from substrate.log.append import Decision
from substrate.log.tables import EMBEDDED, VECTORS, seq_key
from tests.views.vectored import SPACE, Vectored, assert_same, draw

QUERY = draw(99, 1)[0]


def test_search_finds_the_nearest_first(vectored: Vectored) -> None:
    vectored.put(list(draw(1, 50)))
    nearest = vectored.at()
    assert nearest.note is None
    assert nearest.upto == vectored.size()
    for k in (1, 10, 50, 80):
        assert_same(nearest.search(QUERY, k), vectored.plain(QUERY), k)


def test_an_empty_store_has_nothing(vectored: Vectored) -> None:
    seqs, scores = vectored.at().search(QUERY, 5)
    assert (len(seqs), len(scores)) == (0, 0)
    assert np.isnan(vectored.at().scores(QUERY, np.array([0, 1]))).all()


def test_a_version_counts_once_by_its_best_piece(vectored: Vectored) -> None:
    rows = [draw(i, 1 + i % 7) for i in range(40)]
    rows[7] = np.repeat(QUERY[None], 200, axis=0)  # all of its pieces are the best ones
    vectored.put(rows)
    nearest = vectored.at()
    assert_same(nearest.search(QUERY, 10), vectored.plain(QUERY), 10)
    seqs = np.array([7, 3, 1, 4000, -1, 3])
    plain = vectored.plain(QUERY)
    for seq, score in zip(seqs.tolist(), nearest.scores(QUERY, seqs).tolist(), strict=True):
        assert np.isnan(score) if seq not in plain else abs(score - plain[seq]) < 2e-3


def test_a_mask_selects_and_may_be_short(vectored: Vectored) -> None:
    vectored.put(list(draw(2, 60)))
    nearest = vectored.at()
    for share in (0, 0.05, 0.5, 1):
        for length in (0, 1, 30, 61, 500):
            mask = np.random.default_rng(length).random(length) < share
            assert_same(nearest.search(QUERY, 10, mask), vectored.plain(QUERY, mask), 10)


@pytest.mark.parametrize("left_out", [1, 2, 3, 7])
def test_a_mask_that_leaves_out_the_nearest_few_loses_no_other(vectored: Vectored, left_out: int) -> None:
    vectored.put([draw(seed, 2) for seed in range(60)])
    nearest = vectored.at()
    mask = np.ones(200, np.bool_)
    mask[nearest.search(QUERY, left_out)[0]] = False
    for k in (1, 10, 58, 100):
        assert_same(nearest.search(QUERY, k, mask), vectored.plain(QUERY, mask), k)


def test_what_was_put_since_is_found_and_what_is_not_embedded_is_not(vectored: Vectored) -> None:
    vectored.put(list(draw(3, 5)))
    before = vectored.at()
    vectored.put(list(draw(4, 2000)))
    assert_same(vectored.at().search(QUERY, 10), vectored.plain(QUERY), 10)
    late = vectored.put([QUERY], embed=False)
    assert vectored.at().upto == late[0]
    assert_same(vectored.at().search(QUERY, 10), vectored.plain(QUERY), 10)
    assert len(before.search(QUERY, 10)[0]) == 5


def test_what_was_forgotten_is_not_found_by_a_handle_that_had_it(
    open_vectored: Callable[..., Vectored], vectored: Vectored
) -> None:
    other = open_vectored()
    seqs = vectored.put(list(draw(5, 30)))
    assert other.at().search(QUERY, 100)[0].tolist() == vectored.at().search(QUERY, 100)[0].tolist()
    held = other.at()
    vectored.forget(seqs[3:6])
    for handle in (vectored, other):
        assert not set(seqs[3:6]) & set(handle.at().search(QUERY, 100)[0].tolist())
        assert np.isnan(handle.at().scores(QUERY, np.array(seqs[3:6]))).all()
        assert_same(handle.at().search(QUERY, 10), vectored.plain(QUERY), 10)
    assert len(held.search(QUERY, 100)[0]) == 30  # it is as of its snapshot


def test_a_snapshot_that_another_thread_is_past_gets_what_it_can_resolve(vectored: Vectored) -> None:
    vectored.put(list(draw(6, 20)))
    size = vectored.size()
    with vectored.log.snapshot() as early, ThreadPoolExecutor(1) as pool:
        pool.submit(vectored.put, list(draw(7, 20))).result()
        pool.submit(vectored.at).result()
        found = vectored.index.at(early, SPACE, 8, size).search(QUERY, 100)
    assert_same(found, vectored.plain(QUERY, size=size), 100)
    assert_same(vectored.at().search(QUERY, 100), vectored.plain(QUERY), 100)


def test_a_size_in_the_past_leaves_out_what_came_later(vectored: Vectored) -> None:
    vectored.put(list(draw(8, 20)))
    assert_same(vectored.at(12).search(QUERY, 100), vectored.plain(QUERY, size=12), 100)
    assert vectored.at(12).upto == 12


def test_vectors_that_are_made_anew_are_followed_from_the_start(vectored: Vectored) -> None:
    seqs = vectored.put(list(draw(9, 20)))
    vectored.at()
    rows = [(VECTORS, seq_key(seq) + SPACE, None) for seq in seqs]
    vectored.log.decide(lambda _, __: Decision((), [*rows, (EMBEDDED, SPACE, None)]))
    vectored.put([QUERY], embed=False)
    assert vectored.at().upto == 0
    assert len(vectored.at().search(QUERY, 5)[0]) == 0
    vectored.embed(dict(zip(seqs, draw(10, 20), strict=True)))
    assert_same(vectored.at().search(QUERY, 5), vectored.plain(QUERY), 5)


def test_a_store_that_another_one_takes_the_place_of_is_read_anew(open_vectored: Callable[..., Vectored]) -> None:
    one, two = open_vectored("one"), open_vectored("two")
    one.put(list(draw(11, 20)))
    two.put(list(draw(12, 20)))
    one.at()
    two.index = one.index  # as if its folder had been swapped
    assert_same(two.at().search(QUERY, 5), two.plain(QUERY), 5)
    assert_same(one.at().search(QUERY, 5), one.plain(QUERY), 5)


def test_spaces_are_never_mixed(vectored: Vectored) -> None:
    seqs = vectored.put(list(draw(13, 20)))
    vectored.embed(dict(zip(seqs, draw(14, 20), strict=True)), b"space  2")
    assert_same(vectored.at().search(QUERY, 5), vectored.plain(QUERY), 5)
    with vectored.log.snapshot() as transaction:
        assert vectored.index.at(transaction, b"space  3", 8, 100).upto == 0


def test_vectors_of_any_length_count_by_their_direction(vectored: Vectored) -> None:
    rows = [row * 10.0 ** (i % 5 - 2) for i, row in enumerate(draw(15, 30))]
    vectored.put([*rows, np.zeros(8)])
    assert_same(vectored.at().search(QUERY, 31), vectored.plain(QUERY), 31)


def test_vectors_that_are_no_numbers_are_left_out(vectored: Vectored) -> None:
    good, bad, mixed = vectored.put([QUERY, QUERY * np.nan, np.stack([QUERY * np.inf, -QUERY])])
    seqs, scores = vectored.at().search(QUERY, 5)
    assert seqs.tolist() == [good, mixed]
    assert scores[1] == pytest.approx(-1, abs=1e-2)
    assert np.isnan(vectored.at().scores(QUERY, np.array([bad])))


def test_rows_of_another_width_are_damage(vectored: Vectored) -> None:
    vectored.put([np.ones(9)])
    with pytest.raises(StoreDamaged, match="8 dimensions"):
        vectored.at()


@pytest.mark.parametrize("query", [np.zeros(8), np.ones(7), np.full(8, np.nan), np.full(8, np.inf)])
def test_a_query_that_is_no_direction_is_refused(vectored: Vectored, query: Any) -> None:
    vectored.put([QUERY])
    with pytest.raises(InputError, match="8 finite numbers"):
        vectored.at().search(query, 5)
    with pytest.raises(InputError, match="8 finite numbers"):
        vectored.at().scores(query, np.array([1]))


def test_threads_may_share_an_index_that_grows(vectored: Vectored) -> None:
    vectored.put(list(draw(16, 100)))

    def work(seed: int) -> None:
        for i in range(20):
            query = draw(1000 * seed + i, 1)[0]
            nearest = vectored.at()
            assert_same(nearest.search(query, 5), vectored.plain(query, size=nearest.upto), 5)

    with ThreadPoolExecutor(4) as pool:
        running = [pool.submit(work, seed) for seed in range(3)]
        for i in range(20):
            vectored.put(list(draw(i, 50)))
        for future in running:
            future.result()
