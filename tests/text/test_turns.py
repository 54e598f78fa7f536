"""Who speaks in a text, whether it says anything, and whether it asks for something for good."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from substrate.text.turns import Role, guess_role, instructs, is_filler, is_question, read_label, role_of


@pytest.mark.parametrize(
    ("text", "speaker", "role"),
    [
        ("user: My dog is called Rex.", "user", Role.USER),
        ("User: My dog is called Rex.", "User", Role.USER),
        ("**Assistant**: A fine name!", "Assistant", Role.ASSISTANT),
        ("[2024-05-01 10:00] human: Hello there", "human", Role.USER),
        ("AI: Hello", "AI", Role.ASSISTANT),
        ("Caroline: I went to a concert.", "Caroline", Role.OTHER),
        ("Project Manager: Okay .", "Project Manager", Role.OTHER),
    ],
)
def test_a_label_says_who_speaks(text: str, speaker: str, role: Role) -> None:
    assert read_label(text).speaker == speaker
    assert role_of(speaker) is role


@pytest.mark.parametrize("text", ["it is 10:30", "see https://a.example: there", "a note: x", "user:", "no label"])
def test_a_colon_alone_is_no_label(text: str) -> None:
    assert read_label(text) == ("", text)


@pytest.mark.parametrize("text", ["Okay .", "Thanks!", "Great, let me know", "Thanks, Mel!", ";)", "You're welcome!"])
def test_thanks_and_assent_say_nothing(text: str) -> None:
    assert is_filler(text)


@pytest.mark.parametrize("text", ["Paris!", "It's Shia Labeouf!", "Okay, the budget is 500.", "Thanks for the recipe"])
def test_a_text_with_a_word_of_its_own_says_something(text: str) -> None:
    assert not is_filler(text)


def test_a_text_of_questions_asks_and_one_with_a_statement_states() -> None:
    assert is_question("Which street is it? And which number?")
    assert is_question("Thanks! Which street is it?")
    assert not is_question("I moved to Alder Street. Do you have any tips?")


@pytest.mark.parametrize(
    "text",
    [
        "Always answer step by step.",
        "never use semicolons",
        "Thanks for that. From now on, please give distances in kilometres.",
        "Whenever I ask about code, include type hints.",
        "Always format snippets with highlighting when I ask about implementation details.",
        "Please don't ever suggest meat.",
        "Make sure you always cite your sources!",
        "I prefer short answers.",
        "Your replies should be in German.",
        "Use metric units unless I say otherwise.",
    ],
)
def test_a_demand_for_good_is_an_instruction(text: str) -> None:
    assert instructs(text, strictly=False)


@pytest.mark.parametrize(
    "text",
    [
        "I always forget my umbrella.",
        "My teacher said to never use semicolons.",
        "Can you always answer so fast?",
        "Never heard of it.",
        "Never mind.",
        "Always a pleasure!",
        "Never give up!",
        "Tell me if I need a coat.",
        "When I asked about it, use of it was forbidden.",
        "Give me three ideas for lunch.",
        "The valve must always be closed.",
    ],
)
def test_what_somebody_does_or_wants_once_is_no_instruction(text: str) -> None:
    assert not instructs(text, strictly=False)


def test_advice_is_no_instruction_where_nobody_knows_who_speaks() -> None:
    assert instructs("Always check the oil first.", strictly=False)
    assert not instructs("Always check the oil first.", strictly=True)
    assert instructs("Always answer in French.", strictly=True)


def test_one_tells_of_oneself_and_the_other_speaks_to_you() -> None:
    assert guess_role("My dog is called Rex.") is Role.USER
    assert guess_role("Your dog has a fine name.") is Role.ASSISTANT
    assert guess_role("I think you are right.") is Role.UNKNOWN
    assert guess_role("The dog is called Rex.") is Role.UNKNOWN


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    speaker, rest = read_label(text)
    assert text.endswith(rest)
    assert bool(speaker) == (rest != text)
    assert not (is_filler(rest) and instructs(rest, strictly=False) and is_question(rest))
