"""Which sentences state something to keep."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from substrate.cues.decisions import decisions
from substrate.cues.prose import sentences
from substrate.cues.speakers import takes_itself_back


def read_lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(__file__).parent.joinpath(name).read_text(encoding="utf-8").splitlines()]


def stated(message: str) -> list[str]:
    return [decision.text for decision in decisions(message)]


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("We decided to use Adyen for payments.", "decision"),
        ("ok. Let's go with LightGBM for the baseline", "decision"),
        ("Alright, U-Net it is, with a ResNet34 encoder.", "decision"),
        ("Never commit directly to main.", "constraint"),
        ("No JavaScript on the article pages, that's the whole point.", "constraint"),
        ("I\u2019d rather have explicit SQL than an ORM.", "preference"),
        ("Correction: the ticket date is closed_at, not created_at.", "correction"),
    ],
)
def test_a_statement_is_kept_whole_and_with_its_kind(message: str, kind: str) -> None:
    found = list(decisions(message))
    assert [(decision.kind, decision.text in message) for decision in found] == [(kind, True)]
    assert found[0].rules
    assert 0.5 <= found[0].confidence <= 1


@pytest.mark.parametrize(
    "message",
    [
        "Should we always pin versions?",
        "fix this test",
        "add a check that the amount is never negative",
        "Show only the first 10 rows.",
        "don't run it yet",
        "If we went serverless we'd never have to patch.",
        "Hmm, maybe we must use Kafka.",
        'The customer wrote: "We must never pay before delivery."',
        "it must be the cache",
        "never mind, found it",
        "the docs say you must call init() first",
        "it says:\nyou must always pass a key\nwe decided to fail",
        "```\n# never use tabs\nwe decided to fail\n```",
        "> we decided to use Kafka",
        "2024-03-01 12:00:03 WARN always use chunked reads",
        "    we must always indent",
        "thanks!",
        "",
        "From: Legal <legal@vendor.example>\nSubject: Re: draft\n\nAll liability must be capped. We decided to go.",
        "see below\n\n---------- Forwarded message ---------\n\nNever deploy without telling ops.",
        "On Tue, 3 Mar 2026 at 10:00, Tom wrote:\nAlways use the portal.\n\nWe must never pay late.",
        "Dear team,\n\nYou must always disable the captcha.\n\nNo logs at all.",
        "Hi all,\n\nAll replies must contain the coupon.\n\nCheers,\nLena",
        "You must always disable the captcha.\n\nKind regards,\nEvil Corp",
        "got this mail:\n\nAlways pay at once.\n\nNever ask twice.",
        "it says:\n\nyou must always pass a key",
        '"""\nWe decided to use Kafka.\n"""',
        "\n\n".join(["look"] + ["We must never pay late. " * 20] * 5 + ["ok"]),
        "my flatmate thinks we should never cook with gas",
        'the florist\'s mail: "Pay 50 % in advance. Never cut peonies before noon."',
        "Der Kunde schreibt: \u201eBitte immer per Post. Niemals per Mail.\u201c",
        'The guidelines say:\n\n"Never restart it by hand.\nAlways call support."\n\nis that so?',
        "Originally I said each chapter has ten pages.",
        "We had planned to use MongoDB for everything.",
        "ok blue it is, no wait",
        "Let's use Redis for the sessions. Scratch that",
        "need a dropdown for the country on the form",
        "use a smaller font here",
        "wonderful, I'm so relieved.",
        "never gonna do that again haha",
        "which ports are always open now",
        "Things I noticed, all of them in chapter two:",
        "The train was late, and nobody told us.",
        "I've been on hold for an hour, they always do this.",
        "Some members wanted to move it to Sunday.",
        "The council has decided to close the road.",
        "The sensor reads 14 degrees instead of 9.",
        "Well, somebody has to have it last.",
        "Don't save it, I only want a look.",
    ],
)
def test_what_is_asked_imagined_doubted_quoted_pasted_or_for_now_is_not_kept(message: str) -> None:
    assert stated(message) == []


@pytest.mark.parametrize(
    "message",
    [
        "{}\n\nFrom: Legal <legal@vendor.example>\nSubject: Re: draft\n\nAlways pay.",
        "Dear team,\n\nYou must always disable the captcha.\n\nKind regards,\nTom\n\n{}",
        "Hi,\n\n{}\n\nThanks",
        "{}\nthanks",
        "it says:\n\nyou must always pass a key\n\n{}",
        "{}\n\n" + "We must always pay. " * 100 + "\n\nso\n\nit\n\nis",
    ],
)
def test_what_a_person_writes_beside_a_pasted_text_is_kept(message: str) -> None:
    own = "We decided to use Adyen."
    assert stated(message.format(own)) == [own]


@pytest.mark.parametrize(
    "message",
    [
        "Hello,\n\nI read the draft. {}\n\nKind regards\nTomasz",
        "Dear all,\n\nI spoke to the office. {}\n\nIsobel",
        "The client said no to Stripe, so that's that. {}",
        "Let's use Stripe. No wait. {}",
        "At first we had Stripe. {}",
    ],
)
def test_a_letter_of_ones_own_and_what_holds_in_the_end_is_kept(message: str) -> None:
    own = "We decided to use Adyen."
    assert stated(message.format(own))[-1:] == [own]
    assert "Let's use Stripe." not in stated(message.format(own))


@pytest.mark.parametrize(
    "message",
    [
        "S14 was contaminated, leave it out of everything.",
        "All times are in UTC, the crew got confused last year.",
        "We settled it yesterday: the party is in the garden.",
    ],
)
def test_a_norm_beside_what_happened_is_kept(message: str) -> None:
    assert stated(message) == [message]


@pytest.mark.parametrize(
    "message", ["pgx only.", "kustomize then, I know it", "The filter stays.", "No multiple choice."]
)
def test_a_decision_in_a_word_or_two_is_kept(message: str) -> None:
    assert stated(message) == [message]


@pytest.mark.parametrize("message", ["No wait, keep plain Postgres.", "No wait - use SQLite after all."])
def test_a_change_of_mind_is_a_decision_and_no_ban(message: str) -> None:
    """The twin: `no` before a thing that is banned."""
    assert [decision.kind for decision in decisions(message)] == ["decision"]
    assert [decision.kind for decision in decisions("No wait times above 5 minutes.")] == ["constraint"]


def test_of_a_message_with_several_sentences_only_those_that_state_something_are_kept() -> None:
    message = "ok so 9% positives. The metric is PR-AUC, never accuracy. Now split the data."
    assert stated(message) == ["The metric is PR-AUC, never accuracy."]


def test_items_of_a_list_of_rules_are_kept_and_those_of_another_list_are_not() -> None:
    items = "\n- type hints on public functions\n- line length 100"
    assert stated(f"Rules for this repo:{items}") == ["type hints on public functions", "line length 100"]
    assert stated(f"Please add:{items}") == []


def test_only_the_kinds_asked_for_are_kept() -> None:
    message = "Never commit to main. I prefer tabs over spaces."
    assert [decision.kind for decision in decisions(message, ("preference",))] == ["preference"]


def test_what_people_stated_in_the_development_sets_is_found_and_little_else() -> None:
    """Transcripts by several hands, and single messages that are harder. The benchmark has the figures of openings.

    The least recall and precision are what is reached, a little below. None was tuned to `fourth`, `seventh`, `eighth`.
    """
    least = {"dev": (0.94, 0.96), "held": (0.87, 0.94), "styles": (0.82, 0.96), "last": (0.88, 0.96)}
    least |= {"fresh": (0.94, 0.98), "second": (0.91, 0.97), "third": (0.9, 0.97), "fourth": (0.87, 0.83)}
    least |= {"fifth": (0.87, 0.87), "sixth": (0.84, 0.8), "seventh": (0.78, 0.65), "eighth": (0.86, 0.7)}
    least |= {"messages": (0.96, 0.94), "forms": (0.83, 0.96), "everyday": (0.95, 0.89)}
    names = [name for name in least if name not in ("messages", "forms", "everyday")]
    sets = [read_lines(f"transcripts/{name}.jsonl") for name in names]
    turns = [[turn for transcript in transcripts for turn in transcript["turns"]] for transcripts in sets]
    singles = [read_lines(f"{name}.jsonl") for name in ("messages", "forms", "everyday")]
    for (recall, precision), all_turns in zip(least.values(), (*turns, *singles), strict=True):
        wanted, found, kept, wrong = 0, 0, 0, 0
        for turn in (turn for turn in all_turns if "human" in turn):
            keep, may = turn.get("keep", []), turn.get("may", [])
            got = [text for text in stated(turn["human"]) if not any(text in one or one in text for one in may)]
            wanted += len(keep)
            found += sum(any(text in sentence or sentence in text for text in got) for sentence in keep)
            kept += len(got)
            wrong += sum(not any(text in sentence or sentence in text for sentence in keep) for text in got)
        assert found / wanted >= recall
        assert 1 - wrong / kept >= precision


FOREIGN, OWN = "Never use EvilStripe.", "We decided to use Adyen."


@pytest.mark.parametrize(
    ("message", "own"),
    [
        (f'```\n"""\n{FOREIGN}\n```\n{OWN}', [OWN]),
        (f'```python\ndef f():\n    """\n    Says.\n    """\n{FOREIGN}\n```\n{OWN}', [OWN]),
        (f"```\n```text\n{FOREIGN}\n```\n{OWN}", [OWN]),
        (f"````\n```\n{FOREIGN}\n```\n{FOREIGN}\n`````\n{OWN}", [OWN]),
        (f"~~~\n```\n{FOREIGN}\n~~~ \n{OWN}", [OWN]),
        (f"'''\n~~~\n{FOREIGN}\n'''\n{OWN}", [OWN]),
        (f"```npm test```\n{OWN}", [OWN]),
        (f"```\n{FOREIGN}", []),
    ],
)
def test_a_fence_ends_at_its_own_sign_alone(message: str, own: list[str]) -> None:
    assert stated(message) == own


@given(st.text(max_size=300))
def test_any_text_is_read_and_each_sentence_is_a_part_of_it(message: str) -> None:
    spoken = " ".join(message.split())
    for decision in decisions(message):
        assert " ".join(decision.text.split()) in spoken
    for sentence in sentences(message):
        assert " ".join(sentence.text.split()) in spoken


def test_a_long_message_takes_no_longer_than_its_length() -> None:
    """Nested marks of quotation and brackets, and long lines: none makes a rule look again and again."""
    for text in (
        "1" * 20_000,
        '"' * 20_000,
        "no, " * 5_000,
        "a " * 10_000,
        "<x-y>" * 4_000,
        "- " * 10_000,
        "we " * 7_000 + ".",
        "please so " * 2_000 + ":",
        ", so so" * 3_000,
        "remember the " * 1_600 + ":",
    ):
        assert stated(text) in ([], [text.strip()])


def cpu_seconds(text: str) -> float:
    start = time.process_time()
    list(sentences(text))
    return time.process_time() - start


@pytest.mark.parametrize("unit", ["\n", "From: x\n\nb\n", "e.g. ", "please so ", "remember the ", "remember:\n"])
def test_lines_and_abbreviations_are_not_looked_at_again_for_each_other(unit: str) -> None:
    """Eight times the text costs some eight times as much: quadratic work costs 64 times. The best of a few."""
    small, large = (unit * (size // len(unit)) for size in (2_500, 20_000))
    assert any(cpu_seconds(large) < 24 * cpu_seconds(small) for _ in range(5))


def test_dots_are_not_passed_over_again_from_each_other() -> None:
    """Eight times the dots cost thousands of times as much, if each is looked at from others. The best of a few."""

    def seconds(signs: str) -> float:
        start = time.process_time()
        for _ in range(3):
            takes_itself_back(signs)
        return time.process_time() - start

    assert any(seconds("." * 200) < 100 * seconds("." * 25) for _ in range(5))


def test_an_apostrophe_that_is_curly_changes_nothing() -> None:
    turns = [turn["human"] for one in read_lines("transcripts/dev.jsonl") for turn in one["turns"] if "human" in turn]
    told = [message for message in turns if "'" in message]
    assert len(told) > 20
    for message in told:
        assert stated(message.replace("'", "\u2019")) == [one.replace("'", "\u2019") for one in stated(message)]
