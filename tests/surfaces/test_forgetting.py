"""memory_forget: erased if the user says yes, and in no other case."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from mcp.types import CallToolResult, ElicitRequestFormParams

import substrate
from substrate.errors import Forgotten
from tests.agents import ALL_SCOPES, Agent, User, child_environment, in_memory
from tests.old_names import import_atoms
from tests.scale import PATIENCE_S

FORGET, SAVE = "memory_forget", "session_checkpoint"
KEY = "v1.fact.phone"


def save(agent: Agent) -> None:
    agent.ok(SAVE, atoms=[f"{KEY} = 0123", "v1.fact.owner = Ada"])
    agent.ok(SAVE, atoms=[f"{KEY} = 4567"], edges=[{"source": KEY, "target": "v1.fact.owner", "type": "member_of"}])


def test_with_the_users_yes_it_is_erased_and_that_is_proven(store: Path) -> None:
    user = User(erase=True)
    with in_memory(store, scopes=ALL_SCOPES, user=user) as agent:
        save(agent)
        erased = agent.ok(FORGET, keys=[KEY])
        assert (erased["atoms"], erased["versions"], erased["edges"], erased["compacted"]) == (1, 2, 1, True)
        assert agent.error("memory_access", key=KEY)["code"] == "forgotten"
    with substrate.open(store, read_only=True) as memory:
        with pytest.raises(Forgotten):
            memory.access(KEY)
        proof = memory.prove(KEY)
        assert substrate.Verifier(memory.key()).verify(proof.to_json()).claim == "forgotten"
        (seq,) = erased["seqs"]
        assert memory.verify(memory.prove_entry(seq)).claim == "recorded"
    assert b"4567" not in b"".join(path.read_bytes() for path in store.rglob("*") if path.is_file())


def test_the_question_is_asked_once_and_names_the_keys_and_the_counts(store: Path) -> None:
    user = User(erase=True)
    with in_memory(store, scopes=ALL_SCOPES, user=user) as agent:
        save(agent)
        agent.ok(FORGET, keys=[KEY])
    (question,) = user.asked
    assert isinstance(question, ElicitRequestFormParams)
    assert question.message == (
        "Erase 1 atom for good? That is 2 versions and 1 edge, and every trace of their use; it cannot be brought back."
        f' To be erased:\n1. "{KEY}", which says "4567"'
    )
    assert list(question.requested_schema["properties"]) == ["erase"]


def test_an_edge_is_erased_by_its_id_and_the_question_says_so(store: Path) -> None:
    user = User(erase=True)
    with in_memory(store, scopes=ALL_SCOPES, user=user) as agent:
        save(agent)
        with substrate.open(store, read_only=True) as memory:
            (edge,) = memory.edges(KEY)
        assert agent.ok(FORGET, keys=[edge.id])["edges"] == 1
    (question,) = user.asked
    first, told = question.message.split("\n")
    assert first.startswith("Erase 1 item for good? That is 0 versions and 1 edge, ")
    assert told == f'1. "{edge.id}"'


def test_the_question_names_atoms_by_name_and_shows_of_a_long_value_the_beginning(store: Path) -> None:
    user = User(erase=False)
    with in_memory(store, scopes=ALL_SCOPES, user=user) as agent:
        agent.ok(SAVE, atoms=["v1.fact.a = " + "word " * 100, 'v1.fact.b = "quoted"\nand\u2028more', "v1.fact.c = 3"])
        agent.ok(SAVE, tombstone=["v1.fact.c"])
        by_id = agent.ok("memory_access", key="v1.fact.a")["id"]
        agent.error(FORGET, keys=[by_id, "v1.fact.b", "v1.fact.c"])
    (question,) = user.asked
    first, *told = question.message.split("\n")
    assert first.startswith("Erase 3 atoms for good? That is 4 versions and 0 edges, ")
    assert told == [
        f'1. "v1.fact.a", which says "{"word " * 12}…"',
        r'2. "v1.fact.b", which says "\"quoted\"\nand\u2028more"',
        '3. "v1.fact.c", which says "3"',
    ]
    assert all(line.isprintable() for line in told)


@pytest.mark.parametrize("user", [User(erase=False), User("decline"), User("cancel")], ids=["no", "decline", "cancel"])
def test_without_a_yes_nothing_is_erased(store: Path, user: User) -> None:
    with in_memory(store, scopes=ALL_SCOPES, user=user) as agent:
        save(agent)
        before = agent.ok("memory_status")
        error = agent.error(FORGET, keys=[KEY])
        assert (error["code"], "nothing was erased" in error["message"]) == ("denied", True)
        assert agent.ok("memory_status") == before
        assert agent.ok("memory_access", key=KEY)["value"] == "4567"


def test_a_client_that_cannot_ask_is_told_how_the_user_does_it(store: Path) -> None:
    with in_memory(store, scopes=ALL_SCOPES) as agent:
        save(agent)
        error = agent.error(FORGET, keys=[KEY])
        assert error["code"] == "denied"
        for word in ("terminal", "in a notebook: memory.forget(keys)", "tombstone"):
            assert word in error["message"]
        assert f"substrate forget --store {shlex.quote(str(store))} -- {KEY};" in error["message"]
        assert agent.ok("memory_access", key=KEY)["value"] == "4567"


def test_the_command_that_a_client_is_told_does_what_it_says(tmp_path: Path) -> None:
    store, key = tmp_path / "a store; of 'mine'", "v1.fact.--all $HOME"
    with substrate.open(store) as memory:  # an old name: a new one has no $
        import_atoms(memory, {key: "1"})
    with in_memory(store, scopes=ALL_SCOPES) as agent:
        told = agent.error(FORGET, keys=[key])["message"]
    command = told.partition("in a terminal: ")[2].rpartition("; or in a notebook")[0]
    printed = subprocess.run(["bash", "-c", f"printf '%s\\0' {command}"], capture_output=True, text=True, check=True)
    words = printed.stdout.split("\0")[:-1]
    assert words == ["substrate", "forget", "--store", str(store), "--", key]
    command_line = [sys.executable, "-m", *words[:2], "--yes", *words[2:]]  # without a terminal it is not asked
    done = subprocess.run(
        command_line, env=child_environment(), capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    with substrate.open(store, read_only=True) as memory, pytest.raises(Forgotten):
        memory.access(key)


def test_without_the_scope_it_is_not_listed_denied_and_the_user_is_not_asked(store: Path) -> None:
    user = User(erase=True)
    with in_memory(store, user=user) as agent:
        save(agent)
        assert FORGET not in agent.tools
        error = agent.error(FORGET, keys=[KEY])
        assert error["code"] == "denied"
        for word in ("scope forget", "--scopes", f"`substrate forget --store {store} ...`"):
            assert word in error["message"]
        assert agent.ok("memory_access", key=KEY)["value"] == "4567"
    assert user.asked == []


def test_an_agent_cannot_answer_for_the_user(store: Path) -> None:
    user = User("decline")
    with in_memory(store, scopes=ALL_SCOPES, user=user) as agent:
        save(agent)
        assert list(agent.tools[FORGET].input_schema["properties"]) == ["keys"]
        for answer in ({"erase": True}, {"action": "accept", "data": {"erase": True}}):
            agent.error(FORGET, keys=[KEY], answer=answer)
        assert agent.ok("memory_access", key=KEY)["value"] == "4567"


def test_what_is_not_there_is_said_before_the_user_is_asked(store: Path) -> None:
    user = User(erase=True)
    with in_memory(store, scopes=ALL_SCOPES, user=user) as agent:
        save(agent)
        error = agent.error(FORGET, keys=["v1.fact.phon"])
        assert error["code"] == "not_found"
        assert KEY in error["message"]
    assert user.asked == []


def test_several_atoms_go_at_once_and_progress_is_told(store: Path) -> None:
    told: list[tuple[float, float | None]] = []

    async def hear(done: float, total: float | None, _message: str | None) -> None:
        told.append((done, total))

    keys = [f"v1.fact.n{i}" for i in range(20)]
    with in_memory(store, scopes=ALL_SCOPES, user=User(erase=True)) as agent:
        agent.ok(SAVE, atoms=[f"{key} = x" for key in keys])
        result: CallToolResult = agent.do(agent.client.call_tool, FORGET, {"keys": keys}, progress_callback=hear)
        assert not result.is_error
        assert agent.ok("memory_list_atoms")["atoms"] == []
    assert told[-1] == (21, 21)
    assert [done for done, _ in told] == sorted({done for done, _ in told})
