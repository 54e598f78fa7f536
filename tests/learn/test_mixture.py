"""The mixture: weights that are shares, move towards who is right, and never come to nothing."""

from __future__ import annotations

from math import isclose

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from substrate.learn.mixture import (
    PRIORS,
    Explained,
    Wide,
    best,
    explain,
    highest,
    improved,
    leading,
    mix,
    question_of,
    weights_of,
)
from substrate.views.learned.counts import Tally
from substrate.views.learned.mixing import mixing_row

QUESTIONS = [f"{question}{evidence}" for question in PRIORS for evidence in "012"]
ITEMS = [bytes([i]) * 16 for i in range(6)]


def shares(keys: list[str] | list[bytes]) -> st.SearchStrategy[dict[str, float]]:
    """Shares that sum to at most one."""
    amounts = st.lists(st.floats(0, 1), min_size=len(keys), max_size=len(keys))
    return amounts.map(lambda a: {k: x / max(1.0, sum(a)) for k, x in zip(keys, a, strict=True)})  # type: ignore[misc]


@st.composite
def mixtures(draw: st.DrawFn) -> tuple[dict[str, float], dict[str, dict[bytes, float]]]:
    """The weights of a question, and what each of its parts says."""
    names = list(PRIORS[draw(st.sampled_from(list(PRIORS)))])
    amounts = [draw(st.floats(1e-4, 1)) for _ in names]
    weights = {name: amount / sum(amounts) for name, amount in zip(names, amounts, strict=True)}
    return weights, {name: draw(shares(ITEMS)) for name in names}  # type: ignore[misc, arg-type]


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_store_begins_with_weights_that_are_a_distribution(question: str) -> None:
    weights = weights_of(question, {})
    assert isclose(sum(weights.values()), 1)
    assert all(weight > 0 for weight in weights.values())


@given(
    st.sampled_from(QUESTIONS), st.dictionaries(st.sampled_from([*PRIORS["next"], "unheard of"]), st.floats(1e-6, 1))
)
def test_weights_in_force_are_a_distribution_over_the_known_parts(question: str, learnt: dict[str, float]) -> None:
    weights = weights_of(question, learnt)
    assert weights.keys() == PRIORS[question[:-1]].keys()
    assert isclose(sum(weights.values()), 1)


@given(mixtures(), st.lists(st.sampled_from(ITEMS)))
def test_a_mixture_of_shares_is_shares(
    given_: tuple[dict[str, float], dict[str, dict[bytes, float]]], gone: list[bytes]
) -> None:
    weights, parts = given_
    mixed = mix(parts, weights, gone)
    assert sum(mixed.values()) <= 1 + 1e-9
    assert not mixed.keys() & set(gone)


@given(mixtures(), st.lists(st.sampled_from(ITEMS), min_size=1, max_size=5))
def test_weights_stay_a_distribution_and_none_comes_to_nothing(
    given_: tuple[dict[str, float], dict[str, dict[bytes, float]]], targets: list[bytes]
) -> None:
    weights, parts = given_
    explained = explain(parts, weights, targets)
    assume(explained is not None)
    for _ in range(50):
        weights = improved(weights, explained)  # type: ignore[arg-type]
        assert isclose(sum(weights.values()), 1)
        assert min(weights.values()) >= 9e-6
    assert b":0," not in (mixing_row("next1", weights)[2] or b"")


@given(mixtures(), st.lists(st.sampled_from(ITEMS), min_size=1, max_size=5))
def test_what_was_explained_is_shared_out_whole(
    given_: tuple[dict[str, float], dict[str, dict[bytes, float]]], targets: list[bytes]
) -> None:
    weights, parts = given_
    explained = explain(parts, weights, targets)
    mixed = mix(parts, weights)
    assert (explained is None) == (not any(mixed.get(target, 0) > 0 for target in targets))
    if explained is not None:
        assert isclose(sum(explained.shares.values()), explained.targets)
        assert explained.targets <= len(targets)


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_part_that_is_always_right_is_believed_more_each_time_and_the_others_less(question: str) -> None:
    weights = weights_of(question, {})
    for right in weights:
        now = dict(weights)
        parts = {name: {ITEMS[0]: 1.0} if name == right else {ITEMS[1]: 1.0} for name in weights}
        for _ in range(200):
            explained = explain(parts, now, [ITEMS[0]])
            assert explained is not None
            after = improved(now, explained)
            assert after[right] > now[right] or after[right] > 0.99
            now = after
        assert now[right] > 0.95
        # It is never too late: who has been wrong all the time still comes back.
        other = next(name for name in weights if name != right)
        back = {name: {ITEMS[0]: 1.0} if name == other else {} for name in weights}
        for _ in range(400):
            now = improved(now, explain(back, now, [ITEMS[0]]))  # type: ignore[arg-type]
        assert now[other] > 0.9


def test_more_targets_move_the_weights_further() -> None:
    weights = weights_of("new1", {})
    few, many = (improved(weights, Explained({"next": n}, n))["next"] for n in (1, 9))
    assert weights["next"] < few < many


def test_nothing_is_learnt_of_what_nobody_foresaw() -> None:
    assert explain({"next": {ITEMS[0]: 1.0}}, {"next": 1.0}, [ITEMS[1]]) is None
    assert explain({}, {"next": 1.0}, [ITEMS[1]]) is None
    assert explain({"next": {ITEMS[0]: 1.0}}, {"next": 1.0}, []) is None


@given(shares(ITEMS), st.randoms(), st.integers(0, 8))  # type: ignore[arg-type]
def test_the_best_do_not_depend_on_the_order_in_which_they_were_found(
    mixed: dict[bytes, float], order: object, count: int
) -> None:
    items = list(mixed.items())
    order.shuffle(items)  # type: ignore[attr-defined]
    found = best(dict(items), count)
    assert found == best(mixed, count)
    assert len(found) == min(count, len(mixed))


def test_evidence_is_counted_up_to_two() -> None:
    assert [question_of("next", opened) for opened in (0, 1, 2, 3, 99)] == ["next0", "next1", "next2", "next2", "next2"]


@given(st.dictionaries(st.integers(0, 30), st.sampled_from([0.0, 0.1, 0.1 + 0.2, 0.3, 1.0])), st.integers(0, 12))
def test_the_highest_are_those_that_sorting_all_would_give(amounts: dict[int, float], count: int) -> None:
    every = sorted(((amount, key) for key, amount in amounts.items()), reverse=True)
    assert sorted(highest(amounts, count), reverse=True) == every[:count]


@given(st.data())
def test_the_leading_atoms_are_the_best_of_the_whole_mixture(data: st.DataObject) -> None:
    items = [bytes([i]) * 16 for i in range(40)]
    few = st.dictionaries(st.sampled_from(items), st.floats(0, 0.05), max_size=12)
    counts = st.dictionaries(st.sampled_from(items), st.tuples(st.integers(0, 9), st.integers(0, 9)))
    usage, start = (Tally([(of, *both) for of, both in data.draw(counts).items()]) for _ in range(2))
    total = st.floats(1, 400)
    parts = {
        "next": data.draw(few),
        "episodes": data.draw(few),
        "start": Wide(start, 1, data.draw(total)),
        "usage": Wide(usage, 0, data.draw(total)),
        "recent": Wide(usage, 1, data.draw(total)),
    }
    weights = {name: data.draw(st.sampled_from([0.0, 0.00001, 0.01, 0.2, 0.7])) for name in parts}
    gone, count = data.draw(st.sets(st.sampled_from(items))), data.draw(st.integers(1, 8))
    found, wanted = leading(parts, weights, count, gone), best(mix(parts, weights, gone), count)
    assert [share for _, share in found] == pytest.approx([share for _, share in wanted], rel=1e-12)
    whole = mix(parts, weights, gone)
    assert all(share == pytest.approx(whole[item], rel=1e-12) for item, share in found)
    assert len({item for item, _ in found}) == len(found)
    assert not gone.intersection(item for item, _ in found)


def test_a_bound_that_was_rounded_up_leaves_no_better_atom_out() -> None:
    """A has 1, and its bound is more by two parts in 65,536. B has 1 and a part in 65,536: half of it of each kind."""
    a, b = b"a" * 16, b"b" * 16
    step = 2**-16
    parts = {
        "start": Wide(Tally([(a, 2, 0)]), 0, 2),
        "usage": Wide(Tally([(b, 1, 0)]), 0, 2 + step / 100),
        "next": {b: 0.5 + 1.5 * step},
    }
    weights = dict.fromkeys(parts, 1.0)
    assert leading(parts, weights, 1) == best(mix(parts, weights), 1)
    assert leading(parts, weights, 1)[0][0] == b


def test_the_little_that_the_longest_part_adds_may_decide() -> None:
    """B has a hundredth less of what a domain uses, and two hundredths more by a part that names many."""
    a, b = b"a" * 16, b"b" * 16
    many = {bytes([number]) * 16: 0.001 for number in range(30)}
    parts = {"usage": Wide(Tally([(a, 100, 0), (b, 99, 0)]), 0, 199), "episodes": many | {b: 0.02}}
    weights = dict.fromkeys(parts, 1.0)
    assert leading(parts, weights, 1) == best(mix(parts, weights), 1)
    assert leading(parts, weights, 1)[0][0] == b
