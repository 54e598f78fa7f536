"""Pairs to groups: single link, at most so many, ids that follow from the members."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from substrate.groups.link import group_id, linked
from substrate.groups.pairs import Pair

PAIRS = st.lists(
    st.tuples(st.integers(0, 12), st.integers(0, 12), st.floats(0, 1))
    .filter(lambda pair: pair[0] != pair[1])
    .map(lambda pair: Pair(min(pair[:2]), max(pair[:2]), pair[2])),
    max_size=40,
)


def test_what_is_near_a_member_belongs_to_its_group() -> None:
    assert linked([Pair(0, 1, 0.9), Pair(1, 2, 0.85), Pair(4, 5, 0.99)], 12) == [[0, 1, 2], [4, 5]]


def test_a_full_group_takes_nobody_in_and_the_nearest_come_first() -> None:
    pairs = [Pair(0, 1, 0.84), Pair(1, 2, 0.99), Pair(0, 3, 0.9)]
    assert linked(pairs, 2) == [[0, 3], [1, 2]]


@given(PAIRS, st.integers(2, 6), st.randoms(use_true_random=False))
def test_the_order_of_the_pairs_does_not_matter_and_no_group_is_too_large(
    pairs: list[Pair], most: int, random: object
) -> None:
    groups = linked(pairs, most)
    shuffled = list(pairs)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert linked(shuffled, most) == groups
    assert all(2 <= len(group) <= most for group in groups)
    members = [row for group in groups for row in group]
    assert len(members) == len(set(members))
    joined = {frozenset(pair[:2]) for pair in pairs}
    assert all(any(frozenset((row, other)) in joined for other in group) for group in groups for row in group)


@given(st.lists(st.binary(min_size=16, max_size=16), min_size=2, max_size=5, unique=True))
def test_an_id_follows_from_the_members_alone(ids: list[bytes]) -> None:
    assert group_id(ids) == group_id(ids[::-1])
    assert group_id(ids) != group_id([*ids, bytes(15) + b"x"])
