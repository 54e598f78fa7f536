"""From what somebody says of a text to the text as it should be, without a model."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from substrate.proposals.corrections import CONTRADICTION, QUOTED, REPLACEMENT, correct

ENDPOINT = "The API endpoint is /v1/search."


@pytest.mark.parametrize(
    ("text", "said", "made"),
    [
        (
            ENDPOINT,
            "The endpoint changed from /v1/search to /v2/query in March 2025.",
            "The API endpoint is /v2/query.",
        ),
        (ENDPOINT, "/v1/search -> /v2/query", "The API endpoint is /v2/query."),
        (ENDPOINT, "endpoint: /v1/search → /v2/query.", "The API endpoint is /v2/query."),
        ("We deploy on Tuesdays.", "It is not Tuesdays but Wednesdays.", "We deploy on Wednesdays."),
        ("We deploy on Tuesdays.", "It's Wednesdays, not Tuesdays.", "We deploy on Wednesdays."),
        ("We deploy on Tuesdays.", "Not tuesdays, but Wednesdays, since last year.", "We deploy on Wednesdays."),
        ("The budget is 500 EUR.", "Change 500 EUR to 750 EUR because of inflation.", "The budget is 750 EUR."),
        ("We use Stripe.", "Use Adyen instead of Stripe.", "We use Adyen."),
        ("We meet at noon.", 'replace "at noon" with "on Fridays, in March"', "We meet on Fridays, in March."),
        ("Bern to Basel takes an hour.", "Replace Bern to Basel with Bern to Zurich", "Bern to Zurich takes an hour."),
        ("东京 is the office.", "东京 -> 大阪", "大阪 is the office."),
        ("Red is warm. Red is loud.", "Red -> Blue", "Blue is warm. Blue is loud."),
        ("The budget is 5 euros.", "The budget changed from 5 to 10 euros.", "The budget is 10 euros."),
        ("5 people came.", "It was not 5 but 6 people.", "6 people came."),
        ("It costs EUR 5 a day.", "The price rose from 5 to EUR 1,000.", "It costs EUR 1,000 a day."),
    ],
)
def test_words_that_name_what_goes_and_what_comes(text: str, said: str, made: str) -> None:
    assert correct(text, said) == (made, REPLACEMENT)


def test_a_text_in_quotes_that_is_said_to_be_the_new_one() -> None:
    assert correct("Fees are 2%.", 'It should read: "Fees are 3 %."') == ("Fees are 3 %.", QUOTED)
    assert correct("Fees are 2%.", 'Somebody said "Fees are 3 %."') is None


def test_a_statement_takes_the_place_of_the_one_sentence_that_it_contradicts() -> None:
    made = correct("Our payment provider is Stripe. Fees are due monthly.", "Our payment provider is Adyen.")
    assert made == ("Our payment provider is Adyen. Fees are due monthly.", CONTRADICTION)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (ENDPOINT, "It changed from /v3/a to /v4/b."),
        ("The trainings start in May.", "ai -> ML"),
        ("The train goes from Bern to Basel.", "It goes from Bern to Zurich."),
        (ENDPOINT, "That is wrong."),
        ("Contact: a@b.c", "Change the contact from a@b.c to x@y.z, and tell Bob"),
        ("Old name is Foo.", "rename Foo to Bar and Baz to Qux"),
        ("The team is in Rome.", "They travel from Rome to Paris every week."),
        ("5 people and 5 dogs.", "It was not 5 but 6 people."),
        (ENDPOINT, "/v1/search -> /v1/search"),
        (ENDPOINT, ""),
        ("", "a -> b"),
    ],
)
def test_what_cannot_be_told_for_sure_changes_nothing(text: str, said: str) -> None:
    assert correct(text, said) is None


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_wording_breaks_it_and_nothing_comes_out_unchanged(text: str, said: str) -> None:
    for words in (said, f"from {said} to {text}", f'{text} -> "{said}"', f"not {text} but {said}"):
        made = correct(text, words)
        assert made is None or made.text != text


def test_what_stands_in_a_text_more_often_than_anybody_can_look_at_is_not_replaced() -> None:
    assert correct("red " * 1000, "not red but blue or green") == ("blue or green " * 1000, REPLACEMENT)
    assert correct("red " * 1001, "not red but blue or green") is None
