"""Chunks keep their positions when others come and go."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from substrate.documents.align import STEP, align

texts = st.lists(st.sampled_from("abcdefghijklmnop"), max_size=30)


def first(new: list[str]) -> list[tuple[int, str]]:
    return list(zip(align([], new), new, strict=True))


@given(texts, st.lists(texts, max_size=4))
def test_positions_ascend_whatever_came_before(begin: list[str], later: list[list[str]]) -> None:
    there = first(begin)
    for new in later:
        positions = align(there, new)
        assert len(positions) == len(new)
        assert all(left < right for left, right in pairwise(positions))
        assert all(position > 0 for position in positions)
        there = list(zip(positions, new, strict=True))


def test_what_stays_keeps_its_position_and_what_is_new_stands_between() -> None:
    there = first(["a", "b", "c", "d"])
    assert [position for position, _ in there] == [STEP, 2 * STEP, 3 * STEP, 4 * STEP]
    assert align(there, ["x", "a", "b", "c", "d"]) == [STEP // 2, STEP, 2 * STEP, 3 * STEP, 4 * STEP]
    assert align(there, ["a", "b", "B", "c", "d"]) == [STEP, 2 * STEP, 2 * STEP + STEP // 2, 3 * STEP, 4 * STEP]
    assert align(there, ["a", "c", "d"]) == [STEP, 3 * STEP, 4 * STEP]
    assert align(there, ["a", "X", "c", "d", "e"]) == [STEP, 2 * STEP, 3 * STEP, 4 * STEP, 5 * STEP]


def test_where_there_is_no_room_those_beside_it_make_some() -> None:
    there = first([str(i) for i in range(50)])
    moved = 0
    for i in range(200):
        new = [there[0][1], f"new {i}", *(text for _, text in there[1:])]
        positions = align(there, new)
        kept = set(zip(positions, new, strict=True)) & set(there)
        moved += len(there) - len(kept)
        there = list(zip(positions, new, strict=True))
    assert moved < 200 * 10


def test_many_equal_chunks_are_matched_in_little_time() -> None:
    there = first(["same"] * 5000)
    new = ["first", *["same"] * 5000, "last"]
    assert len(set(zip(align(there, new), new, strict=True)) - set(there)) <= 3
