"""Evidence lies in [0, 1], and never falls when one of its grounds becomes better."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from substrate.bootstrap.evidence import HIGH_IMPACT, Grounds, weigh

YEAR = 365 * 86_400.0
ORIGINS = ["ingested", None, "user"]
counts = st.integers(0, 1000)
BETTER: dict[str, st.SearchStrategy[Any]] = {
    "origin": st.sampled_from([("ingested", "agent"), ("ingested", None), ("agent", "user"), (None, "user")]),
    "has_source": st.just((False, True)),
    "confidence": st.tuples(st.floats(0, 1), st.floats(0, 1)).map(lambda pair: tuple(sorted(pair))),
    "confirmations": st.tuples(counts, counts).map(lambda pair: tuple(sorted(pair))),
    "references": st.tuples(counts, counts).map(lambda pair: tuple(sorted(pair))),
    "uses": st.tuples(counts, counts).map(lambda pair: tuple(sorted(pair))),
    "age_s": st.tuples(st.floats(0, 1e10), st.floats(0, 1e10)).map(lambda pair: tuple(sorted(pair, reverse=True))),
    "conflicts": st.tuples(counts, counts).map(lambda pair: tuple(sorted(pair, reverse=True))),
    "suspicions": st.tuples(counts, counts).map(lambda pair: tuple(sorted(pair, reverse=True))),
    "is_stale": st.just((True, False)),
    "is_proven": st.just((False, True)),
}
"""For each ground a worse and a better state of it."""
grounds = st.builds(
    Grounds,
    origin=st.sampled_from(["user", "agent", "ingested", None]),
    has_source=st.booleans(),
    confidence=st.none() | st.floats(0, 1),
    confirmations=counts,
    references=counts,
    uses=st.floats(0, 1e6),
    age_s=st.floats(-1e6, 1e12),
    conflicts=counts,
    suspicions=counts,
    is_stale=st.booleans(),
    is_proven=st.booleans(),
)


@given(grounds)
def test_evidence_lies_between_0_and_1(known: Grounds) -> None:
    assert 0 <= weigh(known).value <= 1


@pytest.mark.parametrize("part", BETTER)
@given(grounds, st.data())
def test_evidence_is_monotone_in_each_part(part: str, known: Grounds, data: st.DataObject) -> None:
    worse, better = data.draw(BETTER[part])
    assert weigh(replace(known, **{part: worse})).value <= weigh(replace(known, **{part: better})).value


def test_every_ground_is_one_that_was_tried() -> None:
    assert set(BETTER) == set(Grounds.__slots__)


@given(grounds)
def test_the_parts_are_what_it_is_made_of(known: Grounds) -> None:
    evidence = weigh(replace(known, is_proven=True))
    assert all(evidence.parts.values())
    assert (evidence.value > 0.5) == (sum(evidence.parts.values()) > 0) or abs(evidence.value - 0.5) < 1e-9


@given(grounds)
def test_what_only_the_detector_saw_takes_a_tenth_at_most(known: Grounds) -> None:
    assert weigh(known).value >= 0.9 * weigh(replace(known, suspicions=0)).value - 1e-12


def test_what_somebody_confirmed_takes_more() -> None:
    assert weigh(Grounds(conflicts=1)).value < 0.9 * weigh(Grounds()).value
    assert weigh(Grounds(suspicions=1)).value < weigh(Grounds()).value


def test_what_cannot_be_proven_has_no_evidence() -> None:
    assert weigh(Grounds(origin="user", has_source=True, confirmations=9, is_proven=False)).value == 0


@pytest.mark.parametrize(
    "known",
    [
        Grounds(origin="user"),
        Grounds(origin="user", age_s=20 * YEAR),
        Grounds(origin="agent", has_source=True),
        Grounds(origin="agent", has_source=True, age_s=YEAR),
        Grounds(confirmations=1),
        Grounds(references=4),
        Grounds(origin="ingested", has_source=True, confirmations=2),
        Grounds(origin="agent", confidence=1.0, references=1),
        Grounds(origin="user", suspicions=3),
    ],
)
def test_what_has_support_passes_where_a_mistake_is_dear(known: Grounds) -> None:
    assert weigh(known).value >= HIGH_IMPACT


@pytest.mark.parametrize(
    "known",
    [
        Grounds(),
        Grounds(origin="agent"),
        Grounds(origin="agent", confidence=1.0),
        Grounds(origin="agent", confidence=0.3, uses=15),
        Grounds(origin="user", confidence=0.5),
        Grounds(origin="user", conflicts=1),
        Grounds(origin="user", is_stale=True),
        Grounds(origin="ingested", has_source=True),
        Grounds(origin="agent", has_source=True, age_s=5 * YEAR),
        Grounds(uses=15),
    ],
)
def test_what_nobody_supports_does_not(known: Grounds) -> None:
    assert weigh(known).value < HIGH_IMPACT


def test_a_plain_atom_stands_at_even_odds() -> None:
    assert weigh(Grounds()).value == 0.5
