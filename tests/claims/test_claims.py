from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from substrate.claims import contradiction, keys_of, pack_claim, read_claim, unpack_claim
from substrate.claims.reading import READ, Claim

_LINES = [
    line for part in ("dev", "held") for line in (Path(__file__).parent / f"{part}.jsonl").read_text().splitlines()
]
SIDES = [(pair[side]["name"], pair[side]["value"]) for pair in map(json.loads, _LINES) for side in "ab"]
sides = st.sampled_from(SIDES)
anything = st.tuples(st.sampled_from([name for name, _ in SIDES]), st.text(max_size=80))


def claim_of(said: tuple[str, str]) -> Claim | None:
    return read_claim(*said)


def differ(a: str, b: str, name: str = "v1.fact.x", other: str = "v1.decision.x") -> str | None:
    one, two = read_claim(name, a), read_claim(other, b)
    found = None if one is None or two is None else contradiction(one, two)
    return None if found is None else found.kind


@given(sides | anything, sides | anything)
def test_it_does_not_matter_which_comes_first(a: tuple[str, str], b: tuple[str, str]) -> None:
    one, other = claim_of(a), claim_of(b)
    if one is not None and other is not None:
        assert contradiction(one, other) == contradiction(other, one)


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
