"""remember: an exact name writes at once; else a person picks, now or later."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import substrate
from tests.agents import Agent, User

pytestmark = pytest.mark.usefixtures("engrams")
Connect = Callable[..., Agent]


def picker(engram: str, *, create: bool = False) -> User:
    return User(content={"engram": engram, "create": create})


def test_the_documents_request_is_saved_at_once_where_the_name_is_exact(connect: Connect) -> None:
    agent = connect()
    said = agent.ok(
        "remember", text="Decided to use PostgreSQL.", target_engram="BOOK-notes", label="DB choice", kind="clip"
    )
    assert said.keys() == {"sourceId", "graphId", "nodeCount"}
    assert (said["graphId"], said["nodeCount"]) == ("book-notes", 1)
    (hit,) = agent.ok("recall", query="PostgreSQL")["results"]
    assert (hit["sourceId"], hit["sourceName"]) == (said["sourceId"], "DB choice")
    assert agent.ok("remember", text="Decided to use PostgreSQL.", graphId="book-notes")["sourceId"] == said["sourceId"]
    assert agent.ok("remember", text="Without an engram.")["graphId"] == "main"


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_user_is_asked_where_the_name_is_close(connect: Connect, mode: str) -> None:
    user = picker("Book Notes")
    agent = connect(user=user, mode=mode)
    assert agent.ok("remember", text="A text.", target_engram="Bok Notes")["graphId"] == "book-notes"
    (question,) = user.asked
    assert "close spelling" in question.message
    assert '"A text."' in question.message


def test_only_the_user_creates_an_engram(connect: Connect, store: Path) -> None:
    agent = connect(user=picker("Reise Pläne", create=True))
    assert agent.ok("remember", text="Nach Graz.", target_engram="Trips")["graphId"] == "reise-pläne"
    with substrate.open(store) as memory:
        assert memory.which("reise pläne", kind="domain").name == "v1.domain.reise-pläne"


def test_a_text_waits_if_the_user_picks_a_name_that_is_not_there(connect: Connect, store: Path) -> None:
    error = connect(user=picker("Nowhere")).error("remember", text="Zzz.", target_engram="Elsewhere")
    assert error["code"] == "not_found"
    with substrate.open(store) as memory:
        (waits,) = memory.proposals()
        assert (waits.id, waits.value) == (error["pending"], "Zzz.")


@pytest.mark.parametrize("user", [User("decline"), User("cancel")])
def test_without_the_users_pick_nothing_is_saved(connect: Connect, user: User, store: Path) -> None:
    assert connect(user=user).error("remember", text="Zzz.", target_engram="Nowhere")["code"] in {"denied", "not_found"}
    with substrate.open(store) as memory:
        assert not memory.search("Zzz").items
        assert not memory.proposals().items


def test_a_client_that_cannot_ask_gets_the_candidates_and_the_text_waits(connect: Connect, store: Path) -> None:
    agent = connect()
    error = agent.error("remember", text="Postgres it is.", target_engram="Bok Notes", label="L")
    assert error["code"] == "not_found"
    assert "substrate pending" in error["message"]
    assert error["candidates"] == [{"graphId": "book-notes", "score": 0.8889, "reason": "close spelling"}]
    with substrate.open(store) as memory:
        (waits,) = memory.proposals()
        assert (waits.id, waits.domain, waits.title) == (error["pending"], "Bok Notes", "L")
        memory.accept(waits.id, domain="book-notes")
    assert agent.ok("recall", query="Postgres")["results"][0]["graph"] == "book-notes"
    error = agent.error("remember", text="And me.", target_engram="Entirely elsewhere")
    assert "work" in error["message"]
    assert "candidates" not in error


def test_turns_of_a_conversation_are_parts_of_one_source_in_order(connect: Connect, store: Path) -> None:
    agent = connect()
    turns = [f"Turn {i}: we talked about topic {i}." for i in range(4)]
    said = [agent.ok("remember", text=turn, graphId="work", kind="ai-conversation") for turn in turns]
    again = agent.ok("remember", text=turns[-1], graphId="work", kind="ai-conversation")
    assert {(one["sourceId"], one["nodeCount"]) for one in [*said, again]} == {(again["sourceId"], 1)}
    with substrate.open(store) as memory:
        assert [one.value.strip() for one in memory.document(again["sourceId"]).chunks] == [*turns, turns[-1]]


def test_a_long_turn_is_cut_as_a_clip_is(connect: Connect, store: Path) -> None:
    agent = connect()
    long = "\n\n".join(f"Paragraph {i}. {'Many heron words here. ' * 40}" for i in range(8))
    clip = agent.ok("remember", text=long, graphId="work")
    agent.ok("remember", text="ok", graphId="work", kind="ai-conversation")
    turn = agent.ok("remember", text=long, graphId="work", kind="ai-conversation")
    assert turn["nodeCount"] == clip["nodeCount"] > 1
    last = agent.ok("remember", text="ok", graphId="work", kind="ai-conversation")
    with substrate.open(store) as memory:
        whole = memory.document(last["sourceId"])
        assert whole.text == f"ok\n\n{long.strip()}\n\nok\n\n"
        assert (whole.exact, len(whole.chunks)) == (True, turn["nodeCount"] + 2)


def test_an_encrypted_engram_is_the_users_to_save_into(connect: Connect, store: Path) -> None:
    with substrate.open(store) as memory:
        memory.checkpoint(["v1.domain.vault = v"])
        memory.encrypt("vault", "correct horse battery")
    for more in ({"graphId": "vault"}, {"target_engram": "vault"}, {"graphId": "vault", "kind": "ai-conversation"}):
        message = connect().error("remember", text="A text.", **more)["message"]
        assert "encrypted" in message
        assert "agents cannot save there" in message


def test_a_text_that_is_not_there_as_it_was_is_not_told_as_saved(connect: Connect) -> None:
    agent = connect(user=User(erase=True))
    for text in ("The endpoint is /v1/heron.", "\n\n".join(f"Part {i}. {'heron words ' * 200}" for i in range(4))):
        said = agent.ok("remember", text=text, graphId="work", label="L")
        assert agent.ok("remember", text=text, graphId="work", label="L") == said
        hit = agent.ok("recall", query="heron", minScore=0, topK=1)["results"][0]
        if said["nodeCount"] > 1:
            agent.ok("forget", chunkId=hit["chunkId"])
        else:
            made = agent.ok("correct", chunkId=hit["chunkId"], proposal="/v1/heron -> /v2/crane")
            agent.ok("apply", correctionId=made["correctionId"])
        error = agent.error("remember", text=text, graphId="work", label="L")
        assert (error["code"], "Nothing was saved" in error["message"]) == ("conflict", True)


def test_a_credential_is_refused_and_not_repeated(connect: Connect) -> None:
    agent = connect()
    for more in ({}, {"target_engram": "Nowhere"}, {"kind": "ai-conversation"}):
        error = agent.error("remember", text="password: hunter2-Xk29!fjQ", **more)
        assert error["code"] == "secret"
        assert "hunter2" not in error["message"]


@pytest.mark.parametrize(
    "arguments",
    [
        {"text": ""},
        {"text": "  "},
        {"text": "x", "graphId": "nowhere"},
        {"text": "x", "graphId": "work", "target_engram": "Book Notes"},
        {"text": "x", "target_engram": "!?"},
        {"text": "x", "kind": "note"},
        {"text": "x", "target_engram": "n" * 500},
    ],
)
def test_bad_input_is_refused(connect: Connect, arguments: dict[str, object]) -> None:
    assert connect().error("remember", **arguments)["code"] in {"arguments", "input", "not_found"}


def test_a_text_without_a_label_is_stored_once_so_that_a_correction_leaves_no_second_copy(connect: Connect) -> None:
    agent = connect()
    agent.ok("remember", text="The grinder comes on 12 May", graphId="work")
    (hit,) = agent.ok("recall", query="grinder", graphs=["work"])["results"]
    assert hit["sourceName"] == "Clip"
    applied = agent.ok("correct", chunkId=hit["chunkId"], proposal="changed from 12 May to 19 June")
    agent.ok("apply", correctionId=applied["correctionId"])
    found = agent.ok("recall", query="grinder 12 May")["results"]
    assert not any("12 May" in one["text"] + one["sourceName"] for one in found)
