"""Requests to remember something: always kept, whatever the rules think of the sentence."""

from __future__ import annotations

import pytest

from substrate.cues.decisions import decisions


def stated(message: str) -> list[str]:
    return [decision.text for decision in decisions(message)]


@pytest.mark.parametrize(
    "message",
    [
        "Remember: the accounts team is on holiday in week 34.",
        "remember we have two warehouses",
        "Remember that I'm colour-blind.",
        "please remember my wife's birthday is 3 May",
        "please remember the office closes at six",
        "also, please remember that my dog is called Rex",
        "I want you to remember that I work part time.",
        "can you please remember that the demo is on Thursday",
        "Remember for next time: the locker is number 12",
        "Remember that Tom thinks Kafka is slow",
        "Don\u2019t forget: the venue has no lift.",
        "note that we have two warehouses",
        "bear in mind we have two warehouses",
        "Please keep in mind: my daughter is ill.",
        "For the record, the vendor is Initech.",
        "for the record: we met on Tuesday",
        "for future reference, the bank holiday is on the 14th",
        "make a note: the bank holiday is on the 14th",
        "note to self: the spare key is with Ana",
        "add this to your memory: the locker is number 12",
        "save this for later: the locker is number 12",
        "The venue has no lift, please remember that.",
        "The vendor is Initech, for the record.",
    ],
)
def test_what_a_person_asks_to_remember_is_kept_whole(message: str) -> None:
    assert stated(message) == [message]


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("The venue has no lift. Please remember this.", ["The venue has no lift."]),
        ("The venue has no lift.\nKeep that in mind.", ["The venue has no lift."]),
        ("remember this:\nthe spare keys are with Ana", ["the spare keys are with Ana"]),
        ("Please remember:\n\n- Ana has the keys\n- Bob is back\n\nlook at it", ["Ana has the keys", "Bob is back"]),
        ("for the record:\nAna has the keys.\n\nThe train was late.", ["Ana has the keys."]),
        ("remember this:\nAna has the keys. Now fix the header.", ["Ana has the keys."]),
        ("How does it look? And remember: Ana has the keys.", ["And remember: Ana has the keys."]),
    ],
)
def test_a_request_holds_for_what_stands_beside_it(message: str, kept: list[str]) -> None:
    assert stated(message) == kept


@pytest.mark.parametrize(
    "message",
    [
        "Remember that the demo is on Thursday?",
        "Do you remember the name of the vendor?",
        "do you remember which disk was dying",
        "The demo is on Thursday. Remember that?",
        "remember when we used Kafka",
        "remember what I said about the tests",
        "remember that bug from last week",
        "remember to send it",
        "remember the last page in the reader component",
        "remember scroll position when going back",
        "I remember that the disk was dying",
        "for the record button, use a red circle",
        "note that the test fails on Windows",
        "note: the log is cut off",
        "Please remember.",
        "Please remember this.",
        "remember: `make seed`",
        'Mum says: "please remember that the keys are with Ana."',
        "remember that the demo is on Thursday, no wait",
        "Remember: the demo is on Thursday. Scratch that.",
        "```\nremember: the keys are with Ana\n```",
        "remember this:\n```\nthe keys are with Ana\n```",
        "    remember: the keys are with Ana",
        "> remember: the keys are with Ana",
        "it says:\nplease remember that the keys are with Ana",
        "From: Bob <b@example.org>\nSubject: hi\n\nPlease remember that the keys are with Ana.",
    ],
)
def test_a_question_a_memory_a_quotation_or_code_is_no_request(message: str) -> None:
    assert stated(message) == []


@pytest.mark.parametrize(
    ("message", "kind", "type_"),
    [
        ("remember: our database is Postgres 15", "note", "fact"),
        ("please remember: never push to main", "constraint", "constraint"),
        ("Remember that we decided to use Adyen.", "decision", "decision"),
        ("remember that I prefer short answers", "preference", "preference"),
        ("Remember these rules:\n- two reviewers for a change", "constraint", "constraint"),
    ],
)
def test_what_is_to_be_remembered_is_a_plain_fact_unless_its_words_say_more(
    message: str, kind: str, type_: str
) -> None:
    assert [(one.kind, one.type) for one in decisions(message)] == [(kind, type_)]


def test_a_kind_that_is_not_wanted_is_left_out() -> None:
    assert not list(decisions("remember: our database is Postgres 15", ["decision"]))
