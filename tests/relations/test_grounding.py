"""What a sentence says of a relation, by its form: who does it, whether it is done, and by which word."""

from __future__ import annotations

import re
from itertools import product

import pytest

from substrate.relations.clauses import END, clauses_of
from substrate.relations.grounding import DENIED, DOUBTED, REVERSED, STATED, TOGETHER, ground, is_stated_in
from substrate.relations.phrases import reading_of
from substrate.relations.vocabulary import MUTUAL, NOUNS, VERBS


def said(text: str, kind: str) -> str:
    return ground(text, ["Acme"], kind, ["Beta"]).kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Acme failed to acquire Beta.", "acquires"),
        ("Acme declined to acquire Beta.", "acquires"),
        ("Acme was unable to acquire Beta.", "acquires"),
        ("Acme tried and failed to acquire Beta.", "acquires"),
        ("Beta failed to be acquired by Acme.", "acquires"),
        ("Acme refused to use Beta.", "uses"),
        ("Acme stopped using Beta.", "uses"),
        ("The Acme team carefully avoids using Beta.", "uses"),
        ("Acme is no longer using Beta.", "uses"),
        ("Acme stopped using Gamma and Beta.", "uses"),
    ],
)
def test_a_verb_that_denies_the_next_one_denies_the_relation(text: str, kind: str) -> None:
    assert said(text, kind) == DENIED


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Acme wanted to acquire Beta, but the deal failed.", "acquires"),
        ("Acme plans to acquire Beta.", "acquires"),
        ("If Acme does not use Beta, it stops.", "uses"),
        ("Nobody knows whether Acme uses Beta.", "uses"),
        ("Acme considered acquiring Beta.", "acquires"),
        ("Acme almost acquired Beta.", "acquires"),
        ("Acme was about to acquire Beta.", "acquires"),
        ("Acme is going to acquire Beta.", "acquires"),
        ("Acme is to acquire Beta.", "acquires"),
        ("Acme to acquire Beta.", "acquires"),
        ("Acme decided to acquire Beta.", "acquires"),
        ("Acme was asked to acquire Beta.", "acquires"),
        ("Acme came close to acquiring Beta.", "acquires"),
        ("Beta was nearly acquired by Acme.", "acquires"),
        ("Beta was to be acquired by Acme.", "acquires"),
        ("Acme tried to replace Beta.", "replaces"),
        ("Acme decided to stop using Beta.", "uses"),
        ("Acme never stopped using Beta.", "uses"),
        ("Acme can use Beta.", "uses"),
        ("Acme can bring Beta.", "brings"),
    ],
)
def test_a_verb_that_leaves_the_next_one_open_leaves_the_relation_open(text: str, kind: str) -> None:
    assert said(text, kind) == DOUBTED


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Acme managed to acquire Beta.", "acquires"),
        ("Acme began to use Beta.", "uses"),
        ("Acme continues to use Beta.", "uses"),
        ("Acme keeps using Beta.", "uses"),
        ("Acme came to use Beta.", "uses"),
        ("Acme did bring Beta.", "brings"),
        ("Acme and Gamma bring Beta.", "brings"),
        ("Acme is dependent on Beta.", "depends_on"),
        ("Acme uses Gamma and the managed Beta.", "uses"),
        ("Acme uses Gamma and uses Beta.", "uses"),
        ("Acme stopped using Gamma and adopted Beta.", "uses"),
        ("Acme stopped using Gamma, and now uses Beta.", "uses"),
        ("Acme uses and maintains Beta.", "uses"),
        ("Acme uses, maintains and shipped Beta.", "uses"),
        ("Acme uses Gamma and Delta Services Beta.", "uses"),
        ("Acme has been using Beta since May.", "uses"),
        ("Acme does use Beta.", "uses"),
        ("Acme and Gamma use Beta.", "uses"),
        ("Acme conforms to Beta.", "implements"),
        ("Acme looks after Beta.", "maintains"),
        ("Beta is used by Acme.", "uses"),
        ("Beta, created by Acme, is fast.", "creates"),
        ("Acme is located in Beta.", "located_in"),
    ],
)
def test_what_is_carried_out_is_stated(text: str, kind: str) -> None:
    assert said(text, kind) == STATED


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Send Acme to Beta.", "implements"),
        ("The Acme tests use Beta.", "uses"),
        ("Acme provides a Beta of functions.", "provides"),
        ("The Acme written to Beta.", "writes_to"),
        ("Acme creates Beta sockets.", "creates"),
        ("An Acme created using Beta.", "creates"),
        ("Acme: called once Beta is done.", "calls"),
        ("`Acme` uses `Beta`-free builds.", "uses"),
        ("Beta was called with Acme.", "calls"),
        ("Compare Acme to Beta.", "implements"),
        ("We contributed Acme to the Beta project.", "implements"),
        ("Acme falls back to Beta.", "implements"),
        ("Try Acme after Beta.", "maintains"),
        ("Acme Development Team (Beta).", "creates"),
        ("The Acme development Beta.", "creates"),
        ("Acme package using Beta.", "uses"),
        ("- Acme: use Beta.", "uses"),
        ("- Acme support Beta.", "supports"),
        ("They waive any Beta held by Acme.", "stores"),
        ("The part of Beta used by Acme.", "uses"),
        ("The Acme file found in Beta.", "located_in"),
    ],
)
def test_where_the_verb_is_no_predicate_of_its_subject_nothing_is_stated(text: str, kind: str) -> None:
    assert said(text, kind) not in (STATED, DENIED)


@pytest.mark.parametrize(
    "text",
    [
        "Acme does not use Gamma and adopted Beta.",
        "Acme no longer uses Gamma and bought Beta.",
        "Acme uses Gamma and replaced Beta.",
        "Acme uses Gamma and quickly replaced Beta.",
        "Acme uses Gamma, dropped Beta.",
    ],
)
def test_what_is_said_of_the_object_of_one_verb_is_not_said_of_that_of_the_next(text: str) -> None:
    assert said(text, "uses") not in (STATED, DENIED)


_NAIVE = re.compile(
    r"[.!?](?<!\b[A-Z].)(?<!\b[DMS]r.)(?<!\bMrs.)(?<!\bSt.)(?<!\bvs.)[.!?]*(?=\s|$)"
    r"|[;\n\r|]+|\s[-\u2013\u2014]{1,2}\s"
)
"""The same pattern, which begins at each sign of a run: quadratic for a run that no space follows."""


def ends(pattern: re.Pattern[str], text: str) -> list[tuple[int, int]]:
    return [found.span() for found in pattern.finditer(text)]


@pytest.mark.parametrize("sign", [".", "?!", "!.?"])
def test_a_run_of_signs_that_ends_nothing_is_read_in_one_pass(sign: str) -> None:
    run = f"Acme uses Beta{sign * 500_000}x"
    assert ends(END, f"{run}. It is") == [(len(run), len(run) + 1)]


def test_what_ends_a_clause_is_the_same_however_a_run_is_read() -> None:
    for parts in product(("A", "Dr", "Mrs", "St", "vs", "x", ".", "!", "?", " ", "\n"), repeat=4):
        text = "".join(parts)
        assert ends(END, text) == ends(_NAIVE, text), text


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Acme does not chair Beta.", "leads"),
        ("Acme did not co-found Beta.", "creates"),
        ("Acme is not built with Beta.", "uses"),
        ("Acme is not the author of Beta.", "creates"),
    ],
)
def test_who_is_denied_one_way_of_a_relation_is_not_denied_the_relation(text: str, kind: str) -> None:
    assert said(text, kind) == DOUBTED


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Beta belongs to Acme.", "owned_by"),
        ("Acme is the author of Beta.", "created_by"),
        ("Acme is a component of Beta.", "has_part"),
        ("Acme was dropped in favour of Beta.", "replaces"),
        ("Acme, a fork of Beta, is fast.", "has_derivation"),
        ("Acme stems from Beta.", "causes"),
    ],
)
def test_what_is_said_from_the_other_end_is_reversed(text: str, kind: str) -> None:
    assert said(text, kind) in (REVERSED, TOGETHER)


@pytest.mark.parametrize(
    "text",
    [
        "Nobody came, says Acme, a hydrologist at Beta.",
        "It was not cold when Acme, a chemist at Beta, left.",
    ],
)
def test_an_aside_is_stated_whatever_the_sentence_around_it_denies(text: str) -> None:
    assert said(text, "works_for") == STATED


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Acme uses a Beta-like syntax.", "uses"),
        ("The Acme-based tool uses Beta.", "uses"),
        ("Acme's rival uses Beta.", "uses"),
        ("Fix the Acme tests in tests/Beta/data.", "tests"),
    ],
)
def test_a_name_within_another_word_is_another_name(text: str, kind: str) -> None:
    assert said(text, kind) not in (STATED, DENIED)


@pytest.mark.parametrize(
    "text", ["Acme uses Beta.", "Beta uses Acme.", "Acme does not use Beta.", "Acme may use Beta.", "Acme. Beta."]
)
def test_who_asks_only_whether_it_is_stated_hears_the_same(text: str) -> None:
    assert is_stated_in(clauses_of(text, ["Acme"], ["Beta"]), "uses", "used_by") == (said(text, "uses") == STATED)


def test_the_month_of_may_leaves_nothing_open() -> None:
    assert said("Since May the director of Beta is Acme.", "leads") == STATED
    assert said("Acme may be the director of Beta.", "leads") == DOUBTED


@pytest.mark.parametrize(
    ("unit", "kind"),
    [
        ("Acme head of Beta ", "leads"),
        ("Acme wants Beta uses ", "uses"),
        ("Acme write by Beta to ", "writes_to"),
        ("Acme and Beta of the ", "married_to"),
    ],
)
def test_a_clause_of_little_but_names_is_read_by_its_first_ones(unit: str, kind: str) -> None:
    clause = unit * (56 // len(unit.split()))
    text = f"{clause}. " * 200
    assert said(text, kind) == said(f"{clause}.", kind)


@pytest.mark.parametrize("kind", ["uses", "created_by", "founder_of", "is_a", "in", "", "blorbs"])
def test_every_type_has_a_reading_whatever_it_is_called(kind: str) -> None:
    reading = reading_of(kind)
    assert all(phrase.word for phrase in reading.phrases)


def test_no_line_of_the_tables_is_for_a_type_that_another_line_is_for() -> None:
    for table in (VERBS, NOUNS, MUTUAL):
        heads = [
            head for line in table.replace("\n ", " ").strip().split("\n") for head in line.split(" / ")[0].split("|")
        ]
        assert len(heads) == len(set(heads))
        assert all(line.count(" / ") == 1 for line in table.replace("\n ", " ").strip().split("\n"))
