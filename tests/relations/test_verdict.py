"""What evidence comes to: never worse for more of it, and the same whenever it is worked out again."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from substrate.relations.clauses import _pattern, _places
from substrate.relations.score import Topology, graph_score
from substrate.relations.verdict import ACCEPTED, RANKS, REJECTED, UNSUPPORTED, Evidence, decide

TEXTS = ("stated", "denied", "reversed", "contradicted", "doubted", "together", "apart", "nothing", "itself")
shares = st.floats(0, 1)
topologies = st.tuples(st.integers(0, 20), st.integers(0, 20), st.integers(0, 20)).map(
    lambda one: Topology(one[0], (one[0] + one[1], one[0] + one[2]))
)
evidences = st.builds(
    Evidence,
    st.sampled_from(["uses", "related_to", "located_in"]),
    st.none() | shares,
    topologies,
    st.sampled_from(TEXTS),
    st.none() | shares,
)


def rank(evidence: Evidence) -> int:
    return RANKS.index(decide(evidence).verdict)


@given(evidences, shares, shares)
def test_more_confidence_never_makes_it_worse(evidence: Evidence, one: float, other: float) -> None:
    low, high = sorted((max(one, 1e-9), max(other, 1e-9)))
    assert rank(evidence._replace(confidence=low)) <= rank(evidence._replace(confidence=high))


@given(evidences)
def test_one_more_neighbour_in_common_never_makes_it_worse(evidence: Evidence) -> None:
    common, (one, other) = evidence.topology
    more = evidence._replace(topology=Topology(common + 1, (one + 1, other + 1)))
    assert decide(more).score >= decide(evidence).score
    assert rank(more) >= rank(evidence)


@given(evidences)
def test_a_verdict_can_be_worked_out_again_from_what_is_kept(evidence: Evidence) -> None:
    kept = json.loads(json.dumps(evidence.to_attrs()))
    assert decide(Evidence.of_attrs(kept)) == decide(evidence)


@given(evidences)
def test_a_model_raises_what_is_left_open_and_changes_nothing_else(evidence: Evidence) -> None:
    without, said = decide(evidence._replace(vog=None)), decide(evidence)
    raised = without.verdict == UNSUPPORTED and evidence.vog is not None and evidence.vog >= 0.5
    assert said.verdict == (ACCEPTED if raised else without.verdict)
    assert (said.level == "vog") is (without.verdict == UNSUPPORTED and evidence.vog is not None)


def test_the_score_is_the_originals_with_the_true_topology() -> None:
    assert graph_score(0.9, "uses", Topology(3, (4, 5))) == pytest.approx(0.4 * 0.9 + 0.4 * 3 / 6 + 0.05)
    assert graph_score(None, "related_to", Topology(0, (1, 1))) == pytest.approx(0.2)
    assert graph_score(1.0, "uses", Topology()) == pytest.approx(0.15)


@pytest.mark.parametrize(
    ("evidence", "verdict", "level"),
    [
        (Evidence("uses", 0.9, Topology(), "stated"), ACCEPTED, "grounded"),
        (Evidence("uses", 1.0, Topology(9, (9, 9)), "denied"), REJECTED, "contradicted"),
        (Evidence("uses", 1.0, Topology(9, (9, 9)), "nothing"), ACCEPTED, "srmkg_high"),
        (Evidence("uses", 1.0, Topology(0, (2, 2)), "nothing"), UNSUPPORTED, "unsupported"),
        (Evidence("uses", 1.0, Topology(), "nothing"), REJECTED, "srmkg_low"),
        (Evidence("uses", 1.0, Topology(0, (2, 2)), "together"), UNSUPPORTED, "unsupported"),
        (Evidence("related_to", 1.0, Topology(), "together"), ACCEPTED, "grounded"),
        (Evidence("uses", 1.0, Topology(9, (9, 9)), "itself"), REJECTED, "itself"),
    ],
)
def test_each_level_decides_what_is_its_own(evidence: Evidence, verdict: str, level: str) -> None:
    said = decide(evidence)
    assert (said.verdict, said.level) == (verdict, level)
    assert said.reason


@pytest.mark.parametrize("kept", [{}, {"type": "uses"}, {"type": "uses", "degrees": [1], "common": 0, "text": "x"}])
def test_what_is_no_evidence_is_refused(kept: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"evidence|unpack"):
        Evidence.of_attrs(kept)


NAMES = ("Team", "team a", "A", "foo_bar", "_x", "O'Neil", "C++", "Zoë", "st", "a b c")
parts = st.sampled_from(
    (*NAMES, *map(str.upper, NAMES), " ", "  ", "\t", "\n", "_", "'s", "'", "\x01", "\x02", "-", "s")
)


@given(st.sampled_from(NAMES), st.lists(parts, max_size=9).map("".join))
def test_a_plain_name_is_found_where_its_pattern_finds_it(name: str, text: str) -> None:
    assert list(_places(name, text)) == [match.span() for match in _pattern(name).finditer(text)]
