"""What a client under a policy may do to a statement that waits for a person, or that a person declined or replaced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from substrate.errors import Denied
from substrate.memory import Memory
from substrate.policy import Policy

WAITING = "v1.constraint.deploy"
SAID: dict[str, Any] = {
    "name": WAITING,
    "value": "never deploy on Fridays",
    "tags": ["proposed"],
    "confidence": 0.4,
    "source": "transcript s, line 1",
    "origin": "user",
    "session": "s",
    "attrs": {"rules": ["never"]},
}
OTHER = "v1.fact.other"
EDGE = {"source": OTHER, "type": "supersedes", "target": WAITING}
DENIED = "only a person confirms or declines"


def last_two(memory: Memory) -> range:
    size = memory.head().head.size
    return range(size - 2, size)


CHANGES: dict[str, dict[str, Any]] = {
    "its text": {"value": "always deploy"},
    "its tag": {"tags": []},
    "the tag of another": {"tags": ["proposed"], "value": "never deploy on Fridays "},
    "its origin": {"origin": "ingested", "tags": ["proposed", "x"]},
    "its time": {"occurred_at": "2099-01-01"},
    "its beginning": {"valid_from": "2099-01-01"},
    "its end": {"valid_to": "2020-01-01"},
    "its source": {"source": "made up"},
    "its confidence": {"confidence": 0.01},
    "its attrs": {"attrs": {"rules": []}},
    "its session": {"session": "another", "tags": ["proposed", "x"]},
    "its whole": {"parent": OTHER, "position": 1},
}
WRITES: dict[str, Callable[[Memory], object]] = {
    "a tombstone": lambda m: m.checkpoint(tombstones=[WAITING]),
    "an edge": lambda m: m.checkpoint(edges=[EDGE]),
    "a forget": lambda m: m.forget(WAITING),
    "a forget by seqs": lambda m: m.forget(seqs=last_two(m)),
    "an undo": lambda m: m.undo(),
}


@pytest.fixture
def agent(memory: Memory) -> Memory:
    """Beside a person who has another atom."""
    memory.checkpoint([f"{OTHER} = 1"])
    return memory.client("agent", policy=Policy())


def waiting(memory: Memory) -> list[str]:
    return [hit.name for hit in memory.recent(tags="proposed")]


@pytest.mark.parametrize("what", CHANGES)
def test_an_agent_changes_nothing_of_a_statement_that_waits(memory: Memory, agent: Memory, what: str) -> None:
    memory.checkpoint([SAID])
    before = memory.head()
    with pytest.raises(Denied, match=DENIED):
        agent.checkpoint([{**SAID, **CHANGES[what]}])
    assert memory.head() == before


def test_an_agent_may_repeat_a_statement_that_waits_and_add_tags(memory: Memory, agent: Memory) -> None:
    """The twin: tags that are there already stay."""
    memory.checkpoint([SAID])
    agent.checkpoint([SAID, {"name": WAITING, "value": SAID["value"]}])
    agent.checkpoint([{**SAID, "tags": ["proposed", "release"]}])
    assert memory.access(WAITING).atom.tags == ("proposed", "release")
    with pytest.raises(Denied, match=DENIED):
        agent.checkpoint([SAID])
    assert waiting(memory) == [WAITING]


@pytest.mark.parametrize("what", [*CHANGES, *WRITES])
def test_the_same_holds_in_an_encrypted_domain_that_is_unlocked(memory: Memory, what: str) -> None:
    memory.checkpoint(["v1.domain.health = my body", f"{OTHER} = 1"])
    memory.encrypt("health", "correct horse battery staple")
    member = {"source": WAITING, "type": "member_of", "target": "v1.domain.health"}
    memory.checkpoint([SAID], edges=[member])
    agent, before = memory.client("agent", policy=Policy()), memory.head()
    with pytest.raises(Denied, match=DENIED):
        WRITES[what](agent) if what in WRITES else agent.checkpoint([{**SAID, **CHANGES[what]}])
    assert memory.head() == before
    agent.checkpoint([{**SAID, "tags": ["proposed", "release"]}])
    assert memory.access(WAITING).atom.tags == ("proposed", "release")


RETURNS: dict[str, Callable[[Memory], object]] = {
    "with its tag": lambda m: m.checkpoint([SAID]),
    "without it": lambda m: m.checkpoint([{**SAID, "tags": []}]),
    "with another text": lambda m: m.checkpoint([f"{WAITING} = another"]),
    "by an undo": lambda m: m.undo(),
    "forgotten first": lambda m: m.forget(WAITING),
    "a version forgotten first": lambda m: m.forget(seqs=last_two(m)),
    "its session forgotten first": lambda m: m.forget(session="s"),
}


@pytest.mark.parametrize("how", RETURNS)
@pytest.mark.parametrize("place", ["text", "encrypted"])
def test_what_a_person_declined_does_not_return_by_an_agent(memory: Memory, how: str, place: str) -> None:
    edges = []
    memory.checkpoint([f"{OTHER} = 1", "v1.domain.health = my body"])
    if place == "encrypted":
        if how == "its session forgotten first":
            pytest.skip("a session is not readable there, and so not forgotten")
        memory.encrypt("health", "correct horse battery staple")
        edges = [{"source": WAITING, "type": "member_of", "target": "v1.domain.health"}]
    memory.checkpoint([SAID], edges=edges)
    memory.checkpoint(tombstones=[WAITING])
    agent, before = memory.client("agent", policy=Policy()), memory.head()
    with pytest.raises(Denied, match=DENIED):
        RETURNS[how](agent)
    assert memory.head() == before
    memory.checkpoint([{**SAID, "tags": []}], edges=edges)  # a person may
    agent.checkpoint([{"name": WAITING, "value": "another"}])
    assert memory.access(WAITING).value == "another"


def test_what_a_person_put_in_the_place_of_a_statement_stays_there(memory: Memory, agent: Memory) -> None:
    memory.checkpoint([SAID])
    seqs = memory.checkpoint(edges=[EDGE]).seqs
    for write in (
        lambda: agent.forget(seqs=seqs),
        lambda: agent.checkpoint(unedges=[EDGE]),
        lambda: agent.forget(OTHER),
        agent.undo,
    ):
        with pytest.raises(Denied, match=DENIED):
            write()
    assert waiting(memory) == []


@pytest.mark.parametrize("value", [SAID["value"], "another"])
def test_what_a_person_confirmed_does_not_wait_again_by_an_agent(memory: Memory, agent: Memory, value: str) -> None:
    """The twins: an agent may change it otherwise, and give the tag to an atom that is new."""
    memory.checkpoint([SAID])
    memory.confirm([WAITING])
    for prepare in (lambda: None, lambda: agent.checkpoint(tombstones=[WAITING])):
        prepare()
        with pytest.raises(Denied, match=DENIED):
            agent.checkpoint([{**SAID, "value": value}])
    agent.checkpoint([f"{WAITING} = otherwise", {**SAID, "name": "v1.constraint.new"}])
    assert waiting(memory) == ["v1.constraint.new"]


def test_an_agent_does_not_write_in_the_name_of_the_rules(memory: Memory, agent: Memory) -> None:
    with pytest.raises(Denied, match="only the rules"):
        agent.checkpoint([f"{WAITING} = x"], actor="transcript")
    with pytest.raises(Denied, match="substrate transcript"):
        agent.transcript("t.jsonl")
    memory.checkpoint([f"{WAITING} = x"], actor="transcript")
