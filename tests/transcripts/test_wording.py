"""What the wording of a sentence as a whole says, beside the rules: with the model, without it, and where it is off."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from benchmarks.fit_wording import digest_of, files_of, fit, fit_runs
from substrate.cues.kinds import KINDS
from substrate.transcripts import record, wording
from substrate.transcripts.claude_code import Turn
from substrate.transcripts.wording import Spoken

RULE, ASKED = "We decided to use Adyen.", "Remember that the venue has no lift."
LIKELY, UNSURE = "Their lawyer is known for this sort of thing.", "Amounts in cents"


def kept(*texts: str, by_wording: bool = True) -> list[str]:
    turns = [Turn(text, at) for at, text in enumerate(texts, 1)]
    return [item.text for item in record.preview(turns, by_wording=by_wording)]


def says(monkeypatch: pytest.MonkeyPatch, odds: dict[str, float] | None) -> list[str]:
    """Let the wording say this of sentences; what it was asked about is in the answer."""
    asked: list[str] = []

    def answer(sentences: Sequence[Spoken]) -> list[float] | None:
        asked.extend(one.text for one in sentences)
        return None if odds is None else [odds.get(one.text, -1.0) for one in sentences]

    monkeypatch.setattr(record, "wording_odds", answer)
    return asked


def test_the_wording_speaks_against_a_sentence_and_for_another(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = says(monkeypatch, {LIKELY: -2.0, UNSURE: 2.0})
    assert kept("thanks!", LIKELY, UNSURE, RULE) == [UNSURE, RULE]
    assert asked == ["thanks!", LIKELY, UNSURE, RULE]


def test_the_wording_never_outweighs_explicit_words(monkeypatch: pytest.MonkeyPatch) -> None:
    says(monkeypatch, {RULE: -9.0, "Never deploy on Fridays.": -9.0, LIKELY: -9.0})
    assert kept(RULE, LIKELY, "Never deploy on Fridays.") == [RULE, "Never deploy on Fridays."]


def test_a_sentence_that_only_its_wording_speaks_for_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    says(monkeypatch, {UNSURE: 9.0})
    (unsure, rule) = record.preview([Turn(UNSURE, 1), Turn(RULE, 2)], by_wording=True)
    assert unsure.rules[0] == "(its wording as a whole)"
    assert "(its wording as a whole)" not in rule.rules


def test_what_a_person_asks_to_remember_is_kept_whatever_its_wording(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = says(monkeypatch, {ASKED: -9.0})
    assert kept(ASKED) == [ASKED]
    assert asked == []


@pytest.mark.parametrize("by_wording", [True, False])
def test_without_the_model_or_where_it_is_off_rules_decide_alone(
    monkeypatch: pytest.MonkeyPatch, *, by_wording: bool
) -> None:
    asked = says(monkeypatch, None)
    assert kept(RULE, UNSURE, ASKED, by_wording=by_wording) == [RULE, ASKED]
    assert bool(asked) is by_wording


def test_of_very_many_sentences_the_model_looks_at_the_last_and_rules_at_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(record, "_MOST_LIKELY", 2)
    asked = says(monkeypatch, {UNSURE: 2.0})
    assert kept(RULE, UNSURE, LIKELY, UNSURE, ASKED) == [RULE, UNSURE, ASKED]
    assert asked == [LIKELY, UNSURE]


def test_the_model_tells_what_is_told_from_what_is_laid_down() -> None:
    """The twin: rules alone take the first for a statement."""
    assert kept(LIKELY, RULE, by_wording=False) == [LIKELY, RULE]
    assert kept(LIKELY, RULE) == [RULE]


def test_explicit_statements_are_kept_with_the_wording_as_without() -> None:
    path = Path(__file__).parents[1] / "cues" / "plain.jsonl"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    stated = [line["human"] for line in lines if "keep" in line]
    told = [line["human"] for line in lines if "keep" not in line]
    assert len(kept(*stated)) >= len(kept(*stated, by_wording=False))
    assert len(kept(*told)) < len(kept(*told, by_wording=False))


def test_files_of_another_model_are_no_opinion(monkeypatch: pytest.MonkeyPatch) -> None:
    class Other:
        def vectors(self, _: Sequence[str]) -> None:
            raise ValueError("shapes do not fit")

    monkeypatch.setattr(wording, "_layers", Other)
    ((_, spoken),) = wording.spoken_in([Turn(RULE, 1)], tuple(KINDS))[0]
    assert spoken is not None
    assert wording.wording_odds([spoken]) is None
    assert wording.wording_odds([]) is None
    assert kept(RULE) == [RULE]


def test_the_weights_were_fitted_to_the_labelled_sets_as_they_are() -> None:
    """If this fails, a set was changed: run `python -m benchmarks.fit_wording`."""
    weights = wording.read_weights()
    assert weights.inputs == digest_of(files_of())
    assert len(weights.parts) == 384
    assert wording.WEIGHTS.stat().st_size < 300_000
    assert not {"fourth", "seventh", "eighth", "seventeenth"} & {path.stem for path in files_of()}


def test_the_fit_finds_what_tells_two_kinds_apart_and_is_the_same_each_time() -> None:
    rng = np.random.default_rng(3)
    vectors = rng.normal(size=(400, 5))
    labels = (vectors[:, 2] + 0.3 * rng.normal(size=400) > 0.5).astype(np.float64)
    penalties = np.full(5, 0.15)
    weights = fit(vectors, labels, penalties)
    assert np.argmax(np.abs(weights[:-1])) == 2
    assert weights[2] > 0 > weights[-1]
    assert (fit(vectors, labels, penalties) == weights).all()


def test_runs_of_words_are_weighed_by_what_they_stand_in() -> None:
    runs = [("never", "we"), ("never", "it"), ("never",), ("we",), ("it", "we"), ("it",)] * 20
    kept_ones = np.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0] * 20)
    weights, bias = fit_runs(runs, kept_ones, np.ones(120))
    assert weights["never"] > 2 * abs(weights["we"])
    assert weights["never"] > 1
    assert bias < 0
    assert fit_runs(runs, kept_ones, np.ones(120)) == (weights, bias)


def test_a_short_answer_is_told_by_what_was_asked() -> None:
    """The twin: the same word after nothing."""
    asked = "Pytest based, or a standalone runner?"
    answer = record.preview([Turn("Hi there.", 1), Turn("standalone.", 2, asked)], by_wording=True)
    assert [item.text for item in answer] == ["standalone."]
    assert kept("Hi there.", "standalone.") == []
    assert asked not in [item.text for item in answer]


def test_what_a_person_takes_up_of_the_words_before_is_a_trait() -> None:
    turns = [Turn("Hm.", 1, "Zstd or gzip?"), Turn("How slow?", 2, "A little."), Turn("zstd.", 3, "Yes.")]
    ((_, spoken),) = wording.spoken_in(turns, tuple(KINDS))[2]
    assert spoken is not None
    assert spoken.earlier == {"zstd", "gzip", "little"}
    features = wording.features_of(spoken)
    assert features["shared earlier"] == 1.0
    assert "shared" not in features
