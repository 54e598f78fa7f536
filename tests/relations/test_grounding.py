"""What a sentence says of a relation, by its form: who does it, whether it is done, and by which word."""

from __future__ import annotations

import re
from itertools import product

import pytest

from substrate.relations.clauses import END
from substrate.relations.grounding import DENIED, DOUBTED, STATED, ground


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
        "Acme stopped using Gamma and adopted Beta.",
        "Acme stopped using Gamma, and now uses Beta.",
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
