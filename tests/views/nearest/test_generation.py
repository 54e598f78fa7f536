"""Generations: what is found by way of a sealed file is what a plain loop over the vectors of record finds."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from substrate.log.heads import require_head
from substrate.views.nearest import space as following
from tests.scale import rounds
from tests.views.vectored import SPACE, Vectored, assert_same, draw

QUERY = draw(99, 1, 32)[0]
ROWS = 600


@pytest.fixture
def vectored(open_vectored: Callable[..., Vectored]) -> Vectored:
    store = open_vectored(dimensions=32, seal_from=200)
    store.put(list(draw(1, ROWS, 32)))
    return store


def test_nothing_is_sealed_before_there_is_enough(open_vectored: Callable[..., Vectored]) -> None:
    store = open_vectored(dimensions=32, seal_from=200)
    store.put(list(draw(1, 199, 32)))
    assert store.seal() is None
    assert not (store.path / "nearest").exists()
    store.put(list(draw(2, 1, 32)))
    assert store.seal() is not None


def test_what_is_sealed_is_found_and_what_came_after(vectored: Vectored) -> None:
    path = vectored.seal()
    assert path is not None
    assert vectored.seal() is None  # nothing new
    vectored.put(list(draw(2, 50, 32)))
    nearest: Any = vectored.at()
    assert nearest._sealed is not None
    assert len(nearest._ids) == 50
    assert nearest.note is None
    for k in (1, 10, 100, 1000):
        assert_same(nearest.search(QUERY, k), vectored.plain(QUERY), k)
    seqs = np.array([1, 5, 599, 640, 5000, -1])
    plain = vectored.plain(QUERY)
    for seq, score in zip(seqs.tolist(), nearest.scores(QUERY, seqs).tolist(), strict=True):
        assert np.isnan(score) if seq not in plain else abs(score - plain[seq]) < 2e-3


def test_a_generation_is_made_anew_when_the_tail_has_grown(vectored: Vectored) -> None:
    first = vectored.seal()
    vectored.put(list(draw(2, 300, 32)))
    second = vectored.seal()
    assert second not in {None, first}
    assert [path.name for path in (vectored.path / "nearest").glob("*.generation")] == [second.name]  # type: ignore[union-attr]
    assert_same(vectored.at().search(QUERY, 10), vectored.plain(QUERY), 10)


def test_another_handle_takes_up_the_generation(open_vectored: Callable[..., Vectored], vectored: Vectored) -> None:
    other = open_vectored(dimensions=32, seal_from=200)
    held = other.at()
    vectored.seal()
    nearest: Any = other.at()
    assert nearest._sealed is not None
    assert len(nearest._ids) == 0
    for view in (held, nearest):
        assert_same(view.search(QUERY, 10), vectored.plain(QUERY), 10)


def test_a_read_only_index_seals_nothing(vectored: Vectored) -> None:
    vectored.index._read_only = True
    assert vectored.seal() is None


@pytest.mark.parametrize("share", [0.0, 0.01, 0.2, 0.7, 1.0])
def test_masks_select_in_generation_and_tail(vectored: Vectored, share: float) -> None:
    vectored.seal()
    vectored.put(list(draw(2, 50, 32)))
    for length in (0, 300, 651, 2000):
        mask = np.random.default_rng(length).random(length) < share
        for k in (1, 20, 500):
            assert_same(vectored.at().search(QUERY, k, mask), vectored.plain(QUERY, mask), k)


def test_a_mask_against_the_query_is_no_less_right(vectored: Vectored) -> None:
    """All that is near is masked out: whatever the codes choose does not pass."""
    vectored.seal()
    plain = vectored.plain(QUERY)
    far = sorted(plain, key=plain.__getitem__)[: ROWS // 2]
    mask = np.zeros(ROWS + 1, np.bool_)
    mask[far] = True
    assert_same(vectored.at().search(QUERY, 20, mask), vectored.plain(QUERY, mask), 20)


def test_pieces_of_a_version_count_once_in_a_generation(open_vectored: Callable[..., Vectored]) -> None:
    store = open_vectored(dimensions=32, seal_from=200)
    rows = [draw(i, 1 + i % 4, 32) for i in range(300)]
    rows[7] = np.repeat(QUERY[None], 200, axis=0)
    store.put(rows)
    assert store.seal() is not None
    assert_same(store.at().search(QUERY, 10), store.plain(QUERY), 10)


def test_what_was_forgotten_is_not_found_in_a_generation(vectored: Vectored) -> None:
    vectored.seal()
    held = vectored.at()
    best = [int(seq) for seq in held.search(QUERY, 5)[0]]
    vectored.forget(best)
    nearest = vectored.at()
    assert nearest._sealed is not None  # type: ignore[attr-defined]
    assert_same(nearest.search(QUERY, 20), vectored.plain(QUERY), 20)
    mask = np.ones(1000, np.bool_)
    assert_same(nearest.search(QUERY, 20, mask), vectored.plain(QUERY, mask), 20)
    assert np.isnan(nearest.scores(QUERY, np.array(best))).all()


def test_a_size_in_the_past_hides_what_a_generation_has_of_later(vectored: Vectored) -> None:
    vectored.seal()
    assert_same(vectored.at(100).search(QUERY, 20), vectored.plain(QUERY, size=100), 20)
    assert vectored.at(100).upto == 100


def test_dimensions_that_do_not_fill_words_are_padded(open_vectored: Callable[..., Vectored]) -> None:
    store = open_vectored(dimensions=30, seal_from=200)
    store.put(list(draw(1, 300, 30)))
    assert store.seal() is not None
    query = draw(5, 1, 30)[0]
    assert_same(store.at().search(query, 10), store.plain(query), 10)


@pytest.mark.parametrize("left", [0, 1, 2, 15, 16, 17])
def test_any_number_of_vectors_is_sealed_or_nothing_is(open_vectored: Callable[..., Vectored], left: int) -> None:
    """faiss wants 16 rows to learn from. A forget can leave fewer, and the generation that had them is made anew."""
    few = open_vectored(dimensions=8, seal_from=20)
    seqs = few.put(list(draw(3, 20)))
    assert few.seal() is not None
    few.forget(seqs[left:])
    assert (few.seal() is None) == (left == 0)
    few.erase()
    query = draw(4, 1)[0]
    for handle in (few, open_vectored(dimensions=8, seal_from=20)):
        assert_same(handle.at().search(query, 50), few.plain(query), 50)


def test_codes_that_find_too_little_are_not_used(open_vectored: Callable[..., Vectored]) -> None:
    """So many points in so few dimensions: half a byte for two numbers cannot tell them apart."""
    store = open_vectored(dimensions=4, seal_from=200)
    store.put([draw(i, 50, 4) for i in range(400)])
    assert store.seal() is not None
    nearest = store.at()
    assert "every vector is looked at" in (nearest.note or "")
    query = draw(999, 1, 4)[0]
    assert_same(nearest.search(query, 10), store.plain(query), 10)


def test_codes_that_turn_bad_are_noticed_by_searching(vectored: Vectored, monkeypatch: pytest.MonkeyPatch) -> None:
    vectored.seal()
    nearest: Any = vectored.at()
    codes = nearest._sealed._codes
    monkeypatch.setattr(codes, "choose", lambda _, k: np.arange(ROWS - k, ROWS))  # whatever is asked
    monkeypatch.setattr(following, "_CODE", 0.0)
    monkeypatch.setattr(following, "_CHOICE", 0.0)
    monkeypatch.setattr(following, "_LEAST", 20)
    for i in range(60):
        nearest.search(draw(i, 1, 32)[0], 10)
    assert "every vector is looked at" in (vectored.at().note or "")
    assert_same(vectored.at().search(QUERY, 10), vectored.plain(QUERY), 10)


@pytest.mark.soak
@settings(
    max_examples=rounds(12, 2000),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_search_is_a_plain_scan_whatever_happened_before(tmp_path_factory: pytest.TempPathFactory, data: Any) -> None:
    tmp_path: Path = tmp_path_factory.mktemp("any")
    handles = [Vectored(tmp_path / "store", tmp_path / "home", 8, seal_from=20) for _ in range(2)]
    seed = data.draw(st.integers(0, 1000))
    alive: list[int] = []
    try:
        for step in range(data.draw(st.integers(1, 8))):
            handle = handles[data.draw(st.integers(0, 1))]
            match data.draw(st.sampled_from(["put", "put", "forget", "seal", "reopen", "erase"])):
                case "put":
                    count = data.draw(st.integers(1, 40))
                    rows = [draw(seed + 100 * step + i, 1 + (seed + i) % 3) for i in range(count)]
                    alive += handle.put(rows)
                case "forget" if alive:
                    gone = data.draw(st.lists(st.sampled_from(alive), max_size=5, unique=True))
                    if gone:
                        handle.forget(gone)
                    alive = [seq for seq in alive if seq not in gone]
                case "seal":
                    handle.seal()
                case "erase":
                    handle.erase()
                case "reopen":
                    handle.index.close()
            size = handle.size()
            mask = data.draw(st.sampled_from([None, "all", "half", "few"]))
            share = {"all": 1.0, "half": 0.5, "few": 0.05}.get(mask or "", 0)
            chosen = None if mask is None else np.random.default_rng(step).random(size) < share
            k = data.draw(st.sampled_from([1, 3, 10, 50]))
            query = draw(seed + step, 1)[0]
            for each in handles:
                each.check(query, k, chosen)
    finally:
        for handle in handles:
            handle.close()


@pytest.mark.no_cover
@pytest.mark.soak
def test_threads_search_while_another_seals_and_forgets(vectored: Vectored) -> None:
    """Each sees versions of its snapshot, and none that was forgotten before it."""
    done = Event()

    def work(seed: int) -> int:
        asked = 0
        while not done.is_set() or not asked:
            mask = None if asked % 2 else np.random.default_rng(asked).random(2000) < 0.6
            with vectored.log.snapshot() as transaction:
                size = require_head(transaction).head.size
                nearest = vectored.index.at(transaction, SPACE, 32, size)
                found = nearest.search(draw(1000 * seed + asked, 1, 32)[0], 5, mask)
            assert len(found[0]) == 5
            assert found[0].max() < size
            gone, since = gone_before
            assert size <= since or not gone & set(found[0].tolist())
            asked += 1
        return asked

    gone_before: tuple[set[int], int] = (set(), 0)
    with ThreadPoolExecutor(3) as pool:
        running = [pool.submit(work, seed) for seed in range(3)]
        try:
            for i in range(rounds(3, 300)):
                vectored.put(list(draw(i, 120, 32)))
                vectored.seal()
                gone = [int(seq) for seq in vectored.at().search(draw(i, 1, 32)[0], 3)[0]]
                vectored.forget(gone)
                gone_before = (gone_before[0] | set(gone), vectored.size() - 1)
                vectored.erase()
                vectored.check(draw(i, 1, 32)[0], 10)
        finally:
            done.set()
        assert all(future.result() for future in running)


def test_spaces_have_generations_of_their_own(vectored: Vectored) -> None:
    first = vectored.seal()
    rows = dict(zip(range(1, ROWS + 1), draw(7, ROWS, 32), strict=True))
    vectored.embed(rows, b"space  2")
    with vectored.log.snapshot() as transaction:
        vectored.index.at(transaction, b"space  2", 32, 1000)
    second = vectored.index.seal(vectored.log.snapshot, b"space  2", 32)
    assert first is not None
    assert second is not None
    assert first.exists()
    assert first.name.startswith(SPACE.hex())
    assert_same(vectored.at().search(QUERY, 10), vectored.plain(QUERY), 10)
