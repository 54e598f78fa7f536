"""A server as clients start it: a process of its own, spoken to over standard input and output."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import substrate
from substrate.kv.open import open_store
from substrate.log.tables import TABLES
from tests.agents import ALL_SCOPES, BOOTSTRAP, MODES, TOOLS, Agent, User, child_environment, in_memory, over_stdio
from tests.scale import PATIENCE_S
from tests.wire import Server

KEYS = ("v1.fact.a", "v1.fact.b")
SCOPES = ("--scopes", ",".join(sorted(ALL_SCOPES)))


class Served:
    """A server in a child process, its agent, and what it left on the way."""

    def __init__(self, agent: Agent, user: User, store: Path, errors: Path) -> None:
        self.agent, self.user, self.store, self.errors = agent, user, store, errors


@pytest.fixture(scope="module", params=MODES)
def served(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("served")
    user = User(erase=True)
    with over_stdio(folder / "store", *SCOPES, errors=folder / "errors", mode=request.param, user=user) as agent:
        yield Served(agent, user, folder / "store", folder / "errors")


def test_every_tool_works(served: Served) -> None:
    agent = served.agent
    edge = {"source": KEYS[0], "target": KEYS[1], "type": "depends_on"}
    saved = agent.ok("session_checkpoint", atoms=[f"{key} = tea of {key[-1]}" for key in KEYS], edges=[edge])
    assert saved["recorded"] == list(KEYS)
    assert [atom["key"] for atom in agent.ok(BOOTSTRAP, objective="tea")["atoms"]]
    assert {hit["key"] for hit in agent.ok("memory_search", query="tea")["atoms"]} == set(KEYS)
    found = agent.ok("memory_access", key=KEYS[0], includeProof=True)
    assert found["value"] == "tea of a"
    assert agent.ok("memory_verify", bundle=found["proof"])["claim"] == "current"
    assert agent.ok("memory_train", atoms=list(KEYS), passes=2)["learnt"] == list(KEYS)
    assert len(agent.ok("memory_context", keys=[KEYS[0]], depth=2)["edges"]) == 1
    assert agent.ok("memory_associate", atoms=[KEYS[0]])["associations"] == []
    assert agent.ok("memory_list_atoms", prefix="v1.fact.")["total"] == 2
    assert len(agent.ok("memory_history", key=KEYS[1])["versions"]) == 1
    assert agent.ok("memory_status")["scopes"] == sorted(ALL_SCOPES)
    assert agent.ok("memory_forget", keys=[KEYS[1]])["atoms"] == 1
    assert len(served.user.asked) == 1
    assert agent.error("memory_access", key=KEYS[1])["code"] == "forgotten"


def test_what_it_lists_is_what_a_server_in_memory_lists_and_its_log_has_the_digest(
    served: Served, tmp_path: Path
) -> None:
    assert tuple(served.agent.tools) == TOOLS
    with in_memory(tmp_path / "another", scopes=ALL_SCOPES) as agent:
        assert {n: t.model_dump() for n, t in agent.tools.items()} == {
            n: t.model_dump() for n, t in served.agent.tools.items()
        }
    (said,) = re.findall(r"sha256 ([0-9a-f]{16})", served.errors.read_text(encoding="utf-8"))
    assert said == DIGESTS.setdefault("of the first", said)


DIGESTS: dict[str, str] = {}


def test_resources_prompts_and_completion_work(served: Served) -> None:
    agent = served.agent
    agent.ok("session_checkpoint", atoms=["v1.fact.Größe 100% a/b = yes"])
    assert json.loads(agent.read("memory://atom/v1.fact.Gr%C3%B6%C3%9Fe%20100%25%20a%2Fb"))["value"] == "yes"
    assert "# Working with this memory" in agent.read("memory://guide")
    assert agent.do(agent.client.get_prompt, "close_session", {}).messages


def test_a_server_and_a_python_process_see_each_others_writes_at_the_next_call(served: Served) -> None:
    agent = served.agent
    agent.ok("session_checkpoint", atoms=["v1.fact.ours = 1"])
    with substrate.open(served.store, actor="ada") as memory:
        assert memory.access("v1.fact.ours").atom.actor == "mcp:atoms:tester"
        memory.checkpoint(["v1.fact.theirs = a samovar"])
        assert agent.ok("memory_access", key="v1.fact.theirs")["actor"] == "ada"
        assert agent.ok("memory_search", query="samovar")["atoms"][0]["key"] == "v1.fact.theirs"


def test_errors_come_as_replies(served: Served) -> None:
    error = served.agent.error("memory_access", key="v1.fact.never")
    assert error["code"] == "not_found"
    assert served.agent.error("memory_search", query="x", limit=101)["code"] == "arguments"


def test_nothing_is_logged_but_what_is_served(served: Served) -> None:
    lines = served.errors.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if not line.startswith("substrate mcp: serves ")] == []


def test_without_a_store_a_server_that_only_reads_starts_and_each_call_says_what_to_do(store: Path) -> None:
    with over_stdio(store, "--read-only") as agent:
        assert "memory_access" in agent.tools
        for tool, arguments in (("memory_status", {}), ("memory_search", {"query": "x"})):
            error = agent.error(tool, **arguments)
            assert error["code"] == "not_found"
            assert f"no store in {store}" in error["message"]
            assert "without --read-only" in error["message"]
    assert not store.exists()


WAITING = 45
"""Calls that write, and have to wait: more than there are threads for calls."""


def test_calls_that_wait_for_the_write_lock_keep_no_other_waiting(store: Path, home: Path) -> None:
    with substrate.open(store) as memory:
        memory.checkpoint([f"{KEYS[0]} = tea"])
    holder = open_store(store, TABLES, read_only=False, create=False)
    with Server(store, home) as server:
        server.greet()
        assert server.call("memory_access", key=KEYS[0])["structuredContent"]["value"] == "tea"
        with holder.write():
            saves = [
                server.begin(
                    "tools/call", {"name": "session_checkpoint", "arguments": {"atoms": [f"v1.fact.n{i} = x"]}}
                )
                for i in range(WAITING)
            ]
            assert server.ask("ping")["result"] == {}
            assert server.call("memory_access", key=KEYS[0])["structuredContent"]["value"] == "tea"
            assert server.call("memory_search", query="tea")["structuredContent"]["atoms"]
            assert len(server.ask("tools/list")["result"]["tools"]) == len(TOOLS) - 1
        answers = server.answers(saves)
    holder.close()
    assert [answers[number]["result"]["structuredContent"]["recorded"] for number in saves] == [
        [f"v1.fact.n{i}"] for i in range(WAITING)
    ]


# -- its end -----------------------------------------------------------------------------------------------------------


class Process:
    """A server, by hand: one line for each request, in the older form of the protocol."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self._id = 0

    def send(self, method: str, **params: Any) -> None:
        self._id += 1
        self._write({"jsonrpc": "2.0", "id": self._id, "method": method, "params": params})

    def _write(self, said: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(said).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method: str, **params: Any) -> Any:
        assert self.process.stdout is not None
        self.send(method, **params)
        while line := self.process.stdout.readline():
            if (answer := json.loads(line)).get("id") == self._id:
                return answer["result"]
        pytest.fail("the server has closed its end")

    def begin(self) -> None:
        about = {"name": "by hand", "version": "1"}
        self.ask("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=about)
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def call(self, tool: str, **arguments: Any) -> Any:
        return self.ask("tools/call", name=tool, arguments=arguments)


@contextmanager
def process(store: Path) -> Iterator[Process]:
    command = [sys.executable, "-m", "substrate", "mcp", "--store", str(store)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=child_environment()
    ) as child:
        try:
            yield Process(child)
        finally:
            child.kill()


def sessions_of(store: Path) -> int:
    with substrate.open(store, read_only=True) as memory:
        return memory.stats().sessions


@pytest.mark.parametrize("end", ["eof", "SIGTERM", "SIGINT"])
def test_what_was_read_is_learnt_when_the_server_is_ended(store: Path, end: str) -> None:
    with substrate.open(store) as memory:
        memory.checkpoint([f"{key} = x" for key in KEYS])
    with process(store) as server:
        server.begin()
        for key in KEYS:
            assert not server.call("memory_access", key=key)["isError"]
        if end == "eof":
            assert server.process.stdin is not None
            server.process.stdin.close()
            code = 0
        else:
            number = getattr(signal, end)
            os.kill(server.process.pid, number)
            code = 128 + number
        assert server.process.wait(PATIENCE_S) == code
        assert server.process.stdout is not None
        assert server.process.stdout.read() == b""
    assert sessions_of(store) == 1
    with substrate.open(store, read_only=True) as memory:
        assert [(arc.source, arc.target) for arc in memory.context(list(KEYS)).arcs] == [KEYS]


def test_what_is_asked_right_before_the_end_of_input_is_done_and_answered(store: Path, home: Path) -> None:
    info = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "printf", "version": "1"}}
    call = {"name": "session_checkpoint", "arguments": {"atoms": ["v1.fact.last = said"]}}
    asked = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": info},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call},
    ]
    with Server(store, home) as server:  # it waits five seconds for what is owed: to import is no part of them
        server.send("".join(json.dumps(one) + "\n" for one in asked).encode())
        assert server.close() == 0
    answers = {answer["id"]: answer for answer in map(json.loads, server.lines)}
    assert answers[2]["result"]["structuredContent"]["recorded"] == ["v1.fact.last"]
