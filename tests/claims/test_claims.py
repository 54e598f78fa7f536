from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from substrate.claims import Contradiction, contradiction, keys_of, pack_claim, read_claim, unpack_claim
from substrate.claims.lexicon import (
    COPULAS,
    DETERMINERS,
    HAVE,
    INDEFINITE,
    INVERSE,
    NEGATIONS,
    POLAR,
    RELATIONS,
    SILENT,
)
from substrate.claims.read import READ, Claim

_LINES = [
    line for part in ("dev", "held") for line in (Path(__file__).parent / f"{part}.jsonl").read_text().splitlines()
]
SIDES = [(pair[side]["name"], pair[side]["value"]) for pair in map(json.loads, _LINES) for side in "ab"]
sides = st.sampled_from(SIDES)
AUXILIARIES = {"do", "does", "don't", "doesn\u2019t", "isn't", "can't", "always", "takes", "place"}
LITTLE = sorted(
    AUXILIARIES.union(COPULAS, DETERMINERS, HAVE, INDEFINITE, INVERSE, NEGATIONS, POLAR, RELATIONS, SILENT)
    | set(",.;!?-(/&@'")
    | {"12", "5 kg", "Bob", "unsigned"}
)
shouted = st.sampled_from([str.lower, str.upper, str.capitalize])
"""Sentences of the words that the reader knows, and of little else."""
little = st.builds(
    lambda words, glue, change: change(glue.join(words)),
    st.lists(st.sampled_from(LITTLE), min_size=1, max_size=4),
    st.sampled_from([" ", " ", ""]),
    shouted,
)
anything = st.tuples(st.sampled_from([name for name, _ in SIDES]), st.text(max_size=80))


def claim_of(said: tuple[str, str]) -> Claim | None:
    return read_claim(*said)


def compare(a: str, b: str, name: str = "v1.fact.x", other: str = "v1.decision.x") -> Contradiction | None:
    one, two = read_claim(name, a), read_claim(other, b)
    return None if one is None or two is None else contradiction(one, two)


def differ(a: str, b: str, name: str = "v1.fact.x", other: str = "v1.decision.x") -> str | None:
    found = compare(a, b, name, other)
    return None if found is None else found.kind


@given(sides | anything, sides | anything)
def test_it_does_not_matter_which_comes_first(a: tuple[str, str], b: tuple[str, str]) -> None:
    one, other = claim_of(a), claim_of(b)
    if one is not None and other is not None:
        there, back = contradiction(one, other), contradiction(other, one)
        assert (there and there.kind) == (back and back.kind)


@given(sides | anything, st.sampled_from(["", " ", ".", "\n", ". And more."]))
def test_the_same_said_again_is_no_contradiction(said: tuple[str, str], end: str) -> None:
    one, again = claim_of(said), claim_of((said[0], said[1] + end))
    if one is not None and again is not None:
        assert contradiction(one, again) is None


@given(sides | anything)
def test_a_packed_claim_is_the_claim(said: tuple[str, str]) -> None:
    claim = claim_of(said)
    if claim is not None:
        assert unpack_claim(pack_claim(claim)) == claim
        assert 0 < len(keys_of(claim)) <= 4
        assert {len(key) for key in keys_of(claim)} == {8}


@given(st.text(max_size=400), st.text(min_size=1, max_size=40))
def test_any_text_can_be_read(value: str, rest: str) -> None:
    claim = read_claim(f"v1.fact.{rest}", value)
    assert claim is None or contradiction(claim, claim) is None


@given(little, little)
@example("Do", "does")
@example("DO", "do not")
@example("don't", "always")
@example("1e999", "1e999")
def test_any_few_words_can_be_read_and_compared(value: str, other: str) -> None:
    read = [read_claim(name, said) for name in ("v1.fact.a", "v1.fact.do") for said in (value, other)]
    found = [claim for claim in read if claim is not None]
    for claim in found:
        assert contradiction(claim, claim) is None
        assert unpack_claim(pack_claim(claim)) == claim
        for another in found:
            contradiction(claim, another)


@pytest.mark.parametrize("value", ["Do", "does", "DO", "do not", "don't", "always", "never does"])
def test_a_value_of_auxiliary_verbs_claims_nothing(value: str) -> None:
    assert read_claim("v1.fact.a", value) is None


@pytest.mark.parametrize("name", ["", "a", "a.b", "v1.fact.", "v1.fact.__"])
def test_a_name_that_is_none_can_be_read(name: str) -> None:
    read_claim(name, "Stripe")


@given(sides, st.text(max_size=30))
def test_what_stands_behind_the_part_that_is_read_makes_no_difference(said: tuple[str, str], more: str) -> None:
    long = said[1].ljust(READ)
    assert read_claim(said[0], long) == read_claim(said[0], long + more)


@pytest.mark.parametrize("junk", [b"", b"[]", b"{}", b"[1,2]", b'"x"', b"\xff", b"[1,2,3,4,5,6,7,8,9]"])
def test_what_is_no_claim_is_an_error(junk: bytes) -> None:
    with pytest.raises(ValueError, match=r".*"):
        unpack_claim(junk)


@pytest.mark.parametrize(
    ("a", "b", "kind"),
    [
        ("500 MB", "0.5 GB", None),
        ("512 MiB", "0.5 GiB", None),
        ("1 GB", "1000 MB", None),
        ("1 GB", "1024 MB", None),
        ("1 GiB", "1024 MB", None),
        ("1 GB", "1100 MB", "number"),
        ("30 s", "2 min", "number"),
        ("30 s", "30 MB", None),
        ("30 s", "30", None),
        ("about 30 s", "32 s", None),
        ("~30 s", "60 s", "number"),
        ("1.2 million", "1,203,411", None),
        ("1.2 million", "1,290,000", "number"),
        ("60 requests per minute", "1 req/s", None),
        ("5%", "0.05", None),
        ("-18 °C", "-20 °C", "number"),
        ("3.11", "3.11.4", None),
        ("3.11", "3.12.1", "number"),
        ("10:00", "10 am", None),
        ("10:00", "10 pm", "number"),
        ("2025-03-01", "March 1st 2025", None),
        ("2025-03-01", "1.3.2025", None),
        ("2025-03-01", "3 April", "date"),
        ("March 2025", "2025-03-31", None),
        ("March 2025", "2025-04-01", "date"),
        ("Stripe", "stripe", None),
        ("Stripe", "Stripe Inc", None),
        ("Stripe", "Adyen", "value"),
        ("Stripe, Adyen", "Klarna", None),
        ("on", "off", "negation"),
        ("true", "yes", None),
        ("enabled", "not enabled", "negation"),
        ("a@b.c", "Berlin", None),
        ("Zürich", "Zu\u0308rich", None),
        ("Zürich", "Genève", "value"),
    ],
)
def test_objects_of_one_name(a: str, b: str, kind: str | None) -> None:
    assert differ(a, b) == kind
    assert differ(b, a) == kind


@pytest.mark.parametrize(
    "value",
    [
        "Will it be Stripe?",
        "It might be Stripe",
        "We plan to use Stripe for payments",
        "It used to be Stripe",
        "if all else fails",
    ],
)
def test_what_is_not_said_to_be_so_claims_nothing(value: str) -> None:
    assert read_claim("v1.fact.payments", value) is None


@pytest.mark.parametrize("kind", ["task", "chunk", "document", "hub", "domain"])
def test_types_that_claim_nothing(kind: str) -> None:
    assert read_claim(f"v1.{kind}.x", "Stripe") is None
    assert read_claim("v1.fact.x", "Stripe") is not None


def test_a_long_value_costs_no_more_than_its_first_sentence() -> None:
    said = read_claim("v1.fact.x", "The timeout is 30 s. " + "word " * 200_000)
    assert said == read_claim("v1.fact.x", "The timeout is 30 s.")
    assert said is not None
    assert len(pack_claim(said)) < 300


THIRTY, FORTY_FIVE = "The API timeout is 30 seconds", "The API timeout is 45 seconds"


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("one0", "two0"),
        ("n1", "n2"),
        ("N1", "N2"),
        ("12", "13"),
        ("note1", "note_2"),
        ("memory_3", "memory_4"),
        ("2024_05_01_a", "2024_06_01_b"),
        ("20240501t1200z", "20240502t0830z"),
        ("3f2a9c1b", "550e8400-e29b-41d4-a716-446655440000"),
        ("n1", "api_timeout"),
        ("one0", "api"),
    ],
)
def test_a_name_that_is_a_mere_id_hides_no_contradiction(name: str, other: str) -> None:
    assert differ(THIRTY, FORTY_FIVE, f"v1.fact.{name}", f"v1.note.{other}") == "number"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("v1.note.alices_city_oslo", "Alice's city is Oslo"),
        ("v1.note.alices_city_oslo_3f2a9c1b", "Alice's city is Oslo."),
        (f"v1.note.alices_city_oslo_{'3f2a9c1b' * 8}", "Alice's city is Oslo"),
        ("v1.note.alices_city_oslo_moved_may_job", "Alice's city is Oslo. She moved in May for a job in a bank"),
        ("v1.city.alices_oslo", "Alice's city is Oslo"),
    ],
)
def test_a_name_that_was_made_of_the_words_of_its_value_hides_no_contradiction(name: str, value: str) -> None:
    assert differ("Alice's city is Rome", value, "v1.note.alices_city_rome", name) == "value"


@pytest.mark.parametrize("name", ["alice_smith_city", "alices_city_oslo_2024", "city_of_alice_smith.alices_city_oslo"])
def test_a_name_that_says_more_than_the_words_of_its_value_is_heard(name: str) -> None:
    claim = read_claim(f"v1.note.{name}", "Alice's city is Oslo")
    assert claim is not None
    assert claim.about


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("model_1", "model_2"),
        ("shard_3", "shard_4"),
        ("shard3", "shard4"),
        ("v1", "v2"),
        ("V1", "V2"),
        ("api", "api_v2"),
        ("q1", "q2"),
        ("sprint_12", "sprint_13"),
        ("sprint_12", "timeout"),
        ("model_1", "n1"),
        ("2024.timeout", "2025.timeout"),
    ],
)
def test_a_number_that_counts_something_tells_two_subjects_apart(name: str, other: str) -> None:
    assert differ(THIRTY, FORTY_FIVE, f"v1.fact.{name}", f"v1.note.{other}") is None


@pytest.mark.parametrize(
    ("a", "b", "reason"),
    [
        ("The cache uses Redis", "The cache does not use Redis", "“{}” contradicts “{}”"),
        ("Always run the tests", "Never run the tests", "“{}” contradicts “{}”"),
        ("enabled", "not enabled", "“{}” contradicts “{}”"),
        ("Stripe", "not Stripe", "“{}” contradicts “{}”"),
        ("13 seconds", "6 seconds", "{} is not {}"),
        ("Stripe", "Adyen", "{} is not {}"),
        ("2025-03-01", "3 April 2025", "{} is not {}"),
    ],
)
def test_a_reason_shows_what_was_written_and_the_first_first(a: str, b: str, reason: str) -> None:
    there, back = compare(a, b), compare(b, a)
    assert there is not None
    assert back is not None
    assert (there.reason, back.reason) == (reason.format(a, b), reason.format(b, a))


@pytest.mark.parametrize(
    ("a", "b", "kind"),
    [
        ("The service runs in Frankfurt", "The service runs behind a VPN", None),
        ("The service runs in Frankfurt", "The service is behind a VPN", None),
        ("The service runs in Frankfurt", "The service runs in Dublin", "value"),
        ("The database is Postgres", "The database runs in Frankfurt", None),
        ("Alice works at Acme", "Alice works in Berlin", None),
        ("Alice works at Acme", "Alice works at Globex", "value"),
        ("Billing is hosted on AWS", "Billing is hosted in Frankfurt", None),
        ("Tests run on Linux", "Tests run on macOS", None),
        ("The tests are run on Linux", "The tests are run on macOS", None),
        ("The app runs on Linux", "The app runs on macOS", "value"),
        ("We run on Linux", "We run on macOS", "value"),
    ],
)
def test_only_what_answers_the_same_question_contradicts(a: str, b: str, kind: str | None) -> None:
    assert differ(a, b, "v1.fact.some", "v1.fact.other") == kind


def test_what_a_thing_is_and_where_it_is_are_two_questions() -> None:
    assert differ("Postgres", "The database is in Frankfurt", "v1.fact.database") is None
    assert differ("Berlin", "The office is in Munich", "v1.fact.office.location") == "value"
