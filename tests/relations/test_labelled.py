"""Three hundred relations, each with a text: what is accepted is true, and most that is true is accepted.

`relations_dev.tsv` was there while the rules were written. `relations_held_out.tsv` was written before the rules ran on
anything, and no rule was changed for it. `relations_second.tsv` and `passages_second.tsv` are by a second author, who
had not read the rules; no rule was changed for them either. The forms of a relation were widened later, with the misses
of these files in sight. `relations_forms.tsv` has sentences for each form by which a relation is said, and near misses
of it: reversed, denied, planned, past, of another pair. The rules follow it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import pytest

from substrate.atoms.edge_kinds import BUILT_IN
from substrate.relations.grounding import ground
from substrate.relations.passages import AGREE, CONFLICT, compare_passages
from substrate.relations.verdict import ACCEPTED, Evidence, decide

FOLDER = Path(__file__).parent / "labelled"


class Labelled(NamedTuple):
    holds: bool
    source: str
    type: str
    target: str
    text: str


def labelled(name: str) -> list[Labelled]:
    rows = (line.split("\t") for line in (FOLDER / name).read_text(encoding="utf-8").splitlines())
    return [Labelled(holds == "+", *rest) for holds, *rest in rows]


def is_accepted(one: Labelled) -> bool:
    found = ground(one.text, [one.source], one.type, [one.target], BUILT_IN.inverse(one.type))
    return decide(Evidence(one.type, 0.5, text=found.kind)).verdict == ACCEPTED


@pytest.mark.parametrize("name", ["relations_dev.tsv", "relations_held_out.tsv", "relations_second.tsv"])
def test_what_is_accepted_is_true_and_most_that_is_true_is_accepted(name: str) -> None:
    given = labelled(name)
    assert len(given) == 100
    accepted = [one for one in given if is_accepted(one)]
    true = sum(one.holds for one in accepted)
    assert true / len(accepted) >= 0.95, [one for one in accepted if not one.holds]
    assert true / sum(one.holds for one in given) >= 0.7


def test_of_prose_in_other_words_nothing_false_is_accepted_and_a_third_of_what_is_true() -> None:
    """By an author who saw no rule. Of the lines with an even number (from 1) the misses were seen."""
    lines = (FOLDER / "prose.jsonl").read_text(encoding="utf-8").splitlines()
    given = [Labelled(**json.loads(line)) for line in lines]
    accepted = [one for one in given if is_accepted(one)]
    assert [one for one in accepted if not one.holds] == []
    assert len(accepted) / sum(one.holds for one in given) >= 1 / 3


@pytest.mark.parametrize("one", labelled("relations_forms.tsv"), ids=lambda one: f"{one.type}: {one.text}")
def test_each_form_states_the_relation_and_its_near_misses_do_not(one: Labelled) -> None:
    assert is_accepted(one) == one.holds


@pytest.mark.parametrize("name", ["passages_dev.tsv", "passages_held_out.tsv", "passages_second.tsv"])
def test_passages_that_are_said_to_conflict_or_to_agree_do(name: str) -> None:
    rows = [line.split("\t") for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 75
    told = [(label, next(iter(compare_passages(first, second)), None)) for label, first, second in rows]
    conflicts = [label for label, pair in told if pair is not None and pair.verdict == CONFLICT]
    agreements = [label for label, pair in told if pair is not None and pair.verdict != CONFLICT]
    assert conflicts.count("c") / len(conflicts) >= 0.95
    assert conflicts.count("c") / [label for label, _ in told].count("c") >= 0.7
    assert agreements.count("a") / len(agreements) >= 0.95


@pytest.mark.parametrize(
    ("first", "second", "verdict"),
    [
        ("Ada Brask works for Halvex.", "Since June, Ada Brask no longer works for Halvex.", CONFLICT),
        ("As of 3 May 2026, the port is no longer 80.", "The port is 80.", CONFLICT),
        ("Ada Brask no longer works for Halvex.", "Since June, Ada Brask no longer works for Halvex.", AGREE),
        ("Since May, the port is no longer 80.", "Since June, the port is no longer 80.", None),  # two times
        ("Since June, Ada Brask works for Orbis.", "Ada Brask works for Halvex.", None),
    ],
)
def test_since_when_something_no_longer_holds_does_not_hide_that_it_is_denied(
    first: str, second: str, verdict: str | None
) -> None:
    pairs = compare_passages(first, second)
    assert [pair.verdict for pair in pairs] == ([] if verdict is None else [verdict])
    assert all(pair.first in first and pair.second in second for pair in pairs)  # in their own words


def test_to_accept_what_names_both_would_be_found_out() -> None:
    given = labelled("relations_held_out.tsv")
    named = [one for one in given if one.source.lower() in one.text.lower() and one.target.lower() in one.text.lower()]
    assert sum(one.holds for one in named) / len(named) < 0.95
