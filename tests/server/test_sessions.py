"""Sessions: who wrote what, what is learnt from what was read, and that nobody is taken for another."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import substrate
from substrate.server.clients import Clients
from substrate.server.compose import compose
from substrate.server.launch import Launch
from tests.agents import BOOTSTRAP, Agent, connected, in_memory
from tests.credentials import samples

A, B, C, D = (f"v1.fact.{letter}" for letter in "abcd")


def read(agent: Agent, *keys: str) -> None:
    for key in keys:
        agent.ok("memory_access", key=key)


def sessions_of(store: Path) -> int:
    with substrate.open(store, read_only=True) as memory:
        return memory.stats().sessions


def arcs_of(store: Path) -> set[tuple[str, str]]:
    """What was learnt to follow what."""
    with substrate.open(store, read_only=True) as memory:
        return {(arc.source, arc.target) for arc in memory.context([A, B, C, D]).arcs}


@pytest.fixture
def filled(store: Path) -> Path:
    with substrate.open(store, actor="ada") as memory:
        memory.checkpoint([f"{key} = {key[-1]}" for key in (A, B, C, D)])
    return store


def test_the_name_of_a_session_finds_what_it_wrote(store: Path) -> None:
    with in_memory(store) as agent:
        agent.ok("session_checkpoint", atoms=[f"{A} = 1", f"{B} = 2"], taskContext="v1.task.t")
        session = agent.ok("memory_status")["session"]
    assert session.startswith("mcp:atoms:tester:")
    with substrate.open(store) as memory:
        memory.checkpoint([f"{C} = 3"])
        would = memory.forget(session=session, dry_run=True)
        assert (would.atoms, would.versions, would.edges) == (2, 2, 2)


def test_the_name_of_a_session_finds_what_it_read(filled: Path) -> None:
    with in_memory(filled) as agent:
        read(agent, A, B)
        session = agent.ok("memory_status")["session"]
    with substrate.open(filled) as memory:
        assert memory.forget(session=session, dry_run=True).sessions == 1


def test_what_was_read_is_learnt_when_the_server_ends(filled: Path) -> None:
    with in_memory(filled) as agent:
        read(agent, A, B)
    assert sessions_of(filled) == 1
    assert arcs_of(filled) == {(A, B)}


def test_an_atom_that_is_read_as_a_resource_is_read_in_the_same_session(filled: Path) -> None:
    with in_memory(filled) as agent:
        read(agent, A)
        agent.read(f"memory://atom/{B}")
    assert sessions_of(filled) == 1
    assert arcs_of(filled) == {(A, B)}


def test_searches_lists_and_the_past_are_not_learnt_from(filled: Path) -> None:
    with in_memory(filled) as agent:
        agent.ok("memory_search", query="a")
        agent.ok("memory_list_atoms")
        agent.ok("memory_history", key=A)
        seq = agent.ok("memory_history", key=A)["versions"][0]["seq"]
        agent.ok("memory_access", key=A, asOf=seq)
    assert sessions_of(filled) == 0


def test_a_second_bootstrap_begins_another_session(filled: Path) -> None:
    with in_memory(filled) as agent:
        agent.ok(BOOTSTRAP, objective="letters")
        read(agent, A, B)
        agent.ok(BOOTSTRAP, objective="other letters")
        read(agent, C, D)
    assert sessions_of(filled) == 2
    assert arcs_of(filled) == {(A, B), (C, D)}


@pytest.mark.parametrize("scopes", [{"read"}, {"read", "write"}])
def test_without_the_scope_to_train_nothing_is_learnt_from_reading(filled: Path, scopes: set[str]) -> None:
    with in_memory(filled, scopes=frozenset(scopes)) as agent:
        read(agent, A, B)
        assert agent.ok("memory_status")["watching"] in (True, False)
    assert sessions_of(filled) == 0


def test_two_clients_of_one_server_do_not_mix(filled: Path) -> None:
    with (
        Clients(Launch(filled)) as clients,
        connected(compose(clients), name="one") as one,
        connected(compose(clients), name="two") as two,
    ):
        for first, second in ((A, C), (B, D)):  # in turns
            read(one, first)
            read(two, second)
        one.ok("session_checkpoint", atoms=["v1.fact.by_one = 1"])
        (version,) = two.ok("memory_history", key="v1.fact.by_one")["versions"]
        assert version["actor"] == "mcp:atoms:one"
        names = [agent.ok("memory_status")["session"] for agent in (one, two)]
    assert [name.rsplit(":", 1)[0] for name in names] == ["mcp:atoms:one", "mcp:atoms:two"]
    assert sessions_of(filled) == 2
    assert arcs_of(filled) == {(A, B), (C, D)}


@pytest.mark.parametrize(
    ("name", "actor"),
    [
        ("Claude Code", "mcp:atoms:Claude Code"),
        ("mcp:admin:root", "mcp:atoms:mcp-admin-root"),
        ("a\nb\x00c", "mcp:atoms:a-b-c"),
        ("x" * 500, "mcp:atoms:" + "x" * 60),
        ("", "mcp:atoms:unnamed"),
        ("Größe 支付", "mcp:atoms:Größe 支付"),
    ],
)
def test_a_client_is_recorded_by_its_name_as_far_as_that_can_be_a_part_of_ours(
    store: Path, name: str, actor: str
) -> None:
    with in_memory(store, name=name) as agent:
        agent.ok("session_checkpoint", atoms=[f"{A} = 1"])
        said = agent.ok("memory_access", key=A)
    assert (said["actor"], said["origin"]) == (actor, "agent")


def test_a_client_whose_name_looks_like_a_credential_is_recorded_without_it(store: Path) -> None:
    (sample,) = samples("npm_token", 1)
    with in_memory(store, name=sample.secret) as agent:
        agent.ok("session_checkpoint", atoms=[f"{A} = 1"])
        assert agent.ok("memory_access", key=A)["actor"] == "mcp:atoms:unnamed"
        assert sample.secret not in agent.ok("memory_status")["session"]


def test_the_client_that_was_quiet_for_longest_has_to_go_and_what_it_read_is_kept(filled: Path) -> None:
    with Clients(Launch(filled)) as clients:
        for key in (A, B):
            clients.named("first", "atoms").memory.access(key)
        before = clients.named("first", "atoms").session
        for number in range(40):
            clients.named(f"client {number}", "atoms").memory.access(C)
        assert arcs_of(filled) == {(A, B)}
        again = clients.named("first", "atoms")
        assert again.session != before
        assert again.memory.access(A).value == "a"


def test_two_connections_of_one_name_have_sessions_of_their_own(filled: Path) -> None:
    with Clients(Launch(filled)) as clients:
        one, two = (clients.named("editor", "atoms", connection) for connection in ("c1", "c2"))
        assert one.session != two.session
        assert clients.named("editor", "atoms", "c1") is one
        for first, second in ((A, C), (B, D)):  # in turns
            one.memory.access(first)
            two.memory.access(second)
    assert arcs_of(filled) == {(A, B), (C, D)}


def test_a_server_that_is_closing_answers_busy(filled: Path) -> None:
    with Clients(Launch(filled)) as clients, connected(compose(clients)) as agent:
        read(agent, A)
        clients.close()
        error = agent.error("memory_access", key=A)
    assert (error["code"], error["retryable"]) == ("busy", True)
    assert "closing" in error["message"]


def test_a_server_and_this_process_see_each_others_writes_at_the_next_call(store: Path) -> None:
    with in_memory(store) as agent:
        agent.ok("session_checkpoint", atoms=["v1.fact.ours = tea"])
        with substrate.open(store, actor="ada") as memory:
            assert memory.access("v1.fact.ours").value == "tea"
            memory.checkpoint(["v1.fact.theirs = a samovar"])
            assert agent.ok("memory_access", key="v1.fact.theirs")["actor"] == "ada"
            assert agent.ok("memory_search", query="samovar")["atoms"][0]["key"] == "v1.fact.theirs"
            memory.forget("v1.fact.theirs")
            assert agent.error("memory_access", key="v1.fact.theirs")["code"] == "forgotten"
            assert agent.ok("memory_search", query="samovar")["atoms"] == []


def test_the_status_counts_what_there_is(filled: Path) -> None:
    with in_memory(filled) as agent:
        agent.ok(
            "session_checkpoint",
            atoms=["v1.task.t = x"],
            edges=[{"source": A, "target": B, "type": "references"}],
            tombstone=[D],
        )
        agent.ok("memory_train", atoms=[A, B])
        status = agent.ok("memory_status")
    counts = {word: status[word] for word in ("atoms", "tombstoned", "forgotten", "edges", "trainings", "conflicts")}
    assert counts == {"atoms": 4, "tombstoned": 1, "forgotten": 0, "edges": 1, "trainings": 1, "conflicts": []}
    assert "moreConflicts" not in status
    assert status["types"] == {"fact": 3, "task": 1}
    assert status["scopes"] == ["read", "train", "write"]
    with substrate.open(filled, read_only=True) as memory:
        head = memory.head().head
    assert (status["size"], status["root"], status["origin"]) == (head.size, head.root.hex(), head.origin)


def test_the_status_names_what_contradicts_each_other_and_the_most_frequent_types(store: Path) -> None:
    types = [f"t{number:02}" for number in range(60)]
    with in_memory(store) as agent:
        agent.ok("session_checkpoint", atoms=[f"v1.{word}.x = {word}" for word in types])
        agent.ok("session_checkpoint", atoms=["v1.t59.y = second", "v1.t59.z = third", "v1.t58.y = second"])
        ports = [[f"v1.fact.db{i}_port = The db{i} port is {port}" for port in (1, 2)] for i in range(12)]
        for first, second in ports:
            agent.ok("session_checkpoint", atoms=[first, second.replace("_port =", "_port_now =")])
        status = agent.ok("memory_status")
    assert (len(status["types"]), list(status["types"].items())[:3]) == (50, [("fact", 24), ("t59", 3), ("t58", 2)])
    assert (len(status["conflicts"]), status["moreConflicts"]) == (10, True)
    assert {status["conflicts"][0]["first"], status["conflicts"][0]["second"]} == {
        "v1.fact.db11_port",
        "v1.fact.db11_port_now",
    }
    assert status["conflicts"][0]["kind"] == "number"


def after_closing(clients: Clients) -> list[Callable[[], object]]:
    return [lambda: clients.named("late", "atoms"), clients.warm, clients.close]


def test_after_the_end_nobody_opens_the_store_again(filled: Path) -> None:
    with Clients(Launch(filled)) as clients:
        clients.named("one", "atoms")
    late, warm, close = after_closing(clients)
    with pytest.raises(substrate.errors.Busy, match="closing"):
        late()
    warm()
    close()
