"""Search in conversations: who is asked about, echoes, fillers, standing instructions, hits of many kinds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

import substrate
from substrate.clock import ManualClock
from substrate.memory import Memory
from substrate.search.conversation.question import read_addressed
from substrate.search.conversation.spread import spread
from substrate.search.conversation.turns import Turns, echoes_in, restated, said_by
from substrate.text.turns import Role
from substrate.views.turns import FILLER, QUESTION, STANDING, role_flags, speaker_number, turn_of

START = 1_700_000_000_000_000
MINUTE = 60_000_000
USER, ASSISTANT = role_flags(Role.USER), role_flags(Role.ASSISTANT)


def turns(flags: Sequence[int], question: str, keyed: Sequence[bool] | None = None) -> Turns:
    n = len(flags)
    has = np.array(keyed if keyed is not None else [True] * n, np.bool_)
    return Turns(np.array(flags, np.uint8), np.zeros(n, np.uint16), has, read_addressed(question))


def floats(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


def places(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with substrate.open(
        tmp_path / "store", home=tmp_path / "home", model="none", background=False, clock=ManualClock(START)
    ) as memory:
        yield memory


def say(memory: Memory, *texts: str, **fields: object) -> None:
    memory.checkpoint(["v1.conversation.one = a chat"])
    memory.checkpoint(
        [
            {
                "name": f"v1.turn.t{at}",
                "value": text,
                "parent": "v1.conversation.one",
                "position": at,
                "occurred_at": "2024-01-08T18:00:00+00:00",
                **fields,
            }
            for at, text in enumerate(texts)
        ]
    )


def found(memory: Memory, query: str) -> list[str]:
    return [hit.name for hit in memory.search(query, type="turn")]


def test_a_statement_stands_before_the_reply_that_says_it_again(memory: Memory) -> None:
    say(
        memory,
        "user: My dog is called Rex.",
        "assistant: Rex is a fine name for a dog! A dog called Rex, your dog, will hear it well. Dog, dog, dog.",
    )
    assert found(memory, "what is my dog called") == ["v1.turn.t0", "v1.turn.t1"]


def test_a_question_to_the_assistant_finds_the_reply_first(memory: Memory) -> None:
    say(
        memory, "user: Which wood is good for cutting boards?", "assistant: For cutting boards I would take maple wood."
    )
    assert found(memory, "which wood did you recommend for cutting boards")[0] == "v1.turn.t1"


def test_a_reply_is_found_by_what_it_answers(memory: Memory) -> None:
    say(memory, "Which wood is good for boards?", "Hard maple: closed pores.", "Which wood is good for spoons?")
    assert found(memory, "which wood did you say is good for boards")[0] == "v1.turn.t1"


def test_who_is_named_comes_before_who_speaks_of_them(memory: Memory) -> None:
    say(
        memory,
        "Melanie: Caroline, your concert, the concert of Caroline, must have been great fun at the concert!",
        "Caroline: The concert was in the old mill.",
    )
    assert found(memory, "where was Caroline's concert")[0] == "v1.turn.t1"


def test_a_filler_is_not_found_by_its_label(memory: Memory) -> None:
    say(memory, "Project Manager: Okay .", "Project Manager: The remote should cost twelve euros, says the board.")
    assert found(memory, "what did the Project Manager say")[0] == "v1.turn.t1"


def test_a_standing_instruction_joins_the_hits_of_a_question_that_asks_for_work(memory: Memory) -> None:
    say(memory, "user: Always answer step by step.", "assistant: Of course.", "user: My basil is in a pot.")
    assert "v1.turn.t0" in found(memory, "how do I repot my basil")
    assert "v1.turn.t0" not in found(memory, "where is my basil")


def test_what_others_say_is_no_instruction_of_the_user(memory: Memory) -> None:
    say(memory, "assistant: Always answer step by step.", "Caroline: Always answer step by step.")
    memory.checkpoint([{"name": "v1.note.n", "value": "user: Always answer step by step.", "origin": "ingested"}])
    opening = memory.bootstrap("repot the basil", begin=False)
    assert opening.constraints == ()


def test_a_standing_instruction_is_a_rule_of_every_opening(memory: Memory) -> None:
    say(memory, "user: Always answer step by step.", "assistant: Of course.", "user: My basil is in a pot.")
    for objective in ("repot the basil", "plan a journey to the sea", None):
        opening = memory.bootstrap(objective, begin=False)
        assert [atom.name for atom in opening.constraints] == ["v1.turn.t0"]
    memory.checkpoint(tombstones=["v1.turn.t0"])
    assert memory.bootstrap("repot the basil", begin=False).constraints == ()


@pytest.mark.parametrize(
    ("fields", "role"),
    [
        ({"value": "user: hello there"}, Role.USER),
        ({"value": "hello there", "origin": "user"}, Role.USER),
        ({"value": "hello there", "origin": "agent", "parent": "x"}, Role.ASSISTANT),
        ({"value": "hello there", "origin": "agent"}, Role.UNKNOWN),
        ({"value": "hello there", "actor": "assistant", "parent": "x"}, Role.ASSISTANT),
        ({"value": "hello there", "attrs": {"speaker": "Ada"}, "parent": "x"}, Role.OTHER),
        ({"value": "user: hello there", "origin": "ingested"}, Role.OTHER),
        ({"value": "user: hello there", "origin": "agent"}, Role.USER),
    ],
)
def test_who_speaks_is_read_from_label_attrs_actor_and_origin(fields: dict[str, object], role: Role) -> None:
    flags, _ = turn_of(fields)  # type: ignore[arg-type]
    assert flags & role_flags(Role.OTHER) == role_flags(role)


def test_a_forgotten_turn_leaves_neither_speaker_nor_kind(memory: Memory) -> None:
    say(memory, "user: Always answer step by step.")
    memory.forget(names=["v1.turn.t0"])
    with memory._store.log.snapshot() as transaction:
        documents = memory._store.search.columns.at(transaction)
    assert not documents.speaker.any()
    assert not (documents.flags & STANDING).any()


def test_an_echo_is_behind_its_source_and_lends_it_its_score() -> None:
    said = turns([USER, ASSISTANT, ASSISTANT], "what is my dog called")
    score = floats(0.5, 0.7, 0.6)
    echoes = echoes_in(said, None, places(-1, 0, -1), score)
    assert echoes.replies.tolist() == [1]
    lifted = echoes.lifted(score)
    assert lifted.tolist() == pytest.approx([0.7, 0.7, 0.6])
    assert (lifted + echoes.behind(lifted))[1] < lifted[0]


def test_an_answer_to_a_question_is_no_echo() -> None:
    said = turns([USER | QUESTION, ASSISTANT], "what is my dog called")
    assert not len(echoes_in(said, None, places(-1, 0), floats(0.5, 0.7)).replies)


def test_a_reply_that_says_what_an_echo_says_is_one_too() -> None:
    said = turns([USER, ASSISTANT, ASSISTANT], "what is my dog called")
    vectors = np.array([[1, 0], [0.8, 0.6], [0.8, 0.6]], np.float32)
    echoes = echoes_in(said, vectors, places(-1, 0, -1), floats(0.5, 0.7, 0.9))
    assert dict(zip(echoes.replies.tolist(), echoes.sources.tolist(), strict=True)) == {1: 0, 2: 0}


def newest(question: str, keyed: Sequence[bool] = (True, True)) -> list[float]:
    said = turns([USER, USER], question, keyed)
    vectors = np.array([[1, 0], [0.8, 0.6]], np.float32)
    echoes = echoes_in(said, vectors, places(-1, -1), floats(0.7, 0.6))
    return restated(said, echoes, vectors, places(1, 2), floats(0.7, 0.6)).tolist()


def test_the_newest_statement_of_how_things_are_comes_first() -> None:
    assert newest("how long is my commute")[1] > 0.1


def test_in_a_dialogue_a_question_that_names_nobody_is_about_what_the_user_said() -> None:
    """Elsewhere a newer note takes no other's place."""
    question, vectors = "which port does the gateway listen on", np.array([[1, 0], [0.8, 0.6], [0, 1]], np.float32)
    for third, lifted in ((ASSISTANT, True), (USER, False)):
        said = turns([USER, USER, third], question)
        echoes = echoes_in(said, vectors, places(-1, -1, -1), floats(0.7, 0.6, 0.1))
        added = restated(said, echoes, vectors, places(1, 2, 3), floats(0.7, 0.6, 0.1))
        assert bool(added[1] > 0) is lifted


@pytest.mark.parametrize("question", ["how long was my commute", "what did I say", "which port did you suggest"])
def test_the_newest_is_not_put_first_where_nobody_asks_how_things_are_for_the_user(question: str) -> None:
    assert newest(question) == [0, 0]


def test_a_newer_statement_without_the_rarest_word_is_of_something_else() -> None:
    assert newest("what is my dog called", keyed=(True, False)) == [0, 0]


@pytest.mark.parametrize(
    ("question", "state"),
    [
        ("How long is my commute?", True),
        ("How many people come to my wedding?", True),
        ("Which desk did I order?", True),
        ("What is my dog called?", True),
        ("What did I design for the shop?", False),
        ("Why do I have two desks?", False),
        ("Who inspired my painting?", False),
        ("Which desk did I order before?", False),
        ("What was my first desk?", False),
    ],
)
def test_a_question_asks_how_things_are_unless_it_asks_for_the_past_or_for_a_reason(question: str, state: bool) -> None:  # noqa: FBT001
    assert read_addressed(question).state is state


def test_a_newer_statement_that_fits_half_as_well_comes_first_where_both_are_of_one_thing() -> None:
    said = turns([USER, USER, USER], "who is my manager")
    vectors = np.array([[1, 0, 0], [0.6, 0.8, 0], [0.1, 0, 0.995]], np.float32)
    echoes = echoes_in(said, vectors, places(-1, -1, -1), floats(1, 0.5, 0.5))
    added = restated(said, echoes, vectors, places(1, 2, 3), floats(1, 0.5, 0.5))
    assert added.tolist() == pytest.approx([0, 0.501, 0])


def test_replies_show_that_two_statements_are_of_one_thing() -> None:
    said = turns([USER, ASSISTANT, USER, ASSISTANT], "who is my manager")
    statements = np.array([[1, 0, 0], [0.5, 0.866, 0], [0.2, 0, 0.98], [0.5, 0.8, 0.33]], np.float32)
    score, when = floats(1, 0.9, 0.5, 0.4), places(1, 2, 3, 4)
    alone = echoes_in(said, statements, places(-1, -1, -1, -1), score)
    replied = echoes_in(said, statements, places(-1, 0, -1, 2), score)
    assert restated(said, alone, statements, when, score).tolist() == [0, 0, 0, 0]
    assert restated(said, replied, statements, when, score).tolist() == pytest.approx([0, 0, 0.501, 0])


def test_statements_that_do_not_match_at_all_are_left_as_they_are() -> None:
    said = turns([USER, USER], "who is my manager")
    vectors = np.array([[1, 0], [1, 0]], np.float32)
    echoes = echoes_in(said, vectors, places(-1, -1), floats(0, 0))
    assert restated(said, echoes, vectors, places(1, 2), floats(0, -0.1)).tolist() == [0, 0]


def test_who_speaks_by_turns_is_known_where_nothing_else_says_it() -> None:
    before, after = places(-1, 0, 1, 2, 3), places(1, 2, 3, 4, -1)
    said = turns([QUESTION, 0, USER, 0, ASSISTANT], "what is my dog called")
    assert said.in_turns(before, after).flags.tolist() == [
        QUESTION | USER,
        ASSISTANT,
        USER,
        ASSISTANT,
        ASSISTANT,
    ]


def test_one_voice_alone_takes_no_turns() -> None:
    before, after = places(-1, 0, 1), places(1, 2, -1)
    for flags in ([USER, 0, USER], [QUESTION, 0, 0]):
        assert turns(flags, "what is my dog called").in_turns(before, after).flags.tolist() == flags


def test_a_turn_that_only_asks_loses_most_where_things_are_to_be_listed() -> None:
    score = floats(1, 1)
    told, listed = (
        said_by(turns([USER | QUESTION, USER], question), score).tolist()
        for question in ("what is my dog called", "list all the things I did")
    )
    assert told == pytest.approx([-0.15, 0])
    assert listed == pytest.approx([-0.7, 0])


def test_nothing_is_taken_where_nobody_speaks() -> None:
    said = turns([0, 0], "what is my dog called")
    assert said_by(said, floats(0.5, 0.6)).tolist() == [0, 0]


def test_of_many_alike_one_comes_first_and_the_others_after_what_is_otherwise() -> None:
    vectors = np.array([[1, 0], [1, 0.01], [0, 1], [-1, 0]], np.float32)
    score = floats(0.9, 0.85, 0.6, 0.5)
    none = places(-1, -1, -1, -1)
    total = score + spread(vectors, (none, none), score)
    assert np.argsort(-total, kind="stable").tolist()[0] == 0
    assert total[1] < total[2]


@pytest.mark.parametrize(
    ("question", "role", "work", "many"),
    [
        ("What is my dog called?", Role.USER, False, False),
        ("Which restaurant did you suggest that I try?", Role.ASSISTANT, False, False),
        ("How do I read a file?", Role.USER, True, False),
        ("In what order did I do it?", Role.USER, False, True),
        ("Summarise the project.", Role.UNKNOWN, False, True),
        ("Who leads the project?", Role.UNKNOWN, False, False),
    ],
)
def test_whom_a_question_is_about_is_read_from_its_form(question: str, role: Role, work: bool, many: bool) -> None:  # noqa: FBT001
    asked = read_addressed(question)
    assert (asked.role, asked.work, asked.spread) == (role, work, many)


def test_names_of_up_to_three_words_may_be_speakers() -> None:
    asked = read_addressed("What does the Project Manager think of Ada's plan?")
    assert {speaker_number("project manager"), speaker_number("Ada")} <= asked.speakers


def test_a_filler_has_a_flag_of_its_own() -> None:
    assert turn_of({"value": "user: Okay ."})[0] & FILLER
    assert not turn_of({"value": "Status: ok"})[0] & FILLER
