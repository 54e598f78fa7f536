"""Pairs of sentences by their form: what is found, and what is not told of. And the standard library's own sentences.

`forms.jsonl` was written for this: of each form some that contradict each other, or some that do not and were once
taken to. All are told under ids, so that nothing but the sentence says what it is about.
"""

from __future__ import annotations

import json
import sysconfig
from pathlib import Path
from typing import Any

import pytest

from benchmarks.contradictions import Note, alarms, docstrings, sentences
from substrate.claims import Claim, Contradiction, contradiction

FORMS: list[dict[str, Any]] = [
    json.loads(line) for line in (Path(__file__).parent / "forms.jsonl").read_text(encoding="utf-8").splitlines()
]
OTHERS: list[dict[str, Any]] = [
    json.loads(line) for line in (Path(__file__).parent / "other_author.jsonl").read_text(encoding="utf-8").splitlines()
]
"""By an author who saw no rule. Of the lines with an even number (from 1) the missed ones were read."""
MODULES = ("datetime", "mailbox", "turtle", "bdb", "pdb", "argparse", "email", "logging", "uuid", "operator", "getopt")
PER = 2_000
"""Notes of which one may raise a false alarm."""


def told(pair: dict[str, Any]) -> bool:
    return any(alarms([Note("v1.fact.n1", pair["a"]), Note("v1.fact.n2", pair["b"])]))


@pytest.mark.parametrize("form", sorted({pair["form"] for pair in FORMS if pair["conflict"]}))
def test_what_contradicts_by_its_form_is_found(form: str) -> None:
    assert [pair for pair in FORMS if pair["form"] == form and pair["conflict"] and not told(pair)] == []


def test_of_pairs_by_another_author_half_are_found_and_hardly_any_is_a_false_alarm() -> None:
    found = [pair["conflict"] for pair in OTHERS if told(pair)]
    assert found.count(False) <= 1
    assert found.count(True) / sum(pair["conflict"] for pair in OTHERS) >= 0.5


@pytest.mark.parametrize("form", sorted({pair["form"] for pair in FORMS if not pair["conflict"]}))
def test_what_only_looks_like_it_is_not_told_of(form: str) -> None:
    assert [pair for pair in FORMS if pair["form"] == form and not pair["conflict"] and told(pair)] == []


def test_the_sentences_of_the_standard_library_hardly_ever_contradict_each_other() -> None:
    whole = list(docstrings(Path(sysconfig.get_path("stdlib")), MODULES))
    said = sentences(whole)
    assert len(said) > PER
    under_ids = [Note(f"v1.note.n{i}", note.value) for i, note in enumerate(said)]
    for notes in (whole, said, under_ids):
        found = list(alarms(notes))
        assert len(found) <= max(1, len(notes) // PER), found


def test_a_detector_that_takes_what_meets_for_a_conflict_is_caught() -> None:
    def every_one(_: Claim, __: Claim) -> Contradiction:
        return Contradiction("value", "")

    whole = list(docstrings(Path(sysconfig.get_path("stdlib")), MODULES))
    assert len(list(alarms(whole, every_one))) > 2 * len(whole) // PER


def test_planted_contradictions_are_found_among_them() -> None:
    said = sentences(list(docstrings(Path(sysconfig.get_path("stdlib")), MODULES)))
    planted = [Note(f"v1.fact.{side}{i}", pair[side]) for i, pair in enumerate(FORMS[:8]) for side in "ab"]
    notes = [*said[:500], *planted[::2], *said[500:1000], *planted[1::2]]
    assert sum(1 for alarm in alarms(notes, contradiction) if alarm.second in planted) == 8
