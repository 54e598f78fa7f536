"""forget: after the user's yes, erased for good."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import substrate
from tests.agents import Agent, User
from tests.leftovers import traces_of

pytestmark = pytest.mark.usefixtures("engrams")
Connect = Callable[..., Agent]
CANARY = "marzipan_parsnip_canary"


@pytest.fixture
def ids(store: Path) -> tuple[str, list[str]]:
    parts = [{"text": f"{CANARY} part {i}.\n\n"} for i in range(3)]
    with substrate.open(store) as memory:
        whole = memory.document(memory.ingest(parts, domain="work", title="T").items[0].name)
        return whole.id, [one.id for one in whole.chunks]


def test_a_source_goes_with_its_chunks_and_leaves_no_byte(
    connect: Connect, ids: tuple[str, list[str]], store: Path
) -> None:
    user = User(erase=True)
    agent = connect(user=user)
    agent.ok("correct", chunkId=ids[1][0], proposal="part 0 -> part zero")
    assert agent.ok("forget", sourceId=ids[0]) == {"deleted": True, "chunksRemoved": 3, "sourceRemoved": True}
    assert "T" in user.asked[0].message
    with substrate.open(store) as memory:
        memory.compact()
    assert not traces_of(CANARY, store)


def test_a_chunk_goes_alone(connect: Connect, ids: tuple[str, list[str]]) -> None:
    agent = connect(user=User(erase=True))
    assert agent.ok("forget", chunkId=ids[1][0]) == {"deleted": True, "chunksRemoved": 1, "sourceRemoved": False}
    assert agent.ok("forget", chunkId=ids[1][1], sourceId=ids[0])["chunksRemoved"] == 1
    assert agent.error("forget", chunkId=ids[1][1])["code"] in {"forgotten", "not_found"}


def test_an_engram_is_not_forgotten(connect: Connect, store: Path) -> None:
    agent = connect(user=User(erase=True))
    for given in ({"chunkId": "v1.domain.work"}, {"sourceId": "v1.domain.work"}):
        error = agent.error("forget", **given)
        assert (error["code"], "engram" in error["message"]) == ("denied", True)
    with substrate.open(store) as memory:
        assert memory.tiers("work")[0].tier == "personal"


def test_a_source_is_given_as_one(connect: Connect, ids: tuple[str, list[str]]) -> None:
    agent = connect(user=User(erase=True))
    for given in ({"chunkId": ids[0]}, {"chunkId": ids[0], "sourceId": ids[0]}):
        assert "give it as sourceId" in agent.error("forget", **given)["message"]
    assert len(agent.ok("recall", query=CANARY)["results"]) == 3


def test_the_only_chunk_takes_its_source_along_and_the_text_can_be_saved_again(connect: Connect) -> None:
    user = User(erase=True)
    agent = connect(user=user)
    text = f"Only one chunk of {CANARY}."
    for kind in ("clip", "ai-conversation"):
        agent.ok("remember", text=text, graphId="work", kind=kind)
        (hit,) = agent.ok("recall", query=CANARY)["results"]
        gone = agent.ok("forget", chunkId=hit["chunkId"])
        assert gone == {"deleted": True, "chunksRemoved": 1, "sourceRemoved": True}
        assert "chunk and its source" in user.asked[-1].message
        assert CANARY in user.asked[-1].message
        assert not agent.ok("recall", query=CANARY)["results"]
        agent.ok("remember", text=text, graphId="work", kind=kind)
        (hit,) = agent.ok("recall", query=CANARY)["results"]
        agent.ok("forget", sourceId=hit["sourceId"])


@pytest.mark.parametrize("user", [User("decline"), User("cancel"), User(erase=False), None])
def test_without_a_yes_nothing_goes(connect: Connect, ids: tuple[str, list[str]], user: User | None) -> None:
    agent = connect(user=user)
    error = agent.error("forget", sourceId=ids[0])
    assert error["code"] == "denied"
    assert user is not None or "substrate forget" in error["message"]
    assert len(agent.ok("recall", query=CANARY)["results"]) == 3


def test_bad_input_is_refused(connect: Connect, ids: tuple[str, list[str]], store: Path) -> None:
    agent = connect(user=User(erase=True))
    with substrate.open(store) as memory:
        other = memory.which("Dune", kind="document").items[0].id
    assert agent.error("forget")["code"] == "input"
    assert "not of that source" in agent.error("forget", chunkId=ids[1][0], sourceId=other)["message"]
    assert agent.error("forget", chunkId="v1.fact.absent")["code"] == "not_found"
    assert "take a chunkId from recall" in agent.error("forget", chunkId="abc123")["message"]
    assert "take a sourceId from recall" in agent.error("forget", sourceId="abc123")["message"]
    assert len(agent.ok("recall", query=CANARY)["results"]) == 3


def test_it_needs_the_scope(connect: Connect, ids: tuple[str, list[str]]) -> None:
    agent = connect(scopes=frozenset({"read", "write"}), user=User(erase=True))
    assert agent.error("forget", sourceId=ids[0])["code"] == "denied"
