"""What is packed fits, is worth a constant part of the best there is, and does not stop at what is too large."""

from __future__ import annotations

from itertools import combinations
from math import e, isclose

from hypothesis import given
from hypothesis import strategies as st

from substrate.bootstrap.pack import Item, pack, worth

items = st.lists(
    st.builds(Item, value=st.floats(1e-6, 1), cost=st.integers(1, 40), cluster=st.integers(0, 3)), max_size=9
)
rooms = st.integers(0, 100)


def cost(chosen: list[Item]) -> int:
    return sum(item.cost for item in chosen)


def best_worth(offered: list[Item], room: int) -> float:
    subsets = (list(subset) for size in range(len(offered) + 1) for subset in combinations(offered, size))
    return max(worth(subset) for subset in subsets if cost(subset) <= room)


@given(items, rooms)
def test_what_is_packed_fits_and_is_taken_once(offered: list[Item], room: int) -> None:
    places = pack(offered, room)
    assert len(set(places)) == len(places)
    assert cost([offered[at] for at in places]) <= room


@given(items, rooms)
def test_nothing_that_would_still_fit_is_left_behind(offered: list[Item], room: int) -> None:
    places = pack(offered, room)
    left = room - cost([offered[at] for at in places])
    assert all(item.cost > left for at, item in enumerate(offered) if at not in places)


@given(items, rooms)
def test_the_choice_is_worth_a_constant_part_of_the_best_one(offered: list[Item], room: int) -> None:
    chosen = worth([offered[at] for at in pack(offered, room)])
    assert chosen >= (1 - 1 / e) / 2 * best_worth(offered, room) - 1e-9


@given(items, rooms)
def test_the_same_is_packed_every_time(offered: list[Item], room: int) -> None:
    assert pack(offered, room) == pack(list(offered), room)


@given(items, st.dictionaries(st.integers(0, 3), st.floats(0, 2)))
def test_what_is_taken_before_counts(offered: list[Item], before: dict[int, float]) -> None:
    earlier = [Item(value, 1, cluster) for cluster, value in before.items()]
    assert isclose(worth(offered, before), worth([*earlier, *offered]) - worth(earlier), abs_tol=1e-9)


def test_what_does_not_fit_is_skipped_not_stopped_at() -> None:
    assert pack([Item(1.0, 200, "a"), Item(0.1, 10, "b"), Item(0.05, 10, "c")], 25) == [1, 2]


def test_a_single_item_that_is_worth_more_than_all_small_ones_is_taken() -> None:
    assert pack([Item(1e-6, 1, "small"), Item(1.0, 100, "large")], 100) == [1]


def test_the_second_of_a_cluster_is_worth_less_than_another_one() -> None:
    alike = [Item(1.0, 10, "same"), Item(0.9, 10, "same"), Item(0.5, 10, "other")]
    assert pack(alike, 20) == [0, 2]
    assert pack(alike, 20, {"other": 5.0}) == [0, 1]
